"""Mutual information of all pairs of many columns, with p-values and control of false discoveries."""

from .make import network
from .result import Network

__all__ = ["Network", "network"]
