"""How values are written down as instructions of LLVM: arrays and tuples stay values, and are not put on the stack."""

from __future__ import annotations

import functools
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.base import BaseContext
from numba.core.runtime.context import NRTContext
from numba.np import arrayobj

_counted: dict[Any, bool] = {}


def is_counted(context: Any, kind: Any) -> bool:
    """Return whether anything within a value of this type has a count of references."""
    if kind not in _counted:
        _counted[kind] = context.data_model_manager[kind].contains_nrt_meminfo()
    return _counted[kind]


def _owners(runtime: Any, builder: Any, kind: Any, value: Any) -> list[Any]:
    """Return what counts references within `value`; numba would also take apart all that has no such count."""
    context = runtime._context
    if not is_counted(context, kind):
        return []
    model = context.data_model_manager[kind]
    found = [(kind, model.get_nrt_meminfo(builder, value))] if model.has_nrt_meminfo() else []
    for member, get in model.traverse(builder):
        if is_counted(context, member):
            found += _owners(runtime, builder, member, get(value))
    return found


@functools.cache
def _size_of(kind: Any, layout: Any) -> Any:
    """Return the size of a type in memory; llvmlite writes a program and parses it, each time it is asked."""
    return kind.get_abi_size(layout)


def packed(builder: Any, kind: Any, members: Any) -> Any:
    """Return a value of a type that has members."""
    whole = ir.Constant(kind, ir.Undefined)
    for i, member in enumerate(members):
        whole = builder.insert_value(whole, member, i)
    return whole


_their_extract: Any = ir.IRBuilder.extract_value


def _extract(builder: Any, whole: Any, member: Any, name: str = "") -> Any:
    """Return a member of a value: what was put there, if that can be seen, which needs no instruction."""
    if isinstance(member, int):
        while isinstance(whole, ir.instructions.InsertValue):
            if whole.indices[0] != member:
                whole = whole.operands[0]
            elif len(whole.indices) == 1:
                return whole.operands[1]
            else:
                break
    return _their_extract(builder, whole, member, name)


def slot(builder: Any, kind: Any) -> Any:
    """Return an address on the stack."""
    with builder.goto_entry_block():
        return builder.alloca(kind)


_their_array, _their_indexing, _their_view = arrayobj.make_array, arrayobj.basic_indexing, arrayobj.make_view


@functools.cache
def _make_array(kind: Any) -> Any:
    """Return the class whose attributes are the members of an array of this type."""
    theirs = _their_array(kind)
    if type(kind) is not types.Array:
        return theirs

    class Array(theirs):  # type: ignore[misc, valid-type]
        """An array as a value; numba would write it to the stack, to read a member of it from there."""

        def __init__(self, context: Any, builder: Any, value: Any = None, ref: Any = None) -> None:
            self._whole = value
            if value is None:
                super().__init__(context, builder, ref=ref)
            else:
                self._context, self._builder = context, builder
                self._datamodel = context.data_model_manager[self._fe_type]

        def __getattr__(self, name: str) -> Any:
            if name not in ("_value", "_outer_ref"):
                return super().__getattr__(name)
            # A member is about to be set: now it has to be on the stack.
            super().__init__(self._context, self._builder, self._whole)
            self._whole = None
            return self.__dict__[name]

        def __getitem__(self, member: int) -> Any:
            if self._whole is None:
                return super().__getitem__(member)
            return self._builder.extract_value(self._whole, member)

        @property
        def shape(self) -> Any:
            """Return the lengths."""
            return super().shape if self._whole is None else self[self._datamodel.get_field_position("shape")]

        def _getvalue(self) -> Any:
            return super()._getvalue() if self._whole is None else self._whole

    return Array


class _View:
    """An array that is made at once."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def _getvalue(self) -> Any:
        return self._value


def _make_view(
    context: Any, builder: Any, kind: Any, array: Any, result: Any, data: Any, shape: Any, strides: Any
) -> Any:
    """Return a part of an array."""
    if type(result) is not types.Array:
        return _their_view(context, builder, kind, array, result, data, shape, strides)
    model, length = context.data_model_manager[result], context.get_value_type(types.intp)
    members = {
        "meminfo": array.meminfo,
        "parent": array.parent,
        "nitems": functools.reduce(functools.partial(builder.mul, flags=["nsw"]), shape, length(1)),
        "itemsize": array.itemsize,
        "data": data,
        "shape": cgutils.pack_array(builder, shape, length),
        "strides": cgutils.pack_array(builder, strides, length),
    }
    return _View(packed(builder, model.get_value_type(), [members[name] for name in model._fields]))


def _basic_indexing(
    context: Any, builder: Any, kind: Any, array: Any, index_kinds: Any, indices: Any, boundscheck: Any = None
) -> Any:
    """Return where the item or part of an array is, and how long and how far apart what is left of its axes."""
    is_item = len(indices) == kind.ndim and all(isinstance(each, types.Integer) for each in index_kinds)
    if boundscheck or not is_item or kind.layout == "F":
        return _their_indexing(context, builder, kind, array, index_kinds, indices, boundscheck)
    shape = array.shape
    lengths = [builder.extract_value(shape, i) for i in range(kind.ndim)]
    places = [
        arrayobj.fix_integer_index(context, builder, *each) for each in zip(index_kinds, indices, lengths, strict=True)
    ]
    if kind.layout == "C":
        place = places[0]
        for length, inner in zip(lengths[1:], places[1:], strict=True):
            place = builder.add(builder.mul(place, length), inner)
        return builder.gep(array.data, [place]), [], []
    strides = array.strides
    offsets = [builder.mul(builder.extract_value(strides, i), place) for i, place in enumerate(places)]
    return cgutils.pointer_add(builder, array.data, functools.reduce(builder.add, offsets)), [], []


DURING: tuple[tuple[Any, str, Any], ...] = (
    (ir.IRBuilder, "extract_value", _extract),
    (NRTContext, "get_meminfos", _owners),
    (BaseContext, "get_abi_sizeof", lambda context, kind: _size_of(kind, context.target_data)),
    (arrayobj, "make_array", _make_array),
    (arrayobj, "make_view", _make_view),
    (arrayobj, "basic_indexing", _basic_indexing),
)
"""What numba has for all, and what takes its place while a kernel is compiled."""
