"""Edge cases: delicate derivatives, and differences between NumPy, Python and XLA."""

from __future__ import annotations

import functools
import itertools
import math

import jax
import numpy as np
import pytest

from myia.backends.reference.interpreter import evaluate
from myia.ir.avals import BOOL, F32, F64, I64, Aval, aval_of
from myia.ir.builder import build_region, emit
from myia.ir.core import Value
from myia.primitives.arrays import dynamic_slices, gather, reductions, scattering, shaping, sorting
from myia.primitives.core import effects
from myia.primitives.linalg import dot
from myia.primitives.pointwise import arithmetic as a
from myia.primitives.pointwise import logic
from myia.primitives.pointwise import transcendental as e
from myia.source.diagnostics import InternalError
from tests.primitives.derivatives import jvp, vjp


def region_of(primitive, *inputs, **params):
    return build_region([aval_of(x) for x in inputs], lambda *xs: emit(primitive, *xs, **params))


def gradient(primitive, *inputs, ct=1.0, **params) -> list:
    """The cotangents of the inputs, each element of the result having `ct`."""
    inputs = [np.asarray(x) for x in inputs]
    (y,) = primitive.avals(*map(aval_of, inputs), **params)
    seed = np.full(y.shape, ct, y.dtype)
    return evaluate(vjp(region_of(primitive, *inputs, **params)), [*inputs, seed])


# ----- Powers


@pytest.mark.parametrize(
    "x, y, by_base, by_exponent",
    [
        (0.0, 0.0, 0.0, 0.0),
        (0.0, 1.0, 1.0, 0.0),
        (0.0, 2.0, 0.0, 0.0),
        (0.0, 0.5, math.inf, 0.0),
        (2.0, 0.0, 0.0, math.log(2.0)),
        (math.inf, 0.0, 0.0, math.inf),
        (-2.0, 3.0, 12.0, math.nan),
    ],
)
def test_partials_of_pow(x, y, by_base, by_exponent):
    np.testing.assert_allclose(gradient(a.pow, x, y), [by_base, by_exponent])


def test_second_derivatives_of_pow_at_zero():
    region = vjp(region_of(a.pow, 0.0, 2.0))
    hessian_row = evaluate(vjp(region), [0.0, 2.0, 1.0, 1.0, 0.0])
    np.testing.assert_allclose(hessian_row, [2.0, 0.0, 0.0])


def test_mixed_derivative_of_pow_where_the_exponent_is_zero():
    """d/dx d/dy x^y = x^(y-1) (1 + y log x), which is 1/x there: the guard must not hide it."""
    region = vjp(region_of(a.pow, 4.0, 0.0))
    hessian_row = evaluate(vjp(region), [4.0, 0.0, 1.0, 1.0, 0.0])
    np.testing.assert_allclose(hessian_row[1], 0.25)


# ----- Ties and unselected operands


@pytest.mark.parametrize("primitive", [a.max, a.min])
def test_a_tie_shares_equally(primitive):
    np.testing.assert_array_equal(gradient(primitive, 3.0, 3.0), [0.5, 0.5])


@pytest.mark.parametrize("primitive, value, winner", [(a.max, 5.0, 1), (a.min, 1.0, 0)])
def test_the_loser_of_a_choice_gets_an_exact_zero(primitive, value, winner):
    cts = gradient(primitive, 1.0, 5.0, ct=math.inf)
    assert cts[winner] == math.inf and cts[1 - winner] == 0
    (t,) = evaluate(jvp(region_of(primitive, 1.0, 5.0)), [1.0, 5.0, *(2.0, 2.0)])
    assert t == 2.0
    infinite = [math.inf, 3.0] if winner == 1 else [3.0, math.inf]
    (t,) = evaluate(jvp(region_of(primitive, 1.0, 5.0)), [1.0, 5.0, *infinite])
    assert t == 3.0


@pytest.mark.parametrize("primitive", [a.max, a.min])
@pytest.mark.parametrize("x, y", [(math.nan, 1.0), (1.0, math.nan)])
def test_a_choice_of_nan_has_derivative_zero_in_both_modes(primitive, x, y):
    assert gradient(primitive, x, y) == [0, 0]
    assert evaluate(jvp(region_of(primitive, x, y)), [x, y, 2.0, 3.0]) == [0]


@pytest.mark.parametrize("primitive", [reductions.reduce_max, reductions.reduce_min])
def test_an_extremum_that_is_nan_has_derivative_nan_in_both_modes(primitive):
    x = np.array([[2.0, math.nan, 3.0], [1.0, 1.0, 1.0]])
    (ct,) = gradient(primitive, x, ct=6.0, axes=(1,))
    np.testing.assert_array_equal(ct, [[math.nan] * 3, [2, 2, 2]])
    (t,) = evaluate(jvp(region_of(primitive, x, axes=(1,))), [x, np.ones((2, 3))])
    np.testing.assert_array_equal(t, [math.nan, 1])


