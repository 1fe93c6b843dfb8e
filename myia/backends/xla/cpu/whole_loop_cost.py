"""The cost model that decides, loop by loop, whether XLA compiles it whole (`small_call.py`).

Measured (docs/emission.md), against op by op: bodies of small vector operations take 0.3 to 0.9 of
the time up to a thousand elements an op, and there is nothing to gain beyond. Inside such a call
XLA cannot compile sorts, scatters, FFTs, callbacks and calls to libraries, nor anything that it
would give to several threads or hand to its library of fused kernels; hence a list of what is
allowed, and limits with a wide margin.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterator

from myia.backends.xla.cpu.buffer_aliasing import READS, WRITES
from myia.ir.core import Op, Region, Value, walk
from myia.primitives.arrays import dynamic_slices, gather, reductions, shaping
from myia.primitives.core import structured
from myia.primitives.core.define import PointwisePrimitive, constant_p, empty_p
from myia.primitives.linalg import dot
from myia.primitives.special import gamma_bessel

# Elements of one operand or result. XLA refuses a reduction of 4,096.
_MAX_ELEMENTS = 1_024
# Of a window that is only moved, as when a trip of a nest records a row.
_MAX_MOVED_ELEMENTS = 8_192
# Numbers that a fusion computes. XLA gives it to several threads where they and ten times the bytes
# that it reads and writes are 200,000, if these are no more than the numbers (`DefaultCostModel` of
# its parallel task assignment). Where it would compute more, fences end it.
_MAX_FUSION_WORK = 18_000
# Multiply-adds of one matrix-vector product (128 x 128), of the smallest one that a library runs
# faster when the body has no other, and of a product of matrices (XLA refuses 8 x 8 by 8 x 8).
_MAX_MATVEC_MULTIPLY_ADDS, _MIN_LONE_DOT_MULTIPLY_ADDS, _MAX_MATMUL_MULTIPLY_ADDS = 16_384, 256, 64

# Each is a page of operations in the HLO.
_LONG_EXPANSIONS = {
    gamma_bessel.bessel_i0e,
    gamma_bessel.bessel_i1e,
    gamma_bessel.digamma,
    gamma_bessel.erf_inv,
    gamma_bessel.lgamma,
    gamma_bessel.polygamma,
    gamma_bessel.zeta,
    reductions.cumprod,
    reductions.cumsum,
}
_MAX_LONG_EXPANSION_ELEMENTS = 16
_SLICE_MOVES = {dynamic_slices.dynamic_slice, dynamic_slices.dynamic_update_slice}
_COMPUTES_NOTHING = _SLICE_MOVES | {
    shaping.broadcast,
    shaping.iota,
    shaping.slice,
    shaping.transpose,
}

# Each is several loops in the HLO, which run until the slowest element has converged.
_ITERATIVE = {
    gamma_bessel.betainc,
    gamma_bessel.igamma,
    gamma_bessel.igammac,
    gamma_bessel.igamma_grad_a,
    gamma_bessel.random_gamma_grad,
}

_ALLOWED = {
    shaping.broadcast,
    shaping.concatenate,
    shaping.flip,
    shaping.iota,
    shaping.pad,
    shaping.reshape,
    shaping.slice,
    shaping.transpose,
    shaping.reduce_sum,
    reductions.argmax,
    reductions.argmin,
    reductions.reduce_and,
    reductions.reduce_max,
    reductions.reduce_min,
    reductions.reduce_or,
    reductions.reduce_prod,
    gather.gather,
    dot.dot_general,
    dynamic_slices.dynamic_slice,
    dynamic_slices.dynamic_update_add,
    dynamic_slices.dynamic_update_slice,
    structured.if_p,
    structured.loop_p,
    structured.call_p,
    constant_p,
    empty_p,
}


def worth_whole_loop_call(loop: Op) -> bool:
    ops = [op for region in loop.regions for op in walk(region)]
    if not all(_is_allowed(op) for op in ops) or any(_has_empty_array(op) for op in (loop, *ops)):
        return False
    dots = [_multiply_adds(op) for op in ops if op.primitive is dot.dot_general]
    lone_dot = len(dots) == 1 and dots[0] >= _MIN_LONE_DOT_MULTIPLY_ADDS
    return not lone_dot and all(map(_worth_ending_fusions, _regions(loop)))


def _regions(op: Op) -> Iterator[Region]:
    for region in op.regions:
        yield region
        for inner in region.ops:
            yield from _regions(inner)


def fusion_ends(loop: Op) -> frozenset[Op]:
    """The ops inside after which fusions have to end, lest XLA gives one to several threads."""
    return frozenset().union(*(_Fusions(region).ends for region in _regions(loop)))


def _worth_ending_fusions(region: Region) -> bool:
    """Can heavy fusions be cut, by no more fences than there would be calls, op by op? Each takes
    0.2 us. There are calls for stores and what they store, and for what fills a fusion."""
    fusions = _Fusions(region)
    stores = sum(op.primitive in WRITES for op in region.ops)
    calls = 2 * stores + math.ceil(fusions.work / _MAX_FUSION_WORK)
    return fusions.largest <= _MAX_FUSION_WORK and len(fusions.ends) <= calls


class _Fusions:
    """The largest fusions that XLA could make in a region, if they end at `ends`: each of one op
    with all that it is computed from, but for loops and branches, which are never fused."""

    def __init__(self, region: Region):
        self.ends: set[Op] = set()
        self.largest = 0
        work = [_work_of(op) for op in region.ops]
        self.work = sum(work)
        if self.work <= _MAX_FUSION_WORK:
            return
        # Sets of ops are the bits of an integer.
        self.alike: dict[int, int] = {}  # the ops that do so much work
        for i, n in enumerate(work):
            self.alike[n] = self.alike.get(n, 0) | 1 << i
        self.made: dict[Value, Op] = {}
        self.fused: dict[Value, int] = {}
        for i, op in enumerate(region.ops):
            if not op.regions:
                self._add(op, 1 << i)

    def _add(self, op: Op, itself: int) -> None:
        # Reads of an array are fused to what it was made of, and arrays are not to be copied.
        limit = _MAX_FUSION_WORK // 4 if op.primitive in WRITES else _MAX_FUSION_WORK
        inputs = [x for x in op.operands if x in self.made and x.aval.size <= _MAX_ELEMENTS]
        inputs.sort(key=lambda x: self._work_of(self.fused[x]))
        found = self._with_inputs(op, itself)
        while self._work_of(found) > limit and inputs:
            end = self.made[inputs.pop()]
            self.ends.add(end)
            self.fused.update(dict.fromkeys(end.results, 0))
            found = self._with_inputs(op, itself)
        self.largest = max(self.largest, self._work_of(found))
        self.made.update(dict.fromkeys(op.results, op))
        self.fused.update(dict.fromkeys(op.results, found))

    def _with_inputs(self, op: Op, itself: int) -> int:
        return functools.reduce(operator.or_, (self.fused.get(x, 0) for x in op.operands), itself)

    def _work_of(self, found: int) -> int:
        return sum(n * (found & ops).bit_count() for n, ops in self.alike.items())


def _work_of(op: Op) -> int:
    """The numbers that `op` computes; what is only moved is none of XLA's work."""
    return 0 if op.primitive in _COMPUTES_NOTHING else _elements(op)


