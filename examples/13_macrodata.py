"""
Output, prices and unemployment: what does a p-value of two trends mean?
=========================================================================

Half a century of the economy of the United States, by quarters. Everything grows, so everything seems to depend on
everything. What is left when growth is taken off, and what comes first?
"""

# %%
# The data come with statsmodels: 203 quarters, 1959 to 2009.
import warnings

import matplotlib.pyplot as plt
import numpy as np
from statsmodels.datasets import macrodata

import infold

table = macrodata.load_pandas().data
when = table.year + (table.quarter - 1) / 4

# %%
# Two things that grow
# --------------------
# Output and the price level share a great deal of information, about three nats. Both rise, so one tells the year, and
# the year tells the other. infold warns of that, and its p-value does not compare levels but changes from quarter to
# quarter, of which one says nothing about the other.
with warnings.catch_warnings():
    warnings.simplefilter("ignore", infold.DataWarning)  # the same words as in the notes below
    levels = infold.lagged_mutual_information(np.log(table.realgdp), np.log(table.cpi), [0], random_state=0)
levels

# %%
# Output and unemployment
# -----------------------
# The growth of output and the change of unemployment, Okun's law. At positive lags output moves first.
output = 100 * np.log(table.realgdp).diff()
unemployment = table.unemp.diff()
okun = infold.lagged_mutual_information(output, unemployment, range(-8, 9), random_state=0)
okun.plot()
okun

# %%
# They move in the same quarter, and unemployment still follows in the next: firms wait before they hire and fire.
# There is nothing at negative lags: unemployment does not announce what output will do.
#
# One note is left. The spread of output changes with time, and a common change of spread would be a dependence, too. So
# it is worth a look:
fig, ax = plt.subplots(figsize=(8, 2.8), layout="constrained")
ax.plot(when, output, linewidth=0.9)
ax.axvline(1984, color="black", linewidth=0.6, linestyle="dotted")
ax.set(ylabel="growth of output,\n% in a quarter")

# %%
# Economists call it the Great Moderation: from 1984 on output varies less. Within each of the two eras the spread is
# about constant. As groups of one analysis, each in its own standard deviations, they answer the same question without
# that change; no lag reaches from one era into the other.
era = np.where(when < 1984, "before 1984", "from 1984 on")
x, y = (series.groupby(era).transform(lambda own: (own - own.mean()) / own.std()) for series in (output, unemployment))
within = infold.lagged_mutual_information(x, y, range(-4, 5), groups=era, random_state=0)
within
