"""infold inside other packages: a test of conditional independence for tigramite and for causal-learn.

The other package is imported when a function here is called, and is not needed before.
"""

from .causal_learn import register_with_causal_learn
from .tigramite import tigramite_test

__all__ = ["register_with_causal_learn", "tigramite_test"]
