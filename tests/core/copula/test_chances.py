"""Places of rows among the chances of their values: uniform given Z, whatever Z tells of the values."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import ndtr
from scipy.stats import kstest

from infold.core.copula import chances, residuals


def found(codes, z, seed=0):
    known, rng = residuals.Known(z, np.random.default_rng(seed)), np.random.default_rng(seed)
    return chances.chances(codes, known.bases(known.telling_of(codes[:, None].astype(float), 0.3)), rng)


@pytest.mark.parametrize("n_values", [2, 5])
def test_places_are_uniform_and_do_not_tell_z(n_values):
    rng = np.random.default_rng(1)
    z = rng.normal(size=(600, 2))
    latent = 2 * z.sum(axis=1) + rng.normal(size=600)
    codes = np.searchsorted(np.quantile(latent, np.arange(1, n_values) / n_values), latent)
    left = found(codes, z)
    assert kstest(left.places, "uniform").pvalue > 0.01
    assert abs(np.corrcoef(left.scores, z.sum(axis=1))[0, 1]) < 0.12  # three deviations of .04; codes have .8
    drawn = left.redrawn(np.array([rng.permutation(600) for _ in range(20)]))
    assert drawn.shape == (20, 600)
    assert abs(np.mean([np.corrcoef(one, z.sum(axis=1))[0, 1] for one in drawn])) < 0.05
    assert abs(drawn.std() / left.scores.std() - 1) < 0.1


def test_without_any_z_places_keep_the_order_of_values(rng):
    codes = rng.integers(0, 3, 200)
    left = chances.chances(codes, [], rng)
    assert left.smoother is None
    assert_array_equal(np.searchsorted(left.shares, left.places), codes)
    own = left.redrawn(np.arange(200)[None])[0]
    assert_allclose(ndtr(own), left.places, atol=2e-6)


@pytest.mark.parametrize("codes", [[0, 1], [0, 1, 1, 0, 1], [0] * 40 + [1]])
def test_few_rows_and_rare_values(codes, rng):
    codes = np.array(codes)
    left = found(codes, rng.normal(size=(codes.size, 1)))
    assert np.isfinite(left.scores).all()
    assert np.isfinite(left.redrawn(np.array([rng.permutation(codes.size) for _ in range(3)]))).all()
