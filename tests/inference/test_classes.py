"""What inference says of rows does not depend on the numbers that classes happen to have."""

import numpy as np
import pytest

import infold
from infold.data.question import ask
from infold.inference.notes import autocorrelation_note, tied_columns
from infold.inference.resampling import make_shuffle


def test_codes_of_classes_are_no_series(rng):
    # Codes count up as new labels appear, which is no memory; and a walk is.
    labels = [f"word {i // 3}" for i in rng.permutation(300)]
    walk = np.cumsum(rng.normal(size=300))
    shuffle = make_shuffle(300, None, None)
    assert autocorrelation_note(ask(walk, labels), shuffle) is None
    runs = np.repeat(["a", "b", "a", "c", "b", "a"], 50)
    assert autocorrelation_note(ask(walk, runs), shuffle) is not None


def test_classes_are_no_ties(rng):
    question = ask(rng.integers(0, 5, 50), rng.choice(["a", "b"], 50))
    assert list(tied_columns(question)) == ["X[0]"]


def test_a_report_of_classes(rng, tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    x = rng.normal(size=(60, 2))
    y = np.where(x[:, 0] > 0, "up", "down").astype(object)
    y[7] = None
    report = infold.report.write_report(
        x, y, tmp_path / "page.html", method="ksg", n_permutations=19, random_state=0, verbose=0, missing="drop"
    )
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "59 (1 more dropped: missing values)" in page
    assert "X continuous; Y nominal" in page
    assert report.to_dict()["test"]["n_dropped"] == 1
