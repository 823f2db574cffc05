"""The paper's experiments: plain files that say what to run, a runner that can be stopped, and the figures."""

from .plan import Experiment, Setting, experiments, parse
from .rows import read_rows
from .runner import Outcome, default_output, run

__all__ = ["Experiment", "Outcome", "Setting", "default_output", "experiments", "parse", "read_rows", "run"]
