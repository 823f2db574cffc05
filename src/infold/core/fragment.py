"""Parts of kernels: typed and translated once, but optimised and made into machine code only where a kernel uses them.

By default numba makes every function callable by itself, and then optimises it again with each function that calls it.
"""

from __future__ import annotations

import ctypes
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.typed_passes import InlineOverloads, NopythonRewrites
from numba.core.untyped_passes import DeadBranchPrune, InlineClosureLikes, RewriteSemanticConstants


class _NoEnvironment:
    """Stands for the code generator where numba sets the module's globals of a function that it has just made."""

    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Do nothing: the function is in no memory yet."""


class _Fragment(JITCodeLibrary):  # type: ignore[misc]
    """What numba knows of a function that is only ever a part of others."""

    codegen = _NoEnvironment

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int | None:
        """Return what runs if Python calls the part: a function that raises TypeError."""
        self._ensure_finalized()
        return ctypes.cast(ctypes.pythonapi.PyErr_BadArgument, ctypes.c_void_p).value


_UNUSED = {InlineClosureLikes, InlineOverloads, NopythonRewrites, DeadBranchPrune, RewriteSemanticConstants}


class _Whole(JITCodeLibrary):  # type: ignore[misc]
    """What numba knows of a kernel: optimised once, with all of its parts.

    numba would first do it cheaply, to find needless counts of references. Loops that are made of parts are then taken
    apart in a way that the second time cannot mend: KSG by brute force took twice as long.
    """

    def _optimize_final_module(self) -> None:
        made = self._codegen._module_pass_manager()
        manager, *builder = made if isinstance(made, tuple) else (made,)  # older versions need no builder
        manager.run(self._final_module, *builder)


class _QuickFlags(Flags):  # type: ignore[misc]
    """Flags that are compared by what was set; numba looks each of some twenty up, a hundred thousand times."""

    _HASH = hash(Flags())

    def __hash__(self) -> int:
        return self._HASH

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Flags) and self._values == other._values) or super().__eq__(other)


class KernelCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler with flags that are compared quickly, few passes, and one round of optimisation."""

    def __init__(self, typing: Any, target: Any, library: Any, arguments: Any, result: Any, flags: Any, *others: Any):
        if library is None:
            library = _Whole(target.codegen(), "kernel")
            library.enable_object_caching()
        super().__init__(typing, target, library, arguments, result, _QuickFlags(flags), *others)

    def define_pipelines(self) -> list[Any]:
        """Return numba's passes without those that change nothing in kernels."""
        managers = super().define_pipelines()
        for manager in managers:
            manager.passes = [each for each in manager.passes if each[0] not in _UNUSED]
        return managers


class FragmentCompiler(KernelCompiler):
    """The same, for parts."""

    def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:
        super().__init__(typing, target, _Fragment(target.codegen(), "part"), *others)
