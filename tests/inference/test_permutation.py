import json
import math
import warnings

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference import inference as reference
from samples import gaussian, walk

import infold
from infold.core.copula.null_given import unconfounded
from infold.inference.resampling import make_shuffle, seeds_for

FAST = {"ksg": {}, "gksg": {"n_estimators": 10}, "gknn": {}, "lnn": {}, "auto": {}}


@pytest.mark.parametrize("columns", [1, 3])
def test_null_is_the_estimate_of_repaired_rows(columns):
    x, y = gaussian(40, 0.5, 0, columns)
    found = infold.independence_test(x, y, method="ksg", n_permutations=20, random_state=3)
    shuffle = make_shuffle(40, None, None)
    expected = [reference.ksg(x, y[shuffle.draw(seed)], 3) for seed in seeds_for(3, 20)]
    assert_allclose(found.null, expected, atol=1e-12)
    assert found.pvalue == reference.pvalue(found.statistic, expected, 21)[0]
    assert (found.null_mean, found.null_std) == (found.null.mean(), found.null.std(ddof=1))


@pytest.mark.parametrize("method", FAST)
def test_estimate_is_that_of_mutual_information(method):
    x, y = gaussian(60, 0.8, 1)
    found = infold.independence_test(x, y, method=method, n_permutations=19, random_state=5, **FAST[method])
    alone = infold.mutual_information(x, y, method=method, random_state=5, **FAST[method])
    assert found.mi == alone.mi
    assert found.settings == alone.settings
    assert found.pvalue == reference.pvalue(found.statistic, found.null, 20)[0] == float(found)


@pytest.mark.parametrize(("alpha", "n_permutations"), [(0.05, 199), (0.1, 37), (0.01, 50)])
def test_early_stopping_keeps_every_decision(alpha, n_permutations):
    decisions = []
    for seed in range(15):
        x, y = gaussian(30, 0.45, seed)
        given = {"method": "ksg", "n_permutations": n_permutations, "random_state": seed, "alpha": alpha, "n_jobs": 1}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", infold.DataWarning)  # 50 permutations are too few for alpha = 0.01
            full = infold.independence_test(x, y, **given)
            early = infold.independence_test(x, y, early_stop=True, **given)
        enough = math.ceil(round(alpha * (n_permutations + 1), 9))
        assert (early.pvalue, early.n_permutations) == reference.pvalue(full.statistic, full.null, enough)
        assert_array_equal(early.null, full.null[: early.n_permutations])
        assert early.stopped_early == (early.n_permutations < n_permutations)
        assert (early.pvalue <= alpha) == (full.pvalue <= alpha)
        decisions.append(early.pvalue <= alpha)
    assert 0 < sum(decisions) < 15 or alpha == 0.01


@pytest.mark.parametrize("enough", [1, 3, 10])
def test_stopped_pvalues_are_valid(rng, enough):
    # Under independence the statistic is exchangeable with its null: any continuous law will do.
    draws = rng.random((4000, 60))
    found = np.array([reference.pvalue(row[0], row[1:], enough)[0] for row in draws])
    for level in (0.02, 0.05, 0.2, 0.5):
        assert np.mean(found <= level) < level + 4 * math.sqrt(level / 4000)  # four standard errors


@pytest.mark.parametrize("method", ["ksg", "gksg", "auto"])
def test_workers_change_no_bit(method):
    x, y = gaussian(50, 0.5, 2)
    given = {"method": method, "n_permutations": 25, "random_state": 0, "early_stop": True, **FAST[method]}
    one, two = (infold.independence_test(x, y, n_jobs=n_jobs, **given) for n_jobs in (1, 2))
    assert_array_equal(one.null, two.null)
    assert one == two or one.settings != two.settings  # settings tell n_jobs


def test_processes_change_no_bit():
    x, y = gaussian(50, 0.5, 2)
    here = infold.independence_test(x, y, method="ksg", n_permutations=9, alpha=0.1, random_state=0)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        there = infold.independence_test(x, y, method="ksg", n_permutations=9, alpha=0.1, random_state=0, n_jobs=2)
    assert_array_equal(here.null, there.null)


