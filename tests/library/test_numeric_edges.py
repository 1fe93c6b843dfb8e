"""Functions at the ends of the range of their numbers, against NumPy to the bit."""

import itertools

import numpy as np
import pytest
import scipy.special

import myia

# ----- Divisors: a loop over magnitudes would not end for the smallest integer

DTYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.__name__)
def test_divisors_of_the_extreme_integers(dtype):
    def divisors(x, y):
        return np.gcd(x, y), np.lcm(x, y), np.gcd.reduce(x), np.gcd(x[:1], y), np.lcm(y, 6)

    info = np.iinfo(dtype)
    numbers = {info.min, info.min + 1, info.min // 2, 0, 1, 6, 35, info.max // 2, info.max}
    if info.min < 0:
        numbers |= {-1, -6}
    x, y = np.array(list(itertools.product(sorted(numbers), repeat=2)), dtype).T.copy()
    with np.errstate(all="ignore"):
        want = divisors(x, y)
    for mine, numpys in zip(myia.jit(divisors)(x, y), want, strict=True):
        assert mine.dtype == numpys.dtype
        np.testing.assert_array_equal(mine, numpys)


def test_divisors_in_a_loop():
    def common(x, start):
        g = start
        for v in x:
            g = np.gcd(g, v)
        return g

    x = np.array([np.iinfo(np.int64).min, 96, -60])
    assert myia.jit(common)(x, np.int64(0)) == common(x, np.int64(0)) == 4
    # |-128| has no int8: NumPy gives the number itself.
    least = np.array([-128, -128], np.int8)
    assert myia.jit(common)(least, np.int8(0)) == common(least, np.int8(0)) == -128


# ----- Spacings of floats, which are subnormal near 0


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_spacing_to_the_bit(dtype):
    info = np.finfo(dtype)
    of_bits = np.dtype(f"u{info.bits // 8}")
    marked = [0.0, 1.0, 1.5, 2.0, 1024.0, info.tiny, info.tiny / 2, info.tiny * 2, info.max]
    marked += [info.smallest_subnormal, info.tiny / info.eps, info.tiny / info.eps / 2, np.inf]
    random = np.random.default_rng(0).integers(0, 2 ** (info.bits - 1), 500).astype(of_bits)
    x = np.concatenate([np.array(marked, dtype), random.view(dtype)])
    x = np.concatenate([x, -x, [dtype(np.nan)]])
    with np.errstate(all="ignore"):
        want = np.spacing(x)
    got = myia.jit(np.spacing)(x)
    assert got.dtype == dtype
    is_nan = np.isnan(want)
    np.testing.assert_array_equal(np.isnan(got), is_nan)
    np.testing.assert_array_equal(got[~is_nan].view(of_bits), want[~is_nan].view(of_bits))


# ----- Functions of complex numbers: SciPy's number, or a refusal that says where

KNOWN = ["erfcx", "wofz", "gamma", "loggamma", "xlogy", "log1p", "expm1"]
REFUSED = ["erf", "erfc", "erfi", "dawsn", "ndtr", "psi", "rgamma", "sici", "fresnel", "exp1"]
REFUSED += ["spence", "expi", "log_ndtr"]


@pytest.mark.parametrize("name", KNOWN + REFUSED)
def test_special_functions_of_complex_numbers(name):
    f = getattr(scipy.special, name)
    z = np.array([0.3 + 0.4j, 0.7 - 0.2j, -0.6 + 0.3j])
    given = (z,) * f.nin
    if name in KNOWN:
        np.testing.assert_allclose(myia.jit(f)(*given), f(*given), rtol=1e-12)
        return
    with pytest.raises(myia.MyiaError, match=f"`scipy.special.{name}` of complex128 is not") as e:
        myia.jit(lambda z: 2 * getattr(scipy.special, name)(z))(z)
    assert "test_numeric_edges.py" in str(e.value)
