"""Numbers that become integers: NumPy's number, or the error that NumPy raises."""

import functools
import warnings

import jax
import numpy as np
import pytest
from jax import lax

import myia

INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
NUMBERS = [-1.5, 255.5, 300.0, -129.0, 70000.0, -40000.0, 2.0**31, -(2.0**33), 1e10, 3e18]
HUGE = [2.0**63, 1.5e19, 2.0**64, -1e19, 1e30, np.nan, np.inf, -np.inf]


@pytest.mark.parametrize("target", INTEGERS, ids=lambda t: t.__name__)
def test_arrays_are_cast_as_by_numpy(target):
    def casts(x, like):
        stored, chosen, looped = like.copy(), like.copy(), like.copy()
        stored[1:] = x[1:]
        chosen[like == 0] = x
        for i in range(len(x)):
            looped[i : i + 1] = x[i : i + 1] * 1
        return x.astype(target), np.array(x, target), np.asarray(x, target), stored, chosen, looped

    # NumPy's vector code and its scalar code differ beyond 64 bits' range of unsigned 32 bits.
    numbers = NUMBERS + (HUGE if target is not np.uint32 else [])
    compiled = myia.jit(casts)
    for source in (np.float64, np.float32, np.complex128):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x = np.array(numbers).astype(source)
            if target is np.uint32:  # there, too
                x = x[np.abs(x) < 2.0**31]
            like = np.zeros(len(x), target)
            if source is np.complex128:  # stores of complex numbers are refused
                got, want = (myia.jit(lambda x: x.astype(target))(x),), (x.astype(target),)
            else:
                got, want = compiled(x, like), casts(x, like)
        for mine, numpys in zip(got, want, strict=True):
            assert mine.dtype == numpys.dtype
            np.testing.assert_array_equal(mine, numpys)


def test_the_last_bits_of_an_image():
    def brighter(image, factor):
        image[1:] = (image[1:] * factor).astype(np.uint8)
        return (image * factor - 1).astype(np.uint8)

    given = np.array([0, 100, 200], np.uint8)
    mine, numpys = given.copy(), given.copy()
    np.testing.assert_array_equal(myia.jit(brighter)(mine, 1.5), brighter(numpys, 1.5))
    np.testing.assert_array_equal(mine, numpys)
    assert mine.tolist() == [0, 150, 44]


WAYS = {
    "element": "a[0] = v",
    "slice": "a[:2] = v",
    "all": "a[...] = v",
    "run-time index": "a[n] = v",
    "run-time slice": "a[:n] = v",
    "indices": "a[[0, 1]] = v",
    "mask": "a[a == 0] = v",
    "list": "a[:2] = [v, 1]",
    "tuple": "a[:2] = (v, v)",
    "fill": "a.fill(v)",
    "full": "a = np.full(2, v, a.dtype)",
    "full_like": "a = np.full_like(a, v)",
    "array": "a = np.array([v, 1], a.dtype)",
    "array of a number": "a = np.array(v, a.dtype)",
    "type": "a = a.dtype.type(v)",
    "view": "b = a[1:]\n    b[0] = v",
    "loop": "for i in range(2):\n        a[i] = v",
}


