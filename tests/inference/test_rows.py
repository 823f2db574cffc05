"""What rows have: memory, ties, copies, an intrinsic dimension."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from reference import inference as reference
from samples import walk
from scipy.stats import chi2

import infold
from infold.data.order import LAGS, memory
from infold.data.question import ask
from infold.inference.notes import Note, autocorrelation_note
from infold.inference.resampling import make_shuffle
from infold.inference.rows import copied_share, intrinsic_dimension, tied_share


def test_memory_matches_definition(rng):
    column = walk(80, 0.4, 3)
    box, lag_1 = reference.ljung_box(column, LAGS)
    found = memory(column[:, None])
    assert_allclose([found.lag_1, found.pvalue], [lag_1, chi2.sf(box, LAGS)], rtol=1e-9)
    constant = memory(np.column_stack([np.ones(80), column]))
    assert constant == found
    strong = walk(80, 0.8, 3)
    two = memory(np.column_stack([rng.permutation(strong), strong]))
    assert_allclose(two.pvalue, 2 * memory(strong[:, None]).pvalue)


def test_memory_of_independent_rows_is_rarely_found():
    pvalues = [memory(np.random.default_rng(seed).standard_cauchy((100, 3))).pvalue for seed in range(300)]
    assert np.mean(np.array(pvalues) <= 0.05) < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 300)


def test_ties_and_copies_are_counted():
    assert tied_share(np.array([1.0, 2, 2, 3, 3, 3])) == pytest.approx(5 / 6)
    assert copied_share(np.array([[1, 2], [1, 2], [1, 3], [1, 2]])) == 0.5
    assert copied_share(np.vstack([np.zeros((10, 2)), np.arange(8.0).reshape(4, 2) + 1])) == 0  # an atom


@pytest.mark.parametrize("columns", [1, 3])
def test_intrinsic_dimension_matches_definition(rng, columns):
    points = rng.standard_normal((60, columns))
    assert_allclose(intrinsic_dimension(points), reference.intrinsic_dimension(points, 10))


def test_intrinsic_dimension_is_that_of_the_curve():
    data = infold.datasets.make_helix(1000, random_state=0)
    assert intrinsic_dimension(data.X) == pytest.approx(1, abs=0.15)
    assert 1 < intrinsic_dimension(data.Y) < 2  # a curve in three columns, with a little noise across
    assert intrinsic_dimension(np.ones((50, 2))) == 0


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_intrinsic_dimension_of_huge_and_tiny_numbers(rng, size):
    points = rng.standard_normal((60, 2))
    assert_allclose(intrinsic_dimension(size * points), intrinsic_dimension(points))


@pytest.mark.parametrize("levels", [2, 5])
def test_ties_are_no_memory(levels):
    # Independent coin flips: with the hint at p = .01 a side, about one in 10,000 may look autocorrelated.
    rng = np.random.default_rng(levels)
    pvalues = [memory(rng.integers(0, levels, (300, 1)).astype(float)).pvalue for _ in range(200)]
    assert np.mean(np.array(pvalues) < 0.05) < 0.12  # 5 %, deviation 1.5 %


def hint(x, y, z=None):
    question = ask(x, y, z)
    return autocorrelation_note(question, make_shuffle(question.n_samples, None, None))


def test_sorted_classes_are_no_series(rng):
    classes = np.repeat(["a", "b", "c"], 50)
    y = rng.normal(size=150) + np.repeat([0.0, 2.0, 4.0], 50)
    found = hint(pd.DataFrame({"species": classes}), y)
    why = "so neighbouring rows are alike on both sides; that is harmless."
    assert found == Note(f"Rows look sorted by X 'species', {why}")
    assert hint(y, np.repeat([0.0, 1.0, 2.0], 50)).text == f"Rows look sorted by column 0 of Y, {why}"


def test_what_z_explains_is_no_memory(rng):
    classes, slow = np.repeat([0.0, 3.0, 6.0], 60), walk(180, 0.9, 1)
    noise = rng.normal(size=(2, 180))
    assert hint(*noise + classes).urgent
    assert hint(*noise + classes, np.repeat(["a", "b", "c"], 60)) is None
    assert hint(*noise + slow).urgent
    assert hint(*noise + slow, slow) is None
    own = walk(180, 0.9, 2), walk(180, 0.9, 3)
    assert "block" not in hint(*own, slow).text  # a test given Z has none
    assert hint(*own, slow).urgent


def test_memory_that_hardly_matters_is_left_unsaid(rng):
    weak = walk(3000, 0.2, 0), walk(3000, 0.2, 1)  # variance of a correlation 1 + 2 * (.04 + .0016 ...): 8 % more
    assert all(memory(one[:, None]).pvalue < 1e-6 for one in weak)
    assert hint(*weak) is None


def test_a_series_within_sorted_classes_is_still_one(rng):
    classes, noise = np.repeat([0.0, 1.0, 2.0], 100), rng.normal(size=(2, 300))
    walks = np.array([np.convolve(one, np.ones(8))[:300] for one in noise])
    found = hint(np.column_stack([classes, walks[0]]), walks[1] + classes)
    assert found.urgent
    assert "autocorrelated" in found.text


def test_a_sorted_table_is_told_from_a_clock(rng):
    x = np.sort(rng.normal(size=200))
    found = hint(x, x + 0.1 * rng.normal(size=200))
    assert found.urgent
    assert found.text.startswith("Rows look sorted by column 0 of X, so neighbouring rows are alike")
    assert hint(np.arange(200.0), x + 0.1 * rng.normal(size=200)).text.startswith("Rows are autocorrelated")


def test_groups_that_no_column_names_are_no_series(rng):
    levels = np.repeat([[0.0, 9.0, 3.0], [0.0, 3.0, 9.0]], [80, 120, 100], axis=1)
    found = hint(*rng.normal(size=(2, 300)) + levels)
    assert found.urgent  # a series whose level changes looks the same
    assert found.text.startswith("Rows look grouped (levels change near rows 80, 200). If the table is merely sorted")


def test_penguins_look_grouped():
    birds = pd.read_csv(Path(__file__).parents[1] / "data" / "penguins.csv").dropna()
    bill, body = birds[["bill_length_mm", "bill_depth_mm"]], birds[["flipper_length_mm", "body_mass_g"]]
    assert hint(bill, body).text.startswith("Rows look grouped (levels change near rows 46, 146, 208, 265)")
    # Within a species the table lists mates one after the other.
    assert hint(bill, body, birds["species"]).text.startswith("Rows alternate on both sides (lag-1 correlation -0.39")


def test_series_hardly_ever_look_grouped():
    # Of 2,000 autoregressive pairs (coefficients .35 to 1, 100 to 3,000 rows) none was called grouped.
    found = [hint(walk(300, rho, seed), walk(300, rho, seed + 50)) for rho in (0.5, 0.8, 0.95) for seed in range(10)]
    assert all("autocorrelated" in note.text for note in found if note)
    assert sum(map(bool, found)) > 20


def test_sorted_classes_keep_their_certificate_and_get_no_warning(rng):
    y = rng.normal(size=150) + np.repeat([0.0, 2.0, 4.0], 50)
    found = infold.diagnose(np.repeat(["a", "b", "c"], 50), y, method="ksg", random_state=0)  # warnings are errors
    assert found.autocorrelation["block"] is None
    assert found.certified is not None
    assert any("Rows look sorted" in note for note in found.notes)
