"""
Diabetes: which measurements tell how the disease will progress?
================================================================

Ten measurements of 442 patients, and a score of how far their diabetes had progressed a year later. Which of the ten
carry information about the score, and which of these would you miss if you had the others?
"""

# %%
# The data come with scikit-learn (Efron, Hastie, Johnstone and Tibshirani, 2004). `s1` to `s6` are blood serum
# measurements.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.feature_selection import mutual_info_regression

import infold

patients = load_diabetes(as_frame=True)
X, outcome = patients.data, patients.target

# %%
# A ranking without p-values
# --------------------------
# The usual way is scikit-learn's `mutual_info_regression`. It gives ten numbers:
scores = mutual_info_regression(X, outcome, random_state=0)
print({name: round(float(score), 3) for name, score in zip(X, scores, strict=True)})

# %%
# Is 0.06 for `s1` a signal or noise? The function does not say. Run it with columns of pure noise to get a feeling
# for it: here are the scores of ten columns that we have just made up.
noise = np.random.default_rng(0).normal(size=X.shape)
print(np.round(mutual_info_regression(noise, outcome, random_state=0), 3))

# %%
# A ranking with p-values
# -----------------------
# `relevance` scores each column by itself, and compares it with its own null distribution. The p-values are corrected
# for the number of columns: the probability of calling *any* useless column relevant is at most 5 %.
alone = infold.relevance(X, outcome, random_state=0)
for name, score, p in sorted(zip(X, alone.scores_x, alone.pvalues_x, strict=True), key=lambda row: row[2]):
    print(f"{name:4} {score:6.3f} nats   p = {p:.1g}")

# %%
# Nine of ten columns carry something, and `sex` shows nothing by itself. What of the columns of noise?
control = infold.relevance(noise, outcome, random_state=0)
print("relevant among ten columns of noise:", int(control.relevant_x.sum()))

# %%
# What would be missed?
# ---------------------
# Serum measurements overlap: `s1` and `s2` are both cholesterol. `kind="together"` asks another question: how much is
# lost if this one column is shuffled and all the others are kept?
together = infold.relevance(X, outcome, kind="together", random_state=0)

order = np.argsort(alone.scores_x)
fig, axes = plt.subplots(1, 2, figsize=(8, 4), sharey=True, layout="constrained")
for ax, found, title in zip(axes, (alone, together), ("each column alone", "lost without it"), strict=True):
    colors = np.where(found.relevant_x, "#1f4e79", "#d5dbe1")
    ax.barh(X.columns[order], found.scores_x[order], color=colors[order], edgecolor="#1f4e79")
    ax.set(title=title, xlabel="nats")
fig.suptitle("Filled: relevant at the 5 % level", fontsize=10)

# %%
# Three measurements stand out by what they add to the rest: `s5` (the logarithm of triglycerides), body mass index
# and `s3` (HDL cholesterol). The pale bars are within what shuffling a useless column may cost. `s4` does well alone,
# but nothing shows that it adds anything to the others: it is the ratio of total cholesterol to HDL. Both pictures
# are right; they answer different questions. Screening for anything that is associated wants the left one, and
# choosing what to measure wants the right one.
#
# All ten together
# ----------------
# The certified bound tells how much there is at least, at 95 %, whatever the distribution:
total = infold.mutual_information(X, outcome, certify=True, random_state=0)
print(
    f"estimate {float(total):.2f} nats, at least {total.certified:.2f}; best single column {alone.scores_x.max():.2f}"
)
