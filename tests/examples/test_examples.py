"""Every page of the gallery runs, without a warning, and what its words say of its numbers is true."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def penguins(page):
    assert 0.9 < float(page["overall"]) < 1.2
    assert float(page["within_species"]) < float(page["overall"]) / 2
    assert 0.05 < float(page["within_both"]) < 0.15
    assert page["test"].pvalue == 0.005


def diabetes(page):
    columns = page["X"].columns
    assert set(columns[~page["alone"].relevant_x]) == {"sex"}
    assert not page["control"].relevant_x.any()
    assert set(columns[page["together"].relevant_x]) == {"s5", "bmi", "s3"}
    assert page["alone"].scores_x.max() < page["total"].certified < float(page["total"])


def randhie(page):
    by_year, by_family, lpi = page["by_year"], page["by_family"], page["columns"].index("lpi")
    assert by_year.relevant_x.all()
    assert by_year.scores_x.argmax() == lpi
    assert not by_family.relevant_x[lpi]
    assert by_family.relevant_x.sum() == 4
    assert by_family.scores_x[0] > 3 * by_year.scores_x[0]  # the page says four times
    assert "autocorrelated" in str(page["caught"][0].message)


def digits(page):
    auto, ksg = page["found"]["auto"], page["found"]["ksg"]
    assert float(auto[0]) == 0
    assert float(ksg[-1]) < page["truth"](1.0) / 2 < auto[-1].certified < float(auto[-1]) < page["truth"](1.0)


def helix(page):
    ksg, gksg, auto = (page["estimates"][method] for method in ("ksg", "gksg", "auto"))
    assert ksg[-1] < 0.15 * ksg[0]
    assert ksg[-1] < gksg[-1] < gksg[0]
    assert max(auto) - min(auto) < 0.2
    assert max(auto) < page["ceiling"] < page["data"].best_mi


def pipeline(page):
    every, few, single = (-values.mean() for values in page["scores"].values())
    assert page["alone"].relevant_x.sum() > 20
    assert len(page["selector"].path_) < 12
    assert page["selector"].path_[1].score < 0.05
    assert few - every < (single - every) / 3


def gene_network(page):
    (_, others), (direct, false), (_, more_false) = map(page["count"], (page["found"], page["direct"], page["simple"]))
    assert false < more_false < others / 10
    assert direct > 40 > false * 5


def elnino(page):
    clean, raw = page["clean"], page["raw"]
    pvalues = dict(zip(clean.lags, clean.corrected_pvalues, strict=True))
    assert max(pvalues[lag] for lag in (1, 2, 3)) < 0.05 < min(pvalues[6], pvalues[12])
    assert raw.mi[raw.lags.index(12)] > raw.mi[raw.lags.index(3)]


def sunspots(page):
    assert page["best"] in (10, 11)
    assert all(page["found"].mi[lag - 1] > page["gaussian"][lag - 1] + 0.05 for lag in (3, 8))
    assert float(page["more"]) > 0.2


def co2(page):
    first, found = page["first"], page["found"]
    assert first.pvalue > 0.5
    assert [word in " ".join(first.notes) for word in ("has a trend", "random walk")] == [True, True]
    assert found.pvalue < 0.05
    assert all(lag > 6 for lag, p in zip(found.lags, found.corrected_pvalues, strict=True) if p <= 0.05)
    assert 6 < found.peak <= 12


def output_and_prices(page):
    levels, okun, within = page["levels"], page["okun"], page["within"]
    assert 2.5 < levels.mi[0] < 3.5
    assert levels.pvalue > 0.1
    assert {lag for lag, p in zip(okun.lags, okun.corrected_pvalues, strict=True) if p <= 0.05} == {0, 1}
    assert "spread that changes" in okun.notes[0]
    assert not within.notes
    assert within.pvalue < 0.05
    assert all(p > 0.05 for lag, p in zip(within.lags, within.corrected_pvalues, strict=True) if lag < 0)


def glucose(page):
    ahead, more = page["ahead"], page["more"]
    pvalues = dict(zip(ahead.lags, ahead.corrected_pvalues, strict=True))
    assert max(pvalues[lag] for lag in (1, 2, 3, 12)) < 0.05 < min(pvalues[lag] for lag in range(4, 11))
    assert 4 < ahead.mi[0] / ahead.mi[1] < 6  # the page says a fifth
    assert 12 < ahead.mi[0] / ahead.mi[11] < 18  # and a fifteenth
    assert more.corrected_pvalues.max() < 0.05
    assert not ahead.notes + more.notes


def when_not_to_trust(page):
    assert page["naive"].pvalue < 0.05 < page["blocked"].pvalue
    assert float(page["near_copy"].estimate) > 0.8 * page["near_copy"].ceiling
    assert page["interval"].high < page["interval"].certified < page["lost"].mi
    assert float(page["counted"]) > 1
    assert float(page["adjusted"]) == 0
    assert page["test"].pvalue > 0.05
    assert not page["found"].relevant_x.any()
    assert min(page["single"]) < 0.05


def how_many_rows(page):
    found = page["found"] > 0
    assert found[0].all()
    assert found[:3, 1:].all()
    assert found[:, 2:].all()
    assert (
        abs(page["found"][:, 3:].mean(axis=2).T / [page["describe_kind"](name).mi for name in page["names"]] - 1).max()
        < 0.1
    )


CLAIMS = {
    "01_penguins": penguins,
    "02_diabetes": diabetes,
    "03_randhie": randhie,
    "04_digits": digits,
    "05_helix": helix,
    "06_pipeline": pipeline,
    "07_gene_network": gene_network,
    "08_elnino": elnino,
    "09_sunspots": sunspots,
    "10_when_not_to_trust": when_not_to_trust,
    "11_how_many_rows": how_many_rows,
    "12_co2": co2,
    "13_macrodata": output_and_prices,
    "14_glucose": glucose,
}


def test_every_page_has_its_claims():
    assert sorted(CLAIMS) == sorted(path.stem for path in EXAMPLES.glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("name", CLAIMS)
def test_page_runs_and_is_right(name, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    matplotlib = pytest.importorskip("matplotlib")
    with matplotlib.rc_context({"backend": "agg", "figure.max_open_warning": 0}):
        page = runpy.run_path(str(EXAMPLES / f"{name}.py"))
        drawn = page["plt"].get_fignums()
        page["plt"].close("all")
    assert drawn
    CLAIMS[name](page)
