"""Geodesic distances of a forest, d_G (Sec. 5.3 of the paper), and the same neighbour counts on them as in `knn`.

Two rows are as far apart in a block as the number of trees that, looking at the block's columns alone, tell them apart.
Where that decides nothing, a Euclidean distance below that of one tree does.
"""