@pytest.mark.parametrize("primitive", [reductions.reduce_max, reductions.reduce_min])
def test_ties_of_a_reduction_share_evenly(primitive):
    x = np.array([[2.0, 2.0, 2.0], [1.0, 2.0, 2.0], [3.0, 2.0, 2.0]])
    (ct,) = gradient(primitive, x, ct=6.0, axes=(1,))
    lowest = primitive is reductions.reduce_min
    expected = [[2, 2, 2], [6, 0, 0] if lowest else [0, 3, 3], [0, 3, 3] if lowest else [6, 0, 0]]
    np.testing.assert_array_equal(ct, expected)


def test_what_is_not_selected_gets_zero_even_of_an_infinite_cotangent():
    pred = np.array([True, False])
    x = np.array([1.0, 2.0])
    left, right = gradient(logic.select, pred, x, x, ct=math.inf)
    np.testing.assert_array_equal(left, [math.inf, 0])
    np.testing.assert_array_equal(right, [0, math.inf])


def test_the_last_of_several_writes_gets_the_cotangent():
    x, indices = np.zeros(4), np.array([[1], [1], [3], [1]])
    dims = gather.index_dims((), (0,), (0,))
    params = dict(dims=dims, mode="clip", unique=False)
    before, written = gradient(scattering.scatter, x, indices, np.arange(4.0), **params)
    np.testing.assert_array_equal(before, [1, 0, 1, 0])
    np.testing.assert_array_equal(written, [0, 0, 1, 1])


# The array, the indices and what is written there; some come twice, some are outside.
WRITES = {
    "elements": ((6,), (9, 1), (9,), gather.index_dims((), (0,), (0,))),
    "rows": ((5, 2), (7, 1), (7, 2), gather.index_dims((1,), (0,), (0,))),
    "columns": ((2, 5), (7, 1), (2, 7), gather.index_dims((0,), (1,), (1,))),
    "places": ((3, 4), (2, 6, 2), (2, 6), gather.index_dims((), (0, 1), (1, 0))),
    "batches": ((3, 4), (3, 6, 1), (3, 6), gather.index_dims((), (1,), (1,), (0,), (0,))),
    "blocks": ((4, 3), (6, 2), (6, 2, 2), gather.index_dims((1, 2), (), (0, 1))),
}


@pytest.mark.parametrize("pairs, sparse", [(32, 256), (0, 0), (0, 256)])
@pytest.mark.parametrize("mode", gather.MODES)
@pytest.mark.parametrize("name", WRITES)
def test_which_write_is_the_last_is_found_in_three_ways(name, mode, pairs, sparse, monkeypatch):
    """Against the effect of each written element when all are written in order."""
    monkeypatch.setattr(scattering, "MAX_PAIRWISE_SLICES", pairs)
    monkeypatch.setattr(scattering, "MIN_ELEMENTS_PER_UPDATE", sparse)
    shape, at, written, dims = WRITES[name]
    rng = np.random.default_rng(0)
    indices, ct = rng.integers(-1, max(shape) + 1, at), rng.normal(size=shape)
    params = dict(dims=dims, mode=mode, unique=False)
    store = functools.partial(scattering.scatter.evaluate, np.zeros(shape), indices, **params)
    units = np.eye(math.prod(written)).reshape(-1, *written)
    expected = np.reshape([np.sum(ct * store(unit)) for unit in units], written)
    assert 0 < np.count_nonzero(expected) < expected.size
    _, found = gradient(
        scattering.scatter, np.zeros(shape), indices, np.zeros(written), ct=ct, **params
    )
    np.testing.assert_array_equal(found, expected)


def test_a_device_that_writes_in_any_order_keeps_the_last_write():
    """Blocks that overlap in part, one of them outside, against writing one after the other."""
    x, u = np.zeros((4, 3)), np.arange(1.0, 17.0).reshape(4, 2, 2)
    starts = np.array([[0, 0], [1, 1], [0, 1], [3, 2]])
    dims = gather.index_dims((1, 2), (), (0, 1))
    for mode in gather.MODES:
        expected = scattering.scatter.evaluate(x, starts, u, dims=dims, mode=mode, unique=False)
        with jax.enable_x64(True):
            scatter = functools.partial(scattering.scatter_last_write, dims=dims, mode=mode)
            np.testing.assert_array_equal(jax.jit(scatter)(x, starts, u), expected)
            backwards = jax.jit(scatter)(x, starts[::-1], u[::-1])
        expected = scattering.scatter.evaluate(
            x, starts[::-1], u[::-1], dims=dims, mode=mode, unique=False
        )
        np.testing.assert_array_equal(backwards, expected)


