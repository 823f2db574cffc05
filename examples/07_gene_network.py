"""
A gene network: which edges are real?
=====================================

Samples of 46 genes, drawn from a network whose 70 arrows are known. How many of them does a table of mutual
informations find, how many false ones does it add, and what does pruning do?
"""

# %%
# The network is ecoli70 of Schäfer and Strimmer (2005), a linear Gaussian model learned from expression data of *E.
# coli*. The file has, for each gene, its parents, their coefficients and the variance of the rest. We draw 300
# samples.
import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import infold

model = json.loads(Path("../experiments/data/ecoli70.json").read_text())
rng = np.random.default_rng(0)
genes = {}
while len(genes) < len(model["nodes"]):  # parents first
    for name in model["nodes"]:
        law = model["cpds"][name]
        if name not in genes and all(parent in genes for parent in law["parents"]):
            genes[name] = np.sqrt(law["variance"][0]) * rng.normal(size=300)
            for parent in law["parents"]:
                genes[name] = genes[name] + law["coefficients"][parent][0] * genes[parent]
table = pd.DataFrame(genes)[model["nodes"]]
truth = {frozenset(arrow) for arrow in model["arcs"]}
print(f"{table.shape[1]} genes, {len(truth)} true edges among {table.shape[1] * 45 // 2} pairs")

# %%
# All pairs that depend on each other
# -----------------------------------
# `network` estimates and tests every pair. With a false discovery rate of 5 % we expect at most one in twenty of
# these edges to join genes that are independent.
found = infold.network(table, random_state=0)


def count(network):
    """Return how many true edges and how many others a network has."""
    edges = {frozenset((edge["source"], edge["target"])) for edge in network.edge_list()}
    return len(edges & truth), len(edges - truth)


print("dependent pairs: {} true edges, {} others".format(*count(found)))

# %%
# Most edges are not in the truth, and yet they are not mistakes: a gene and its grandchild *do* depend on each other.
# An edge of a table of pairs means dependence, not a direct link.
#
# What others explain
# -------------------
# Pruning asks of each weak edge of a triangle whether anything is left once the third gene is known.
direct = found.prune()
simple = found.prune("dpi")
print("pruned by conditional tests: {} true edges, {} others".format(*count(direct)))
print("pruned as ARACNe does:       {} true edges, {} others".format(*count(simple)))

# %%
# Side by side
# ------------
fig, axes = plt.subplots(1, 3, figsize=(9.5, 3.4), layout="constrained")
names = list(table)
for ax, network, title in zip(axes, (found, direct, simple), ("dependent", "conditional", "ARACNe"), strict=True):
    for edge in network.edge_list():
        i, j = names.index(edge["source"]), names.index(edge["target"])
        true = frozenset((edge["source"], edge["target"])) in truth
        ax.plot([i, j], [j, i], "s" if true else "x", color="#1f4e79" if true else "#e08a2e", markersize=3)
    right, wrong = count(network)
    ax.set(title=f"{title}: {right} of {len(truth)}, and {wrong} others", xlabel="gene", aspect="equal")
    ax.title.set_fontsize(10)
axes[0].set(ylabel="gene")
fig.suptitle("squares: true edges; crosses: others", fontsize=10)
