"""
Sunspots: how long is the cycle, and is there more than a cycle?
================================================================

309 years of sunspot numbers. The cycle of about eleven years is famous. Does last year's number tell anything about
this year's that the one before did not?
"""

# %%
# The data come with statsmodels: yearly means from 1700 to 2008.
import warnings

import matplotlib.pyplot as plt
import numpy as np
from statsmodels.datasets import sunspots

import infold

activity = sunspots.load_pandas().data.SUNACTIVITY.to_numpy()

# %%
# The cycle
# ---------
# Mutual information between the series and itself, beside what a correlation coefficient would make of it. A
# correlation r stands for −½ log(1 − r²) nats if the data are Gaussian.
lags = range(1, 36)
found = infold.lagged_mutual_information(activity, activity, lags, random_state=0)
correlations = np.array([np.corrcoef(activity[:-lag], activity[lag:])[0, 1] for lag in lags])
gaussian = -0.5 * np.log(1 - correlations**2)

fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.plot(lags, found.mi, "o-", label="mutual information")
ax.plot(lags, gaussian, "s--", label="from the correlation")
for cycle in (11, 22, 33):
    ax.axvline(cycle, color="black", linewidth=0.6, linestyle="dotted")
ax.set(xlabel="lag, years", ylabel="nats")
ax.legend(frameon=False)

beyond = [lag for lag in lags if lag > 5]
best = max(beyond, key=lambda lag: found.mi[found.lags.index(lag)])
print(f"the strongest lag beyond five years is {best}")

# %%
# The peaks near multiples of eleven years are the cycle. At lags of about three and eight years, a quarter and three
# quarters of a cycle, the correlation falls to zero. The mutual information does not, since those years are not
# independent at all.
#
# Rising or falling?
# ------------------
# The same number of spots occurs on the way up and on the way down. Two years tell which, so the year before last
# should help, given last year:
now, last, before = activity[2:], activity[1:-1], activity[:-2]
with warnings.catch_warnings():
    warnings.simplefilter("ignore", infold.DataWarning)  # rounded numbers repeat now and then
    one = infold.mutual_information(last, now, method="ksg")
    more = infold.conditional_mutual_information(before, now, last, method="ksg")
print(f"last year tells {float(one):.2f} nats about this year, the one before adds {float(more):.2f}")

fig, ax = plt.subplots(figsize=(4.6, 4), layout="constrained")
points = ax.scatter(last, now, c=last - before, cmap="coolwarm", vmin=-60, vmax=60, s=14)
fig.colorbar(points, label="last year less the year before")
ax.set(xlabel="spots last year", ylabel="spots this year")

# %%
# After a rise (red) the number keeps rising, after a fall (blue) it keeps falling. Two numbers are the state of the
# cycle; one is only half of it.
