"""`infold compile`: runs every task and says where the kernels are."""

from functools import partial

from infold.cli import kernels

from .commands import answer, complaint


def test_compile_says_where_kernels_are_kept(monkeypatch, tmp_path):
    monkeypatch.setattr(kernels, "TASKS", (partial((tmp_path / "one").touch), partial((tmp_path / "two").touch)))
    told = answer("compile", "--jobs", 2)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["one", "two"]
    assert told.startswith("All kernels are compiled (")
    assert told.rstrip(".\n").endswith(kernels.folder())


def test_compile_has_nothing_to_do_where_nothing_can_be_kept(monkeypatch):
    monkeypatch.setattr(kernels, "folder", lambda: None)
    assert "NUMBA_CACHE_DIR" in complaint("compile")
    assert "--jobs=0" in complaint("compile", "--jobs", 0)
