import pytest

from infold import reproduce

from .tiny_experiment import N_ROWS, TINY, run


@pytest.fixture
def tiny():
    return reproduce.parse("tiny", TINY)


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A folder with the results of the tiny experiment, and their text."""
    folder = tmp_path_factory.mktemp("finished")
    outcome = run(reproduce.parse("tiny", TINY), folder)
    assert (outcome.n_rows, outcome.n_computed) == (N_ROWS, N_ROWS)
    return folder, (folder / "tiny.csv").read_text()