def test_a_running_extremum_passes_its_cotangent_to_the_first_and_the_last():
    x = np.array([1.0, 3.0, 2.0, 3.0, 0.0])
    assert list(*gradient(sorting.cummax, x, axis=0, reverse=False)) == [1, 3, 0, 1, 0]
    assert list(*gradient(sorting.cummin, x, axis=0, reverse=True)) == [0, 0, 0, 0, 5]


def test_argsort_is_numpy_argsort():
    x = np.array([[2.0, 1.0, np.nan, 1.0], [0.0, -0.0, -np.inf, np.inf]])
    for axis in range(2):
        region = build_region([aval_of(x)], lambda x, axis=axis: [sorting.argsort(x, axis)])
        np.testing.assert_array_equal(*evaluate(region, [x]), np.argsort(x, axis, kind="stable"))


# ----- Magnitude and sign


def test_at_zero_a_magnitude_has_derivative_zero():
    assert gradient(a.abs, 0.0) == [0]
    assert gradient(a.abs, 0j) == [0]
    assert gradient(a.sign, 0j) == [0]


# ----- Division as Python does it

NUMERATORS = [0.0, -0.0, 1.0, -1.0, 5.5, -5.5, 7.0, -7.0, 1e300, 0.3, -0.3]
DENOMINATORS = [1.0, -1.0, 0.1, -0.1, 2.5, -2.5, 3.0, 1e-300, -1e300, math.inf, -math.inf]


