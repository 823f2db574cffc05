"""Parts of kernels: typed and translated once, but optimised and made into machine code only where a kernel uses them.

By default numba makes every function callable by itself, and then optimises it again with each function that calls it.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from numba.core.base import BaseContext
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.runtime.context import NRTContext
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import InlineOverloads, NopythonRewrites
from numba.core.types.functions import BaseFunction
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

    def finalize(self) -> None:
        """Be done; what this part calls is linked where the part is."""
        for function in self._final_module.functions:
            if not function.is_declaration:
                function.linkage = "linkonce_odr"  # several kernels have it, each may drop it
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Return the part and its parts, for a function of numba's own making that calls it."""
        if self._shared_module is None:
            self._shared_module = self._final_module.clone()
            for library in _with_parts(self._linking_libraries):
                code = library._final_module if isinstance(library, _Fragment) else library._get_module_for_linking()
                self._shared_module.link_in(code, preserve=True)
        return self._shared_module

    def get_pointer_to_function(self, name: str) -> int | None:
        """Return what runs if Python calls the part: a function that raises TypeError."""
        self._ensure_finalized()
        return ctypes.cast(ctypes.pythonapi.PyErr_BadArgument, ctypes.c_void_p).value


def _with_parts(libraries: list[Any]) -> list[Any]:
    """Return the `libraries`, and those of all parts among them."""
    known = list(dict.fromkeys(libraries))
    for library in known:  # grows on the way
        if isinstance(library, _Fragment):
            known += [each for each in dict.fromkeys(library._linking_libraries) if each not in known]
    return known


_UNUSED = {InlineClosureLikes, InlineOverloads, NopythonRewrites, DeadBranchPrune, RewriteSemanticConstants}


class _Whole(JITCodeLibrary):  # type: ignore[misc]
    """What numba knows of a kernel: optimised once, with all of its parts.

    numba would first do it cheaply, to find needless counts of references. Loops that are made of parts are then taken
    apart in a way that the second time cannot mend: KSG by brute force took twice as long.
    """

    def finalize(self) -> None:
        """Link all parts, and parts of parts, optimise, and make machine code."""
        everything = _with_parts(self._linking_libraries)
        self._linking_libraries = [library for library in everything if not isinstance(library, _Fragment)]
        for library in everything:
            if isinstance(library, _Fragment):
                if hasattr(library, "_reload_init"):  # older versions have none
                    self._reload_init.update(library._reload_init)
                self._final_module.link_in(library._final_module, preserve=True)
        super().finalize()

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout  # and no more, as all is optimised together

    def _optimize_final_module(self) -> None:
        made = self._codegen._module_pass_manager()
        manager, *builder = made if isinstance(made, tuple) else (made,)  # older versions need no builder
        manager.run(self._final_module, *builder)


class _QuickFlags(Flags):  # type: ignore[misc]
    """Flags that are equal where numba's own functions are compiled alike for them: they inherit two flags, no others.

    numba keeps such functions by the flags of whoever called first, so that kernels, parts and what is inlined would
    each have their own. It also looks up each of some twenty flags, a hundred thousand times.
    """

    _HASH = hash(Flags())

    def __hash__(self) -> int:
        return self._HASH

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _QuickFlags):
            return False
        return bool(self.fastmath == other.fastmath and self.error_model == other.error_model)


_ask_all: Any = BaseFunction.get_call_type
_answers: dict[Any, Any] = {}


def _remember(function: Any, typing: Any, arguments: Any, keywords: Any) -> Any:
    """Return the signature with which one of numba's functions is called, and set what it is compiled to.

    For each `+` or index numba asks some twenty templates in turn, as for ints, strings, dates or sets. Kernels call
    18,000 times, with 1,000 different types.
    """
    flags = ConfigStack.top_or_none()
    if not isinstance(flags, _QuickFlags):
        return _ask_all(function, typing, arguments, keywords)
    call = function, typing, tuple(arguments), tuple(keywords.items()), flags
    if call not in _answers:
        signature = _ask_all(function, typing, arguments, keywords)
        _answers[call] = signature, function.get_impl_key(signature)
    signature, compiled = _answers[call]
    function._impl_keys[signature.args] = compiled  # other flags may have left theirs
    return signature


_counted: dict[Any, bool] = {}


def _is_counted(context: Any, kind: Any) -> bool:
    """Return whether anything within a value of this type has a count of references."""
    if kind not in _counted:
        _counted[kind] = context.data_model_manager[kind].contains_nrt_meminfo()
    return _counted[kind]


def _owners(runtime: Any, builder: Any, kind: Any, value: Any) -> list[Any]:
    """Return what counts references within `value`; numba would also take apart all that has no such count.

    That was a third of the instructions of a tree's kernel, for LLVM to take out again.
    """
    context = runtime._context
    if not _is_counted(context, kind):
        return []
    model = context.data_model_manager[kind]
    found = [(kind, model.get_nrt_meminfo(builder, value))] if model.has_nrt_meminfo() else []
    for member, get in model.traverse(builder):
        if _is_counted(context, member):
            found += _owners(runtime, builder, member, get(value))
    return found


@functools.cache
def _size_of(kind: Any, layout: Any) -> Any:
    """Return the size of a type in memory; llvmlite writes a program and parses it, each time it is asked."""
    return kind.get_abi_size(layout)


# What numba has for all, and what takes its place while a kernel is compiled: with the same result, but less work.
_DURING: tuple[tuple[Any, str, Any], ...] = (
    (BaseFunction, "get_call_type", _remember),
    (NRTContext, "get_meminfos", _owners),
    (BaseContext, "get_abi_sizeof", lambda context, kind: _size_of(kind, context.target_data)),
)


class KernelCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler with flags that are compared quickly, few passes, and one round of optimisation."""

    def __init__(self, typing: Any, target: Any, library: Any, arguments: Any, result: Any, flags: Any, *others: Any):
        if library is None:
            library = _Whole(target.codegen(), "kernel")
            library.enable_object_caching()
        super().__init__(typing, target, library, arguments, result, _QuickFlags(flags), *others)

    def compile_extra(self, function: Any) -> Any:
        """Compile `function`: one at a time, as numba has a lock, and those that it calls within it."""
        before = [getattr(owner, name) for owner, name, _ in _DURING]
        for owner, name, ours in _DURING:
            setattr(owner, name, ours)
        try:
            return super().compile_extra(function)
        finally:
            for (owner, name, _), theirs in zip(_DURING, before, strict=True):
                setattr(owner, name, theirs)

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
