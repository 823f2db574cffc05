"""
Carbon dioxide: does El Niño leave a trace in the air?
======================================================

The air over Mauna Loa has more carbon dioxide every year, and more in May than in October. Is there anything left once
both are taken off, and does a warm Pacific have a part in it?
"""

# %%
# Both series come with statsmodels: weekly measurements of CO₂ from 1958 to 2001, some weeks of them missing, and the
# monthly temperature of the sea off Peru.
import matplotlib.pyplot as plt
import pandas as pd
from statsmodels.datasets import co2, elnino

import infold

air = co2.load_pandas().data.co2.resample("MS").mean()
table = elnino.load_pandas().data.set_index("YEAR")
sea = pd.Series((table - table.mean()).to_numpy().ravel(), pd.date_range("1950-01-01", periods=table.size, freq="MS"))
sea = sea.loc[air.index]  # how much warmer than usual for the month

# %%
# As they come
# ------------
first = infold.lagged_mutual_information(sea, air, range(-18, 19), n_neighbors=10, random_state=0)
first

# %%
# Nothing that one could trust, and two notes say why. The concentration only ever grows: it has a trend, which it
# shares with everything else that grows, and it wanders like a random walk. Whatever El Niño adds is a small wiggle on
# top of that.
#
# Without trend and season
# ------------------------
# The change since the same month of last year has no season. That change itself grows slowly, with the world's
# economy, so its mean over five years is taken off.
growth = air.diff(12)
growth = growth - growth.rolling(61, center=True, min_periods=30).mean()

fig, axes = plt.subplots(2, 1, figsize=(8, 4), sharex=True, layout="constrained")
axes[0].fill_between(sea.index, sea, color="0.4")
axes[0].set(ylabel="sea, °C above usual")
axes[1].plot(growth, linewidth=0.9)
axes[1].set(ylabel="CO₂ growth,\nppm per year above usual")

# %%
# Months without a measurement stay missing. No lag reaches across them, so there is no need to fill them in.
found = infold.lagged_mutual_information(sea, growth, range(-18, 19), n_neighbors=10, random_state=0)
found.plot()
found

# %%
# A warm sea comes first: the peak is at a positive lag, and no lag at which the air would come first is significant.
# The growth is a difference over twelve months, whose middle is six months back. So the air responds within half a
# year, which is what is known: in El Niño years the tropics are dry, forests grow less and burn more.
print(f"strongest {found.peak} months after the sea, {found.peak - 6} after it in the middle of the year compared")
