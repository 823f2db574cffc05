"""An experiment of a few seconds with all methods, controls and forms."""

from infold import reproduce
from infold.reproduce.rows import COLUMNS

TINY = """
title = "Tiny"
about = "A few small estimates."
figure = "noise"

[quick]
repetitions = 1
noise_dims = [2]

[[runs]]
task = ["helix"]
n = 60
noise_dims = [0, 2]
repetitions = 2
lines = [
  { method = "ksg", k = [3, 5] },
  { method = "gksg", k = [3, 5] },
  { method = "gksg", k = 3, standardize = true },
  { method = "lnn", k = 5, variant = "rmi" },
]

[[runs]]
task = "independent-helix"
n = 60
form = "released"
noise_dims = 2
noise = "uniform"
noise_scale = 10.0
repetitions = 2
lines = [{ method = "gksg", k = 3, variant = "released" }, { method = "gknn", k = 20 }]
"""
N_ROWS = 2 * 2 * 6 + 2 * 2


def run(experiment, folder, **options):
    (outcome,) = reproduce.run([experiment], folder, **{"n_jobs": 1, **options})
    return outcome


def timeless(text):
    """Rows without their `seconds`."""
    at = COLUMNS.index("seconds")
    return [line.split(",")[:at] + line.split(",")[at + 1 :] for line in text.splitlines()]