def _outcome(f, *args):
    """What `f` returns, or its exception."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return np.asarray(f(*args)).tolist()
        except OverflowError:  # at compile time, of a class derived from it
            return OverflowError
        except ValueError:
            return ValueError


def _way(way: str, tmp_path, target: type):
    """The function, in a file of its own: it is compiled from its source."""
    body = WAYS[way].replace("a.dtype.type", f"np.{target.__name__}")
    body = body.replace("a.dtype", f"np.{target.__name__}")
    path = tmp_path / "way.py"
    path.write_text(f"import numpy as np\ndef f(a, v, n):\n    {body}\n    return a\n")
    namespace = {}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    return namespace["f"]


@pytest.mark.parametrize("way", WAYS)
def test_numbers_fit_or_raise_as_in_numpy(way, tmp_path):
    for target, kind in ((np.int8, float), (np.uint8, float), (np.int64, np.float64)):
        f = _way(way, tmp_path, target)
        compiled = myia.jit(f)
        for number in (-1.5, 300.0, 1e20, np.nan, -np.inf):
            args = kind(number), np.int64(1)
            want = _outcome(f, np.zeros(3, target), *args)
            assert _outcome(compiled, np.zeros(3, target), *args) == want, (target, args)


@pytest.mark.parametrize("way", WAYS)
def test_integers_fit_or_raise_as_in_numpy(way, tmp_path):
    kinds = (np.int8, np.int64), (np.uint8, np.int64), (np.int8, int), (np.int16, np.uint16)
    for target, kind in kinds:
        f = _way(way, tmp_path, target)
        compiled = myia.jit(f, static_argnums=1)
        for number in (300, 7) if kind is np.uint16 else (-1, 300, 2**40):
            args = kind(number), np.int64(1)
            want = _outcome(f, np.zeros(3, target), *args)
            assert _outcome(compiled, np.zeros(3, target), *args) == want, (target, args)


def test_elements_of_wide_arrays_in_narrow_ones():
    def f(a, x):
        a[0] += x.sum()
        for i in range(1, len(a)):
            a[i] = x[i]
        return a

    compiled = myia.jit(f)
    np.testing.assert_array_equal(compiled(np.zeros(3, np.int8), np.array([1, 2, -3])), [0, 2, -3])
    for x in (np.array([300, 0, 0]), np.array([0, 0, -200])):
        with pytest.raises(OverflowError, match="out of bounds for int8"):
            compiled(np.zeros(3, np.int8), x)
        assert _outcome(f, np.zeros(3, np.int8), x) is OverflowError
    got = compiled(np.zeros(3, np.uint8), np.array([0, 300, -1]))
    np.testing.assert_array_equal(got, f(np.zeros(3, np.uint8), np.array([0, 300, -1])))


def test_numbers_on_a_path_that_is_not_taken():
    def f(a, v, known):
        if known > 0.0:
            a[0] = v
            a[1] = float("nan")
        return a

    with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
        myia.jit(f)(np.zeros(3, int), 1.0, 1.0)
    got = myia.jit(f)(np.zeros(3, int), np.nan, -1.0)
    np.testing.assert_array_equal(got, np.zeros(3, int))


def test_what_a_selection_leaves_out_may_be_nan():
    def cells(x):
        with_nan = np.sqrt(x)
        return np.where(x < 0, 0, with_nan.astype(int)), np.where(x < 0, 0.0, with_nan).astype(int)

    for got in myia.jit(cells)(np.array([-1.0, 4.0, 10.0])):
        np.testing.assert_array_equal(got, [0, 2, 3])


def test_copyto_takes_numbers_of_the_same_kind():
    def f(a, v):
        np.copyto(a, v)
        return a

    with pytest.raises(myia.MyiaError, match="Cannot cast scalar from dtype"):
        myia.jit(f)(np.zeros(2, int), 1.5)
    with pytest.raises(myia.MyiaError, match="Cannot cast array data from dtype"):
        myia.jit(f)(np.zeros(2, np.uint8), np.ones(2, int))
    np.testing.assert_array_equal(myia.jit(lambda a: f(a, -3))(np.zeros(2, np.int8)), [-3, -3])


def test_primitives_of_jax_saturate():
    x = np.array([-1.5, 254.5, 300.0, 1e10, -np.inf, np.nan], np.float32)
    for target in (np.uint8, np.int8, np.int32):
        as_target = functools.partial(lax.convert_element_type, new_dtype=target)
        np.testing.assert_array_equal(myia.jit(as_target)(x), jax.jit(as_target)(x))


WRITERS = {
    "put": lambda a, v: np.put(a, [1], v),
    "place": lambda a, v: np.place(a, [True, False, True], v),
    "putmask": lambda a, v: np.putmask(a, [True, False, True], v),
    "fill_diagonal": lambda a, v: np.fill_diagonal(a.reshape(1, 3), v),
}
WRITTEN = [300, [300], [1, 300], np.int64(300), np.array([300]), -1, [-1], 3.7, np.array([3.7])]


@pytest.mark.parametrize("name", WRITERS)
def test_functions_that_write_elements(name):
    def written(v):
        a = np.zeros(3, np.int8)
        WRITERS[name](a, v)
        return a

    for v in WRITTEN:
        try:
            want = written(v).tolist()
        except (OverflowError, TypeError) as error:
            with pytest.raises(type(error)):
                myia.jit(written)(v)
        else:
            assert myia.jit(written)(v).tolist() == want, v


PUT_IN = {
    "insert": lambda a, v: np.insert(a, 1, v),
    "insert two": lambda a, v: np.insert(a, [0, 2], [v, v]),
    "pad": lambda a, v: np.pad(a, 1, constant_values=v),
    "pad by sides": lambda a, v: np.pad(a, 1, constant_values=(0, v)),
    "initial of a sum": lambda a, v: np.sum(a, initial=v),
    "initial of a maximum": lambda a, v: np.max(a, initial=v),
    "arange": lambda a, v: np.arange(v - 2, v, dtype=a.dtype) if isinstance(v, int) else a,
    "power": lambda a, v: a**v if isinstance(v, int) and v >= 0 else a,
    "fill": lambda a, v: (a.fill(v), a)[1],
    "ends": lambda a, v: np.ediff1d(a, to_end=v, to_begin=v),
}
SINGLE = [5, 300, -1, 70000, 2**40, 1.5, 300.7, -1.5, np.nan, np.inf, 1j, True]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("name", PUT_IN)
@pytest.mark.filterwarnings("ignore")
def test_single_numbers_put_into_arrays(name, dtype):
    """Python's numbers and NumPy's: the array of NumPy, or an error where NumPy has one."""
    compiled = myia.jit(PUT_IN[name])
    for v in [*SINGLE, *(np.asarray(v)[()] for v in SINGLE)]:
        a = np.array([1, 2, 3], dtype)
        try:
            want = PUT_IN[name](a.copy(), v)
        except (TypeError, ValueError, OverflowError):
            with pytest.raises((TypeError, ValueError, OverflowError)):
                compiled(a, v)
            continue
        if name == "ends" and type(v) is int:
            continue  # refused where NumPy takes the last bits
        if isinstance(v, np.complexfloating):
            continue  # NumPy warns and drops the imaginary part
        got = compiled(a, v)
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)