def test_level():
    pvalues = []
    for seed in range(150):
        x, y = gaussian(30, 0.0, seed)
        given = {"method": "ksg", "n_permutations": 19, "alpha": 0.2, "early_stop": True, "n_jobs": 1}
        pvalues.append(infold.independence_test(x, y, random_state=seed, **given).pvalue)
    rejected = np.mean(np.array(pvalues) <= 0.2)
    assert abs(rejected - 0.2) < 3.5 * math.sqrt(0.16 / 150)  # exact in theory; three and a half standard errors


def test_auto_compares_something_that_varies_where_its_answer_is_zero():
    x, y = gaussian(200, 0.0, 0)
    found = infold.independence_test(x, y, method="auto", n_permutations=19, random_state=0)
    assert found.mi == 0
    assert found.statistic_name == "-log10 p"
    assert len(set(found.null)) > 5


def test_units_change_the_mi_alone():
    x, y = gaussian(50, 0.6, 0)
    nats, bits = (
        infold.independence_test(x, y, method="ksg", n_permutations=19, units=units, random_state=0)
        for units in ("nats", "bits")
    )
    assert_allclose(nats.null, bits.null * math.log(2))
    assert (nats.pvalue, nats.mi) == (bits.pvalue, pytest.approx(bits.mi * math.log(2)))


# Which rows change places.


def test_groups_take_away_what_groups_explain():
    rng = np.random.default_rng(1)
    site = rng.permutation(np.repeat([0.0, 5.0], 40))
    x, y = site + rng.standard_normal((2, 80))
    given = {"method": "ksg", "n_permutations": 39, "random_state": 0}
    assert infold.independence_test(x, y, **given).pvalue == 1 / 40
    assert infold.independence_test(x, y, groups=np.where(site, "far", "near"), **given).pvalue > 0.05


def test_blocks_keep_the_level_on_series():
    rejected = {None: 0, 30: 0}
    for seed in range(30):
        x, y = walk(300, 0.9, seed), walk(300, 0.9, 1000 + seed)
        for block in rejected:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", infold.DataWarning)
                found = infold.independence_test(
                    x, y, method="ksg", n_permutations=19, block=block, early_stop=True, random_state=seed, n_jobs=1
                )
            rejected[block] += found.pvalue <= 0.05
    assert rejected[None] >= 9  # about half of all data sets: autocorrelation looks like dependence
    assert rejected[30] <= 6  # 1.5 are to be expected; four standard errors


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"groups": [1, 2]}, r"groups has shape \(2,\), but needs one label for each of the 30 rows"),
        ({"block": 16}, "block=16 leaves fewer than two whole blocks of the 30 rows; pass at most 15"),
        ({"block": 0}, "block=0 must be at least 1"),
        ({"n_permutations": 0}, "n_permutations=0 must be at least 1"),
        ({"alpha": 1.5}, "alpha=1.5 must be between 0 and 1"),
        ({"method": "knn"}, "method='knn' is not known"),
        ({"units": "bytes"}, "units='bytes' is not known"),
    ],
)
def test_wrong_settings_are_told(given, message):
    x, y = gaussian(30, 0.5, 0)
    with pytest.raises(ValueError, match=message):
        infold.independence_test(x, y, **{"method": "ksg", **given})


# What may be wrong.


def test_too_few_permutations_are_told():
    x, y = gaussian(30, 0.5, 0)
    with pytest.warns(
        infold.DataWarning, match=r"n_permutations=9 cannot give p ≤ 0.05, only 0.1 .*at least 19"
    ) as seen:
        infold.independence_test(x, y, method="ksg", n_permutations=9)
    assert seen[0].filename == __file__


def test_too_few_samples_are_told():
    x, y = gaussian(4, 0.5, 0)
    with pytest.warns(infold.DataWarning, match=r"in only 24 ways, so p ≤ 0.01 is out of reach; add samples"):
        infold.independence_test(x, y, method="ksg", alpha=0.01)
    found = infold.independence_test(x, y, method="ksg", n_permutations=99)
    assert any("only 24 ways, fewer than n_permutations" in note for note in found.notes)


