"""Which rows change places, and that every refit is a plain fit of those rows."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from samples import gaussian

import infold
from infold.data.question import ask
from infold.inference.resampling import make_shuffle, partition, refit, refit_parts, refit_repaired

METHODS = {"ksg": infold.KSG(), "gksg": infold.GeodesicKSG(n_estimators=10), "auto": infold.Adaptive()}


def test_rows_change_places_within_groups_and_by_blocks():
    labels = np.array(list("abca" * 6))
    order = make_shuffle(24, labels, None).draw(0)
    assert_array_equal(labels[order], labels)
    assert sorted(order) == list(range(24))
    assert (order != np.arange(24)).any()
    blocks = make_shuffle(23, None, 5).draw(1)
    cut = [
        blocks[i : i + np.count_nonzero(blocks // 5 == blocks[i] // 5)].tolist()
        for i in range(23)
        if blocks[i] % 5 == 0
    ]
    assert sorted(cut) == [[*range(0, 5)], [*range(5, 10)], [*range(10, 15)], [*range(15, 20)], [20, 21, 22]]
    assert cut != sorted(cut)
    both = make_shuffle(24, labels, 3).draw(2)
    assert_array_equal(labels[both], labels)


def test_parts_share_no_row():
    parts = partition(make_shuffle(43, None, None), 4, 7)
    rows = np.concatenate([part for part, _ in parts])
    assert len(rows) == len(set(rows)) == 40


def test_missing_and_mixed_labels_are_refused():
    for labels in (["a", None] * 10, [0.0, np.nan] * 10):
        with pytest.raises(ValueError, match="groups has missing labels"):
            make_shuffle(20, labels, None)
    with pytest.raises(TypeError, match="groups mixes labels"):
        make_shuffle(20, np.array(["a", 1] * 10, dtype=object), None)


@pytest.mark.parametrize("method", METHODS)
def test_a_refit_is_a_plain_fit_of_the_same_rows(method):
    x, y = gaussian(40, 0.6, 0, columns=2)
    x[10:, 1] = 0.0  # constant in some of the parts
    estimator, question, shuffle = METHODS[method], ask(x, y), make_shuffle(40, None, 5)

    def plain(x, y, seed):
        fresh = infold.mutual_information(x, y, method=method, random_state=seed, **options)
        return fresh.mi

    options = {"n_estimators": 10} if method == "gksg" else {}
    assert refit(estimator, question, 3).mi == plain(x, y, 3)
    assert refit_repaired(estimator, question, shuffle, 3).mi == plain(x, y[shuffle.draw(3)], 3)
    with pytest.warns(infold.DataWarning, match="constant"):
        expected = [plain(x[rows], y[rows], seed) for rows, seed in partition(shuffle, 4, 3)]
    assert [one.mi for one in refit_parts(estimator, question, shuffle, 4, 3)] == expected  # a warning were an error
    assert not hasattr(estimator, "mi_")


@pytest.mark.parametrize("d", [1, 3])
def test_inference_is_the_same_for_any_number_of_workers(d):
    X = np.random.default_rng(d).normal(size=(600, d))
    Y = np.round(X + np.random.default_rng(d + 1).normal(size=X.shape), 1)

    def answers(n_jobs):
        options = {"method": "ksg", "random_state": 1, "verbose": 0, "n_jobs": n_jobs}
        columns = infold.relevance(X, Y, n_permutations=40, **options)
        return [
            infold.independence_test(X, Y, n_permutations=150, groups=np.arange(600) // 50, **options).null.tolist(),
            infold.confidence_interval(X, Y, n_subsamples=60, block=3, **options).subsamples.tolist(),
            columns.null_x.tolist() + columns.null_y.tolist() + columns.scores_x.tolist(),
        ]

    assert answers(1) == answers(2) == answers(5)
