"""Mutual information between multi-dimensional variables, on the manifold the data lie on."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import adapters, datasets, plotting, report, selection
    from .data.checks import DataWarning
    from .estimators import GKNN, KSG, LNN, Adaptive, GeodesicForest, GeodesicKSG, paper_settings
    from .inference.diagnosis import diagnose
    from .inference.interval import confidence_interval
    from .inference.permutation import independence_test
    from .inference.relevance import Relevance, relevance
    from .measures import conditional_mutual_information, mutual_information
    from .networks import Network, network
    from .results import ConfidenceInterval, Diagnosis, IndependenceTest, MutualInformation
    from .timeseries import (
        LaggedInformation,
        TransferEntropy,
        TransferEntropyMatrix,
        lagged_mutual_information,
        transfer_entropy,
        transfer_entropy_matrix,
    )

__version__ = "0.2.0"

# Where each public name lives; it is imported when it is first used, so that `infold --help` comes at once.
_HOME = {
    "Adaptive": "estimators",
    "adapters": "",
    "ConfidenceInterval": "results",
    "Diagnosis": "results",
    "IndependenceTest": "results",
    "GKNN": "estimators",
    "DataWarning": "data.checks",
    "GeodesicForest": "estimators",
    "GeodesicKSG": "estimators",
    "KSG": "estimators",
    "LNN": "estimators",
    "MutualInformation": "results",
    "Network": "networks",
    "conditional_mutual_information": "measures",
    "confidence_interval": "inference.interval",
    "datasets": "",
    "diagnose": "inference.diagnosis",
    "independence_test": "inference.permutation",
    "mutual_information": "measures",
    "network": "networks",
    "paper_settings": "estimators",
    "Relevance": "inference.relevance",
    "plotting": "",
    "relevance": "inference.relevance",
    "report": "",
    "LaggedInformation": "timeseries",
    "TransferEntropy": "timeseries",
    "TransferEntropyMatrix": "timeseries",
    "lagged_mutual_information": "timeseries",
    "transfer_entropy": "timeseries",
    "transfer_entropy_matrix": "timeseries",
    "selection": "",
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
    "LaggedInformation",
    "MutualInformation",
    "Network",
    "Relevance",
    "TransferEntropy",
    "TransferEntropyMatrix",
    "adapters",
    "conditional_mutual_information",
    "confidence_interval",
    "datasets",
    "diagnose",
    "independence_test",
    "lagged_mutual_information",
    "mutual_information",
    "network",
    "paper_settings",
    "plotting",
    "relevance",
    "report",
    "selection",
    "transfer_entropy",
    "transfer_entropy_matrix",
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
