"""
RAND health insurance: does the price of a visit matter?
========================================================

In the RAND experiment families were assigned to insurance plans at random. Did those who paid more of the bill see
the doctor less often? The answer depends on what counts as one observation.
"""

# %%
# The table comes with statsmodels: 20,190 person-years. `lncoins` stands for the coinsurance rate, the percentage of
# the bill that the family paid (as the logarithm of one plus the rate); `lpi` and `fmde` are yearly payments and
# limits of the family's plan; `disea` counts chronic diseases and `physlm` physical limitations.
import warnings

import matplotlib.pyplot as plt
import numpy as np
from statsmodels.datasets import randhie

import infold

years = randhie.load_pandas().data
columns = ["lncoins", "lpi", "fmde", "disea", "physlm"]

# %%
# Every row for itself
# --------------------
# The obvious analysis takes all rows, and asks which columns tell about the number of visits, `mdvis`.
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    by_year = infold.relevance(years[columns], years[["mdvis"]], random_state=0)
for name, score, p in zip(columns, by_year.scores_x, by_year.pvalues_x, strict=True):
    print(f"{name:8} {score:.3f} nats   p = {p:.0e}")

# %%
# Everything is significant beyond any doubt, and `lpi`, a payment that a family received for taking part, leads. It
# is hard to think of a reason. But infold also warned:
print(caught[0].message)

# %%
# Neighbouring rows resemble each other because they *are* each other: the same people, in consecutive years. And the
# payments, known to the cent, are close to a family's fingerprint:
families = years.groupby(["lncoins", "idp", "lpi", "fmde"])
print(f"{len(years)} rows, but only {families.ngroups} combinations of plan and payments")

# %%
# So `lpi` does not tell why people visit a doctor. It tells *who* they are, and some families go often. The estimate
# is right, and the conclusion is wrong: the p-value counts 20,190 independent people, who do not exist.
#
# One row per family
# ------------------
# We average over the years, keep families with five person-years or more, and ask again.
family = families.agg(
    visits=("mdvis", "mean"), person_years=("mdvis", "size"), disea=("disea", "mean"), physlm=("physlm", "mean")
).reset_index()
family = family[family.person_years >= 5]
family = family.sample(frac=1, random_state=0)  # groupby sorts, and the order of families means nothing
by_family = infold.relevance(family[columns], family[["visits"]], random_state=0)

fig, axes = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True, layout="constrained")
titles = (f"{len(years):,} person-years", f"{len(family)} families")
for ax, found, title in zip(axes, (by_year, by_family), titles, strict=True):
    colors = np.where(found.relevant_x, "#1f4e79", "#d5dbe1")
    ax.barh(columns, found.scores_x, color=colors, edgecolor="#1f4e79")
    ax.set(title=title, xlabel="information about visits, nats")
fig.suptitle("Filled: relevant at the 5 % level", fontsize=10)

# %%
# Now `lpi` carries nothing, and illness comes first, as one would hope. Coinsurance, which had been assigned at
# random, shows clearly, four times as strong as among person-years, because averages over years are less noisy than
# single years. The picture says in which direction:
fig, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
levels = sorted(family.lncoins.unique())
ax.boxplot([family.visits[family.lncoins == level] for level in levels], showfliers=False)
ax.set_xticks(
    range(1, len(levels) + 1),
    [f"{np.expm1(level):.0f} %\n{(family.lncoins == level).sum()} families" for level in levels],
)
ax.set(xlabel="coinsurance", ylabel="visits per person and year")

# %%
# Free care means more visits, which was the main finding of the RAND study. (Few families had to pay everything.)
#
# The lesson is older than mutual information: first decide what is one observation. If you cannot aggregate,
# `groups=` and `block=` in :func:`infold.independence_test` keep rows together that belong together.
