"""Rows tell what the API answers, in the order of the experiment's file."""

import pytest

import infold
from infold import reproduce
from infold.reproduce.rows import KEY


@pytest.mark.filterwarnings("ignore::infold.DataWarning")
def test_rows_say_what_the_api_says(finished):
    for row in reproduce.read_rows(finished[0] / "tiny.csv"):
        setting = reproduce.Setting(**{name: row[name] for name in KEY})
        if "independent" in setting.task:
            data = infold.datasets.make_independent(
                60, 2, like="helix", form="released", noise="uniform", noise_scale=10.0, random_state=row["seed"]
            )
        else:
            data = infold.datasets.make_helix(60, row["noise_dims"], random_state=row["seed"])
        answer = infold.mutual_information(data.X, data.Y, verbose=0, **setting.options).mi
        assert row["estimate"] == round(answer, 9)
        assert row["truth"] == round(data.mi, 9)
        assert (row["truth_is_bound"], row["truth_monte_carlo"]) == (data.mi_is_bound, data.mi_monte_carlo)
        assert row["seconds"] > 0
        assert row["infold"] == infold.__version__


def test_rows_stand_in_the_order_of_the_file(finished, tiny):
    header, *lines = finished[1].splitlines()
    assert header.split(",")[:11] == list(KEY)
    assert [tuple(line.split(",")[:11]) for line in lines] == [setting.key for setting in tiny.settings()]


def test_warnings_are_noted_where_they_were_given(finished):
    warned = {(r["method"], r["variant"]) for r in reproduce.read_rows(finished[0] / "tiny.csv") if r["warned"]}
    assert ("lnn", "rmi") in warned
    assert {method for method, _ in warned} <= {"lnn", "gknn"}
