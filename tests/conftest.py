import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(20220428)


def awkward_tables(rng):
    """Name → (X, Y): the data that break kNN code."""
    normal = rng.normal(size=(60, 4))
    return {
        "normal": (normal[:, :2], normal[:, 2:]),
        "one column": (normal[:, :1], normal[:, 1:2]),
        "ties": (rng.integers(0, 9, size=(60, 2)).astype(float), rng.integers(0, 9, size=(60, 1)).astype(float)),
        "duplicated rows": (np.repeat(normal[:12, :2], 5, axis=0), np.repeat(normal[:12, 2:], 5, axis=0)),
        "offset 1e6": (normal[:, :2] + 1e6, normal[:, 2:] - 1e6),
        "huge": (normal[:, :2] * 1e150, normal[:, 2:] * 1e150),
        "tiny": (normal[:, :2] * 1e-150, normal[:, 2:] * 1e-150),
        "n = k + 1": (normal[:4, :2], normal[:4, 2:]),
        "more columns than rows": (rng.normal(size=(20, 30)), rng.normal(size=(20, 25))),
    }


AWKWARD = list(awkward_tables(np.random.default_rng(0)))


@pytest.fixture(params=AWKWARD)
def awkward(request):
    return awkward_tables(np.random.default_rng(7))[request.param]
