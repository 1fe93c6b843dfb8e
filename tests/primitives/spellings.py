"""The user code of each primitive: a function of Python, NumPy, SciPy or JAX that emits it.

`SPELLINGS`: name -> (function, *arguments); the primitive is in the typed program.
`DERIVED`: primitives without a spelling; they are in the gradients of these programs.
`PREPARED`: primitives that passes form before derivatives are taken.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.extend.random
import jax.numpy as jnp
import jax.random as random
import jax.scipy.linalg
import jax.scipy.special
import numpy as np
import scipy.linalg
import scipy.special
from jax import lax

import myia

X = np.array([0.3, 0.62, 0.45])
M = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 5.0]])
Z = X + 1j
N = np.array([3, 5, 6])
B = np.array([True, False, True])
ONE = np.int64(1)
KEY = random.key(0)
WORDS = np.arange(4, dtype=np.uint32)
IMAGES, KERNELS = np.ones((1, 1, 4)), np.ones((1, 1, 2))


def pool(operation: Callable, init: float) -> Callable:
    return lambda x: lax.reduce_window(x, init, operation, (2,), (1,), "VALID")


def one_of(name: str) -> Callable:
    """A scatter of JAX along the first axis."""

    def scatter(x, i, u):
        return getattr(jnp.asarray(x).at[i], name)(u)

    return scatter


def printing(x):
    print("x is", x)
    return x


def summed(x, v):
    for i in range(3):
        x[i] += v[i]
    return x


def stored(x, v):
    x[1:] = v
    return x


UFUNCS = """
    exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan sinh cosh tanh floor ceil trunc abs
    sign reciprocal square
