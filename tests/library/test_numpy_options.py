"""Keyword arguments of NumPy's functions: values, dtypes, shapes against NumPy, and derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.driver import assert_same, run
from tests.library.derivative_orders import check_derivatives
from tests.library.samples.numpy_cases import sample

A = sample((3, 4), seed=4)
B = sample((3, 4), seed=2)
C = A + 1j * B
I = np.round(A * 4).astype(int)
M = A > -0.4
V = sample((4,), seed=3)
W = sample((3,), seed=3)
T = sample((2, 3, 4), seed=6)
S = sample((3, 3), seed=5)
NONE = np.zeros((0, 3))
INFINITE = np.array([np.nan, 1.0, np.inf, -np.inf])

MANY = np.sort(np.append(np.round(sample((90,), seed=7), 1), [np.nan, np.inf, np.inf]))


def with_out(f, shape, *args, **options):
    """`out=` is written and returned."""
    out = np.full(shape, 7.0)
    result = f(*args, out=out, **options)
    result[0] = 5.0
    return out


def scaled_where_positive(x):
    x = x.copy()
    for i in range(3):
        np.multiply(x[i], 2.0, out=x[i], where=x[i] > 0)
    return x


def stored_by_bools(x):
    y = x.copy()
    y[[True, False, True]] = 0.0
    y[:, [True, False, False, True]] += 1
    return y


def filled_in_place(x):
    y = x * 1.0
    z = np.nan_to_num(y, copy=False, nan=7.0)
    z[1] = 3.0
    return y, z


def written_through(x):
    """Reshaped and raveled in other orders: views where NumPy has views, copies elsewhere."""
    y = x.copy()
    y.reshape(4, 3, order="F")[0, 0] = 9.0
    y.T.reshape(3, 2, 2, order="F")[0, 0, 1] = 8.0
    y.T.ravel("K")[1] = 7.0
    y.T.ravel("F")[2] = 6.0
    y.T.flatten("F")[3] = 5.0
    return y


CALLS = {
    "sum where": (lambda x, m: np.sum(x, where=m), A, M),
    "sum where, initial": (lambda x, m: np.sum(x, 1, where=m[:, :1], initial=2.5), A, M),
    "sum of ints where": (lambda x, m: x.sum(0, where=m, keepdims=True), I, M),
    "sum of bools, initial": (lambda x, m: np.sum(x, where=m, initial=3), M, ~M),
    "prod where, initial": (lambda x, m: np.prod(x, -1, where=m, initial=x[0, 0]), A, M),
    "mean where": (lambda x, m: np.mean(x, 0, where=m), A, M),
    "mean of complex where": (lambda x, m: np.mean(x, 0, where=m), C, M),
    "mean of nothing": (lambda x: np.mean(x, 0, where=False), A),
    "mean of ints where": (lambda x: np.mean(x, where=[True, False, True, True]), I),
    "var where": (lambda x, m: np.var(x, 0, where=m), A, M),
    "std where": (lambda x, m: np.std(x, 1, where=m, ddof=1, keepdims=True), A, M),
    "var correction": (lambda x, m: np.var(x, 1, where=m, correction=1), C, M),
    "var mean": (lambda x: np.var(x, 1, mean=x.mean(1, keepdims=True)), A),
    "max where": (lambda x, m: np.max(x, 1, where=m, initial=0.1), A, M),
    "max of ints": (lambda x, m: np.max(x, where=m, initial=2.5), I, M),
    "min of nothing": (lambda x: np.min(x, axis=0, initial=4.0), NONE),
    "min without initial": (lambda x, m: np.min(x, axis=0, where=m), A, M),
    "any, all where": (lambda x, m: (np.any(x, where=m), np.all(x > 0, 0, where=m)), M, M),
    "reduce where": (lambda x, m: np.maximum.reduce(x, 1, where=m, initial=-1.0), A, M),
    "too large a mask": (lambda x: np.sum(x, where=np.ones((2, 3, 4), bool)), A),
    "sums of run-time size": (lambda x: np.max(x[x > 9], initial=3.0) + x[x > 0].sum(initial=2), A),
    "average": (lambda x: np.average(x, 0, [1.0, 2.0, 3.0], returned=True), A),
    "average of all": (lambda x: np.average(x, returned=True), A),
    "log where": (lambda x: np.log(x, out=np.zeros((3, 4)), where=x > 0), A),
    "divide where": (lambda x, y: np.divide(x, y, out=np.zeros_like(x), where=y > 0), A, B),
    "power where": (lambda x: np.power(x, 0.5, out=np.ones((3, 4)), where=x > 0), A),
    "arccosh where": (lambda x: np.arccosh(x, out=x * 2, where=x > 1), 3 * A),
    "a number where": (lambda x: np.divide(1, x, out=np.full((3, 4), 7.0), where=x > 0), A),
    "ints where": (lambda x: np.floor_divide(7, x, out=np.zeros_like(x), where=x > 0), I),
    "out of more axes": (lambda x: np.add(x, 1.0, np.zeros((3, 4))), V),
    "out too small": (lambda x: np.exp(x, out=np.zeros((2, 4))), A),
    "in place where": (scaled_where_positive, A),
    "out of reduce": (lambda x: with_out(np.hypot.reduce, 4, x, axis=0), A),
    "out of accumulate": (lambda x: with_out(np.maximum.accumulate, (3, 4), x, axis=1), A),
    "out of einsum": (lambda x: with_out(np.einsum, 3, "ij->i", x), A),
    "diff": (lambda x: np.diff(x, prepend=0.0, append=1.0), V),
    "diff twice": (lambda x: np.diff(x, 2, 0, prepend=x[:1] * 2), A),
    "diff of ints": (lambda x: np.diff(x, append=3.5), I),
    "linspace": (lambda x: np.linspace(0, x, 3, endpoint=False, axis=-1), V),
    "meshgrid": (lambda x: np.meshgrid(x, W, V, sparse=True), V),
    "searchsorted": (lambda x: np.searchsorted(x, [0.0, 0.5], sorter=np.argsort(x)), V),
    "searchsorted of many": (lambda x: np.searchsorted(MANY, x), np.append(V, MANY[5:9])),
    "searchsorted from the right": (lambda x: np.searchsorted(MANY, x, "right"), MANY[-9:]),
    "histogram": (lambda x: np.histogram(x, [-1, 0, 0.5, 1]), A),
    "histogram of a closed end": (lambda x: np.histogram(x, [0, 1, 2]), np.array([0, 1, 2, 2, 3])),
    "histogram of complex weights": (lambda x: np.histogram(x, 3, weights=x * 1j), V),
    "histogram2d": (lambda x: np.histogram2d(V, x, [[-1, 0, 1], 3], weights=x, density=True), V),
    "histogramdd": (lambda x: np.histogramdd((x, -x, x * x), 2), V),
    "insert": (lambda x: (np.insert(x, [1, 3], [9, 8]), np.insert(x, -1, x[:2])), V),
    "at with too many": (lambda x: np.add.at(x, [0, 1], np.ones(3)), V),
    "insert rows": (lambda x: (np.insert(x, 1, W, -1), np.insert(x, [1], W[:, None], 1)), A),
    "insert at a slice": (lambda x: (np.insert(x, slice(0, 3), 7, 0), np.insert(x, 2, V, 0)), A),
    "isin of many": (lambda x: np.isin(x, MANY), np.append(V, MANY[5:9])),
    "take": (lambda x: (x.take([5, -7], mode="clip"), x.take([5, -7], 1, mode="wrap")), A),
    "take_along_axis": (lambda x: np.take_along_axis(x, np.array([[0, 2, 1]]), 1), A),
    "array_equal": (lambda x: np.array_equal(x, x, equal_nan=True), INFINITE),
    "full_like": (lambda x: np.full_like(x, x[0], shape=(2, 4)), A),
    "nan_to_num": (lambda x: np.nan_to_num(x * (1 + 1j)), INFINITE),
    "nan_to_num in place": (filled_in_place, INFINITE),
    "a list of bools": (lambda x: x[1:, [True, False, True, True]], A),
    "no bools": (lambda x: x[:, [False] * 4], A),
    "too few bools": (lambda x: x[[True, False]], A),
    "stores by bools": (stored_by_bools, A),
    "vectorize": (lambda x: np.vectorize(lambda t: t * t if t > 0 else 1, "d")(x), A),
    "vectorize of two": (lambda x: np.vectorize(lambda t: (t, t > 0), [np.float32, bool])(x), I),
    "vectorize of nothing": (lambda x: np.vectorize(lambda t: t, otypes="f")(x), NONE),
    "reshape": (lambda x: (x.reshape(4, 3, order="F"), x.T.reshape(2, 6, order="F")), A),
    "ravel": (lambda x: (x.ravel("F"), x.T.ravel("K"), x.T.ravel("A"), x[::-1].ravel("K")), A),
    "flatten": (lambda x: (x.T.flatten("K"), x.T.flatten("F"), x[:, ::2].flatten("A")), A),
    "views in order F": (written_through, A),
    "quantile hazen": (lambda x: np.quantile(x, [0.1, 0.99], 0, method="hazen"), A),
    "quantile weibull": (lambda x: np.quantile(x, [[0.1], [0.5]], (0, -1), method="weibull"), T),
    "quantile of ints": (lambda x: np.quantile(x, 0.4, method="interpolated_inverted_cdf"), I),
    "quantile of NaN": (lambda x: np.quantile(x, 0.4, method="median_unbiased"), INFINITE[:2]),
    "percentile": (lambda x: np.percentile(x, 30, 1, method="normal_unbiased", keepdims=True), T),
    "r_": (lambda x: (np.r_[x, 1.0, 2:4], np.r_[x, 0:1:3j, -1], np.r_[1, 2]), V),
    "r_ of rows": (lambda x: np.r_[x, x[:1]], A.astype("f4")),
    "r_ of numbers": (lambda x: np.r_[x[0], 0, x[1]], V.astype("f4")),
    "c_": (lambda x: (np.c_[x, W, 0:3], np.c_[W, W], np.c_[x[0, 0], 1.0]), A),
    "s_": (lambda x: (x[np.s_[:2, ..., 0]], x[np.index_exp[1:3]]), A),
    "grids": (lambda x: (np.mgrid[0:3, 0:4][0] * x, np.mgrid[0:1:4j], np.ogrid[0:3, 0:4]), A),
    "ellipsis": (lambda x: np.einsum("...i,i", x, V), T),
    "ellipses": (lambda x: np.einsum("...ij,...jk->...ik", x, np.swapaxes(T, 1, 2)), A),
    "ellipsis in front": (lambda x: np.einsum("...i->i...", x) * 2, T),
    "einsum of extent 1": (lambda x: np.einsum("ij,kj->ik", x, B), A[:, :1]),
    "einsum of lists": (lambda x: np.einsum(x, [..., 1], V, [1], [...]), T),
    "einsum of numbers": (lambda x: np.einsum(x, [0, 1], B, [2, 1]), A),
    "einsum of bools": (lambda x: np.einsum("ij,jk", x, x.T), M),
    "einsum dtype": (lambda x: np.einsum("ij->i", x, dtype=np.float64), I),
    "pad mean": (lambda x: (np.pad(x, 1, "mean"), np.pad(x, 1, "median", stat_length=(1, 3))), A),
    "pad extrema": (lambda x: np.pad(x, ((1, 2), (0, 1)), "maximum", stat_length=2), A),
    "pad minimum": (lambda x: np.pad(x, 1, "minimum", stat_length=((2,), (1,))), A),
    "pad of ints": (lambda x: (np.pad(x, 1, "mean"), np.pad(x, 2, "linear_ramp")), I),
    "pad ramp": (lambda x: np.pad(x, ((2, 1), (1, 3)), "linear_ramp", end_values=(3, 4)), B),
    "pad odd": (lambda x: np.pad(x, 2, "reflect", reflect_type="odd"), A),
    "pad far": (lambda x: (np.pad(x, 9, "reflect"), np.pad(x, (5, 11), "wrap")), V),
    "pad of nothing": (lambda x: np.pad(x, 1, "edge"), NONE),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_values(name):
    f, *args = CALLS[name]
    with np.errstate(all="ignore"):
        try:
            wanted = f(*(x.copy() for x in args))
        except (ValueError, IndexError) as error:
            with pytest.raises((MyiaError, type(error))):
                run(f, *args)
            return
    assert_same(run(f, *args), wanted, 1e-12)


def stacked(f):
    """A function of one array whose results are put end to end."""

    def g(x):
        found = f(x)
        return np.concatenate([np.ravel(y) for y in found]) if isinstance(found, tuple) else found

    return g


DERIVATIVES = {
    name: stacked(f)
    for name, f in {
        "sum where": lambda x: np.sum(x**2, 1, where=M, initial=x[0, 0]),
        "prod where": lambda x: np.prod(x, -1, where=M, initial=x[0, 0]),
        "mean where": lambda x: np.mean(x**2, 0, where=M),
        "std where": lambda x: np.std(x, 1, where=M | (np.arange(4) < 2), ddof=0.5),
        "var mean": lambda x: np.var(x, 1, mean=x.mean(1, keepdims=True)),
        "max where": lambda x: np.max(x**2, 1, where=M, initial=0.1),
        "average": lambda x: np.average(x, 0, x[:, 0] ** 2, returned=True)[0],
        "log where": lambda x: np.log(x, out=x * 2, where=x > 0),
        "divide where": lambda x: np.divide(x, x.T[:, :1].T, out=x * 1.0, where=B > 0),
        "diff": lambda x: np.diff(x, prepend=0.0, append=x[:, :2]),
        "take": lambda x: x.take([5, -7], 1, mode="wrap"),
        "orders": lambda x: (x.T.ravel("K") * x.ravel("F")) ** 2,
        "einsum": lambda x: np.einsum("...i,ki->k...", x, x[:, :1]),
        "pad": lambda x: (np.pad(x**2, 1, "mean"), np.pad(x, 3, "linear_ramp", end_values=x[0, 0])),
        "quantile": lambda x: np.quantile(x**2, [0.1, 0.7], 1, method="hazen"),
        "insert": lambda x: np.insert(x**2, [0, 2], x[0], axis=0),
        "r_ and c_": lambda x: (np.r_[x[0], x[1, 1], 0:2] ** 2, np.c_[x, x[:, 0] ** 2]),
        "pad mirrored": lambda x: np.pad(x**2, 2, "reflect", reflect_type="odd"),
        "vectorize": lambda x: np.vectorize(lambda t: t**3 if t > 0 else -t, otypes="d")(x),
    }.items()
}  # fmt: skip


@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives(name):
    check_derivatives(DERIVATIVES[name], A)


def test_what_where_leaves_out_has_no_derivative():
    """Masked elements are not computed with, so an infinity there has no effect."""

    def roots(x):
        return np.sum(
            np.sqrt(x, out=np.zeros(3), where=x > 0) + np.divide(1, x, x * 2, where=x > 1)
        )

    np.testing.assert_array_equal(myia.grad(roots)(np.array([0.0, -1.0, 4.0])), [2, 2, 3 / 16])


def test_where_without_out_has_no_value():
    with pytest.raises(MyiaError, match="without `out=`"):
        run(lambda x: np.exp(x, where=x > 0), V)


def test_the_order_in_memory_must_be_known():
    with pytest.raises(MyiaError, match="order='K'"):
        run(lambda x: np.exp(x.T).ravel("K"), A)


@pytest.mark.parametrize(
    "f",
    [np.searchsorted, lambda a, v: np.isin(v, a), lambda a, v: np.histogram(v, a)[0]],
)
def test_many_are_not_compared_with_many(f):
    many = myia.jit(f).ir(np.arange(999.0), np.arange(777.0))["typed"]
    assert not any(pair in many for pair in ("777,999", "999,777", "777,998"))
