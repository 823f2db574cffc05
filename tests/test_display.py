"""Results behave like numbers, print within 80 columns, and show themselves in notebooks."""

import dataclasses
import html.parser
import math
import operator
import statistics
import sys
from dataclasses import dataclass

import numpy as np
import pytest

import infold
from infold.display import NumberLike, Shown, pvalue_text
from infold.results import information_coefficient, view_words


@dataclass(frozen=True, eq=False)
class Number(NumberLike):
    mi: float
    units: str = "nats"

    def __float__(self):
        return self.mi


@pytest.fixture(scope="module")
def results():
    data = infold.datasets.make_gaussian(n_samples=120, noise_dims=2, random_state=0)
    options = {"method": "ksg", "random_state": 0, "n_jobs": 1}
    labels = np.where(data.X[:, 0] > 0, "a long name of a class", "b")
    return {
        "estimate": infold.mutual_information(data.X, data.Y, method="ksg", n_jobs=1),
        "auto": infold.mutual_information(data.X, data.Y, random_state=0, n_jobs=1),
        "nothing": infold.mutual_information(data.X[::-1], data.Y, random_state=0, n_jobs=1),
        "labels": infold.mutual_information(labels, data.Y, method="ksg", n_jobs=1),
        "gksg": infold.mutual_information(data.X, data.Y, method="gksg", n_estimators=20, random_state=0, n_jobs=1),
        "test": infold.independence_test(data.X, data.Y, n_permutations=19, **options),
        "interval": infold.confidence_interval(data.X, data.Y, **options),
        "diagnosis": infold.diagnose(data.X, data.Y, **options),
        "relevance": infold.relevance(data.X, data.Y, n_permutations=19, **options),
        "report": infold.report.make_report(data.X, data.Y, n_permutations=19, **options),
    }


NAMES = (
    "estimate", "auto", "nothing", "labels", "gksg", "test", "interval", "diagnosis", "relevance", "report",
)  # fmt: skip


def test_a_result_compares_sorts_and_formats_as_its_number(results):
    r = results["estimate"]
    assert r > r.mi - 1 and r >= r.mi and not r > r.mi and r < 1e9 and 0 < r  # noqa: PT018, SIM300
    assert r == r.mi and r != r.mi + 1  # noqa: PT018
    assert f"{r:.3f}" == f"{r.mi:.3f}" and f"{r}" == str(r)  # noqa: PT018
    assert round(r, 2) == round(r.mi, 2)
    assert isinstance(round(r), int)
    assert sorted([Number(2.0), Number(1.0), Number(3.0)], reverse=True)[0].mi == 3.0
    assert max(Number(1.0), Number(2.0)).mi == 2.0


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow])
@pytest.mark.parametrize("other", [3, 2.5, np.float64(1.5), np.int64(2)])
def test_arithmetic_gives_plain_numbers(operation, other):
    r = Number(0.25)
    assert operation(r, other) == operation(0.25, float(other))
    assert operation(other, r) == pytest.approx(operation(float(other), 0.25))  # NumPy's powers round otherwise
    assert operation(r, Number(0.5)) == operation(0.25, 0.5)
    assert isinstance(operation(r, other), float)
    assert (-r, abs(Number(-1.0)), math.exp(r)) == (-0.25, 1.0, math.exp(0.25))
    assert sum([r, r]) == 0.5
    assert statistics.fmean([r, Number(0.75)]) == 0.5


def test_results_become_arrays():
    many = [Number(0.5), Number(0.25)]
    assert np.asarray(many).dtype == float
    np.testing.assert_array_equal(np.asarray(many), [0.5, 0.25])
    assert np.asarray(many[0]).shape == ()
    np.testing.assert_array_equal(np.array([1.0, 2.0]) * many[0], [0.5, 1.0])
    np.testing.assert_array_equal(many[0] * np.array([1.0, 2.0]), [0.5, 1.0])
    np.testing.assert_array_equal(many[0] > np.array([0.1, 0.7]), [True, False])
    assert np.mean(many) == 0.375


def test_equality_and_hash_go_by_the_number():
    assert Number(0.5) == Number(0.5) == 0.5
    assert len({Number(0.5), Number(0.5), 0.5}) == 1
    assert Number(0.5) != "0.5"
    assert Number(0.5) != Number(0.5, "bits")


def test_units_do_not_mix(results):
    nats, bits = Number(0.5), Number(0.5, "bits")
    for operation in (operator.add, operator.sub, operator.lt):
        with pytest.raises(TypeError, match="nats and bits do not mix; estimate both in the same units"):
            operation(nats, bits)
    with pytest.raises(TypeError, match="do not mix"):  # a p-value is no MI
        results["test"] < results["estimate"]  # noqa: B015
    with pytest.raises(TypeError, match="not supported"):
        nats < "1"  # noqa: B015


def test_a_test_is_its_p_value_and_an_interval_its_estimate(results):
    assert results["test"] <= 0.05
    assert float(results["interval"]) == results["interval"].mi
    assert results["diagnosis"] == results["diagnosis"].estimate


def test_every_number_like_class_has_the_one_equality():
    def below(one):
        return {one}.union(*(below(sub) for sub in one.__subclasses__()))

    for one in below(NumberLike):
        assert one.__eq__ is NumberLike.__eq__, f"{one.__name__}: the dataclass must say eq=False"
        assert one.__hash__ is NumberLike.__hash__


@pytest.mark.parametrize("name", NAMES)
def test_text_stays_within_80_columns(results, name):
    text = repr(results[name])
    assert max(map(len, text.splitlines())) <= 80
    assert "\N{NO-BREAK SPACE}" not in text
    assert str(results[name]) == text


