import numpy as np
import pytest

import infold
from infold.data.tables import Table

NAMES = ("$\\frac{", "a & b", "x" * 80)
QUICK = {"method": "ksg", "random_state": 0, "verbose": 0}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(80, 3)), rng.normal(size=(80, 2))
    Y[:, 0] += 2 * X[:, 0]
    return Table(X, NAMES), Table(Y, ("<b>", "温度"))


@pytest.fixture(scope="module")
def test(data):
    return infold.independence_test(*data, n_permutations=19, **QUICK)


@pytest.fixture(scope="module")
def interval(data):
    return infold.confidence_interval(*data, level=0.9, **QUICK)


@pytest.fixture(scope="module")
def diagnosis(data):
    return infold.diagnose(*data, n_simulations=2, **QUICK)


@pytest.fixture(scope="module")
def relevance(data):
    return infold.relevance(*data, n_permutations=19, random_state=0)
