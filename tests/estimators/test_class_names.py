"""How classes are named or numbered changes no bit of any estimate."""

import numpy as np
import pytest

import infold


def same_classes(codes, rng):
    """Return the same classes written in several ways."""
    names = rng.permutation(codes.max() + 1)[codes]
    return {
        "codes": codes.astype(float),
        "permuted": names.astype(float),
        "huge": 1e6 * names + 3,
        "negative": -7.5 * codes - 2,
        "text": np.array([f"z{name}" for name in names]),
        "objects": np.array(["é" * (name + 1) for name in names], object),
    }


@pytest.mark.parametrize("method", ["auto", "ksg", "gksg"])
@pytest.mark.parametrize("side", ["x", "y"])
@pytest.mark.parametrize("step", [None, 0.5])  # continuous numbers, or rounded ones
def test_names_of_classes_change_no_bit(method, side, step):
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 7, 150)
    numbers = rng.normal(size=(150, 2))
    numbers[:, 0] += codes % 3
    if step:
        numbers = np.round(numbers / step) * step
    options = {"auto": {"random_state": 0}, "ksg": {}, "gksg": {"random_state": 0, "n_estimators": 30}}[method]
    found = set()
    for classes in same_classes(codes, rng).values():
        tables = (numbers, classes) if side == "y" else (classes, numbers)
        declared = {f"discrete_{side}": True}
        found.add(infold.mutual_information(*tables, method=method, n_jobs=1, verbose=0, **declared, **options).mi)
    assert len(found) == 1
