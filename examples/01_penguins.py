"""
Penguins: does the shape of the bill follow the size of the body?
=================================================================

Bill length and bill depth of 342 penguins correlate only weakly. How much does a bill tell about its owner all the
same, and how much of that is merely the species?
"""

# %%
# The data are the Palmer penguins: three species, measured on three Antarctic islands by Gorman, Williams and Fraser.
import matplotlib.pyplot as plt
from palmerpenguins import load_penguins

import infold

penguins = load_penguins().dropna(subset=["bill_length_mm"])
bill = penguins[["bill_length_mm", "bill_depth_mm"]]
body = penguins[["flipper_length_mm", "body_mass_g"]]

fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for (species, rows), marker in zip(penguins.groupby("species"), "os^", strict=True):
    axes[0].scatter(rows.bill_length_mm, rows.bill_depth_mm, s=14, marker=marker, label=species)
    axes[1].scatter(rows.bill_depth_mm, rows.body_mass_g, s=14, marker=marker)
axes[0].set(xlabel="bill length, mm", ylabel="bill depth, mm")
axes[1].set(xlabel="bill depth, mm", ylabel="body mass, g")
axes[0].legend(frameon=False)

# %%
# The left picture is a textbook case of Simpson's paradox. Over all penguins, longer bills are *less* deep; within
# each species they are deeper. The two trends nearly cancel in the correlation coefficient. Mutual information does
# not cancel:
correlation = bill.corr().iloc[0, 1]
length_and_depth = infold.mutual_information(bill[["bill_length_mm"]], bill[["bill_depth_mm"]], random_state=0)
print(f"correlation {correlation:.2f}, mutual information {float(length_and_depth):.2f} nats")

# %%
# A correlation of that size would amount to 0.03 nats if the data were Gaussian.
#
# Bill and body
# -------------
# Now for the question itself. Both sides have two columns, so there is no single correlation to look at, but there is
# one mutual information.
overall = infold.mutual_information(bill, body, method="ksg")
print(f"{float(overall):.2f} nats")

# %%
# About one nat. Roughly speaking, knowing the bill rules out nearly two thirds of the bodies that were possible
# before: a nat is a factor of e = 2.7.
#
# How much of it is the species?
# ------------------------------
# A Gentoo is big and has a flat bill. Anyone who recognises the species from the bill knows something about the body,
# and that might be all there is. So we ask what bill and body share once the species is known, and then once the sex
# is known as well (nine birds were not sexed, and are left out). With classes as the condition, KSG simply compares
# each bird with others of its class.
within_species = infold.conditional_mutual_information(bill, body, penguins[["species"]], method="ksg")
within_both = infold.conditional_mutual_information(
    bill, body, penguins[["species", "sex"]], method="ksg", missing="drop"
)

fig, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
labels = ["nothing given", "given species", "given species and sex"]
values = [float(overall), float(within_species), float(within_both)]
ax.barh(labels[::-1], values[::-1], color="0.35")
ax.bar_label(ax.containers[0], fmt="%.2f", padding=3)
ax.set(xlabel="mutual information of bill and body, nats", xlim=(0, 1.25 * max(values)))

# %%
# More than half of what the bill says about the body is the species, and most of the rest is the sex: males are
# larger in everything. About a tenth of a nat is left among birds of one species and one sex.
#
# Is that tenth more than chance? Shuffle bodies among birds of the same species and sex only, and see how often the
# shuffled data look as dependent as the real ones.
sexed = penguins.dropna(subset=["sex"]).sample(frac=1, random_state=0)  # the order of the file means nothing
test = infold.independence_test(
    sexed[["bill_length_mm", "bill_depth_mm"]],
    sexed[["flipper_length_mm", "body_mass_g"]],
    groups=sexed["species"] + " " + sexed["sex"],
    method="ksg",
    random_state=0,
)
print(f"p = {test.pvalue}")

# %%
# It is the smallest p-value that 199 shuffles can give. Within a species and a sex, too, larger birds have larger
# bills.
