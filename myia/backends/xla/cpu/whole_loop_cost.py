"""The cost model that decides which loops are emitted as one function (`whole_loop_call.py`).

Measured against thunks (docs/emission.md): bodies of small vector operations take 0.3 to 0.9 of the
time, up to a thousand elements an op; nothing is gained beyond. In such a function XLA cannot
compile sorts, scatters, FFTs, callbacks and library calls, nor what it would give to several
threads or to its library of fused kernels. Hence a list of allowed ops, and limits with a wide
margin.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterator

from myia.backends.xla.cpu.buffer_aliasing import READS, WRITES
from myia.ir.core import Op, Region, Value, walk
from myia.primitives.arrays import cumulative, dynamic_slices, gather, reductions, shaping
from myia.primitives.core import structured
from myia.primitives.core.define import PointwisePrimitive, constant_p, empty_p, literal_p
from myia.primitives.linalg import dot
from myia.primitives.special import gamma_bessel

# Elements of one operand or result. XLA refuses a reduction of 4,096.
_MAX_ELEMENTS = 1_024
# Elements of a slice that is only moved, as when an iteration of a nest records a row.
_MAX_MOVED_ELEMENTS = 8_192
# Numbers that a fusion computes. XLA splits a fusion that computes more numbers than it accesses
# bytes among threads, if numbers + 10 * bytes >= 200,000 (`DefaultCostModel` of its parallel task
# assignment). With bytes <= numbers <= 18,000 the sum is at most 11 * 18,000 = 198,000. An opaque
# barrier ends a fusion that would compute more.
_MAX_FUSION_WORK = 18_000
# Multiply-adds of a matrix-vector product: 128 x 128.
_MAX_MATVEC_MULTIPLY_ADDS = 16_384
# Multiply-adds from which a lone product runs faster in a library.
_MIN_LONE_DOT_MULTIPLY_ADDS = 256
# Of a product of matrices: multiply-adds, and rows, columns or summed elements. XLA refuses larger
# ones, which it gives to a library. They are emitted as sums of elementwise products
# (`is_emitted_as_sum`).
_MAX_MATMUL_MULTIPLY_ADDS = 64
_MAX_MATMUL_SIDE = 7
_MAX_MULTIPLY_ADDS_OF_SUM = 1_000

# Each is a page of operations in the HLO.
_LONG_EXPANSIONS = {
    gamma_bessel.bessel_i0e,
    gamma_bessel.bessel_i1e,
    gamma_bessel.digamma,
    gamma_bessel.erf_inv,
    gamma_bessel.lgamma,
    gamma_bessel.polygamma,
    gamma_bessel.zeta,
    cumulative.cumprod,
    cumulative.cumsum,
}
_MAX_LONG_EXPANSION_ELEMENTS = 16
_SLICE_MOVES = {dynamic_slices.dynamic_slice, dynamic_slices.dynamic_update_slice}
# Moving elements is no work in XLA's cost model.
_MOVES = _SLICE_MOVES | {shaping.broadcast, shaping.iota, shaping.slice, shaping.transpose}

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
    literal_p,
}


def worth_whole_loop_call(loop: Op) -> bool:
    """Can XLA emit the loop as one function, and does that gain time?"""
    ops = [op for region in loop.regions for op in walk(region)]
    if not all(_is_allowed(op) for op in ops) or any(_has_empty_array(op) for op in (loop, *ops)):
        return False
    dots = [_multiply_adds(op) for op in ops if _is_product(op) and not is_emitted_as_sum(op)]
    is_lone_dot = len(dots) == 1 and dots[0] >= _MIN_LONE_DOT_MULTIPLY_ADDS
    return not is_lone_dot and all(map(_worth_ending_fusions, _regions(loop)))


def _regions(op: Op) -> Iterator[Region]:
    for region in op.regions:
        yield region
        for inner in region.ops:
            yield from _regions(inner)


def is_emitted_as_sum(op: Op) -> bool:
    """Is it a product of matrices that XLA may only compute by a library call?"""
    if not _is_product(op) or _is_with_vector(op):
        return False
    return _multiply_adds(op) > _MAX_MATMUL_MULTIPLY_ADDS or max(_sides(op)) > _MAX_MATMUL_SIDE


def fusion_ends(loop: Op) -> frozenset[Op]:
    """The ops of the loop after which a barrier ends fusions, so that one thread runs each."""
    return frozenset().union(*(_Fusions(region).ends for region in _regions(loop)))


def _worth_ending_fusions(region: Region) -> bool:
    """Can large fusions be ended by no more barriers than the region would have thunks?

    A barrier takes 0.2 us. Emitted op by op, the region would have two thunks for each store, and
    one for each full fusion.
    """
    fusions = _Fusions(region)
    stores = sum(op.primitive in WRITES for op in region.ops)
    thunks = 2 * stores + math.ceil(fusions.work / _MAX_FUSION_WORK)
    return fusions.largest <= _MAX_FUSION_WORK and len(fusions.ends) <= thunks


class _Fusions:
    """The largest fusions that XLA could make in a region, if barriers end them after `ends`.

    A fusion is one op with all ops that it is computed from, but for loops and branches, which are
    never fused. Where it computes too much, its largest operands get a barrier.
    """

    def __init__(self, region: Region):
        self.ends: set[Op] = set()
        self.largest = 0
        work = [_work_of(op) for op in region.ops]
        self.work = sum(work)
        if self.work <= _MAX_FUSION_WORK:
            return
        # A set of ops is an integer with a bit for each: long bodies have one for each value.
        self.ops_of_work: dict[int, int] = {}  # work -> the ops that do so much
        for i, n in enumerate(work):
            self.ops_of_work[n] = self.ops_of_work.get(n, 0) | 1 << i
        self.definitions: dict[Value, Op] = {}
        self.fused: dict[Value, int] = {}
        for i, op in enumerate(region.ops):
            if not op.regions:
                self._add(op, 1 << i)

    def _add(self, op: Op, itself: int) -> None:
        # XLA fuses reads of an array to what it was computed from, and must not copy the array.
        limit = _MAX_FUSION_WORK // 4 if op.primitive in WRITES else _MAX_FUSION_WORK
        inputs = [x for x in op.operands if x in self.definitions and x.aval.size <= _MAX_ELEMENTS]
        inputs.sort(key=lambda x: self._total_work(self.fused[x]))
        found = self._with_inputs(op, itself)
        while self._total_work(found) > limit and inputs:
            end = self.definitions[inputs.pop()]
            self.ends.add(end)
            # Ops that read these results from now on are not fused with what computes them.
            self.fused.update(dict.fromkeys(end.results, 0))
            found = self._with_inputs(op, itself)
        self.largest = max(self.largest, self._total_work(found))
        self.definitions.update(dict.fromkeys(op.results, op))
        self.fused.update(dict.fromkeys(op.results, found))

    def _with_inputs(self, op: Op, itself: int) -> int:
        return functools.reduce(operator.or_, (self.fused.get(x, 0) for x in op.operands), itself)

    def _total_work(self, found: int) -> int:
        return sum(n * (found & ops).bit_count() for n, ops in self.ops_of_work.items())


def _work_of(op: Op) -> int:
    """The numbers that `op` computes, as XLA counts them."""
    return 0 if op.primitive in _MOVES else _elements(op)


def _is_allowed(op: Op) -> bool:
    if _is_product(op) and _multiply_adds(op) > _max_multiply_adds(op):
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
    """Such arrays become constants in XLA, which aborts on a parameter that nothing reads."""
    return any(x.aval.size == 0 for x in op.operands + op.results)


def _is_product(op: Op) -> bool:
    """Is it a product that sums? A batch of outer products is an op on elements."""
    if op.primitive is not dot.dot_general:
        return False
    return bool(op.params["contract"][0]) or not op.params["batch"][0]


def _max_multiply_adds(op: Op) -> int:
    return _MAX_MATVEC_MULTIPLY_ADDS if _is_with_vector(op) else _MAX_MULTIPLY_ADDS_OF_SUM


def _is_with_vector(op: Op) -> bool:
    return min(x.aval.ndim for x in op.operands) <= 1


def _multiply_adds(op: Op) -> int:
    """Elements of the result times the lengths of the contracted axes."""
    x, _ = op.operands
    (contracted, _), (y,) = op.params["contract"], op.results
    return y.aval.size * math.prod(x.shape[i] for i in contracted)


def _sides(op: Op) -> tuple[int, int, int]:
    """Rows, summed elements and columns of each product of a batch."""
    (x, y), (contract, batch) = op.operands, (op.params["contract"], op.params["batch"])
    common = math.prod(x.shape[i] for i in batch[0])
    summed = math.prod(x.shape[i] for i in contract[0])
    each = max(1, common * summed)
    return x.aval.size // each, summed, y.aval.size // each


def _elements(op: Op) -> int:
    """The largest number of elements that `op` accesses in an array."""
    if op.regions or op.primitive in (constant_p, empty_p, shaping.reshape):
        return 0
    if op.primitive in READS:
        return _largest(op.operands[1:] + op.results)
    if op.primitive in WRITES:
        return _largest(op.operands[1:])
    if op.primitive is dot.dot_general:
        return _multiply_adds(op) if is_emitted_as_sum(op) else _largest(op.results)
    return _largest(op.operands + op.results)


def _largest(values: tuple[Value, ...]) -> int:
    return max((x.aval.size for x in values), default=0)
