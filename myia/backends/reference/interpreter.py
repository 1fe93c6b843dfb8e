"""A NumPy interpreter of typed IR: slow, plain, and the oracle of the tests.

Ops are evaluated in order, and their results are checked against the avals of their shape rules. A
branch that is not taken does not run. A `rev` keeps the carries of all iterations.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from myia.ir.avals import aval_of
from myia.ir.core import Function, Op, Region, Value
from myia.ir.primitive import Primitive
from myia.primitives.core.structured import Loop, call_p, custom_p, if_p, loop_p, remat_p, rev_p
from myia.source.diagnostics import InternalError

Env = dict[Value, np.ndarray]  # one table for all regions: inner ones read outer values


def evaluate(program: Function | Region, args: Sequence) -> list:
    """What `program` yields for NumPy `args`: arrays, and scalars for the avals of rank 0."""
    region = program.region if isinstance(program, Function) else program
    arrays = [np.asarray(x) for x in args]
    if len(arrays) != len(region.args):
        raise InternalError(f"{len(arrays)} arguments for {len(region.args)} parameters")
    _check("argument", region.args, arrays)
    with np.errstate(all="ignore"):
        return [np.array(y)[()] for y in _run(region, arrays, {})]


def _run(region: Region, args: Sequence[np.ndarray], env: Env) -> list[np.ndarray]:
    env.update(zip(region.args, args, strict=True))
    for op in region.ops:
        results = [np.asarray(y) for y in _evaluate_op(op, env)]
        _check(op.primitive.name, op.results, results)
        env.update(zip(op.results, results))
    return [env[y] for y in region.yields]


def _check(what: str, values: Sequence[Value], arrays: Sequence[np.ndarray]) -> None:
    """Each array has the aval of its value."""
    if len(values) != len(arrays):
        raise InternalError(f"{what}: {len(arrays)} results for {len(values)} values")
    for value, array in zip(values, arrays):
        if aval_of(array) != value.aval:
            raise InternalError(f"{what}: {aval_of(array)} where {value.aval} was expected")


def _evaluate_op(op: Op, env: Env) -> Sequence:
    if op.primitive in _STRUCTURED:
        return _STRUCTURED[op.primitive](op, env)
    if op.primitive.evaluate is None:
        raise InternalError(f"{op.primitive.name} has no evaluation")
    results = op.primitive.evaluate(*(env[x] for x in op.operands), **op.params)
    return results if isinstance(results, (tuple, list)) else (results,)


# ----- Ops with regions


def _evaluate_if(op: Op, env: Env) -> list[np.ndarray]:
    then, other = op.regions
    return _run(then if env[op.operands[0]] else other, (), env)


def _evaluate_call(op: Op, env: Env) -> list[np.ndarray]:
    return _run(op.regions[0], [env[x] for x in op.operands], env)


def _iterations(loop: Loop, env: Env) -> Iterator[list[np.ndarray]]:
    """The index and the carries at the start of each iteration, then after the last one."""
    k, carries = 0, [env[x] for x in loop.carries]
    while True:
        state = [np.asarray(k, np.int64), *carries]
        yield state
        is_at_count = loop.count is not None and k >= env[loop.count]
        if is_at_count or (loop.cond is not None and not _run(loop.cond, state, env)[0]):
            return
        if loop.bound is not None and k >= loop.bound:
            raise InternalError(f"a loop makes more than its {loop.bound} iterations")
        carries = _run(loop.body, state, env)
        k += 1


def _evaluate_loop(op: Op, env: Env) -> list[np.ndarray]:
    (last,) = deque(_iterations(Loop.of(op), env), maxlen=1)
    return last[1:]


def _evaluate_rev(op: Op, env: Env) -> list[np.ndarray]:
    loop = Loop.of(op)
    *starts, _ = _iterations(loop, env)
    adjoints = [env[x] for x in (*loop.seeds, *loop.accumulators)]
    for state in reversed(starts):
        adjoints = _run(loop.adjoint_region, [*state, *adjoints], env)
    return adjoints


_STRUCTURED: dict[Primitive, Callable[[Op, Env], list[np.ndarray]]] = {
    if_p: _evaluate_if,
    call_p: _evaluate_call,
    custom_p: _evaluate_call,
    remat_p: _evaluate_call,
    loop_p: _evaluate_loop,
    rev_p: _evaluate_rev,
}
