"""What `auto` is made of; tables have samples as rows, (n, p).

`scores` turns columns into normal scores, `gaussian` computes and tests the MI that their correlations explain;
`screen` finds the dependent columns, `coordinates` learns what two sides share, `neighbors` runs KSG. A *look* is one
way to estimate MI from some columns: `crossfit` has the free looks, `blocks` and `directions` have sums over parts,
`looks` compares them, and `choice` returns the answer.
"""
