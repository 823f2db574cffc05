"""PCMCI of tigramite with infold's test, on a process that is known."""

import numpy as np
import pytest

pytest.importorskip("tigramite")

from infold.adapters import tigramite_test

pytestmark = pytest.mark.filterwarnings("ignore")  # of tigramite's own

OPTIONS = {"n_permutations": 99, "random_state": 0, "n_jobs": 1}


def coupled(n=300, seed=1):
    """0 drives 1 by its square, a step later; 1 drives 2 likewise by its sine. Each remembers itself."""
    rng = np.random.default_rng(seed)
    x, noise = np.zeros((n + 50, 3)), rng.normal(size=(n + 50, 3))
    for t in range(1, n + 50):
        a, b, c = x[t - 1]
        x[t] = (
            0.4 * a + noise[t, 0],
            0.3 * b + 0.6 * a**2 + 0.5 * noise[t, 1],
            0.3 * c + np.sin(2 * b) + 0.5 * noise[t, 2],
        )
    return x[50:]


def links(graph):
    return {(int(i), int(j)) for i, j, lag in zip(*np.nonzero(graph[:, :, 1:] == "-->"), strict=True) if i != j}


def test_pcmci_finds_the_links():
    from tigramite import data_processing
    from tigramite.pcmci import PCMCI

    frame = data_processing.DataFrame(coupled())
    found = PCMCI(frame, cond_ind_test=tigramite_test(**OPTIONS), verbosity=0).run_pcmci(
        tau_min=1, tau_max=1, pc_alpha=0.05, alpha_level=0.02
    )
    assert {(0, 1), (1, 2)} <= links(found["graph"])
    assert (2, 0) not in links(found["graph"])
    assert found["val_matrix"][0, 1, 1] > 0.05


def test_discrete_columns_by_data_type():
    """Given a class, two numbers that it shifts are independent; without, they are not."""
    rng = np.random.default_rng(0)
    label = rng.integers(0, 3, (300, 1))
    shift = np.array([3.0, -3.0, 0.0])[label]
    x, y = shift + rng.normal(size=(300, 1)), shift**2 + rng.normal(size=(300, 1))
    test = tigramite_test(**OPTIONS)
    number, classes = np.zeros((300, 1), int), np.ones((300, 1), int)
    assert test.run_test_raw(x, y, x_type=number, y_type=number)[1] == 0.01
    value, pvalue = test.run_test_raw(x, y, z=label, x_type=number, y_type=number, z_type=classes)[:2]
    assert pvalue > 0.05
    assert abs(value) < 0.15  # KSG of 300 rows in three classes: deviation .035


def test_the_same_answer_again(rng):
    x, y, z = rng.normal(size=(3, 100, 1))
    one, two = (tigramite_test(**OPTIONS).run_test_raw(x, y + x, z=z)[:2] for _ in range(2))
    assert one == two
    null = tigramite_test(**OPTIONS).get_shuffle_significance(
        np.hstack([x, y, z]).T, np.array([0, 1, 2]), 0.0, return_null_dist=True
    )
    assert len(null) == 2
