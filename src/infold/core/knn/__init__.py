"""The k-th neighbour's distance in the joint space of all blocks, and how many rows are nearer in each space.

A *block* is a run of consecutive columns, such as those of X. A *space* is a set of blocks, written as a bit mask: bit
b is set if block b belongs to it. Distances are compared in the maximum norm over the blocks of a space.
"""
