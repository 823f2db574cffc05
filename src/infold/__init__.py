"""Mutual information between multi-dimensional variables, on the manifold the data lie on."""

from . import datasets
from ._validation import DataWarning
from .estimators import KSG, GeodesicKSG, paper_settings
from .manifold import GeodesicForest
from .measures import mutual_information
from .results import MutualInformation

__version__ = "0.1.0"

__all__ = [
    "KSG",
    "DataWarning",
    "GeodesicForest",
    "GeodesicKSG",
    "MutualInformation",
    "datasets",
    "mutual_information",
    "paper_settings",
]
