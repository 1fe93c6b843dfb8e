"""The cost model that decides, loop by loop, whether XLA compiles it whole (`small_call.py`).

Measured (docs/emission.md), against op by op: bodies of small vector operations take 0.3 to 0.9 of
the time up to a few hundred elements an op, and there is nothing to gain beyond. Inside such a call
XLA cannot compile sorts, scatters, FFTs, callbacks and calls to libraries, nor anything that it
would give to several threads or hand to its library of fused kernels; hence a list of what is
allowed, and limits with a wide margin.
"""

from __future__ import annotations

from myia.backends.xla.fences import READS, WRITES
from myia.ir.core import Op, Value, walk
from myia.primitives import elementwise, indexing, linalg, reductions, shaping, structured, windows
from myia.primitives.define import PointwisePrimitive, constant_p

# Elements of one operand or result. XLA refuses a reduction of 4,096.
_MAX_ELEMENTS = 256
# Elements over all ops of a trip. At 20,000 a fusion of them may be run by several threads.
_MAX_WORK = 15_000
# Below it XLA compiles the loop whole by itself, or the overhead is too small to matter.
_MIN_WORK = 64
# Multiply-adds of one matrix-vector product (128 x 128), and of the smallest one that a library
# runs faster when the body has no other.
_MAX_DOT, _LONE_DOT = 16_384, 256

# Each is a page of operations in the HLO.
_LARGE = {elementwise.erf_inv, elementwise.lgamma, elementwise.digamma, elementwise.polygamma}

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
    reductions.reduce_and,
    reductions.reduce_max,
    reductions.reduce_min,
    reductions.reduce_or,
    indexing.gather,
    windows.dynamic_slice,
    windows.dynamic_update_slice,
    structured.if_p,
    structured.loop_p,
    structured.call_p,
    constant_p,
}


def worth_compiling_whole(loop: Op, fenced: bool) -> bool:
    """`fenced`: its body reads arrays that it writes. Op by op such a body may copy them still."""
    ops = [op for region in loop.regions for op in walk(region)]
    if not all(_fits(op) for op in ops):
        return False
    dots = [_multiply_adds(op) for op in ops if op.primitive is linalg.dot_general]
    work = sum(_elements(op) for op in ops)
    if work > _MAX_WORK or (len(dots) == 1 and dots[0] >= _LONE_DOT):
        return False
    return fenced or work + sum(dots) >= _MIN_WORK


def _fits(op: Op) -> bool:
    if op.primitive is linalg.dot_general:
        return _is_small_matrix_vector_product(op)
    pointwise = isinstance(op.primitive, PointwisePrimitive) and op.primitive not in _LARGE
    return (pointwise or op.primitive in _ALLOWED) and _elements(op) <= _MAX_ELEMENTS


def _is_small_matrix_vector_product(op: Op) -> bool:
    """Other products become calls to a library when something is fused to them."""
    x, y = op.operands
    return min(x.aval.ndim, y.aval.ndim) == 1 and _multiply_adds(op) <= _MAX_DOT


def _multiply_adds(op: Op) -> int:
    return max(x.aval.size for x in op.operands)


def _elements(op: Op) -> int:
    """The largest array that `op` goes through; of a buffer only the window that it touches."""
    if op.regions or op.primitive is shaping.reshape:
        return 0
    if op.primitive in READS:
        return _largest(op.operands[1:] + op.results)
    if op.primitive in WRITES:
        return _largest(op.operands[1:])
    if op.primitive is linalg.dot_general:
        return _largest(op.results)
    return _largest(op.operands + op.results)


def _largest(values: tuple[Value, ...]) -> int:
    return max((x.aval.size for x in values), default=0)