"""

# Of one operand, by NumPy's function of that name, and by names that differ.
ONE_OPERAND = {
    **{name: getattr(np, name) for name in UFUNCS.split()},
    **{
        "round": np.round,
        "cumsum": np.cumsum,
        "cumprod": np.cumprod,
        "argmax": np.argmax,
        "argmin": np.argmin,
        "sort": np.sort,
        "asin": np.arcsin,
        "acos": np.arccos,
        "atan": np.arctan,
        "asinh": np.arcsinh,
        "acosh": np.arccosh,
        "atanh": np.arctanh,
        "is_finite": np.isfinite,
        "neg": np.negative,
        "reduce_sum": np.sum,
        "reduce_prod": np.prod,
        "reduce_max": np.max,
        "reduce_min": np.min,
        "flip": np.flip,
        "iota": lambda x: x + np.arange(3),
        "literal": lambda x: x + np.hanning(3),
        "constant": lambda x: np.full(3, 2.5),
        "integer_pow": lambda x: x**3,
        "slice": lambda x: x[1:],
        "reshape": lambda x: x.reshape(3, 1),
        "broadcast": lambda x: x[:, None] * x,
        "convert": lambda x: x.astype(np.float32),
        "concatenate": lambda x: np.concatenate([x, x]),
        "pad": lambda x: np.pad(x, 1),
        "stop_gradient": jax.lax.stop_gradient,
        "debug_print": printing,
        "host_call": myia.host(np.sum, like=0.0),
        "fft": np.fft.fft,
        "ifft": np.fft.ifft,
        "rfft": np.fft.rfft,
        "irfft": np.fft.irfft,
        "erf": scipy.special.erf,
        "erfc": scipy.special.erfc,
        "erf_inv": scipy.special.erfinv,
        "erfc_inv": scipy.special.erfcinv,
        "lgamma": scipy.special.gammaln,
        "digamma": scipy.special.digamma,
        "bessel_i0e": scipy.special.i0e,
        "bessel_i1e": scipy.special.i1e,
        "ndtri": scipy.special.ndtri,
        "log_ndtr": scipy.special.log_ndtr,
        "expi": scipy.special.expi,
        "exp1": scipy.special.exp1,
        "spence": scipy.special.spence,
        "expn": lambda x: scipy.special.expn(2, x),
        "logistic": scipy.special.expit,
        "rsqrt": lax.rsqrt,
        "reduce_precision": lambda x: lax.reduce_precision(x, 5, 10),
        "bitcast": lambda x: lax.bitcast_convert_type(x, np.int32),
        "cumlogsumexp": lax.cumlogsumexp,
        "cummax": lax.cummax,
        "cummin": lax.cummin,
        "top_k": lambda x: lax.top_k(x, 2),
        "reduce_window_sum": pool(lax.add, 0.0),
        "reduce_window_max": pool(lax.max, -np.inf),
        "reduce_window_min": pool(lax.min, np.inf),
    },
}

OF_MATRICES = {
    "transpose": np.transpose,
    "cholesky": np.linalg.cholesky,
    "eigh": np.linalg.eigh,
    "eig": np.linalg.eigvals,
    "svd": np.linalg.svd,
    "qr": np.linalg.qr,
    "lu": scipy.linalg.lu,
    "schur": scipy.linalg.schur,
    "hessenberg": jax.scipy.linalg.hessenberg,
    "expm": scipy.linalg.expm,
    "polar": scipy.linalg.polar,
    "smooth_eig": lambda a: lax.linalg.eig(a, enable_eigvec_derivs=True),
    "tridiagonal": lax.linalg.tridiagonal,
    "geqrf": lambda a: np.linalg.qr(a, mode="raw"),
    "lu_pivots_to_permutation": lambda a: lax.linalg.lu_pivots_to_permutation(
        lax.linalg.lu(a)[1], 3
    ),
}

SPELLINGS: dict[str, tuple] = {
    **{name: (f, X) for name, f in ONE_OPERAND.items()},
    **{name: (f, M) for name, f in OF_MATRICES.items()},
    "acosh": (np.arccosh, X + 2),
    # ----- Two operands
    "add": (np.add, X, X),
    "sub": (np.subtract, X, X),
    "mul": (np.multiply, X, X),
    "div": (np.divide, X, X),
    "floordiv": (np.floor_divide, X, X),
    "mod": (np.remainder, X, X),
    "rem": (np.fmod, X, X),
    "truncdiv": (lax.div, N, N),
    "integer_quotient": (lambda x, y: int(x[0]) / int(y[0]), X, X + 2),
    "pow": (np.power, X, X),
    "max": (np.maximum, X, X),
    "min": (np.minimum, X, X),
    "atan2": (np.arctan2, X, X),
    "nextafter": (np.nextafter, X, X),
    "eq": (np.equal, X, X),
    "ne": (np.not_equal, X, X),
    "lt": (np.less, X, X),
    "le": (np.less_equal, X, X),
    "gt": (np.greater, X, X),
    "ge": (np.greater_equal, X, X),
    "select": (np.where, B, X, X),
    "dot_general": (np.dot, M, X),
    # ----- Complex numbers
    "real": (np.real, Z),
    "imag": (np.imag, Z),
    "conj": (np.conj, Z),
    "complex": (lax.complex, X, X),
    # ----- Integers and flags
    "and": (np.bitwise_and, N, N),
    "or": (np.bitwise_or, N, N),
    "xor": (np.bitwise_xor, N, N),
    "not": (np.invert, N),
    "shift_left": (np.left_shift, N, N),
    "shift_right": (np.right_shift, N, N),
    "population_count": (np.bitwise_count, N),
    "clz": (lax.clz, N),
    "mulhi": (lax.mulhi, N, N),
    "reduce_and": (np.all, B),
    "reduce_or": (np.any, B),
    "reduce_xor": (lambda n: lax.reduce(n, 0, lax.bitwise_xor, (0,)), N),
    # ----- Indices
    "dynamic_slice": (lambda x, i: x[i], X, ONE),
    "dynamic_update_slice": (stored, X.copy(), X[1:]),
    "gather": (lambda x, i: x[i], X, np.array([2, 0])),
    "scatter": (one_of("set"), X, np.array([2, 0]), X[:2]),
    "scatter_add": (one_of("add"), X, np.array([2, 0]), X[:2]),
    "scatter_mul": (one_of("multiply"), X, np.array([2, 0]), X[:2]),
    "scatter_max": (one_of("max"), X, np.array([2, 0]), X[:2]),
    "scatter_min": (one_of("min"), X, np.array([2, 0]), X[:2]),
    "convolution": (lambda x, k: lax.conv(x, k, (1,), "VALID"), IMAGES, KERNELS),
    # ----- Special functions
    "polygamma": (lambda x: jax.scipy.special.polygamma(2, x), X),
    "zeta": (scipy.special.zeta, X + 2, X),
    "igamma": (scipy.special.gammainc, X, X),
    "igammac": (scipy.special.gammaincc, X, X),
    "betainc": (lambda x: scipy.special.betainc(1.3, 0.7, x), X),
    "series_1f1": (scipy.special.hyp1f1, X, X, X),
    "series_2f0": (scipy.special.hyp1f1, X, X, X),
    "series_2f1": (scipy.special.hyp2f1, X, X, X, X),
    # ----- Systems of equations
    "triangular_solve": (scipy.linalg.solve_triangular, M, X),
    "tridiagonal_solve": (lax.linalg.tridiagonal_solve, X, X + 2, X, M),
    "lu_solve": (np.linalg.solve, M, X),
    "cholesky_solve": (lambda a, b: jax.scipy.linalg.solve(a, b, assume_a="pos"), M, X),
    "householder_product": (lax.linalg.householder_product, M, X),
    # ----- Random numbers
    "random_seed": (lambda n: random.key_data(random.key(n)), np.int32(3)),
    "random_fold_in": (lambda key: random.key_data(random.fold_in(key, 3)), KEY),
    "random_split": (lambda key: random.key_data(random.split(key)), KEY),
    "random_bits": (random.bits, KEY),
    "random_gamma": (random.gamma, KEY, X),
    "beta_sample": (lambda a: np.random.default_rng(0).beta(a, a), X),
    "gamma_sample": (lambda a: np.random.default_rng(0).standard_gamma(a), X),
    "threefry2x32": (jax.extend.random.threefry_2x32, WORDS[:2], WORDS),
    "rng_bit_generator": (lambda words: lax.rng_bit_generator(words, (3,)), WORDS),
}

DERIVED: dict[str, tuple] = {
    "window_argmax": (ONE_OPERAND["reduce_window_max"], X),
    "window_argmin": (ONE_OPERAND["reduce_window_min"], X),
    "igamma_grad_a": (scipy.special.gammainc, X, X),
    "gamma_second": (myia.grad(lambda a: np.sum(scipy.special.gammainc(a, X))), X),
    "beta_integral": (scipy.special.betainc, X, X, X / 5),
    "random_gamma_grad": (lambda a: random.gamma(random.key(0), a), X),
    "expm_derivative": (scipy.linalg.expm, M),
    "lyapunov": (scipy.linalg.polar, M),
    "linear_recurrence": (np.cumprod, X),
    "barrier": (myia.checkpoint(lambda x: np.sin(np.cos(x))), X),
}

PREPARED: dict[str, tuple] = {"dynamic_update_add": (summed, X, X)}


def of_rows(x):
    for row in x:
        total = 1.0
        for e in row:
            total = np.sin(total * e)
        x = x * total
    return x


STORED: dict[str, tuple] = {"empty": (of_rows, M)}


def of_nearest(p, c):
    return np.sum(np.min(np.sum(p**2, axis=1)[:, None] - p @ c.T, axis=1))


FINISHED: dict[str, tuple] = {"lone_extremum": (of_nearest, np.ones((400, 2)), np.ones((100, 2)))}
