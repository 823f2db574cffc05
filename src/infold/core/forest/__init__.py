"""The geodesic forest: unsupervised trees that cut sparse projections in two (Sec. 5.2 of the paper).

A node draws some projections, finds the best cut of each, and takes the best of all. In the order of the computation:
`projection` → `criterion` (what a cut is worth) → `columns` (the best cut of a projected column) → `tree` → `route`.
"""
