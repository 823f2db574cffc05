"""`infold lags`: the numbers of the API, times and groups from the file, one-line complaints."""

import json

import numpy as np
import pytest

import infold

from .commands import answer, complaint


@pytest.fixture
def table(tmp_path):
    """A CSV file of days in disorder, with a gap and a hole; and its series, in order."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=120)
    y = np.roll(x, 2) + rng.normal(size=120)
    y[30] = np.nan
    days = np.delete(np.arange(120), slice(60, 65))
    path = tmp_path / "series.csv"
    lines = [
        f"{np.datetime64('2021-03-01') + int(i)},{x[i]},{'' if np.isnan(y[i]) else y[i]}" for i in rng.permutation(days)
    ]
    path.write_text("day,a,b\n" + "\n".join(lines) + "\n")
    x[60:65] = y[60:65] = np.nan
    return path, x, y


def test_json_has_the_numbers_of_the_api(table):
    path, x, y = table
    options = ["--max-lag", 3, "--time", "day", "--surrogates", 19, "--json"]
    found = json.loads(answer("lags", path, "--x", "a", "--y", "b", *options))
    expected = infold.lagged_mutual_information(x, y, range(-3, 4), n_surrogates=0)
    assert found["lags"] == [-3, -2, -1, 0, 1, 2, 3]
    assert found["peak"] == 2
    assert found["mi"] == pytest.approx(expected.mi.tolist(), abs=1e-12)
    assert found["pvalue"] == 0.05
    assert "time has 1 gap" in found["notes"][0]


def test_text_has_a_line_for_each_lag(table, tmp_path):
    plot = tmp_path / "lags.png"
    options = ["--max-lag", 2, "--time", "day", "--surrogates", 0, "--output", plot, "--difference"]
    text = answer("lags", table[0], "--x", "a", "--y", "b", *options)
    assert [line.split()[0] for line in text.splitlines()[-5:]] == ["-2", "-1", "0", "1", "2"]
    assert plot.stat().st_size > 1000


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--max-lag", -1], "--max-lag=-1 must be at least 0"),
        (["--given-lags", "one"], "--given-lags='one' must be whole numbers"),
        (["--given-lags", "3:1"], "--given-lags='3:1' must be whole numbers or ranges"),
        (["--time", "hour"], "--time='hour'"),
        (["--max-lag", 200], "needs at least 5 rows"),
    ],
)
def test_mistakes_are_one_line(table, options, says):
    assert says in complaint("lags", table[0], "--x", "a", "--y", "b", *options)


def test_a_series_beside_its_own_past(table):
    path, _, y = table
    options = ["--max-lag", 2, "--surrogates", 0, "--time", "day", "--json"]
    found = json.loads(answer("lags", path, "--x", "b", "--y", "b", *options))
    assert found["mi"] == pytest.approx(
        infold.lagged_mutual_information(y, y, range(-2, 3), n_surrogates=0).mi.tolist(), abs=1e-12
    )
    past = ["--given", "b", "--given-lags", "1:2,4"]
    found = json.loads(answer("lags", path, "--x", "a", "--y", "b", *past, *options))
    assert found["settings"]["given_lags"] == [1, 2, 4]
    assert found["z_names"] == ["b"]


def test_messages_name_no_parameter_of_python(tmp_path):
    path = tmp_path / "twice.csv"
    path.write_text("t,a,b\n" + "".join(f"{i // 2},{i * i % 7},{i % 5}\n" for i in range(40)))
    says = complaint("lags", path, "--x", "a", "--y", "b", "--time", "t")
    assert "pass groups that say which series" in says
    assert "=" not in says