def test_autocorrelated_rows_are_told_once_on_both_sides():
    x, y = walk(200, 0.8, 0), walk(200, 0.8, 1)
    with pytest.warns(infold.DataWarning, match=r"autocorrelated on both sides .* pass block=\d+"):
        infold.independence_test(x, y, method="ksg", n_permutations=19)
    blocked = infold.independence_test(x, y, method="ksg", n_permutations=19, block=20)
    assert not any("auto" in note for note in blocked.notes)  # another note may come by chance: p as small as can be
    mixed = np.random.default_rng(0).permutation(y)
    assert not any("auto" in note for note in infold.independence_test(x, mixed, method="ksg").notes)


def test_groups_one_after_the_other_are_no_series():
    rng = np.random.default_rng(0)
    site = np.repeat([0.0, 5.0], 40)
    x, y = site + rng.standard_normal((2, 80))
    given = {"method": "ksg", "n_permutations": 19, "random_state": 0}
    with pytest.warns(infold.DataWarning, match="Rows look grouped"):
        infold.independence_test(x, y, **given)
    assert infold.independence_test(x, y, groups=site, **given).notes == ()
    pairs = np.arange(80) // 2
    found = infold.independence_test(x, y, groups=pairs, **given)  # too small to show any: no false positive
    assert not any("autocorrelated" in note or "grouped" in note for note in found.notes)


def test_a_side_without_information_gives_one():
    x, _ = gaussian(30, 0.5, 0)
    with pytest.warns(infold.DataWarning, match="constant"):
        found = infold.independence_test(x, np.ones(30), method="ksg", n_permutations=19)
    assert (found.mi, found.pvalue) == (0.0, 1.0)


@pytest.mark.parametrize("method", ["gknn", "lnn"])
def test_permutations_repeat_no_warning(method):
    x, y = np.random.default_rng(0).standard_normal((2, 100, 25))
    with pytest.warns(infold.DataWarning) as seen:
        infold.independence_test(x, y, method=method, n_permutations=19, n_jobs=1)
    assert len(seen) <= 3  # X, Y and both


# Results.


def test_the_result_is_plain_for_json_and_readable():
    x, y = gaussian(60, 0.9, 0)
    test = infold.independence_test(x, y, method="ksg", n_permutations=19, early_stop=True, random_state=0)
    told = json.loads(json.dumps(test.to_dict()))
    assert (told["pvalue"], told["n_permutations"]) == (test.pvalue, 19)
    assert "null" not in told  # long arrays only if asked for
    assert json.loads(json.dumps(test.to_dict(arrays=True)))["null"] == test.null.tolist()
    assert "none of 19 random pairings of the rows is as dependent" in repr(test)
    assert repr(test).startswith("p = 0.05, I(X; Y) = ")


def test_early_stopping_gives_the_p_value_of_one_by_one(rng):
    X, Y = rng.normal(size=(2, 60))
    options = {"method": "ksg", "n_permutations": 300, "random_state": 0, "verbose": 0}
    whole = infold.independence_test(X, Y, **options)
    for n_jobs in (1, 2):
        early = infold.independence_test(X, Y, **options, early_stop=True, n_jobs=n_jobs)
        assert early.stopped_early
        assert early.null.tolist() == whole.null[: early.null.size].tolist()
        assert np.count_nonzero(early.null >= early.mi) == 16  # .05 · 301, rounded up


# Given Z.


def confounded(n, seed, strength=0.0):
    rng = np.random.default_rng(seed)
    z, e, f = rng.standard_normal((3, n))
    return 3 * z + e, -2 * z + f + strength * e, z


def test_given_z_the_null_re_pairs_what_z_leaves():
    x, y, z = confounded(60, 0, 0.5)
    found = infold.independence_test(x, y, z, n_permutations=19, random_state=3)
    assert (found.method, found.given, found.n_features) == ("ksg", 1, (1, 1, 1))
    assert found.mi == infold.KSG().fit(x, y, z).mi_
    assert found.settings["n_neighbors"] == 6  # of the test: a tenth of the rows
    *seeds, own = seeds_for(3, 20)
    none = np.zeros(1, bool)
    left = unconfounded(x[:, None], y[:, None], z[:, None], (none, none, none), own)
    # Plain fits are the slow definition; all draws are computed at once.
    assert_allclose(found.statistic, infold.KSG(6).fit(left.x.values, left.y.values, z).mi_, atol=1e-12)
    null = [infold.KSG(6).fit(left.x.values, drawn.T, z).mi_ for drawn in left.draw(np.array(seeds, np.uint64))]
    assert_allclose(found.null, null, atol=1e-12)
    assert found.pvalue == (1 + np.sum(found.null >= found.statistic)) / 20
    assert "p = " in repr(found)
    assert "I(X; Y | Z) = " in repr(found)
    assert "1 + 1 columns given 1\n" in repr(found)
    plain = json.loads(json.dumps(found.to_dict()))
    assert (plain["z_names"], plain["z_kinds"]) == (None, ["continuous"])


