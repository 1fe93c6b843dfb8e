"""A Series and the columns of a DataFrame as arguments: the numbers of pandas, or a refusal."""

from __future__ import annotations

import numpy as np
import pytest

import myia

pandas = pytest.importorskip("pandas")

FRAME = pandas.DataFrame(
    {
        "x": [1.0, 2.0, 3.0],
        "y": [0.5, np.nan, 2.0],
        "n": [1, 2, 3],
        "f": np.array([1, 2, 4], np.float32),
        "ok": [True, False, True],
        "name": ["a", "b", "c"],
    },
    index=[5, 6, 7],
)
SERIES = pandas.Series([1.0, 2.0, 4.0])

PROGRAMS = {
    "columns": lambda d: (d["x"] * 2 + d["y"], d.x**2 / d.y, 1 - d["n"], d.f * d.x, -d.x),
    "numbers": lambda d: (d["x"].values, d.y.to_numpy(), d[["x", "n"]].to_numpy(), np.asarray(d.n)),
    "facts": lambda d: (len(d), d.shape, d.x.shape, d.x.size, "x" in d, "z" in d, len(d.n)),
    "reductions": lambda d: (d.y.sum(), d.y.mean(), d.y.min(), d.y.max(), d.x.median(), d.n.sum()),
    "spread": lambda d: (d.y.std(), d.y.var(ddof=0), np.std(d.x), np.var(d["y"]), d.y.count()),
    "as NumPy has them": lambda d: (np.sum(d["y"]), np.mean(d.n), np.max(d.y), np.median(d.y)),
    "ufuncs": lambda d: (np.exp(d.x) * d.x, np.maximum(d.x, 2.0), np.hypot(d.x, d.n), abs(-d.x)),
    "comparisons": lambda d: ((d.x > 1) & (d.n < 3), d.x == d.n, ~d.ok, d.x != 2, d.ok | (d.y > 1)),
    "masks": lambda d: (
        d.x[d.y > 0.7],
        d.x[d["ok"]].sum(),
        d.y[d.ok].mean(),
        np.where(d.x > 1, d.x, 0.0),
    ),
    "with arrays": lambda d: (np.ones(3) * d.x, d.x + np.arange(3), d.x @ d.n, np.eye(3) @ d.x),
    "positions": lambda d: (d.x.iloc[0], d.x.iloc[-1], d.x.iloc[1:].sum(), d.x.dot(d.n)),
}


def numbers(x):
    if isinstance(x, pandas.Series):
        return x.to_numpy()
    return tuple(map(numbers, x)) if isinstance(x, tuple) else x


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_in_pandas(name):
    f = PROGRAMS[name]
    F, wanted = myia.jit(f), numbers(f(FRAME))
    for _ in range(3):  # the third call is a guarded one
        found = F(FRAME)
    assert F.compiles == 1
    for x, y in zip(found, wanted, strict=True):
        assert type(x) is type(y)
        if isinstance(y, (np.ndarray, np.generic)):
            assert x.dtype == y.dtype
        np.testing.assert_allclose(x, y, rtol=1e-12)


def test_series():
    F = myia.jit(lambda s, t: s * t + s.mean())
    t = pandas.Series([2.0, 3.0, 5.0])
    for _ in range(3):
        np.testing.assert_allclose(F(SERIES, t), (SERIES * t + SERIES.mean()).to_numpy())
    other = pandas.Series([1.0, 2.0, 3.0], index=[2, 1, 0])
    with pytest.raises(myia.errors.MyiaError, match="two Series whose indexes may differ is not"):
        F(SERIES, other)
    assert F(other, other).tolist() == [3.0, 6.0, 11.0]  # one object
    longer = pandas.Series(np.arange(4.0))
    with pytest.raises(myia.errors.MyiaError, match="whose indexes may differ"):
        F(SERIES, longer)
    G = myia.jit(lambda d: d["s"][0] if False else d["s"].sum() * SERIES)
    assert G({"s": SERIES}).tolist() == [7.0, 14.0, 28.0]
    empty = pandas.Series(np.zeros(0))
    assert myia.jit(lambda s: s.sum())(empty) == 0.0
    assert np.isnan(myia.jit(lambda s: s.min())(empty))


def test_names_of_columns():
    names = ["labels", "names", "arrays", "origin", "column", "array"]
    data = pandas.DataFrame({name: [float(i), 2.0] for i, name in enumerate(names)})
    f = lambda d: (d.labels, d.names, d.arrays, d.origin, d.column, d.array, d["array"] * 2)  # noqa: E731
    for x, y in zip(myia.jit(f)(data), f(data)):
        assert x.tolist() == y.tolist()
    with pytest.raises(myia.errors.MyiaError, match="`count` of a DataFrame is not supported"):
        myia.jit(lambda d: d.count)(data)
    with pytest.raises(myia.errors.MyiaError, match=r"`numpy\.matmul` of a Series"):
        myia.jit(lambda d: np.matmul(d.labels, d.array))(data)


