"""What kernels are compiled to, beside what Python does with the same lines."""

import sys
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys
from numpy.testing import assert_array_equal
from parts import kernel

from infold.core.jit import inlined, part


def in_python(function):
    return function


class Pair(NamedTuple):
    left: np.ndarray
    right: np.ndarray


def loops(_):
    def run(values, n):
        total, last, seen = 0, -1, 0
        for i in range(n):
            for j in range(i, n):
                if j == 7:
                    continue
                if i == 5:
                    break
                total += i * j
            last = i
        for i in range(n, -n, -3):
            total = 3 * total + i
        for i in range(-5, -5 + n, 4):
            total -= i
        for i in range(n, 0):  # none
            total += 1000 + i
        for i in range(np.uint64(n)):
            seen += np.int64(i)
        bounds = range(2, n)
        for _ in range(2):
            for i in bounds:
                total += i
        while seen > 10:
            seen -= 3
        for i, value in enumerate(values):
            total += i * int(value)
        for one, other in zip(values, values[::-1]):  # noqa: B905 (numba has no strict)
            seen += int(one * other)
        return total, last, seen, len(bounds)

    return run


def items(_):
    def run(values, n):
        flat, table = values.copy(), np.zeros((n, 3))
        for i in range(n):
            flat[i] += flat[-1 - i] + flat[np.uint8(i)]
            table[i, 0], table[i, -2], table[i, 2] = flat[i], -i, i == 2
        odd, turned, column = table[1::2], table.T, table[:, 1]
        odd[-1, 0] = 100.0
        turned[2, 0] = 7.0
        column[-1] = -9.0
        table[0] = 5.0
        table[:, 1] += flat[:n]
        flags = table > 1.0
        flags[0, 0] = False
        backwards = table[::-1, ::2]
        return flat, table, odd.copy(), column.size, backwards.shape[1], backwards[0, -1], flags, flat[:0].size

    return run


def calls(decorate):
    @decorate
    def several(a, b=2, *rest):
        return a + b + len(rest), a > b, (a, 0.5 * b)

    @decorate
    def nothing(target, value):
        target[0] = value

    @decorate
    def swapped(pair, is_swapped):
        return Pair(pair.right, pair.left) if is_swapped else pair

    def run(values, n):
        (one, is_larger, (a, b)), other = several(n), several(n, 5, 6.0, 7.0)
        pair = swapped(swapped(Pair(values.copy(), 2 * values), n > 3), False)
        nothing(pair.left, 11.0)
        return one, is_larger, a, b, other[0], pair.left, pair.right, max(n, 3, 1), min(values[0], values[1]), values

    return run


def branches(decorate):
    @decorate
    def chosen(n):
        if n > 4:
            result = 1.5
        elif n < 0:
            result = -1
        else:
            return 0
        for _ in range(n):
            kept = result
            result = 2 * kept
        return result

    def run(values, n):
        found = np.empty(12)
        for i in range(-2, 10):
            found[i + 2] = chosen(i)
        total = np.zeros(n, np.int64)
        for i in range(n):
            made = np.arange(i) if i % 2 else total[:i]
            total[i] = made.sum()
        return found, total, values[0] if n > 2 else values[1]

    return run


def owners(decorate):
    @decorate
    def itself(array):
        return array

    @decorate
    def all_but_first(array):
        rest = array[1:]
        return rest, rest[0]

    @decorate
    def large(array, least):
        return array[array > least]  # a copy

    @decorate
    def replaced(array, n):
        if n > 2:
            array = np.full(n, 2.0)
        return array

    @decorate
    def in_turns(pair, n):
        left, right = pair
        for _ in range(n):
            left, right = right, left
        return left, (right, pair[0])

    def run(values, n):
        rest, second = all_but_first(values)
        table, own = values[:4].copy().reshape(2, 2), values.copy()
        left, (right, first) = in_turns(Pair(own, 2 * own), n)
        kept = own
        for i in range(n):
            kept = replaced(own, i)
        return (
            itself(values),
            rest,
            second,
            large(values, 0.0),
            replaced(own, n),
            left,
            right,
            first,
            kept,
            all_but_first(table.T)[0].copy(),
            all_but_first(np.ones(5))[0],
        )

    return run


LAYOUTS = [
    lambda table: table.T[1].copy(),
    lambda table: table.copy()[:, 0],
    lambda table: table.copy()[::-1, 1],
]


@pytest.mark.parametrize("decorator", [part, inlined])
@pytest.mark.parametrize("program", [loops, items, calls, branches, owners])
def test_kernels_do_what_python_does(rng, program, decorator):
    compiled, twin = kernel(program(decorator)), program(in_python)
    spread = rng.normal(scale=9, size=(12, 2))
    for n in (2, 3, 9, 10):
        for layout in LAYOUTS:
            wanted, found = twin(layout(spread), n), compiled(layout(spread), n)
            assert len(wanted) == len(found)
            for one, other in zip(wanted, found, strict=True):
                assert_array_equal(one, other)


def test_arrays_are_freed_and_arguments_kept(rng):
    # What a kernel is handed it does not count: one that it made would never be freed, and one too many would crash.
    _nrt_python.memsys_enable_stats()
    for program in (items, calls, branches, owners):
        compiled, values = kernel(program(part)), rng.normal(size=12)
        compiled(values, 5)
        before, references = rtsys.get_allocation_stats(), sys.getrefcount(values)
        for _ in range(10):
            compiled(values, 5)
        after = rtsys.get_allocation_stats()
        assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free > 0
        assert sys.getrefcount(values) == references


def test_tables_in_fortran_order_are_read_and_written():
    @kernel
    def set_diagonal(table):
        for i in range(table.shape[0]):
            table[i, -i - 1] = table[i, i] + 1
        return table[1:, 0].sum()

    wanted = np.arange(9.0).reshape(3, 3)
    found = np.asfortranarray(wanted)
    assert set_diagonal(found) == set_diagonal.py_func(wanted)
    assert_array_equal(found, wanted)


def test_an_error_of_a_part_is_an_error_of_its_kernel():
    @part
    def checked(value):
        if value < 0:
            raise ValueError("below zero")
        return value

    @part
    def passed_on(value):
        return checked(value) + 1

    @kernel
    def run(value):
        return passed_on(value)

    assert run(3) == 4
    with pytest.raises(ValueError, match="below zero"):
        run(-3)
    assert run(5) == 6


def test_other_functions_of_numba_know_no_parts_and_are_compiled_as_ever():
    @part
    def one_more(value):
        return value + 1

    def run(n):
        made = np.empty((n, 2))
        for i in range(n):
            made[i] = max(i, 2), min(i, 3)
        return made.sum(), np.zeros(n)[:1].size, made

    before, ours, after = (decorate(run) for decorate in (numba.njit, kernel, numba.njit))
    for function in (before, ours, after):
        for one, other in zip(function(5), run(5), strict=True):
            assert_array_equal(one, other)
    with pytest.raises(TypeError, match="only a kernel"):
        numba.njit(lambda value: one_more(value))(1)