def _is_allowed(op: Op) -> bool:
    if op.primitive is dot.dot_general and _multiply_adds(op) > _max_multiply_adds(op):
        return False
    if op.primitive in _LONG_EXPANSIONS:
        return _elements(op) <= _MAX_LONG_EXPANSION_ELEMENTS
    if op.primitive in _ITERATIVE:
        return False
    if op.primitive in _SLICE_MOVES:
        return _elements(op) <= _MAX_MOVED_ELEMENTS
    allowed = isinstance(op.primitive, PointwisePrimitive) or op.primitive in _ALLOWED
    return allowed and _elements(op) <= _MAX_ELEMENTS


def _has_empty_array(op: Op) -> bool:
    """XLA replaces them by constants, and aborts on a parameter that nothing reads."""
    return any(x.aval.size == 0 for x in op.operands + op.results)


def _max_multiply_adds(op: Op) -> int:
    """Products of matrices become calls to a library when something is fused to them."""
    with_vector = min(x.aval.ndim for x in op.operands) <= 1
    return _MAX_MATVEC_MULTIPLY_ADDS if with_vector else _MAX_MATMUL_MULTIPLY_ADDS


def _multiply_adds(op: Op) -> int:
    """Elements of the result times the extents summed over."""
    x, _ = op.operands
    (contracted, _), (y,) = op.params["contract"], op.results
    return y.aval.size * math.prod(x.shape[i] for i in contracted)


def _elements(op: Op) -> int:
    """The largest array that `op` goes through; of a buffer only the window that it touches."""
    if op.regions or op.primitive in (constant_p, empty_p, shaping.reshape):
        return 0
    if op.primitive in READS:
        return _largest(op.operands[1:] + op.results)
    if op.primitive in WRITES:
        return _largest(op.operands[1:])
    if op.primitive is dot.dot_general:
        return _largest(op.results)
    return _largest(op.operands + op.results)


def _largest(values: tuple[Value, ...]) -> int:
    return max((x.aval.size for x in values), default=0)
