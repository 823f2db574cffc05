"""Entropies from the shape of each sample's neighbourhood: `gknn` and `lnn`, on the offsets that `neighbors` finds.

Both give each sample a value whose mean is the entropy h, so that h(X) + h(Y) − h(X, Y) is the mean of a local mutual
information. One task is one block of rows and no row sees another block, so the number of threads cannot change a bit.
"""
