import numpy as np
import pytest


@pytest.fixture
def data(tmp_path):
    """A CSV file with columns a, b, c (which follows a) and d, and labels; and the numbers in it."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(80, 4))
    values[:, 2] += values[:, 0]
    path = tmp_path / "data.csv"
    lines = [",".join([*map(repr, row.tolist()), "north" if i % 2 else "south"]) for i, row in enumerate(values)]
    path.write_text("a,b,c,d,site\n" + "\n".join(lines) + "\n")
    return path, values
