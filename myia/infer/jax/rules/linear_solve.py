"""`custom_linear_solve`: systems of linear equations that come with their own solver.

Where the solver factors a matrix, the system is solved by our own factorization, once, whatever
the order of the derivative. Any other solver (`cg`, `gmres`, `bicgstab`) is translated; the
derivative is the implicit one, A x' = b' - A' x, for which the solver runs again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Var

from myia.infer.jax.tracing.rules import translation_rule
from myia.infer.jax.tracing.translate import refuse, translate
from myia.ir.builder import at, build_region, current_span, emit
from myia.ir.core import Region, Value
from myia.primitives.arrays.shaping import reshape, transpose
from myia.primitives.core.structured import Rule, custom_p
from myia.primitives.linalg import lu, triangular
from myia.primitives.linalg.matrix_formulas import adjoint
from myia.primitives.pointwise.logic import stop_gradient


@translation_rule("custom_linear_solve")
def _custom_linear_solve(*operands: Value, const_lengths: Any, jaxprs: Any) -> Sequence[Value]:
    product, method = _matrix_product(jaxprs.matvec.jaxpr), _method(jaxprs.solve.jaxpr)
    if product is None or method is None:
        return _by_its_solver(operands, const_lengths, jaxprs)
    return _by_factors(operands, product, method)


# ----- By its solver


def _by_its_solver(operands: Sequence[Value], const_lengths: Any, jaxprs: Any) -> Sequence[Value]:
    if len(jaxprs.solve.out_avals) > len(jaxprs.matvec.out_avals):
        raise refuse("`custom_linear_solve` with `has_aux=True`")
    span, constants = current_span(), sum(const_lengths)
    starts = _starts(const_lengths)

    def region(name: str) -> Region:
        """(*constants, *vector) -> *vector, of one of the functions that the equation has."""
        f: ClosedJaxpr = getattr(jaxprs, name)
        own = slice(starts[name], starts[name] + getattr(const_lengths, name))
        avals = [x.aval for x in operands]
        return build_region(avals, lambda *xs: translate(f, (*xs[own], *xs[constants:])))

    def rule() -> tuple[Region, ...]:
        with at(span):
            both = ("matvec",) if jaxprs.transpose_solve is None else ("matvec", "transpose_solve")
            return tuple(map(region, both))

    solve, name = region("solve"), jaxprs.solve.jaxpr.debug_info.func_name
    rule = Rule("solve", rule)
    return emit(custom_p, *operands, regions=[solve], name=name, rule=rule, consts=0)


def _starts(const_lengths: Any) -> dict[str, int]:
    """Where the constants of each function begin."""
    starts, start = {}, 0
    for name, length in const_lengths._asdict().items():
        starts[name] = start
        start += length
    return starts


# ----- By factors of a matrix


def _by_factors(operands: Sequence[Value], product: _Product, method: Callable) -> list[Value]:
    """A X = B. The jaxpr's own factors are those of a constant, and we make the same again: equal
    operations become one later.
    """
    a = _arranged(operands[product.matrix], product.of_matrix)
    of_columns = [k for k in range(operands[-1].aval.ndim) if k not in product.of_vector]
    order = (*product.of_vector, *of_columns)
    b = _arranged(operands[-1], order)
    columns = math.prod(b.shape[a.aval.ndim - 1 :])
    x = reshape(method(a, reshape(b, shape=(*a.shape[:-1], columns))), shape=b.shape)
    return [_arranged(x, [order.index(k) for k in range(len(order))])]


def _arranged(x: Value, permutation: Sequence[int]) -> Value:
    permutation = tuple(permutation)
    return x if permutation == tuple(range(x.aval.ndim)) else transpose(x, permutation=permutation)


class _Product(NamedTuple):
    """Which operand is the matrix, and what its axes and those of the vectors are."""

    matrix: int
    of_matrix: tuple[int, ...]  # the batch axes, the rows, the columns
    of_vector: tuple[int, ...]  # the batch axes, and the one that is multiplied


def _matrix_product(matvec: Jaxpr) -> _Product | None:
    """What `matvec` multiplies by, if it is a product with one matrix and nothing else."""
    *constants, vector = matvec.invars
    if not matvec.eqns or matvec.eqns[0].primitive.name != "dot_general":
        return None
    dot, *moves = matvec.eqns
    if dot.invars[1] is not vector:
        return None
    if dot.invars[0] not in constants:
        return None
    (contracted, multiplied), (batch, vector_batch) = dot.params["dimension_numbers"]
    rows = set(range(dot.invars[0].aval.ndim)) - {*contracted, *batch}
    of_vector = (*vector_batch, *multiplied)
    if len(contracted) != 1 or len(rows) != 1 or not _keeps_axes(of_vector, vector, moves):
        return None
    of_matrix = (*batch, *rows, *contracted)
    return _Product(constants.index(dot.invars[0]), of_matrix, of_vector)


def _keeps_axes(of_vector: Sequence[int], vector: Var, moves: Sequence[JaxprEqn]) -> bool:
    """True if `moves` bring the axes of the product to where they are in the vector."""
    axes = [*of_vector, *(k for k in range(vector.aval.ndim) if k not in of_vector)]
    for eqn in moves:
        if eqn.primitive.name != "transpose":
            return False
        axes = [axes[k] for k in eqn.params["permutation"]]
    return axes == sorted(axes)


def _method(solve: Jaxpr) -> Callable[[Value, Value], Value] | None:
    """How `solve` solves: by which triangles, a lower and an upper one, or one of them twice."""
    triangles = [(p["lower"], p["unit_diagonal"]) for p in _triangular_solves(solve)]
    if triangles == [(True, True), (False, False)]:
        return _solve_by_lu
    if triangles == [(True, False)] * 2:
        return lambda a, b: _solve_by_cholesky(a, stop_gradient(a), b)
    if triangles == [(False, False)] * 2:  # A = U^H U, from the upper triangle of A
        return lambda a, b: _solve_by_cholesky(a, adjoint(stop_gradient(a)), b)
    return None


def _triangular_solves(jaxpr: Jaxpr) -> Iterator[Mapping[str, Any]]:
    for eqn in jaxpr.eqns:
        if eqn.primitive.name == "triangular_solve":
            yield eqn.params
        elif "jaxpr" in eqn.params:
            yield from _triangular_solves(eqn.params["jaxpr"].jaxpr)


def _solve_by_lu(a: Value, b: Value) -> Value:
    factors, _, permutation = lu.lu(stop_gradient(a))
    return lu.lu_solve(a, factors, permutation, b, transpose=False)


def _solve_by_cholesky(a: Value, constant_a: Value, b: Value) -> Value:
    return lu.cholesky_solve(a, triangular.cholesky(constant_a), b, transpose=False)
