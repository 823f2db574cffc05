"""
Blood glucose: how far ahead does a reading tell?
=================================================

A sensor under the skin measured one person's glucose every five minutes for more than six months. What does a reading
tell about the hours to come, and is one from yesterday still of use?
"""

# %%
# The data come with bokeh_sampledata (public domain). At times the sensor fell silent. Hours without a reading stay
# missing, and no lag reaches across them, so there is nothing to fill in.
import matplotlib.pyplot as plt
import numpy as np
from bokeh_sampledata.glucose import data

import infold

hourly = data.glucose.resample("1h").mean()
day = hourly.groupby(hourly.index.hour).quantile([0.1, 0.5, 0.9]).unstack()

fig, axes = plt.subplots(1, 2, figsize=(9, 3.2), width_ratios=(2, 1), sharey=True, layout="constrained")
axes[0].plot(hourly["2010-06-07":"2010-06-20"], linewidth=0.9)
axes[0].tick_params(axis="x", rotation=30)
axes[0].set(ylabel="glucose, mg/dl", title="two weeks")
axes[1].fill_between(day.index, day[0.1], day[0.9], color="0.85")
axes[1].plot(day.index, day[0.5], color="black")
axes[1].set(xlabel="hour of the day", title="median, and 10 to 90 %", xticks=range(0, 25, 6))

# %%
# There is a daily rhythm, though a weak one. A reading and the one a day later have the hour in common, and mutual
# information counts that, too, though anyone with a clock knows it. So each hour's mean is taken off: what is left is
# how much higher than usual glucose is for that time of day.


def above_usual(rule):
    """Return the logarithm of the means over some time, less its mean at that time of day."""
    level = np.log(data.glucose.resample(rule).mean())
    return level - level.groupby(level.index.hour).transform("mean")


# %%
# The hours to come
# -----------------
# At lag l, the mean over two hours is compared with that l steps of two hours before. The p-values come from shifting
# the series in a circle, which keeps its memory, and are corrected for the number of lags.
wide = above_usual("2h")
ahead = infold.lagged_mutual_information(wide, wide, range(1, 16), n_neighbors=10, n_surrogates=99, random_state=0)
ahead.plot()
ahead

# %%
for lag in (1, 2, 3, 6, 12):
    at = ahead.lags.index(lag)
    print(f"{2 * lag:2} hours: {ahead.mi[at]:5.3f} nats, p = {ahead.corrected_pvalues[at]:.2f}")

# %%
# Two hours ahead a reading tells something, four hours ahead a fifth of that, and after six hours no more than a trace
# is left: about as long as a meal and its insulin act. Half a day later there is nothing certain.
#
# The same hour of the next day is significant again. That is not the usual day, which was taken off, but perhaps habits
# that last for weeks. It is also tiny, a fifteenth of what two hours tell: a p-value says that something is there, not
# that it is of use.
#
# Is the last reading enough?
# ---------------------------
# If it were, earlier readings would add nothing to it. Look closer, hour by hour: what do readings from two and three
# hours ago tell, given that of an hour ago?
close = above_usual("1h")
more = infold.lagged_mutual_information(
    close, close, [2, 3], close, given_lags=1, n_neighbors=10, n_surrogates=39, random_state=0
)
more

# %%
# They do add something. Two readings say whether glucose rises or falls, and so where it goes next. That is why
# such a sensor shows an arrow beside its number.
