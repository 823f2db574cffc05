import numpy as np
import pytest

from infold.core.forward.information import Information, make_sample
from infold.core.forward.search import Search
from infold.core.random import draw_seeds, random_orders


def search_of(X, y, criterion="jmi", is_class=False, pairs=True):
    n, p = X.shape
    sample = make_sample(X, y[:, None], np.zeros(p, bool), np.array([is_class]))
    orders = random_orders(draw_seeds(0, 79), np.arange(n), np.array([0, n]), 1)
    return Search(sample, Information(sample, 5, 1, 0), criterion, 0.05, orders, pairs=pairs)


def columns_of(found):
    return [step.column for step in found.steps]


def test_a_proxy_that_came_first_is_dropped_in_the_end(rng):
    # Column 2 is nearest to the target by itself, and tells nothing given 0 and 1.
    X = rng.normal(size=(400, 6))
    X[:, 2] = X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=400)
    search = search_of(X, X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=400))
    forward, tested = search._extended([], 6)
    assert forward[0].column == 2
    assert {step.column for step in search._refined(forward, tested)} == {0, 1}
    assert set(columns_of(search.run(0, 6))) == {0, 1}


def test_a_noisy_copy_that_came_first_is_replaced(rng):
    X = rng.normal(size=(300, 5))
    y = X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=300)
    X[:, 3] = X[:, 0] + 0.3 * rng.normal(size=300)
    search = search_of(X, y)
    forward, tested = search._extended([], 5)
    wrong = [step._replace(column=3) if step.column == 0 else step for step in forward]
    assert {step.column for step in search._refined(wrong, tested)} == {0, 1}


def test_steps_are_as_many_as_allowed(rng):
    X = rng.normal(size=(150, 6))
    search = search_of(X, X[:, :3].sum(axis=1) + 0.3 * rng.normal(size=150))
    assert len(search.run(0, 2).steps) == 2
    found = search.run(6, 6)
    assert set(columns_of(found)[:3]) == {0, 1, 2}
    assert sorted(columns_of(found)) == sorted(found.order) == list(range(6))
    assert (found.pvalues[[0, 1, 2]] <= 0.05).all()


@pytest.mark.parametrize("criterion", ["jmi", "relevance"])
def test_pairs_are_sought_when_no_column_is_left(rng, criterion):
    X = rng.normal(size=(200, 5))
    y = (X[:, 1] * X[:, 4] > 0).astype(float)
    assert set(columns_of(search_of(X, y, criterion, is_class=True).run(0, 5))) == {1, 4}
    assert search_of(X, y, criterion, is_class=True, pairs=False).run(0, 5).steps == []
    assert search_of(X, y, criterion, is_class=True).run(0, 1).steps == []  # there is no place for two
