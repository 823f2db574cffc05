"""Parts of kernels: typed and translated once, but optimised and made into machine code only where a kernel uses them.

By default numba makes every function callable by itself, and then optimises it again with each function that calls it.
"""

from __future__ import annotations

import ctypes
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.targetconfig import ConfigStack
from numba.core.transforms import canonicalize_cfg
from numba.core.typed_passes import InlineOverloads, NativeLowering, NopythonRewrites
from numba.core.types.functions import BaseFunction
from numba.core.typing.templates import _OverloadFunctionTemplate
from numba.core.untyped_passes import DeadBranchPrune, InlineClosureLikes, RewriteSemanticConstants

from .lowering import DURING, KernelLowering


class _NoEnvironment:
    """Stands for the code generator where numba sets the module's globals of a function that it has just made."""

    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Do nothing: the function is in no memory yet."""


class _Fragment(JITCodeLibrary):  # type: ignore[misc]
    """What numba knows of a function that is only ever a part of others."""

    codegen = _NoEnvironment
    is_part = True

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
        raise TypeError("only a kernel of infold's can call a part of its kernels, as no other knows how")

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
_decorator_of: Any = _OverloadFunctionTemplate._get_jit_decorator
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


def _as_part(template: Any) -> Any:
    """Return a decorator with which a function of numba's, as `np.empty` for an array of two axes, becomes a part."""
    decorator = _decorator_of(template)
    if not isinstance(ConfigStack.top_or_none(), _QuickFlags):
        return decorator
    return lambda **flags: decorator(**flags | {"no_cfunc_wrapper": True, "pipeline_class": _BorrowedCompiler})


_look_at_all: Any = PostProcessor.run


def _look_at_blocks(processor: Any, emit_dels: bool = False, *others: Any, **more: Any) -> None:
    """Put blocks in order; numba would also find out where each variable lives, after each step, for the last alone."""
    function = processor.func_ir
    if emit_dels or function.is_generator:
        _look_at_all(processor, emit_dels, *others, **more)
    else:
        function.blocks = canonicalize_cfg(function.blocks)
        function.variable_lifetime = VariableLifetime(function.blocks)  # which looks when it is asked


# What numba has for all, and what takes its place while a kernel is compiled: with the same result, but less work.
_DURING: tuple[tuple[Any, str, Any], ...] = (
    (PostProcessor, "run", _look_at_blocks),
    (BaseFunction, "get_call_type", _remember),
    (_OverloadFunctionTemplate, "_get_jit_decorator", _as_part),
    *DURING,
)


class KernelCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler with flags that are compared quickly, few passes, and one round of optimisation."""

    unused: tuple[Any, ...] = (
        InlineClosureLikes,
        InlineOverloads,
        NopythonRewrites,
        DeadBranchPrune,
        RewriteSemanticConstants,
    )

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
        """Return numba's passes without those that change nothing in kernels, and with our own last one."""
        managers = super().define_pipelines()
        for manager in managers:
            used = [each for each in manager.passes if each[0] not in self.unused]
            manager.passes = [(KernelLowering, why) if each is NativeLowering else (each, why) for each, why in used]
        return managers


class FragmentCompiler(KernelCompiler):
    """The same, for parts."""

    def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:
        super().__init__(typing, target, _Fragment(target.codegen(), "part"), *others)


class _BorrowedCompiler(FragmentCompiler):
    """The same, for functions of numba's: they need all passes."""

    unused = ()
