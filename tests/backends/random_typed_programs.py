"""Random programs of typed IR: nests of loops and branches that read and write a few buffers.

They keep old versions of buffers alive, swap carries and write what they read: whatever might make
a compiler forget a copy, or order two ops wrongly. All numbers stay of moderate size.
"""

from __future__ import annotations

import random

import numpy as np

from myia.ir.avals import F64, I64, Aval
from myia.ir.builder import build_region
from myia.ir.core import Function, Value
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import broadcast, flip, reduce_sum, reshape, slice
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import if_, loop
from myia.primitives.pointwise.arithmetic import min as minimum
from myia.primitives.pointwise.logic import gt, lt
from myia.primitives.pointwise.transcendental import sin

LENGTH = 6
SCALAR, VECTOR, MATRIX = F64, F64.with_shape((LENGTH,)), F64.with_shape((3, 4))
ARGUMENTS = (SCALAR, SCALAR, VECTOR, VECTOR, MATRIX, I64, I64)

Scope = dict[Aval, list[Value]]  # the values at hand, newest last


def random_function(seed: int) -> Function:
    rng = random.Random(seed)

    def body(*args: Value) -> list[Value]:
        scope = {aval: [x for x in args if x.aval == aval] for aval in set(ARGUMENTS)}
        _block(rng, scope, depth=rng.choice([2, 3, 3]), size=rng.randint(2, 5))
        return [x for aval in (SCALAR, VECTOR, MATRIX) for x in _some(rng, scope, aval)]

    return Function(f"random_{seed}", build_region(ARGUMENTS, body))


def arguments(seed: int) -> tuple:
    rng = np.random.default_rng(seed)
    floats = (rng.normal(size=a.shape) for a in ARGUMENTS[:5])
    return (*map(np.asarray, floats), np.asarray(rng.integers(0, 5)), np.asarray(3))


def _pick(rng: random.Random, scope: Scope, aval: Aval) -> Value:
    """Most often the newest value, sometimes an old one."""
    values = scope[aval]
    return values[-1] if rng.random() < 0.6 else rng.choice(values)


def _some(rng: random.Random, scope: Scope, aval: Aval) -> list[Value]:
    return [_pick(rng, scope, aval) for _ in range(rng.randint(1, 2))]


def _block(rng: random.Random, scope: Scope, depth: int, size: int) -> None:
    """Emit a few statements, which add values to `scope`."""
    simple = [_arithmetic, _index, _read, _read, _write, _write, _update, _copy_slice, _rewrite]
    simple += [_rows, _whole_array]
    for _ in range(size):
        statement = rng.choice(simple)
        if depth and rng.random() < 0.4:
            statement = rng.choice([_loop, _loop, _while, _branch])
            statement(rng, scope, depth - 1)
        else:
            statement(rng, scope)


# ----- Simple statements


def _arithmetic(rng: random.Random, scope: Scope) -> None:
    x, y = _pick(rng, scope, SCALAR), _pick(rng, scope, SCALAR)
    scope[SCALAR].append(rng.choice([lambda: sin(x + y), lambda: x * 0.5 - y * 0.25])())


def _index(rng: random.Random, scope: Scope) -> None:
    i = _pick(rng, scope, I64)
    scope[I64].append(rng.choice([lambda: minimum(i + 1, 5), lambda: 4 - i])())


def _indices(rng: random.Random, scope: Scope, buffer: Value) -> list[Value]:
    return [_pick(rng, scope, I64) for _ in buffer.shape]


def _buffer(rng: random.Random, scope: Scope) -> Value:
    return _pick(rng, scope, rng.choice([VECTOR, VECTOR, MATRIX]))


def _read_at(buffer: Value, indices: list[Value]) -> Value:
    part = dynamic_slice(buffer, *indices, sizes=(1,) * buffer.aval.ndim)
    return reshape(part, shape=())


def _write_at(buffer: Value, x: Value, indices: list[Value]) -> Value:
    return dynamic_update_slice(buffer, reshape(x, shape=(1,) * buffer.aval.ndim), *indices)


def _read(rng: random.Random, scope: Scope) -> None:
    buffer = _buffer(rng, scope)
    scope[SCALAR].append(_read_at(buffer, _indices(rng, scope, buffer)))


def _write(rng: random.Random, scope: Scope) -> None:
    buffer = _buffer(rng, scope)
    x = _pick(rng, scope, SCALAR)
    scope[buffer.aval].append(_write_at(buffer, x, _indices(rng, scope, buffer)))


def _update(rng: random.Random, scope: Scope) -> None:
    """Read-modify-write; the value read may be used again later."""
    buffer = _buffer(rng, scope)
    indices = _indices(rng, scope, buffer)
    x = _read_at(buffer, indices)
    scope[SCALAR].append(x)
    y = sin(x + _pick(rng, scope, SCALAR))
    scope[buffer.aval].append(_write_at(buffer, y, indices))


