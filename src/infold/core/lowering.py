"""How a kernel is written down as instructions of LLVM: they mean what numba's own do, and are two fifths as many.

LLVM would take out the rest again, but writing, reading and removing it was a quarter of the time that compiling takes.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core import ir as numba_ir
from numba.core.analysis import compute_cfg_from_blocks, compute_use_defs
from numba.core.base import BaseContext
from numba.core.callconv import CPUCallConv, Status
from numba.core.compiler_machinery import register_pass
from numba.core.cpu import CPUContext
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering

from .values import DURING as VALUES
from .values import is_counted, packed, slot

_parts: set[str] = set()
_declare: Any = BaseContext.declare_function
_UNKNOWN = Status(*[None] * len(Status._fields))


class _Arguments:
    """Arguments of a part, as they are: numba hands over each of an array's seven numbers by itself."""

    def __init__(self, context: Any, kinds: Any) -> None:
        self.argument_types = [context.get_value_type(kind) for kind in kinds]

    @staticmethod
    def assign_names(arguments: Any, names: Any) -> None:
        """Name them."""
        for argument, name in zip(arguments, names, strict=True):
            argument.name = name


class _PartConvention(CPUCallConv):  # type: ignore[misc]
    """What a part looks like."""

    def _get_arg_packer(self, kinds: Any) -> Any:
        return _Arguments(self.context, kinds)


def _declare_function(context: Any, module: Any, described: Any) -> Any:
    """Return the function of this description."""
    if described.mangled_name not in _parts:
        return _declare(context, module, described)
    convention = _PartConvention(context)
    kind = convention.get_function_type(described.restype, described.argtypes)
    function = cgutils.get_or_insert_function(module, kind, described.mangled_name)
    convention.decorate_function(function, described.args, described.argtypes, noalias=described.noalias)
    if described.inline:
        function.attributes.add("alwaysinline")
    return function


class _Convention(CPUCallConv):  # type: ignore[misc]
    """How kernels and parts call others. As none has a `try`, an error of what is called is an error of the caller."""

    def decode_arguments(self, builder: Any, kinds: Any, function: Any) -> Any:
        """Return the arguments of a function."""
        if function.name in _parts:
            return self.get_arguments(function)
        return super().decode_arguments(builder, kinds, function)

    def call_function(self, builder: Any, callee: Any, result: Any, kinds: Any, values: Any, attrs: Any = None) -> Any:
        """Return whether a call failed, and its result."""
        caller = builder.function.args
        from_python = len(caller) < 2 or caller[1].type != callee.args[1].type
        if from_python or isinstance(result, types.Optional):
            return super().call_function(builder, callee, result, kinds, values, attrs)
        if callee.name in _parts:
            given = [_as_argument(builder, *each) for each in zip(values, callee.args[2:], strict=True)]
        else:
            given = self._get_arg_packer(kinds).as_arguments(builder, values)
        returned = slot(builder, callee.args[0].type.pointee)
        code = builder.call(callee, [returned, caller[1], *given])
        status = _UNKNOWN._replace(code=code, is_error=builder.icmp_signed("!=", code, code.type(0)))
        return status, self.context.get_returned_value(builder, result, builder.load(returned))

    def return_status_propagate(self, builder: Any, status: Any) -> None:
        """Return the error of what was called."""
        if status.excinfoptr is None:
            builder.ret(status.code)
        else:
            super().return_status_propagate(builder, status)


def _as_argument(builder: Any, value: Any, argument: Any) -> Any:
    """Return `value` in the argument's type: for `*arguments`, and for types as default, numba has two types each."""
    if value.type == argument.type:
        return value
    return packed(builder, argument.type, [builder.extract_value(value, i) for i in range(len(argument.type))])


