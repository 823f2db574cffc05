"""Parameters of the library, where messages name them, as options of the command line."""

from __future__ import annotations

import re

OPTIONS = {
    "n_neighbors": "--neighbors",
    "n_surrogates": "--surrogates",
    "given_lags": "--given-lags",
    "groups=": "--groups",
    "time=": "--time",
    "difference=1": "--difference",
    " (windows=)": "",  # only in Python
}
_NAMED = re.compile("|".join(rf"(?<![\w-]){re.escape(name)}" for name in OPTIONS))


def as_options(message: str) -> str:
    """Return a message of the library in the words of the command line: `--groups` for `groups=`, and the like."""
    return _NAMED.sub(lambda found: OPTIONS[found[0]], message)
