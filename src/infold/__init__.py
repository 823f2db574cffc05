"""Mutual information between multi-dimensional variables, on the manifold the data lie on."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import datasets, plotting, report
    from ._validation import DataWarning
    from .adaptive import Adaptive
    from .diagnosis import diagnose
    from .estimators import KSG, GeodesicKSG, paper_settings
    from .inference import confidence_interval, independence_test
    from .manifold import GeodesicForest
    from .measures import mutual_information
    from .neighborhoods import GKNN, LNN
    from .results import ConfidenceInterval, Diagnosis, IndependenceTest, MutualInformation
    from .selection import Relevance, relevance

__version__ = "0.1.0"

# Where each public name lives; it is imported when it is first used, so that `infold --help` comes at once.
_HOME = {
    "Adaptive": "adaptive",
    "ConfidenceInterval": "results",
    "Diagnosis": "results",
    "IndependenceTest": "results",
    "GKNN": "neighborhoods",
    "DataWarning": "_validation",
    "GeodesicForest": "manifold",
    "GeodesicKSG": "estimators",
    "KSG": "estimators",
    "LNN": "neighborhoods",
    "MutualInformation": "results",
    "confidence_interval": "inference",
    "datasets": "",
    "diagnose": "diagnosis",
    "independence_test": "inference",
    "mutual_information": "measures",
    "paper_settings": "estimators",
    "Relevance": "selection",
    "plotting": "",
    "relevance": "selection",
    "report": "",
}

__all__ = [
    "GKNN",
    "KSG",
    "LNN",
    "Adaptive",
    "ConfidenceInterval",
    "DataWarning",
    "Diagnosis",
    "GeodesicForest",
    "GeodesicKSG",
    "IndependenceTest",
    "MutualInformation",
    "Relevance",
    "confidence_interval",
    "datasets",
    "diagnose",
    "independence_test",
    "mutual_information",
    "paper_settings",
    "plotting",
    "relevance",
    "report",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'infold' has no attribute {name!r}")
    module = import_module(f".{_HOME[name] or name}", __name__)
    value = getattr(module, name) if _HOME[name] else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