def test_memory_is_seen_anew():
    data = pandas.DataFrame({"x": [1.0, 2.0]})
    F = myia.jit(lambda d: d.x.sum())
    for k in range(4):
        data.loc[0, "x"] = k
        assert F(data) == k + 2.0
    data["more"] = "text"
    assert F(data) == 5.0 and F.compiles == 2


def test_derivatives():
    def loss(w, d):
        return ((d.x * w - d.n) ** 2).mean() + np.sum(np.sin(w * d["y"]))

    w, h = 0.7, 1e-6
    wanted = (loss(w + h, FRAME) - loss(w - h, FRAME)) / (2 * h)
    np.testing.assert_allclose(myia.grad(loss)(w, FRAME), wanted, rtol=1e-6)
    second = (loss(w + 1e-4, FRAME) - 2 * loss(w, FRAME) + loss(w - 1e-4, FRAME)) / 1e-8
    np.testing.assert_allclose(myia.hessian(loss)(w, FRAME), second, rtol=1e-4)
    of_series = myia.grad(lambda s: (s**2).mean())(SERIES)
    np.testing.assert_allclose(of_series, 2 * SERIES.to_numpy() / 3, rtol=1e-12)
    of_frame = myia.grad(lambda d: np.sum(d.x * d.y))(pandas.DataFrame({"x": [2.0], "y": [3.0]}))
    assert {k: v.tolist() for k, v in of_frame.items()} == {"x": [3.0], "y": [2.0]}


def written(s):
    s[0] = 9.0


def added(d):
    d["z"] = d.x


REFUSED = {
    "`groupby` of a DataFrame": lambda d: d.groupby("name"),
    "`mean` of a DataFrame": lambda d: d.mean(),
    "rows of a DataFrame": lambda d: d[d.x > 1],
    "`loc` of a DataFrame": lambda d: d.loc[5],
    "an item of a Series by its label": lambda d: d.x[5],
    "`__iter__` of a Series": lambda d: [v for v in d.x],
    "`__floordiv__` of a Series": lambda d: d.n // 2,
    "`numpy.cumsum` of a Series": lambda d: np.cumsum(d.x),
    "an array made of an instance of Series": lambda d: np.stack([d.x, d.y]),
    "an array of columns that have no numbers": lambda d: d.to_numpy(),
    "the column 'name', which has no numbers": lambda d: d["name"],
    "an operation on two Series whose indexes may differ": lambda d: d.x + SERIES,
    "`__setitem__` of a Series": lambda d: written(d.x),
    "`__setitem__` of a DataFrame": added,
    "`__bool__` of a Series": lambda d: 1.0 if d.x > 1 else 2.0,
}


@pytest.mark.parametrize("message", REFUSED)
def test_refused(message):
    with pytest.raises(myia.errors.MyiaError) as error:
        myia.jit(REFUSED[message])(FRAME)
    text = str(error.value)
    assert f"{message} is not supported" in text and "test_pandas.py" in text
    assert "to_numpy()" in text or "leave it out" in text


def test_errors():
    with pytest.raises(KeyError, match="q"):
        myia.jit(lambda d: d["q"])(FRAME)
    with pytest.raises(AttributeError, match="'DataFrame' object has no attribute 'q'"):
        myia.jit(lambda d: d.q)(FRAME)
    with pytest.raises(ValueError, match="the same length"):
        myia.jit(lambda d: d.x + np.ones(2))(FRAME)
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        myia.jit(lambda s: written(s.to_numpy()))(SERIES)
    with pytest.raises(TypeError, match="two columns of one name"):
        myia.jit(lambda d: d["x"])(pandas.DataFrame([[1.0, 2.0]], columns=["x", "x"]))


def test_sums_of_float16():
    s = pandas.Series(np.array([0.1, np.nan, 3], np.float16))
    found, wanted = (f(s) for f in (myia.jit(totals), totals))
    assert [x.dtype for x in found] == [x.dtype for x in wanted]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def totals(s):
    return s.sum(), s.mean(), s.max()


def test_arguments_that_only_pandas_has():
    with pytest.raises(myia.errors.MyiaError, match=r"`sum` with these arguments .*skipna"):
        myia.jit(lambda s: s.sum(skipna=False))(SERIES)