def _copy_slice(rng: random.Random, scope: Scope) -> None:
    """Copy a slice of one vector into another, or elsewhere in the same."""
    source, target = _pick(rng, scope, VECTOR), _pick(rng, scope, VECTOR)
    part = dynamic_slice(source, _pick(rng, scope, I64), sizes=(3,))
    scope[VECTOR].append(dynamic_update_slice(target, part, _pick(rng, scope, I64)))


def _rewrite(rng: random.Random, scope: Scope) -> None:
    """Rewrite a slice in place; now and then the slice that was read has another reader."""
    vector, i = _pick(rng, scope, VECTOR), rng.randint(0, 3)
    if rng.random() < 0.5:
        start = constant(i, I64.dtype)
        part = slice(vector, start=(i,), limit=(i + 3,), stride=(1,))
    else:
        start = _pick(rng, scope, I64)
        part = dynamic_slice(vector, start, sizes=(3,))
    other = dynamic_slice(_pick(rng, scope, VECTOR), _pick(rng, scope, I64), sizes=(3,))
    new = sin(part + other) * part
    target = vector if rng.random() < 0.8 else _pick(rng, scope, VECTOR)
    scope[VECTOR].append(dynamic_update_slice(target, new, start))
    if rng.random() < 0.2:
        scope[SCALAR].append(reduce_sum(part, axes=(0,)))


def _rows(rng: random.Random, scope: Scope) -> None:
    """Move a part of a matrix within it, seen as a vector or row by row."""
    matrix = _pick(rng, scope, MATRIX)
    if rng.random() < 0.5:
        flat = reshape(matrix, shape=(12,))
        part = dynamic_slice(flat, _pick(rng, scope, I64), sizes=(7,))
        flat = dynamic_update_slice(flat, part * 0.5, _pick(rng, scope, I64))
        scope[MATRIX].append(reshape(flat, shape=(3, 4)))
    else:
        rows = slice(matrix, start=(0, 0), limit=(2, 4), stride=(1, 1))
        rows = flip(rows, axes=rng.choice([(0,), (1,), ()]))
        at = (_pick(rng, scope, I64), constant(0, np.int64))
        scope[MATRIX].append(dynamic_update_slice(matrix, rows, *at))


def _whole_array(rng: random.Random, scope: Scope) -> None:
    v, x = _pick(rng, scope, VECTOR), _pick(rng, scope, SCALAR)
    if rng.random() < 0.5:
        scope[SCALAR].append(sin(reduce_sum(v, axes=(0,))))
    else:
        scope[VECTOR].append(v * 0.5 + broadcast(x, shape=(LENGTH,), dims=()))


# ----- Statements with regions


def _inner(scope: Scope) -> Scope:
    return {aval: list(values) for aval, values in scope.items()}


def _carried(rng: random.Random, scope: Scope) -> list[Value]:
    avals = rng.sample([SCALAR, SCALAR, VECTOR, VECTOR, MATRIX, I64], rng.randint(1, 4))
    return [_pick(rng, scope, aval) for aval in avals]


def _bind(scope: Scope, values) -> None:
    for x in values:
        scope[x.aval].append(x)


def _body(rng: random.Random, scope: Scope, depth: int):
    def body(k: Value, *carries: Value) -> list[Value]:
        inner = _inner(scope)
        _bind(inner, [k, *carries])
        _block(rng, inner, depth, rng.randint(1, 5))
        return [_pick(rng, inner, c.aval) for c in carries]

    return body


def _loop(rng: random.Random, scope: Scope, depth: int) -> None:
    count = minimum(_pick(rng, scope, I64), 4) if rng.random() < 0.5 else constant(3, np.int64)
    _bind(scope, loop(_carried(rng, scope), _body(rng, scope, depth), count=count))


def _while(rng: random.Random, scope: Scope, depth: int) -> None:
    limit = minimum(_pick(rng, scope, I64), 4)
    init = _carried(rng, scope)
    body = _body(rng, scope, depth)
    _bind(scope, loop(init, body, cond=lambda k, *carries: lt(k, limit)))


def _branch(rng: random.Random, scope: Scope, depth: int) -> None:
    pred = gt(_pick(rng, scope, SCALAR), constant(0, np.float64))
    avals = [x.aval for x in _carried(rng, scope)]

    def branch() -> list[Value]:
        inner = _inner(scope)
        _block(rng, inner, depth, rng.randint(1, 3))
        return [_pick(rng, inner, aval) for aval in avals]

    _bind(scope, if_(pred, branch, branch))
