"""What auto answers given Z, and X drawn anew given Z."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from .choice import Answer


class Sampler(Protocol):
    """Draws X anew given Z."""

    def draw(self, seed: int) -> np.ndarray:
        """Return a table (n, p) in place of x."""


def adapt_given(
    x: np.ndarray,
    y: np.ndarray,
    z: np.ndarray,
    n_neighbors: int,
    random_state: Any,
    *,
    nominal: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
    n_jobs: int | None,
    verbose: int = 0,
) -> Answer:
    """Return auto's answer about x (n, p) and y (n, q) given z (n, r), of which no column is constant."""
    raise NotImplementedError("method='auto' does not take Z yet; pass method='ksg' or 'gksg'.")


def conditional_sampler(
    x: np.ndarray, z: np.ndarray, nominal: tuple[np.ndarray, np.ndarray], random_state: Any
) -> Sampler:
    """Return what draws x (n, p) anew given z (n, r), as if nothing else told of it."""
    raise NotImplementedError("A test given Z needs X drawn anew given Z, which cannot be done yet; leave Z out.")
