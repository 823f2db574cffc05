"""
El Niño: how far ahead can the sea be foreseen?
===============================================

Monthly temperatures of the Pacific off Peru over 61 years. How much does a month tell about the months to come, and
how much of that is merely the season?
"""

# %%
# The data come with statsmodels (NOAA; 1950 to 2010).
import matplotlib.pyplot as plt
import numpy as np
from statsmodels.datasets import elnino

import infold

table = elnino.load_pandas().data.set_index("YEAR")
temperature = table.to_numpy().ravel()
anomaly = (table - table.mean()).to_numpy().ravel()  # how much warmer than usual for the month

fig, axes = plt.subplots(2, 1, figsize=(8, 4), sharex=True, layout="constrained")
time = 1950 + np.arange(temperature.size) / 12
axes[0].plot(time, temperature, linewidth=0.8)
axes[0].set(ylabel="°C")
axes[1].fill_between(time, anomaly, color="0.4")
axes[1].set(ylabel="anomaly, °C")

# %%
# With the season
# ---------------
# At lag l, the temperature l months ago is compared with the present one. Values of a series depend on their
# neighbours, so p-values cannot come from shuffling single months: infold shifts the whole series in a circle
# instead.
lags = range(1, 31)
raw = infold.lagged_mutual_information(temperature, temperature, lags, random_state=0)
clean = infold.lagged_mutual_information(anomaly, anomaly, lags, random_state=0)

fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.plot(lags, raw.mi, "o-", label="temperature")
ax.plot(lags, clean.mi, "s--", label="anomaly")
ax.axhline(0, color="black", linewidth=0.8)
ax.set(xlabel="lag, months", ylabel="mutual information, nats", xticks=range(0, 31, 6))
ax.legend(frameon=False)

# %%
# The temperature of a year ago tells more than that of three months ago, but only because every July is cold. Anyone
# with a calendar knows that. The anomaly is what is news.
#
# Without the season
# ------------------
for lag in (1, 2, 3, 4, 5, 6, 12):
    at = clean.lags.index(lag)
    print(f"{lag:2} months: {clean.mi[at]:5.2f} nats, p = {clean.corrected_pvalues[at]:.3f}, corrected for 30 lags")

# %%
# An unusually warm sea stays warm for a few months, which is what makes an El Niño. Half a year ahead, this one
# series tells nothing certain about its own future. (Forecasts that reach further look at the whole Pacific.)
