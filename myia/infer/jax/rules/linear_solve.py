"""Translation of `custom_linear_solve`: linear systems that come with their own solver.

If the solver factors a matrix, the system is solved by our own factorization, which is computed
once for derivatives of every order. Any other solver (`cg`, `gmres`, `bicgstab`) is translated. Its
derivative is the implicit one, A x' = b' - A' x, for which the solver runs again.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Var

from myia.infer.jax.tracing.rules import translation_rule
from myia.infer.jax.tracing.translate import ir_aval, translate, unsupported
from myia.ir.builder import at, build_region, current_span, emit
from myia.ir.core import Region, Value
from myia.primitives.arrays.shaping import reshape, transpose
from myia.primitives.core.structured import Rule, custom_p
from myia.primitives.linalg import lu, triangular
from myia.primitives.linalg.matrix_formulas import adjoint
from myia.primitives.pointwise.logic import stop_gradient


@translation_rule("custom_linear_solve")
def _custom_linear_solve(*operands: Value, const_lengths: Any, jaxprs: Any) -> Sequence[Value]:
    product, method = _matrix_product(jaxprs.matvec.jaxpr), _factorization_of(jaxprs.solve.jaxpr)
    if product is None or method is None:
        return _solve_by_own_solver(operands, const_lengths, jaxprs)
    return _solve_by_factorization(operands, product, method)


# ----- By its solver


def _solve_by_own_solver(
    operands: Sequence[Value], const_lengths: Any, jaxprs: Any
) -> Sequence[Value]:
    if len(jaxprs.solve.out_avals) > len(jaxprs.matvec.out_avals):
        raise unsupported("`custom_linear_solve` with `has_aux=True`")
    span, constants = current_span(), sum(const_lengths)
    starts = dict(zip(const_lengths._fields, itertools.accumulate(const_lengths, initial=0)))

    def region(name: str) -> Region:
        """(*constants, *vector) -> *vector, for one of the functions of the equation."""
        f: ClosedJaxpr = getattr(jaxprs, name)
        own = slice(starts[name], starts[name] + getattr(const_lengths, name))
        avals = [x.aval for x in operands]
        return build_region(avals, lambda *xs: translate(f, (*xs[own], *xs[constants:])))

    def rule() -> tuple[Region, ...]:
        with at(span):
            both = ("matvec",) if jaxprs.transpose_solve is None else ("matvec", "transpose_solve")
            return tuple(map(region, both))

    solve, name = region("solve"), jaxprs.solve.jaxpr.debug_info.func_name
    return emit(custom_p, *operands, regions=[solve], name=name, rule=Rule("solve", rule), consts=0)


# ----- By factors of a matrix


def _solve_by_factorization(
    operands: Sequence[Value], product: _Product, method: Callable
) -> list[Value]:
    """Solve A X = B by our factorization.

    The jaxpr has factors of its own, but of A as a constant. We emit the factorization again;
    common subexpressions are merged later.
    """
    a = _transposed_to(operands[product.matrix], product.of_matrix)
    of_columns = [k for k in range(operands[-1].aval.ndim) if k not in product.of_vector]
    order = (*product.of_vector, *of_columns)
    b = _transposed_to(operands[-1], order)
    columns = math.prod(b.shape[a.aval.ndim - 1 :])
    x = reshape(method(a, reshape(b, shape=(*a.shape[:-1], columns))), shape=b.shape)
    return [_transposed_to(x, [order.index(k) for k in range(len(order))])]


def _transposed_to(x: Value, permutation: Sequence[int]) -> Value:
    permutation = tuple(permutation)
    return x if permutation == tuple(range(x.aval.ndim)) else transpose(x, permutation=permutation)


class _Product(NamedTuple):
    """Which operand is the matrix, and the roles of its axes and of those of the vectors."""

    matrix: int
    of_matrix: tuple[int, ...]  # the batch axes, the rows, the columns
    of_vector: tuple[int, ...]  # the batch axes, and the one that is multiplied


def _matrix_product(matvec: Jaxpr) -> _Product | None:
    """The matrix that `matvec` multiplies by; None if it is more than one matrix product."""
    *constants, vector = matvec.invars
    if not matvec.eqns or matvec.eqns[0].primitive.name != "dot_general":
        return None
    dot, *moves = matvec.eqns
    if dot.invars[1] is not vector:
        return None
    if dot.invars[0] not in constants:
        return None
    (contracted, multiplied), (batch, vector_batch) = dot.params["dimension_numbers"]
    rows = set(range(len(ir_aval(dot.invars[0].aval).shape))) - {*contracted, *batch}
    of_vector = (*vector_batch, *multiplied)
    if len(contracted) != 1 or len(rows) != 1 or not _keeps_axes(of_vector, vector, moves):
        return None
    of_matrix = (*batch, *rows, *contracted)
    return _Product(constants.index(dot.invars[0]), of_matrix, of_vector)


def _keeps_axes(of_vector: Sequence[int], vector: Var, moves: Sequence[JaxprEqn]) -> bool:
    """True if the transposes `moves` bring the axes of the product into the vector's order."""
    axes = [*of_vector, *(k for k in range(len(ir_aval(vector.aval).shape)) if k not in of_vector)]
    for eqn in moves:
        if eqn.primitive.name != "transpose":
            return False
        axes = [axes[k] for k in eqn.params["permutation"]]
    return axes == sorted(axes)


def _factorization_of(solve: Jaxpr) -> Callable[[Value, Value], Value] | None:
    """Our factorization for `solve`, by its triangular solves: L then U, or one triangle twice."""
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