@pytest.mark.parametrize(
    "primitive, of_python",
    [(a.mod, lambda x, y: x % y), (a.floordiv, lambda x, y: x // y)],
    ids=["mod", "floordiv"],
)
def test_floats_divide_as_in_python_signed_zeros_included(primitive, of_python):
    pairs = list(itertools.product(NUMERATORS, DENOMINATORS))
    x, y = np.array(pairs).T
    expected = [of_python(p, q) for p, q in pairs]
    with jax.enable_x64(True):
        lowered = np.asarray(jax.jit(primitive.lower)(x, y))
    with np.errstate(all="ignore"):
        evaluated = primitive.evaluate(x, y)
    for actual in (lowered, evaluated):
        np.testing.assert_array_equal(actual, expected)
        np.testing.assert_array_equal(np.signbit(actual), np.signbit(expected))


@pytest.mark.parametrize("primitive", [a.mod, a.floordiv])
def test_integers_divide_as_in_python(primitive):
    pairs = [(x, y) for x in range(-7, 8) for y in range(-7, 8) if y]
    expected = [x % y if primitive is a.mod else x // y for x, y in pairs]
    x, y = np.array(pairs).T
    with jax.enable_x64(True):
        np.testing.assert_array_equal(jax.jit(primitive.lower)(x, y), expected)
    np.testing.assert_array_equal(primitive.evaluate(x, y), expected)


@pytest.mark.parametrize("primitive", [a.mod, a.floordiv, a.rem, a.truncdiv])
def test_an_integer_division_by_zero_does_not_trap(primitive):
    x = np.array([7, -7, 0])
    with jax.enable_x64(True):
        assert jax.jit(primitive.lower)(x, np.zeros_like(x)).shape == (3,)


# ----- In place


def sizes_made(region, shape) -> list[str]:
    """The primitives of `region` that make a whole array of `shape`."""
    return [op.primitive.name for op in region.ops if any(y.shape == shape for y in op.results)]


def test_a_second_read_adds_into_the_cotangent_in_place():
    """Only one new array of the operand's size is made."""

    def two_reads(x, k):
        first = dynamic_slices.dynamic_slice(x, k, sizes=(2,))
        second = shaping.slice(x, start=(7,), limit=(9,), stride=(1,))
        return [first * second]

    region = vjp(build_region([Aval(F64.dtype, (1000,)), I64], two_reads))
    assert sizes_made(region, (1000,)) == ["pad", "dynamic_update_slice"]


def test_a_gather_adds_into_the_cotangent_in_place():
    def two_reads(x, indices):
        return [gather.take(x, indices, 0) * gather.take(x, indices, 0)]

    region = vjp(build_region([Aval(F64.dtype, (1000,)), Aval(I64.dtype, (3,))], two_reads))
    assert sizes_made(region, (1000,)) == ["constant", "scatter_add", "scatter_add"]


# ----- Common forms


def test_take_is_numpy_take():
    x, indices = np.arange(24.0).reshape(2, 3, 4), np.array([[0, 2], [1, 1]])
    avals = [aval_of(x), aval_of(indices)]
    for axis in range(3):
        region = build_region(avals, lambda x, i, axis=axis: [gather.take(x, i, axis)])
        (y,) = evaluate(region, [x, indices])
        np.testing.assert_array_equal(y, np.take(x, indices, axis, mode="clip"))


def test_take_along_axis_is_numpy_take_along_axis():
    x = np.random.default_rng(0).random((3, 4, 5))
    for axis in range(3):
        indices = np.argsort(x, axis)
        region = build_region(
            [aval_of(x), aval_of(indices)],
            lambda x, i, axis=axis: [gather.take_along_axis(x, i, axis)],
        )
        (y,) = evaluate(region, [x, indices])
        np.testing.assert_array_equal(y, np.sort(x, axis))


def test_operators_build_the_formula():
    region = build_region([F64], lambda y: [1 - y * y + y**2 / 2 - (-y) + 2**y])
    assert evaluate(region, [3.0]) == [1 - 9 + 4.5 + 3 + 8]
    names = [op.primitive.name for op in region.ops]
    assert "integer_pow" in names and "pow" in names


def test_a_number_is_lifted_to_the_dtype_of_the_value():
    region = build_region([F32], lambda x: [0.1 * x, logic.select(logic.lt(x, 0 * x), 0, x)])
    assert all(y.aval == F32 for y in region.yields)


# ----- Printing


def test_debug_print_prints_when_run(capsys):
    x = np.float64(1.5)
    effects.debug_print_p.evaluate(x, np.arange(2), fmt="x = {}, y = {:}")
    assert capsys.readouterr().out == "x = 1.5, y = [0 1]\n"
    with jax.enable_x64(True):
        jax.jit(lambda x: effects.debug_print_p.lower(x, fmt="x = {}"))(x)
        jax.effects_barrier()
    assert capsys.readouterr().out == "x = 1.5\n"


# ----- Refusals of shape rules

VECTOR, MATRIX = Aval(F64.dtype, (3,)), Aval(F64.dtype, (2, 3))
REFUSED = [
    (a.add, (F64, F32), {}),
    (a.add, (F64, VECTOR), {}),
    (a.add, (BOOL, BOOL), {}),
    (a.div, (I64, I64), {}),
    (a.integer_pow, (I64,), dict(y=-1)),
    (e.exp, (I64,), {}),
    (logic.lt, (Aval(np.dtype("c16")),) * 2, {}),
    (logic.select, (I64, F64, F64), {}),
    (logic.select, (BOOL, VECTOR, VECTOR), {}),
    (shaping.reshape, (MATRIX,), dict(shape=(5,))),
    (shaping.transpose, (MATRIX,), dict(permutation=(0, 0))),
    (shaping.broadcast, (VECTOR,), dict(shape=(3, 2), dims=(1,))),
    (shaping.broadcast, (MATRIX,), dict(shape=(3, 2), dims=(1, 0))),
    (shaping.flip, (VECTOR,), dict(axes=(1,))),
    (shaping.concatenate, (VECTOR, MATRIX), dict(axis=0)),
    (shaping.pad, (VECTOR, F32), dict(low=(0,), high=(0,), interior=(0,))),
    (shaping.pad, (VECTOR, F64), dict(low=(-2,), high=(-2,), interior=(0,))),
    (shaping.slice, (VECTOR,), dict(start=(2,), limit=(4,), stride=(1,))),
    (shaping.slice, (VECTOR,), dict(start=(0,), limit=(3,), stride=(0,))),
    (shaping.iota, (), dict(shape=(3,), axis=1, dtype=F64.dtype)),
    (shaping.reduce_sum, (MATRIX,), dict(axes=(2,))),
    (reductions.argmax, (Aval(F64.dtype, (0,)),), dict(axis=0)),
    (dynamic_slices.dynamic_slice, (VECTOR, F64), dict(sizes=(1,))),
    (dynamic_slices.dynamic_slice, (VECTOR, I64), dict(sizes=(4,))),
    (dynamic_slices.dynamic_update_slice, (VECTOR, Aval(F32.dtype, (1,)), I64), {}),
    (dot.dot_general, (VECTOR, MATRIX), dict(contract=((0,), (0,)), batch=((), ()))),
    (dot.dot_general, (BOOL, BOOL), dict(contract=((), ()), batch=((), ()))),
]


@pytest.mark.parametrize("primitive, operands, params", REFUSED, ids=lambda x: str(x))
def test_shape_rules_refuse(primitive, operands, params):
    with pytest.raises(InternalError):
        build_region(operands, lambda *xs: emit(primitive, *xs, **params))


def test_values_are_not_compared_by_operators():
    x, y = Value(F64), Value(F64)
    assert x != y and (x == x) is True