class Tags(html.parser.HTMLParser):
    """Checks that elements are closed in order, and gathers images."""

    def __init__(self, text):
        super().__init__()
        self.open, self.images = [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        if tag == "img":
            self.images.append(dict(attrs))
        else:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", NAMES)
def test_notebooks_show_a_table_and_a_picture(results, name):
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    shown = Tags(results[name]._repr_html_())
    assert shown.images[0]["src"].startswith("data:image/png;base64,")
    assert pyplot.get_fignums() == before  # nothing is left open


def test_html_escapes_names_and_needs_no_matplotlib(results, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    odd = dataclasses.replace(results["estimate"], notes=("<script>alert(1)</script>",))
    page = odd._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert not Tags(page).images


def test_a_class_with_its_own_repr_is_shown_as_that():
    class Own(Shown):
        def __repr__(self):
            return "1 < 2"

    assert Own()._repr_html_() == '<div class="infold"><pre>1 &lt; 2</pre></div>'


@pytest.mark.parametrize("name", ["estimate", "gksg", "test", "interval", "diagnosis", "relevance"])
def test_every_result_plots_itself(results, name):
    from matplotlib import pyplot
    from matplotlib.figure import Figure

    given = Figure().add_subplot()
    assert results[name].plot(ax=given) is given
    ax = results[name].plot()
    assert ax.figure.number in pyplot.get_fignums()  # so that plt.show() and notebooks show it
    pyplot.close(ax.figure)


def test_plots_that_take_more(results):
    from matplotlib.figure import Figure

    rows = np.random.default_rng(0).normal(size=(120, 2))
    assert results["estimate"].plot(rows, ax=Figure().add_subplot()).get_xlabel() == "column 0"
    for what in ("methods", "neighbors", "size", "planted"):
        results["diagnosis"].plot(what, ax=Figure().add_subplot())
    with pytest.raises(ValueError, match="what='x' is not known"):
        results["diagnosis"].plot("x")


def test_frames(results):
    local = results["estimate"].to_frame()
    assert local.index.tolist() == list(range(120))
    assert local["local"].mean() == pytest.approx(results["estimate"].mi)
    assert results["test"].to_frame().shape == (19, 1)
    assert len(results["interval"].to_frame()) == results["interval"].subsamples.size
    assert results["relevance"].to_frame()["name"].tolist()[0] == "0"


def test_frame_is_indexed_by_rows_of_the_input():
    x, y = np.random.default_rng(0).normal(size=(2, 40))
    x[3] = np.nan
    kept = infold.mutual_information(x, y, method="ksg", missing="drop").to_frame()
    assert kept.index.tolist() == [0, 1, 2, *range(4, 40)]
    queried = infold.mutual_information(
        x, y, method="gksg", missing="drop", max_queries=5, n_estimators=5, random_state=0
    )
    assert set(queried.to_frame().index) < set(kept.index)


def test_information_coefficient_is_the_correlation_of_a_gaussian():
    for rho in (0.1, 0.5, 0.99):
        nats = -0.5 * math.log(1 - rho**2)
        assert information_coefficient(nats) == pytest.approx(rho)
        assert information_coefficient(nats / math.log(2), "bits") == pytest.approx(rho)
    assert information_coefficient(50.0) == 1.0
    assert information_coefficient(-0.02) == 0.0


def test_normalized_beside_a_nominal_side(results):
    found = results["labels"]
    p = np.mean(found.entropies[0])
    assert found.entropies[1] is None
    assert p == pytest.approx(
        math.log(2), abs=0.02
    )  # two classes, about equally frequent, plus Miller and Madow's 1 / 2n
    assert found.normalized == found.entropy_share == pytest.approx(found.mi / p)
    assert "% of all that X could tell, its entropy of 0.69" in repr(found)
    assert results["estimate"].entropy_share is None
    assert results["estimate"].normalized == results["estimate"].information_coefficient


def test_a_copy_of_labels_tells_all_of_them():
    labels = np.repeat(["a", "b", "c", "d"], 50)
    found = infold.mutual_information(labels, np.char.add(labels, "!"), method="ksg", discrete_y=True, units="bits")
    assert found.entropies[0] == pytest.approx(2, abs=0.02)
    assert found.normalized == pytest.approx(1, abs=0.02)  # Miller and Madow's corrections are 3 / 2n and −9 / 2n


def test_negative_estimates_read_as_about_0(results):
    found = dataclasses.replace(results["estimate"], mi=-0.02)
    assert "about 0: without dependence estimates scatter around 0" in repr(found)
    assert found.normalized == 0.0
    assert dataclasses.replace(results["labels"], mi=-0.02).normalized == 0.0


def test_no_result_prints_p_0(results):
    assert pvalue_text(0.0) == "p < 1e-09"
    found = dataclasses.replace(results["auto"], explanation={**results["auto"].explanation, "pvalue": 0.0})
    assert "p < 1e-09: X and Y are dependent" in repr(found)


def test_auto_explains_itself_in_words(results):
    assert "nothing tells X and Y from independent" in repr(results["nothing"])
    words = "a Gaussian copula, with many weak columns together, on all columns"
    assert view_words("all: gaussian + weak columns") == words
    assert view_words("3 blocks: gaussian, bumps 1, columns") == "the sum over 3 blocks of columns"
    of_two = view_words("given Z: screened: columns and all: turned 1")
    assert of_two.startswith("of what Z leaves: nearest neighbours in the columns themselves, on the columns that a")
    assert of_two.endswith("or a Gaussian copula, and nearest neighbours along one rotated coordinate, on all columns")


def test_without_pandas_frames_are_those_of_polars(results, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert results["estimate"].to_frame().columns == ["row", "local"]  # of polars
    assert results["test"].to_frame().height == 19
    assert results["relevance"].to_frame()["name"][0] == "0"
