"""The estimators, one file for each method, after scikit-learn's contract; all arithmetic is in `core`."""

from .adaptive import Adaptive
from .base import MutualInformationEstimator
from .geodesic import GeodesicKSG, paper_settings
from .ksg import KSG
from .manifold import GeodesicForest
from .neighborhoods import GKNN, LNN

__all__ = [
    "GKNN",
    "KSG",
    "LNN",
    "Adaptive",
    "GeodesicForest",
    "GeodesicKSG",
    "MutualInformationEstimator",
    "paper_settings",
]
