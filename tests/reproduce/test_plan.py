"""Plans: the files hold the paper's grid, and a quick form of it."""

import infold
from infold import reproduce
from infold.reproduce.figures import DRAWINGS


def test_every_experiment_is_told_in_a_sentence():
    known = reproduce.experiments()
    assert list(known)[:3] == ["samples", "sample-efficiency", "uniform"]
    for one in known.values():
        assert one.about.endswith(".")
        assert one.figure in DRAWINGS
        assert len(set(one.settings())) == len(one.settings())


def test_the_paper_s_grid_is_there():
    for name in ("uniform", "gaussian", "helix", "sphere"):
        settings = reproduce.experiments()[name].settings()
        for method, variant, ks in (
            ("ksg", "", (3, 5, 10)),
            ("gksg", "paper", (3, 5, 10)),
            ("gknn", "", (20, 30)),
            ("lnn", "defined", (3, 5)),
            ("lnn", "rmi", (3, 5)),
        ):
            for k in ks:
                found = {
                    (s.noise_dims, s.seed)
                    for s in settings
                    if (s.task, s.method, s.variant, s.k) == (name, method, variant, k) and not s.standardize
                }
                assert found == {(d, seed) for d in range(0, 21, 2) for seed in range(20)}
        assert any(s.task == f"independent-{name}" for s in settings)


def test_quick_is_a_part_of_the_whole():
    for one in reproduce.experiments().values():
        quick, whole = one.settings(quick=True), one.settings()
        assert set(quick) <= set(whole)
        assert bool(quick) == bool(whole)
        assert len(quick) <= len(whole) / 5
        assert {s.method for s in quick} == {s.method for s in whole} or one.name == "sample-efficiency"


def test_paper_settings_are_what_rows_without_standardize_have(tiny):
    for setting in tiny.settings():
        if setting.method == "gksg" and not setting.standardize:
            expected = infold.paper_settings | {"n_neighbors": setting.k, "local_distance": setting.variant}
            assert setting.options == {"method": "gksg", **expected, "random_state": setting.seed}
