"""`infold compile` where it has nothing to do; that a later process compiles nothing, `.ci/smoke` checks."""

from infold.cli import kernels

from .commands import complaint


def test_compile_has_nothing_to_do_where_nothing_can_be_kept(monkeypatch):
    monkeypatch.setattr(kernels, "folder", lambda: None)
    assert "NUMBA_CACHE_DIR" in complaint("compile")
    assert "--jobs=0" in complaint("compile", "--jobs", 0)
