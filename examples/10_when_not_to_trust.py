"""
When not to trust it
====================

An estimator always returns a number. Here are five ways in which that number misleads, each with data whose truth we
know, and what gives it away.
"""

# %%
import warnings

import matplotlib.pyplot as plt
import numpy as np

import infold

rng = np.random.default_rng(0)

# %%
# 1. Series that remember
# -----------------------
# Two series that have nothing to do with each other, each of which forgets slowly: every value is 0.95 times the one
# before, plus noise. Rows of a series are not independent samples. Both wander, and so they look related.
x, y = np.zeros((2, 400))
for i in range(1, 400):
    x[i], y[i] = 0.95 * x[i - 1] + rng.normal(), 0.95 * y[i - 1] + rng.normal()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    naive = infold.independence_test(x, y, method="ksg", random_state=0)
    blocked = infold.independence_test(x, y, method="ksg", block=40, random_state=0)
print(f"truth 0, estimate {naive.mi:.2f}, p = {naive.pvalue:.3f}; with blocks of 40 rows p = {blocked.pvalue:.2f}")
print(caught[0].message)

fig, ax = plt.subplots(figsize=(7, 2.4), layout="constrained")
ax.plot(x, label="x")
ax.plot(y, linestyle="dashed", label="y")
ax.set(xlabel="time")
ax.legend(frameon=False)

# %%
# *What gives it away:* a warning about autocorrelation on both sides, which also suggests a block length. For random
# walks, which never forget, no block is long enough; there, analyse the differences.
#
# 2. Information near the ceiling
# -------------------------------
# y equals x up to noise of one part in ten million. Among n rows, nobody can see more than about log n nats.
x = rng.uniform(size=300)
y = x + 1e-7 * rng.uniform(size=300)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    near_copy = infold.diagnose(x, y, method="ksg", random_state=0)
print(f"truth {-np.log(1e-7) + 0.5e-7:.1f}, estimate {float(near_copy.estimate):.1f}, ceiling {near_copy.ceiling:.1f}")

# %%
# *What gives it away:* an estimate above 80 % of the ceiling is reported with a warning. Read it as "at least about
# this much".
#
# 3. Signal lost in noise columns
# -------------------------------
# One pair of columns shares 2.4 nats, and 30 others on either side are noise. KSG finds nearly nothing, with a small
# standard error: an interval covers chance, not bias.
lost = infold.datasets.make_kind("uniform noise, 31 + 31", n_samples=500, random_state=0)
interval = infold.confidence_interval(lost.X, lost.Y, method="ksg", random_state=0)
print(
    f"truth {lost.mi:.2f}, KSG [{interval.low:.2f}, {interval.high:.2f}]; at least {interval.certified:.2f} is certain"
)

# %%
# *What gives it away:* the certified bound is *above* the interval. Other methods disagree as well:
# :func:`infold.diagnose` runs several, and says so.
by_auto = infold.mutual_information(lost.X, lost.Y, random_state=0)
print(f"auto: {float(by_auto):.2f}")

# %%
# 4. Labels that are nearly unique
# --------------------------------
# Two columns of text with 60 labels each, drawn independently. With 200 rows almost every combination is seen once,
# and a table of counts looks as if each label predicted the other.
labels = np.array([f"label {i}" for i in range(60)])
a, b = labels[rng.integers(0, 60, (2, 200))]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    counted = infold.mutual_information(a, b, method="ksg")
    test = infold.independence_test(a, b, method="ksg", random_state=0)
adjusted = infold.mutual_information(a, b, random_state=0)
print(f"truth 0, KSG {float(counted):.2f} (p = {test.pvalue:.2f}), auto {float(adjusted):.2f}")
print(caught[0].message)

# %%
# *What gives it away:* a warning about rare combinations of classes, and the test, whose null distribution has the
# same bias as the estimate. Merge rare labels, or use the default method.
#
# 5. Many questions
# -----------------
# Ask 200 times whether a column of noise tells about another one, and some will say yes at the 5 % level.
X, y = rng.normal(size=(150, 200)), rng.normal(size=150)
found = infold.relevance(X, y, random_state=0)
single = [infold.mutual_information(column, y, random_state=0).explanation["pvalue"] for column in X.T]
print(
    f"{np.sum(np.less_equal(single, 0.05))} of 200 noise columns have p ≤ 0.05 one by one; relevant after correction: "
    f"{int(found.relevant_x.sum())}"
)

# %%
# *What gives it away:* nothing in a single p-value. Count the questions you asked, or let :func:`infold.relevance` do
# it.
#
# In short
# --------
# Before a number goes into a paper, run :func:`infold.diagnose` or `infold report`. They look for all of this, and
# end with a verdict in words:
for sentence in near_copy.verdict:
    print(sentence)
