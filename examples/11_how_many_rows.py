"""
Planning a study: how many rows do I need?
==========================================

You expect a moderate dependence, and can pay for a few hundred samples. Will that be enough to see it, and to measure
it?
"""

# %%
# Simulate before you collect. :mod:`infold.datasets` has more than a hundred kinds of data with known mutual
# information. Here are four that share a few tenths of a nat, from easy to hard.
import matplotlib.pyplot as plt
import numpy as np

import infold
from infold.datasets import describe_kind, make_kind

names = ["gaussian 0.6", "volatility", "product of normals", "product of normals, 11 + 11"]
for name in names:
    kind = describe_kind(name)
    print(f"{name:28} {kind.mi:.2f} nats   {kind.about}")

# %%
# The first is a plain correlation. In the others y has no correlation with x at all: x only sets its spread. The last
# one hides the pair among ten columns of noise on either side.
#
# For each kind and size we draw a few samples. The default method answers 0 unless a strict test rejects
# independence, so an answer above 0 is a detection.
sizes, repeats = [50, 100, 200, 400, 800], 6
found = np.zeros((len(names), len(sizes), repeats))
for i, name in enumerate(names):
    for j, size in enumerate(sizes):
        for seed in range(repeats):
            data = make_kind(name, n_samples=size, random_state=seed)
            found[i, j, seed] = infold.mutual_information(data.X, data.Y, random_state=seed)

fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for name, estimates, style in zip(names, found, ("o-", "s--", "^-.", "D:"), strict=True):
    axes[0].plot(sizes, (estimates > 0).mean(axis=1), style, label=name)
    axes[1].plot(sizes, estimates.mean(axis=1) / describe_kind(name).mi, style)
axes[0].set(ylabel="share of samples in which it was detected", ylim=(-0.05, 1.05))
axes[1].axhline(1, color="black", alpha=0.3, linewidth=3)
axes[1].set(ylabel="mean estimate ÷ truth", ylim=(-0.1, 1.6))
for ax in axes:
    ax.set(xlabel="rows", xscale="log", xticks=sizes, xticklabels=sizes)
    ax.minorticks_off()
fig.legend(loc="outside upper center", ncols=2, frameon=False)

# %%
# A correlation of 0.6 is always found with 50 rows. A dependence that changes only the spread takes about 100, and
# 200 among noise columns. To *measure* any of them within a tenth takes about 400. Six samples per point are a
# sketch; take 100 for a proposal.
#
# If you already have pilot data, :func:`infold.diagnose` does this with *your* columns: it pairs the rows of both
# tables anew so that they share a known amount, and reports what comes out (`planted`).