def test_the_same_bits_for_any_number_of_workers_given_z():
    tables = confounded(80, 1)
    one, two = (infold.independence_test(*tables, n_permutations=39, random_state=0, n_jobs=jobs) for jobs in (1, 2))
    assert_array_equal(one.null, two.null)
    early = infold.independence_test(*tables, n_permutations=39, random_state=0, early_stop=True)
    assert_array_equal(early.null, one.null[: early.n_permutations])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:X and Y follow Z:infold.DataWarning")  # a false alarm on two of these 100
def test_a_common_cause_is_no_dependence_given_it():
    options = {"method": "ksg", "n_permutations": 19, "random_state": 0, "n_jobs": 1}
    alone = [infold.independence_test(*confounded(80, seed)[:2], **options).pvalue for seed in range(5)]
    assert alone == [0.05] * 5
    given = np.array([infold.independence_test(*confounded(80, seed), **options).pvalue for seed in range(100)])
    assert np.sum(given <= 0.05) <= 12  # if p is uniform, 12 of 100 are 3 deviations
    assert 0.4 < given.mean() < 0.63  # and its mean .525, with a deviation of .029
    shared = [infold.independence_test(*confounded(80, seed, 1.5), **options).pvalue for seed in range(5)]
    assert np.median(shared) == 0.05


@pytest.mark.filterwarnings("ignore::infold.DataWarning")  # 60 rows show only roughly how Z acts
def test_constant_columns_change_nothing_given_z():
    x, y, z = confounded(60, 2)
    options = {"n_permutations": 19, "random_state": 0}
    with pytest.warns(infold.DataWarning, match="constant columns"):
        padded = infold.independence_test(
            np.column_stack((np.ones(60), x)), y, np.column_stack((z, np.zeros(60))), **options
        )
    assert_array_equal(padded.null, infold.independence_test(x, y, z, **options).null)


@pytest.mark.filterwarnings("ignore::infold.DataWarning")
def test_nothing_is_taken_off_where_nothing_is_given_or_left():
    x, y, z = confounded(60, 2)
    options = {"method": "ksg", "n_permutations": 19, "random_state": 0}
    constant = infold.independence_test(x, y, np.ones(60), **options)
    assert_array_equal(constant.null, infold.independence_test(x, y, **options).null)
    for tables in ((x, y, x), (np.ones(60), y, z), (x, np.ones(60), z), (x, y, y)):
        assert infold.independence_test(*tables, **options).pvalue == 1


@pytest.mark.filterwarnings("ignore::infold.DataWarning")  # 60 rows show only roughly how Z acts
def test_classes_given_classes():
    x, y, z = confounded(60, 2)
    label = (z > 0).astype(int)
    options = {"n_permutations": 19, "random_state": 0, "discrete_x": [1], "discrete_z": [1]}
    found = infold.independence_test(np.column_stack((x, np.roll(label, 1))), y, np.column_stack((z, label)), **options)
    assert found.kinds == (("continuous", "nominal"), ("continuous",), ("continuous", "nominal"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": [0, 1] * 30}, "groups is for tests without Z; make the labels a nominal column of Z"),
        ({"block": 5}, "block=5 is for tests without Z"),
        ({"method": "lnn"}, "LNN is for X and Y alone, but Z has 1 columns"),
    ],
)
def test_what_is_for_two_sides_is_refused_given_z(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        infold.independence_test(*confounded(60, 0), **options)


def test_blocks_are_not_suggested_given_z():
    x, y, z = walk(300, 0.9, 0), walk(300, 0.9, 1), np.random.default_rng(2).standard_normal(300)
    with pytest.warns(infold.DataWarning, match=r"autocorrelated on both sides .*: thin the rows, or use"):
        infold.independence_test(x, y, z, n_permutations=19, random_state=0)
