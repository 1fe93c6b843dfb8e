"""Linear systems solved by a user's solver: implicit derivatives, the solver is not differentiated.

    %x = custom %p %b { solve }         A(p) x = b
        forward:   A x_t = b_t - (A_t) x            solved by the same solver
        reverse:   A^T b_ct = x_ct                  solved by the solver of the transposed system
                   p_ct = the pullback of -A(p) x at b_ct

Each of these is such a system again, so derivatives of all orders follow. The solver's own operands
(a preconditioner, a first guess) do not change the solution and have no derivative. In the IR this
is a `custom` op whose rule has the mode "solve".

`reverse`, `jvp_region` and `vjp_region` are handed in: see the docstring of `vjp.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from myia.ir.builder import build_region, current_span, emit
from myia.ir.core import Op, Region, Tangents, Value
from myia.ir.rewrite import inline
from myia.primitives.core.define import zeros
from myia.primitives.core.structured import Rule, custom_p
from myia.primitives.pointwise.arithmetic import neg
from myia.source.diagnostics import MyiaError
from myia.transforms.clone import clone, clone_with_args
from myia.transforms.cotangents import Accumulators, Reverse, or_zeros
from myia.transforms.errors import NoTransposedSolver


def tangents_of_linear_solve(
    jvp_region: Callable[..., Region], op: Op, ts: Sequence[Value | None]
) -> Sequence[Value]:
    """Emit the tangents of the solution, from those of the operands of `op` (None: zero)."""
    n = len(op.results)
    params, of_params, of_b = op.operands[:-n], ts[:-n], ts[-n:]
    right = [or_zeros(t, b) for t, b in zip(of_b, op.operands[-n:])]
    wrt = [i for i, t in enumerate(of_params) if t is not None]
    if wrt:
        with_tangents = jvp_region(op.params["rule"].regions[0], wrt, range(n))
        seeds = [t for t in of_params if t is not None]
        images = inline(with_tangents, (*params, *op.results, *seeds))[n:]
        right = [r - image for r, image in zip(right, images)]
    return _solve(op, (*params, *right), op.regions[0], op.params["rule"])


def pull_back_linear_solve(
    reverse: Reverse,
    vjp_region: Callable[..., Region],
    op: Op,
    cts: Tangents,
    acc: Accumulators,
) -> None:
    """Add the cotangents of the right-hand side and of the parameters of A, from `cts`."""
    rule: Rule = op.params["rule"]
    if len(rule.regions) == 1:
        raise MyiaError(NoTransposedSolver(op.span or current_span(), op.params["name"]))
    matvec, solve_transposed = rule.regions
    n = len(op.results)
    params, xs = op.operands[:-n], op.results
    seeds = [or_zeros(ct, x) for ct, x in zip(cts, xs)]
    back = Rule("solve", lambda: (_transposed(vjp_region, matvec, n), op.regions[0]))
    of_b = _solve(op, (*params, *seeds), solve_transposed, back)
    for b, ct in zip(op.operands[-n:], of_b):
        acc.add(b, ct)
    wanted = list(dict.fromkeys(p for p in params if acc.wants(p)))
    if wanted:
        step = clone_with_args(matvec, (*params, *xs), replay=True)
        sums = reverse(step.ops, wanted, [(y, neg(ct)) for y, ct in zip(step.yields, of_b)])
        for p in wanted:
            acc.add(p, sums.get(p))


def _solve(op: Op, operands: Sequence[Value], solve: Region, rule: Rule) -> Sequence[Value]:
    """Emit the solution of a system of the same form as that of `op`."""
    params = {**op.params, "rule": rule}
    return emit(custom_p, *operands, regions=(clone(solve),), **params)


def _transposed(vjp_region: Callable[..., Region], matvec: Region, n: int) -> Region:
    """(*params, *cotangents of b) -> *cotangents of x. A(p) x is linear in x: x may be zero."""
    n_params = len(matvec.args) - n
    pullback = vjp_region(matvec, range(n_params, n_params + n), range(n))

    def body(*args: Value) -> Sequence[Value]:
        at = [zeros(x.aval) for x in matvec.args[n_params:]]
        return inline(pullback, (*args[:n_params], *at, *args[n_params:]))[n:]

    return build_region([x.aval for x in (*matvec.args[:n_params], *matvec.yields)], body)
