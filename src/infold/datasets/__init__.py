"""Samples with known mutual information: the paper's data sets, named kinds, and any number of random kinds."""

from .base import Dataset
from .kinds import Kind, describe_kind, kind_information, list_kinds, make_kind
from .paper import make_gaussian, make_helix, make_independent, make_sphere, make_uniform, monte_carlo_mi
from .random_kinds import make_random_kind

__all__ = [
    "Dataset",
    "Kind",
    "describe_kind",
    "kind_information",
    "list_kinds",
    "make_gaussian",
    "make_helix",
    "make_independent",
    "make_kind",
    "make_random_kind",
    "make_sphere",
    "make_uniform",
    "monte_carlo_mi",
]
