"""The page says what the results say, escapes every name, and is the same to the byte."""

import base64
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import infold
from infold import inference
from infold import report as reports
from infold.data.tables import Table
from infold.report.page import number, readable
from infold.results import rounded_down

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

SCRIPT = "<script>document.title = 'taken'</script>"
NAMES_X = ("dose", SCRIPT, 'a" onerror="alert(1)')
NAMES_Y = ("{{ 7 * 7 }} & $x^", "a\nb\x00\u202e", "name_" * 30)


def sample(n=80):
    rng = np.random.default_rng(4)
    X, Y = rng.normal(size=(n, 3)), rng.normal(size=(n, 3))
    Y[:, 0] += 3 * X[:, 0]
    return Table(X, NAMES_X), Table(Y, NAMES_Y)


SETTINGS = {"method": "ksg", "n_permutations": 19, "random_state": 0, "verbose": 0}


@pytest.fixture(scope="module")
def report():
    return reports.make_report(*sample(), **SETTINGS, title=f"All about {SCRIPT}", command="infold report 'a b.csv'")


class Page(HTMLParser):
    """Tags with their attributes, and the text of each kind of tag."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.text, self.open = [], {}, []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        for tag in self.open:
            self.text[tag] = self.text.get(tag, "") + data

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def page(report):
    return Page(report.html())


def test_the_page_has_the_numbers_of_the_results(report, page):
    x, y = sample()
    options = {key: value for key, value in SETTINGS.items() if key != "n_permutations"}
    test = infold.independence_test(x, y, **SETTINGS)
    interval = infold.confidence_interval(x, y, **options)
    assert (report.estimate.mi, report.test.pvalue) == (test.mi, test.pvalue)
    assert (report.interval.low, report.interval.high) == (interval.low, interval.high)
    assert report.interval.certified == report.diagnosis.certified == interval.certified > 0
    assert f"at least {rounded_down(interval.certified)} nats" in page.text["dl"]
    for value in (report.estimate.mi, interval.low, interval.high):
        assert number(value) in page.text["dl"]
    assert f"{number(test.null_mean, 2)} ± {number(test.null_std, 2)}" in page.text["dl"]
    for sentence in report.diagnosis.verdict:
        assert sentence in page.text["main"]
    for note in report.notes:
        assert readable(note) in page.text["main"]
    assert "infold report 'a b.csv'" in page.text["pre"]
    for words in ("Seed", "n_neighbors", "numpy", infold.__version__):
        assert words in page.text["table"]


def test_names_are_text_and_nothing_else(report, page):
    html = report.html()
    assert not page.all("script")
    assert not any(key.startswith("on") for _, attributes in page.tags for key in attributes)
    for name in (*NAMES_X, *NAMES_Y):  # as they are: no tag, no template, no formula
        assert readable(name) in page.text["table"]
    assert page.text["title"] == page.text["h1"] == f"All about {SCRIPT}"
    assert not any(c in html for c in "\x00\u202e")


def test_pictures_are_inside_and_hold_no_script(page):
    images = page.all("img")
    assert len(images) == 8  # null, interval, k, methods, planted, one plane of one column a side, two of columns
    for image in images:
        kind, _, data = image["src"].partition(",")
        drawing = base64.b64decode(data).decode()
        assert kind == "data:image/svg+xml;base64"
        assert "<script" not in re.sub("<!--.*?-->", "", drawing, flags=re.DOTALL)
        assert len(image["alt"]) > 20


def test_nothing_comes_from_elsewhere(page):
    assert not [a for a in page.all("link") if not a["href"].startswith("data:")]
    assert not [tag for tag in ("iframe", "object", "embed", "base", "form") if page.all(tag)]
    policies = [a["content"] for a in page.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert policies == ["default-src 'none'; img-src data:; style-src 'unsafe-inline'"]


def test_the_same_seed_gives_the_same_bytes(report):
    again = reports.make_report(
        *sample(), **SETTINGS, n_jobs=1, title=f"All about {SCRIPT}", command="infold report 'a b.csv'"
    )
    assert again.html() == report.html()


def test_json_takes_it(report):
    plain = json.loads(json.dumps(report.to_dict()))
    assert plain["test"]["pvalue"] == report.test.pvalue
    assert plain["relevance"]["alone"]["columns"][0]["name"] == "dose"
    assert plain["versions"]["infold"] == infold.__version__


def test_without_a_seed_one_is_drawn_and_named():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 100)), rng.normal(size=(60, 1))
    settings = {**SETTINGS, "random_state": None}
    first = reports.make_report(X, Y, **settings)
    again = reports.make_report(X, Y, **{**settings, "random_state": first.seed})
    assert f"<td>{first.seed}</td>" in first.html()
    assert first.html() == again.html()
    assert any("not scored" in note for note in first.notes)
    assert "Which columns" not in first.html()


def test_many_rows_are_scored_in_part():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(2050, 1)), rng.normal(size=(2050, 1))
    made = reports.make_report(X, Y, groups=np.repeat(["a", "b"], 1025), **SETTINGS)
    assert made.alone.n_samples == 2000
    assert any("2,000 of the 2,050 rows" in note for note in made.notes)
    assert "2; rows change places within a group only" in made.html()


def test_warnings_are_on_the_page_and_still_heard():
    rng = np.random.default_rng(0)
    X, Y = np.column_stack((rng.normal(size=60), np.ones(60))), rng.normal(size=60)
    with pytest.warns(infold.DataWarning, match="constant") as heard:
        made = reports.make_report(X, Y, **SETTINGS)
    assert len({str(w.message) for w in heard}) == len(heard)
    assert any("constant columns" in note for note in made.notes)


def test_blocks_answer_the_hint_at_memory():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(2, 120)).cumsum(axis=1)
    with pytest.warns(infold.DataWarning, match="autocorrelated"):
        free = reports.make_report(X, Y, **SETTINGS)
    assert any("autocorrelated" in note for note in free.notes)
    blocks = reports.make_report(X, Y, block=4, **SETTINGS)  # a warning would be an error
    assert not any("autocorrelated" in note for note in blocks.notes)
    assert "4 consecutive rows" in blocks.html()
    for made in (free, blocks):
        assert made.interval.certified is None
        assert "<dt>Certified</dt>" not in made.html()
        assert sum("No lower bound is certified" in note for note in made.notes) == 1


def test_the_estimate_is_made_once_and_the_file_not_read_again(tmp_path, monkeypatch):
    asked = []
    fit = infold.KSG.fit_question
    monkeypatch.setattr(infold.KSG, "fit_question", lambda self, question: asked.append(self) or fit(self, question))
    certified, certify = [], inference.certificate.certified_nats
    monkeypatch.setattr(
        inference.certificate, "certified_nats", lambda *given: certified.append(given) or certify(*given)
    )
    X, Y = np.random.default_rng(0).normal(size=(2, 60))
    settings = {**SETTINGS, "n_neighbors": 4}
    made = reports.make_report(X, Y, **settings, source=tmp_path / "gone.csv", sha256="abc")
    assert [one.n_neighbors for one in asked] == [4, 3]  # the estimate, and that of single columns
    assert len(certified) == 1
    assert (made.source, made.sha256) == ("gone.csv", "abc")


def test_written_to_a_file_with_its_source(tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("abc")
    X, Y = np.random.default_rng(0).normal(size=(2, 60))
    made = infold.report.write_report(X, Y, tmp_path / "page.html", source=data, **SETTINGS)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text == made.html()
    assert "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" in text  # SHA-256 of "abc" (FIPS 180-2)
    assert "data.csv" in text
    assert str(tmp_path) not in text


@pytest.mark.parametrize(
    ("value", "text"), [(0.1234, "0.123"), (-0.5, "−0.5"), (0.0, "0"), (None, "–"), (1e-7, "1.0e−07")]
)
def test_numbers_for_people(value, text):
    assert number(value) == text


def test_a_report_given_z():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(80, 1))
    x, y = z + rng.normal(size=(2, 80, 1))
    made = reports.make_report(x, y, z, n_permutations=19, random_state=0, n_jobs=1, verbose=0)
    assert (made.estimate.method, made.estimate.given, made.together) == ("ksg", 1, None)
    assert made.test.settings["n_neighbors"] == 8  # a tenth of the rows; the estimate has its own
    assert made.estimate.settings["n_neighbors"] == 3
    assert made.summary().startswith("I(X; Y | Z) = ")
    page = made.html()
    assert "once Z (1 columns) is known" in page
    assert "Conditional mutual information" in page
    assert "Y was drawn anew given Z" in page
    assert 'class="n">together' not in page
    json.dumps(made.to_dict())
    with pytest.raises(ValueError, match="groups is for tests without Z"):
        reports.make_report(x, y, z, groups=[0] * 80)


def test_numbers_of_the_page_have_no_needless_exponents():
    assert [number(value, 2) for value in (100.0, 123.4, 0.25, 1e-7, 2.5e7)] == [
        "100",
        "123",
        "0.25",
        "1.0e−07",
        "2.5e+07",
    ]
