"""What functions return: frozen, readable, and ready for JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

NATS_PER_UNIT = {"nats": 1.0, "bits": math.log(2.0)}


@dataclass(frozen=True, repr=False)
class MutualInformation:
    """An estimate of mutual information.

    Attributes
    ----------
    mi : float
        The estimate, in `units`. Never clamped: a small negative value means "about 0".
    local : ndarray of shape (n_samples,)
        One value a sample; their mean is `mi`. High where a sample's X and Y predict each other well.
    units : {"nats", "bits"}
        The unit of `mi` and `local`.
    method : str
        The estimator's short name.
    n_samples : int
        Rows of X and of Y.
    n_features : tuple of int
        Columns of X and of Y.
    settings : mapping
        Every parameter of the estimator, so that the estimate can be made again.
    query_error : float
        Standard error that averaging over `max_queries` rows, instead of all, adds; 0 without.
    names : tuple
        Column names of X and of Y where they came with names, else None.
    explanation : mapping or None
        How `method="auto"` came to its answer: its linear part, the excess, the view that was taken and why.
    """

    mi: float
    local: np.ndarray = field(compare=False)
    units: str
    method: str
    n_samples: int
    n_features: tuple[int, int]
    settings: Mapping[str, Any]
    query_error: float = 0.0
    names: tuple[tuple[str, ...] | None, tuple[str, ...] | None] = (None, None)
    explanation: Mapping[str, Any] | None = None

    def __float__(self) -> float:
        """Return the estimate."""
        return self.mi

    def to_dict(self, *, local: bool = False) -> dict[str, Any]:
        """Return plain types for JSON; `local=True` adds the n local values."""
        out = {
            "mi": self.mi,
            "query_error": self.query_error,
            "units": self.units,
            "method": self.method,
            "n_samples": self.n_samples,
            "n_features": list(self.n_features),
            "x_names": list(self.names[0]) if self.names[0] else None,
            "y_names": list(self.names[1]) if self.names[1] else None,
            "settings": {key: _plain(value) for key, value in self.settings.items()},
        }
        if self.explanation is not None:
            out["explanation"] = dict(self.explanation)
        if local:
            out["local"] = self.local.tolist()
        return out

    def __repr__(self) -> str:
        """Return a few lines for people."""
        d_x, d_y = self.n_features
        own = {k: v for k, v in self.settings.items() if k not in ("n_jobs", "verbose") and v is not None}
        queried = f", {self.local.size} of them queried: ± {self.query_error:.2g}" if self.query_error else ""
        return (
            f"I(X; Y) = {self.mi:.4g} {self.units}\n"
            f"  method    {self.method}: {', '.join(f'{k}={v!r}' for k, v in own.items())}\n"
            f"  data      {self.n_samples} samples{queried}, {d_x} + {d_y} columns\n"
            f"  local     from {self.local.min():.3g} to {self.local.max():.3g}, deviation {self.local.std():.3g}"
            + self._why()
        )

    def _why(self) -> str:
        """Return how an adaptive answer came about, as further lines."""
        if self.explanation is None:
            return ""
        e = self.explanation
        unit = NATS_PER_UNIT[self.units]
        return (
            f"\n  parts     linear {e['linear'] / unit:.3g}, beyond it {e['excess'] / unit:.3g} (z = {e['z']:.1f}), "
            f"standard error {e['standard_error'] / unit:.2g}"
            f"\n  view      {e['view']}: {e['reason']}"
            f"\n  columns   X {_few(e['columns_x'])} | Y {_few(e['columns_y'])}; independence: p = {e['pvalue']:.2g}"
        )


def _few(columns: list[Any]) -> str:
    """Return the first columns, and how many more there are."""
    more = f" and {len(columns) - 6} more" if len(columns) > 6 else ""
    return (", ".join(str(c) for c in columns[:6]) or "none") + more


def _plain(value: Any) -> Any:
    """Return `value` as JSON can take it; a random generator becomes its description."""
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
