"""Series: mutual information over lags, transfer entropy, and tests that allow for autocorrelation."""

from .lags import LaggedInformation, lagged_mutual_information
from .matrix import TransferEntropyMatrix, transfer_entropy_matrix
from .transfer import TransferEntropy, transfer_entropy
from .windows import Windows

__all__ = [
    "LaggedInformation",
    "TransferEntropy",
    "TransferEntropyMatrix",
    "Windows",
    "lagged_mutual_information",
    "transfer_entropy",
    "transfer_entropy_matrix",
]
