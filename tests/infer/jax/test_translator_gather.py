"""Indexing, scattering, sorting and cumulative operations of JAX, translated."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.scipy.ndimage
import numpy as np
import pytest
from jax import lax

from myia.backends.reference.interpreter import evaluate
from myia.ir.core import walk
from myia.transforms.expand import expand_derivatives
from tests.infer.jax.translated import (
    difference_of_gradients,
    gradient_by_jax,
    gradient_by_us,
    second_by_us,
    translated,
)
from tests.infer.jax.translated_table import Table, assert_equal


def sample(*shape: int) -> np.ndarray:
    """Numbers of which no two are equal, half of them negative."""
    size = int(np.prod(shape))
    rng = np.random.default_rng([11, *shape])
    return (rng.permutation(size) + rng.random(size) / 2 - size / 2).reshape(shape) * 4 / size


X, V, U = sample(4, 5), sample(9), sample(3, 5)
P = np.abs(X) + 0.2
SINGLE = sample(3, 4).astype(np.float32)
I = np.array([3, 0, -2])  # no element twice
J = np.array([1, 3, 1, 0, 3, 1])  # some elements twice
OUTSIDE = np.array([2, 7, -9, 0])
ALONG = np.array([[0, 4, 2], [1, 1, 0], [3, -1, 2], [2, 0, 0]])
ONE = np.array(2)
W = sample(6)
INTEGERS = np.array([[3, -1, 4, 1], [5, -9, 2, 6]])
TIES = np.array([1.0, 3.0, 1.0, np.nan, 2.0, 3.0, -0.0, 0.0])

GATHER = lax.GatherDimensionNumbers
BATCHED = GATHER((1,), (), (1,), (0,), (0,))
WINDOWS = GATHER((0, 2), (), (1, 0))
REPEATED = np.array([[3, 1], [0, 2], [9, -4]])


def windows(mode, fill=None):
    return lambda x, i: lax.gather(x, i, WINDOWS, (2, 3), mode=mode, fill_value=fill) ** 2


def at(method, **options):
    return lambda x, i, u: getattr((x**2).at[i], method)(jnp.sin(u), **options)


DIFFERENTIABLE = {
    # ----- Reading
    "element": (lambda x, k: x[k, 1] ** 2 * x[-k, k], X, ONE),
    "row": (lambda x, k: x[k] ** 2 + x[k - 3], X, ONE),
    "rows": (lambda x, i: x[i] ** 2, X, J),
    "column": (lambda x, i: x[:, i] ** 2, X, J),
    "elements": (lambda x, i: x[i, i[::-1]] ** 2, X, J),
    "block": (lambda x, i: x[i[:, None], i[None, :3]] ** 2, X, J),
    "mixed": (lambda x, k, i: x[None, k, ..., i] ** 2, X, ONE, J),
    "outside": (lambda x, i: x.at[i].get(mode="fill", fill_value=7.0) ** 2, X, OUTSIDE),
    "clipped": (lambda x, i: x.at[i].get(mode="clip") ** 2, X, OUTSIDE),
    "promised": (lambda x, i: x.at[i].get(mode="promise_in_bounds") ** 2, X, J),
    "one outside": (lambda x, k: x.at[k + 2].get(mode="fill", fill_value=7.0) * x[k], X, ONE),
    "take": (lambda x, i: jnp.take(x, i, axis=1, mode="wrap") ** 2, X, OUTSIDE),
    "take along": (lambda x, i: jnp.take_along_axis(x, i, axis=1) ** 2, X, ALONG),
    "batch of windows": (
        lambda x, i: lax.gather(x, i, BATCHED, (1, 2), mode="clip") ** 2,
        X,
        ALONG[:, :1],
    ),
    "windows": (windows("clip"), X, REPEATED),
    "windows outside": (windows("fill", 3.0), X, REPEATED),
    "batched": (lambda x, i: jax.vmap(lambda row, k: row[k] ** 2)(x, i), X, ALONG),
    "dynamic": (
        lambda x, k: lax.dynamic_slice_in_dim(x, k, 2) * lax.dynamic_index_in_dim(x, k),
        X,
        ONE,
    ),
    "single": (lambda x, i: x[i] ** 2, SINGLE, J[:1] + np.arange(2)),
    "by an axis": (lambda x, k: jnp.rollaxis(jnp.take(x, k, axis=1), 0) ** 2, X, ONE),
    "interpolated image": (
        lambda x: jax.scipy.ndimage.map_coordinates(x, [[0.3, 2.2], [1.1, 3.7]], 1) ** 2,
        X,
    ),
    # ----- Writing
    "set": (at("set"), X, I, U),
    "add": (at("add"), X, J, sample(6, 5)),
    "subtract": (at("subtract"), X, J, sample(6, 5)),
    "multiply": (at("multiply", unique_indices=True), X, I, U),
    "divide": (lambda x, i, u: x.at[i].divide(u, unique_indices=True), X, I, P[:3]),
    "min": (at("min"), X, J, sample(6, 5)),
    "max": (at("max"), X, J, sample(6, 5)),
    "power": (lambda p, i, u: p.at[i].power(u, unique_indices=True), P, I, U),
    "set, the last stays": (at("set"), X, J, sample(6, 5)),
    "set outside": (at("set"), X, OUTSIDE, sample(4, 5)),
    "add outside": (at("add", mode="clip"), X, OUTSIDE, sample(4, 5)),
    "set one": (lambda x, k, u: (x**2).at[k, 1].set(u[0, 0] ** 2), X, ONE, U),
    "add to one": (lambda x, k, u: x.at[k].add(u[0] ** 2) * x[k], X, ONE, U),
    "multiply one": (lambda x, k, u: x.at[:, k].mul(u[0, :4]) ** 2, X, ONE, U),
    "largest of one": (lambda x, k, u: x.at[k].max(u[0]).at[k - 1].min(u[1]) ** 2, X, ONE, U),
    "set one outside": (lambda x, k, u: (x**2).at[k + 2].set(u[0]), X, ONE, U),
    "add one, promised": (lambda x, k: x.at[k].add(x[0] ** 2, mode="promise_in_bounds"), X, ONE),
    "set a part": (lambda x, u: (x**2).at[1:4, ::2].set(u[:, :3] ** 2), X, U),
    "segments": (lambda x, j: jax.ops.segment_sum(x**2, j, 4), W, J),
    "products of segments": (lambda x: jax.ops.segment_max(x**2, J, 5, mode="drop")[:2], W),
    "updated in turn": (
        lambda x, i: lax.fori_loop(0, 3, lambda k, x: x.at[i[k]].add(x[k] ** 2 / 9), x),
        X,
        I,
    ),
    # ----- Sorting
    "sort": (lambda x: jnp.sort(x, axis=0) ** 2 * jnp.sort(x, descending=True), X),
    "argsort": (lambda x: jnp.argsort(x, axis=1) * x**2, X),
    "carried along": (lambda x: lax.sort((x[0], x[1] ** 2, x[2]), num_keys=1), X),
    "several keys": (
        lambda x, j: lax.sort((j, x, x**2), num_keys=2)[2] * lax.sort((j, x))[1],
        W,
        J,
    ),
    "lexsort": (lambda x, j: x[jnp.lexsort((x, j))] ** 2, W, J),
    "top k": (lambda x: lax.top_k(x, 3)[0] ** 2 + lax.top_k(-x, 3, axis=1)[0], X),
    "median": (lambda x: jnp.median(x, axis=1) ** 2 + jnp.median(x), X),
    "quantiles": (lambda x: jnp.quantile(x, jnp.array([0.1, 0.6]), axis=0) ** 2, X),
    "percentile": (lambda x: jnp.percentile(x, 30, method="lower") ** 2, X),
    "nan quantiles": (lambda x: jnp.nanquantile(x, 0.3, axis=1) ** 2, X),
    "partition": (lambda x: jnp.partition(x, 2, axis=1)[:, :3].sum(1) ** 2, X),
    "interp": (lambda p, v, w: jnp.interp(p, jnp.sort(v[:6]), w) ** 2, X / 3, V, W),
    "unique": (lambda v: jnp.unique(v, size=5) ** 2, V),
    "choices": (lambda x, j: jnp.choose(j, x[:, :1] ** 2, mode="wrap") + x[0, 0], X, J),
    "covariance": (lambda x: jnp.cov(x) + jnp.corrcoef(x), X),
    "ranked": (lambda v: v[jnp.searchsorted(jnp.sort(v), v)] ** 2, V),
    # ----- Cumulative operations
    "cumsum": (lambda x: jnp.cumsum(x, axis=1) ** 2 + lax.cumsum(x, 0, reverse=True), X),
    "cumprod": (lambda x: jnp.cumprod(x, axis=1) + lax.cumprod(x, 0, reverse=True), X),
    "cumprod of zeros": (lambda x: jnp.cumprod(x * (X > -1) * (X < 1), axis=1) ** 2, X),
    "cummax": (lambda x: lax.cummax(x, 1) ** 2 + lax.cummin(x, 0, reverse=True), X),
    "cumlogsumexp": (lambda x: lax.cumlogsumexp(x, 1) ** 2 + lax.cumlogsumexp(x, 0, True), X),
    "scan": (lambda x: lax.associative_scan(jnp.multiply, x, axis=1), X),
    "differences": (lambda x: jnp.diff(x, n=2) ** 2 + jnp.ediff1d(x).sum(), X),
    "areas": (lambda x: jnp.trapezoid(x**2, axis=1) * jnp.gradient(x, axis=1)[:, 0], X),
}

OTHERS = {
    "defaults outside": (
        lambda x, i: [
            y.at[i].get(mode="fill")
            for y in (x, x.astype("f4"), x + 1j, x.astype(int), abs(x).astype(np.uint8), x > 0)
        ],
        X,
        OUTSIDE,
    ),
    "one outside": (lambda x: [x[0].at[9].get(mode="fill"), jnp.take(x, 9)], INTEGERS),
    "orders": (
        lambda t: [
            jnp.sort(t),
            jnp.argsort(t),
            jnp.argsort(t, descending=True),
            lax.top_k(t, 8),
            lax.sort((t, -t), num_keys=2),
            jnp.sort(t + 1j),
            lax.top_k(t.astype("f4"), 2, axis=0),
        ],
        TIES,
    ),
    "orders of integers": (
        lambda i: [jnp.sort(i), lax.top_k(i, 2), lax.top_k(i.astype(np.uint8), 3), jnp.sort(i > 2)],
        INTEGERS,
    ),
    "searches": (
        lambda v: [
            jnp.searchsorted(v, v, side="right"),
            jnp.digitize(v, jnp.sort(v)),
            jnp.searchsorted(jnp.sort(v), v, method="sort"),
            jnp.argpartition(v, 3),
        ],
        V,
    ),
    "counts": (
        lambda j, v: [
            jnp.bincount(j, length=5),
            jnp.bincount(j, weights=v[:6], length=3),
            jnp.histogram(v, bins=4),
            jnp.histogram2d(v, v**2, bins=3),
            jnp.unique(j, size=4, return_counts=True, return_inverse=True, fill_value=9),
            jnp.nonzero(j > 1, size=4, fill_value=-1),
            jnp.isin(j, j[:2]),
            jnp.setdiff1d(j, j[:1], size=2),
        ],
        J,
        V,
    ),
    "scattered integers": (
        lambda i: [
            i.at[:, J % 4].multiply(2),
            i.at[:, J % 4].max(2),
            (i > 0).at[0, J % 4].set(True),
            (i > 0).at[0].max(False),
            i.at[0, 1].add(7),
            i.at[1, 9].set(1),
            jax.ops.segment_prod(i[0], J[:4], 4),
            jax.ops.segment_min(i[0], J[:4], 4),
        ],
        INTEGERS,
    ),
    "running integers": (
        lambda i: [jnp.cumsum(i), jnp.cumprod(i, 1), lax.cummax(i, 1), jnp.cumsum(i > 0, axis=1)],
        INTEGERS,
    ),
    "nothing": (lambda x: [x[:0][jnp.zeros((0,), int)], x.at[jnp.zeros((0,), int)].add(1.0)], X),
    "compressed": (lambda x: jnp.compress(X[0] > 0, x, axis=1, size=2), X),
}


TABLE = Table(DIFFERENTIABLE, OTHERS)


@pytest.mark.parametrize("name", TABLE.all)
def test_values(name):
    TABLE.check_value(name)


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients(name):
    TABLE.check_gradient(name)


@pytest.mark.parametrize("name", TABLE.twice_differentiable)
def test_second_derivatives(name):
    TABLE.check_second_derivative(name)


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_on_xla(every):
    TABLE.check_on_xla(every)


# ----- Where JAX has no derivative: the same, one update after another


def in_turn(update):
    def f(x, u):
        for k, row in enumerate(J):
            x = x.at[row].set(update(x[row], u[k]))
        return x

    return f


WITHOUT_DERIVATIVE = {
    "products": (lambda x, u: x.at[J].multiply(u), in_turn(lambda a, b: a * b)),
    "applied": (lambda x, u: x.at[J].apply(jnp.sin), in_turn(lambda a, b: jnp.sin(a))),
    "applied once": (
        lambda x, u: x.at[I].apply(jnp.sin, unique_indices=True) * u[0],
        lambda x, u: x.at[I].set(jnp.sin(x[I])) * u[0],
    ),
    "applied to one": (
        lambda x, u: x.at[1].apply(jnp.sin) * u[0],
        lambda x, u: x.at[1].set(jnp.sin(x[1])) * u[0],
    ),
}


@pytest.mark.parametrize("name", WITHOUT_DERIVATIVE)
def test_scatters_of_which_jax_has_no_derivative(name):
    args = [X, sample(6, 5)]
    f, same = WITHOUT_DERIVATIVE[name]
    with jax.enable_x64(True):
        arrays = [jnp.asarray(x) for x in args]
        wanted = [f(*arrays), *gradient_by_jax(same, args)(*arrays)]
    functions = [translated(f, args), gradient_by_us(f, args), second_by_us(f, args)]
    got = [evaluate(expand_derivatives(g), args) for g in functions]
    assert_equal([*got[0], *got[1]], [np.asarray(y) for y in wanted])
    assert_equal(got[2], difference_of_gradients(f, args), rtol=1e-7)


# ----- The ops that are emitted


def primitives(f, *args) -> set[str]:
    return {op.primitive.name for op in walk(translated(f, args).region)}


def test_a_single_slice_is_read_and_written_as_a_slice():
    """A single slice is read and written as a dynamic slice, which storage handles in place."""
    reads = primitives(lambda x, k: x.at[k].get(mode="fill"), X, ONE)
    writes = primitives(lambda x, k: x.at[k, 1].add(x[k, 0]), X, ONE)
    assert "dynamic_slice" in reads and "gather" not in reads
    assert "dynamic_update_slice" in writes and "scatter_add" not in writes


def test_the_cotangent_of_a_read_is_added_in_place():
    """Several reads of one array do not each add an array of zeros."""
    f = gradient_by_us(lambda x, j: x[j] * x[j % 2], [X, J])
    ops = walk(expand_derivatives(f).region)
    scatters = [op for op in ops if op.primitive.name == "scatter_add"]
    assert len(scatters) == 2
    assert scatters[1].operands[0] is scatters[0].results[0]