class _KernelLower(Lower):  # type: ignore[misc]
    """Writes down a kernel or a part."""

    def setup_function(self, described: Any) -> None:
        """Begin."""
        if getattr(self.library, "is_part", False):
            _parts.add(described.mangled_name)
        super().setup_function(described)

    def lower_block(self, block: Any) -> None:
        """Write down a block, and at the end of a loop that LLVM shall not write it out several times.

        A quarter of all code came from that, and no time: what matters runs several at a time anyway.
        """
        super().lower_block(block)
        if any(self.blkmap[target].is_terminated for target in block.terminator.get_targets()):
            self.builder.block.terminator.set_metadata("llvm.loop", _rolled_loop(self.module))

    def pre_lower(self) -> None:
        """Find out which variables need no count of references, and which no place on the stack."""
        super().pre_lower()
        given: dict[str, list[Any]] = {}
        home: dict[str, int] = {}
        for offset, block in self.blocks.items():
            for assignment in block.find_insts(numba_ir.Assign):
                name = assignment.target.name
                given.setdefault(name, []).append(assignment.value)
                home[name] = offset
        self._borrowed = borrowed = {name for name in given if is_counted(self.context, self.typeof(name))}
        owned = borrowed
        while owned:
            owned = {name for name in borrowed if not all(self._is_borrowed(value, borrowed) for value in given[name])}
            borrowed -= owned
        # Set once, and before each use: the variable is its value.
        constant = {name for name in given if len(given[name]) == 1 and not self._needs_count(name)}
        dominators = compute_cfg_from_blocks(self.blocks).dominators()
        for offset, used in compute_use_defs(self.blocks).usemap.items():
            constant -= {
                name for name in constant & used if not home[name] < offset or home[name] not in dominators[offset]
            }
        self._singly_assigned_vars |= constant

    def _is_borrowed(self, value: Any, borrowed: set[str]) -> bool:
        """Return whether a value is an argument, which the caller keeps, or made of what is borrowed without a copy."""
        if isinstance(value, numba_ir.Arg):
            return True
        if isinstance(value, numba_ir.Var):
            return value.name in borrowed
        if not isinstance(value, numba_ir.Expr):
            return False
        if value.op == "build_tuple":
            return all(
                each.name in borrowed or not is_counted(self.context, self.typeof(each.name)) for each in value.items
            )
        if value.op not in ("getattr", "static_getitem", "getitem", "exhaust_iter") or value.value.name not in borrowed:
            return False
        if isinstance(self.typeof(value.value.name), types.BaseTuple):
            return True
        if value.op not in ("static_getitem", "getitem"):
            return bool(value.op == "getattr" and value.attr == "T")
        index = value.index if value.op == "getitem" else value.index_var
        kind = None if index is None else self.typeof(index.name)
        return all(isinstance(each, types.Integer | types.SliceType) for each in getattr(kind, "types", [kind]))

    def _needs_count(self, name: str) -> bool:
        return name not in self._borrowed and is_counted(self.context, self.typeof(name))

    def lower_assign(self, kind: Any, assignment: Any) -> Any:
        """Write down an assignment."""
        if assignment.target.name not in self._borrowed:
            return super().lower_assign(kind, assignment)
        counting, self.context.enable_nrt = self.context.enable_nrt, False
        try:
            return super().lower_assign(kind, assignment)
        finally:
            self.context.enable_nrt = counting

    def storevar(self, value: Any, name: str, argidx: Any = None) -> None:
        """Set a variable; numba would look at what it was before."""
        if name in self._singly_assigned_vars or self._needs_count(name):
            super().storevar(value, name, argidx)
        else:
            self.builder.store(value, self.getvar(name))

    def delvar(self, name: str) -> None:
        """Forget a variable; numba would set it to zero."""
        if self._needs_count(name):
            super().delvar(name)

    def _lower_call_normal(self, function: Any, expression: Any, signature: Any) -> Any:
        if getattr(function, "typing_key", None) is not range:
            return super()._lower_call_normal(function, expression, signature)
        values = self.fold_call_args(function, signature, expression.args, expression.vararg, expression.kws)
        kind = values[0].type
        bounds = [kind(0), *values, kind(1)] if len(values) == 1 else [*values, kind(1)]
        return packed(self.builder, self.context.get_value_type(signature.return_type), bounds[:3])

    def lower_expr(self, kind: Any, expression: Any) -> Any:
        """Write down an expression, and shorter than numba those of a loop over a range."""
        builder, operation = self.builder, expression.op
        if operation not in ("getiter", "iternext", "pair_first", "pair_second"):
            return super().lower_expr(kind, expression)
        source, value = self.typeof(expression.value.name), self.loadvar(expression.value.name)
        if operation == "getiter" and isinstance(source, types.RangeType) and _steps_by_one(value):
            start, stop, step = (builder.extract_value(value, i) for i in range(3))
            here, left = slot(builder, start.type), slot(builder, start.type)
            builder.store(start, here)
            builder.store(builder.sub(stop, start), left)
            return packed(builder, self.context.get_value_type(kind), [here, stop, step, left])
        if operation == "iternext" and isinstance(source, types.RangeIteratorType):
            here, step, left = (builder.extract_value(value, i) for i in (0, 2, 3))
            item, n_left = builder.load(here), builder.load(left)
            is_valid = builder.icmp_signed(">", n_left, n_left.type(0))
            with builder.if_then(is_valid):
                builder.store(builder.sub(n_left, n_left.type(1), flags=["nsw"]), left)
                builder.store(builder.add(item, step), here)
            return packed(builder, self.context.get_value_type(kind), [item, is_valid])
        if operation.startswith("pair"):
            member = builder.extract_value(value, int(operation == "pair_second"))
            self.incref(kind, member)
            return member
        return super().lower_expr(kind, expression)


def _rolled_loop(module: Any) -> Any:
    hint = module.add_metadata(["llvm.loop.unroll.runtime.disable"])
    loop = ir.values.MDValue(module, (), str(len(module.metadata)))
    loop.operands = (loop, hint)  # LLVM knows a loop by a node that has itself as first member
    return loop


def _steps_by_one(bounds: Any) -> bool:
    step = bounds.operands[1] if isinstance(bounds, ir.instructions.InsertValue) else None
    return isinstance(step, ir.Constant) and step.constant == 1


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):  # type: ignore[misc]
    """Numba's step of compiling, done by this module."""

    _name = "kernel_lowering"

    @property
    def lowering_class(self) -> Any:
        """Return what does it."""
        return _KernelLower


DURING: tuple[tuple[Any, str, Any], ...] = (
    *VALUES,
    (BaseContext, "declare_function", _declare_function),
    (CPUContext, "call_conv", property(_Convention)),
)
"""What numba has for all, and what takes its place while a kernel is compiled."""
