"""Functions of SciPy: calls to be compared with SciPy, and programs to be differentiated."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy
import scipy.linalg as sl
import scipy.signal as sg
import scipy.special as sp
import scipy.stats as st
from numpy.lib import NumpyVersion

from tests.library.samples.numpy_gradient_cases import GRADIENTS, parts, symmetric
from tests.library.samples.numpy_samples import value

X = np.array([0.3, 0.6, 0.85])
Y = np.array([1.35, 1.1, 0.8])
V = np.array([0.4, -1.2, 0.7])
W = np.array([0.5, -0.3, 1.1, 2.0, -0.7])
A = np.array([[4.1, 0.3, -0.8], [0.5, 3.7, 0.2], [-0.4, 0.9, 5.0]])
B = np.array([[0.5, -1.0], [1.5, 0.3], [-0.2, 0.8]])
S = A @ A.T
RTOL = 1e-9

# ----- Special functions: `(name, first arguments, the argument that is differentiated)`

ONE = """
    cbrt cosdg cosm1 cotdg dawsn ellipe ellipk ellipkm1 entr erf erfc erfcinv erfcx erfi erfinv exp1
    exp10 exp2 expi expit expm1 exprel gamma gammaln i0 i0e i1 i1e log1p log_expit log_ndtr loggamma
    logit ndtr ndtri psi rgamma sindg spence tandg
"""
TWO = """
    agm beta betaln binom boxcox boxcox1p chdtr chdtrc gammainc gammaincc huber inv_boxcox
    inv_boxcox1p kl_div owens_t pdtr pdtrc poch powm1 pseudo_huber rel_entr xlog1py xlogy
"""
THREE = "betainc betaincc fdtr fdtrc gdtr gdtrc hyp1f1 radian voigt_profile"
INTEGERS = "gammasgn round"


def special(name: str, *first: np.ndarray, x: np.ndarray = X) -> None:
    f = getattr(sp, name)
    value(f"scipy.special.{name}", *first, x, rtol=RTOL)
    single = [a.astype("f4") for a in (*first, x)]
    value(f"scipy.special.{name}", *single, rtol=3e-4)
    GRADIENTS[f"scipy.special.{name}"] = (_of_last(f, first), x)


def _of_last(f: Callable, first: tuple) -> Callable:
    return lambda x: f(*first, x)


for _name in ONE.split():
    special(_name)
for _name in TWO.split():
    special(_name, Y)
for _name in THREE.split():
    special(_name, Y, Y[::-1].copy())
special("hyp2f1", X, Y, Y + 1)
_x = np.array([0, 1e-9, 0.3, 1, 1.2, 30, np.inf, -1])
for _n in (0, 1, 2, 3, 40, 6000):
    value("scipy.special.expn", _n, _x, rtol=RTOL)
value("scipy.special.expn", np.array([1, 2, 3]), X, rtol=RTOL)
value("scipy.special.expn", np.float32([1, 2, 3]), X.astype("f4"), rtol=1e-5)
value("scipy.special.log_ndtr", np.array([-40, -3, 0, 3, 7, 9.0]), rtol=RTOL)
value("scipy.special.poch", np.array([288.0, -3, -2.5]), np.array([41.0, 39.3, 4]), rtol=RTOL)
value("scipy.special.powm1", np.array([-20.6, 1e-12, 2]), np.array([6.0, 1, 0.5]), rtol=RTOL)
value("scipy.special.pseudo_huber", np.full(3, 0.3), np.array([1e-12, 1, 1e9]), rtol=RTOL)
# The first number is wrong in the fifth digit in SciPy 1.15.
_x = np.array([1e-11, 1, 9])[NumpyVersion(scipy.__version__) < "1.17.0" :]
value("scipy.special.fdtrc", np.full(_x.size, 0.1), np.full(_x.size, 250.0), _x, rtol=RTOL)
for _name in INTEGERS.split():
    value(f"scipy.special.{_name}", W)
K, N = np.array([2.0, 0.5, 3]), np.array([5, 4, 7])
for _name in ("bdtr", "bdtrc", "nbdtr", "nbdtrc"):
    value(f"scipy.special.{_name}", K, N, X, rtol=RTOL)
    GRADIENTS[f"scipy.special.{_name}"] = (_of_last(getattr(sp, _name), (K, N)), X)
value("scipy.special.stdtr", np.array([3, 0.5, 30, 4]), np.array([-2, 0, 0.3, 8.0]), rtol=RTOL)
GRADIENTS["scipy.special.stdtr"] = (lambda x: sp.stdtr(N, 3 * x), V)
value("scipy.special.wofz", X + 1j * Y, rtol=RTOL)
for _name in ("sici", "fresnel"):
    value(f"scipy.special.{_name}", X, rtol=RTOL)

value("scipy.special.comb", 5, np.array([1.0, 2]), rtol=RTOL)
value("scipy.special.perm", 5.0, np.array([1.0, 2]), rtol=RTOL)
value("scipy.special.factorial", np.array([1.0, 4]), rtol=RTOL)
value("scipy.special.multigammaln", Y + 2, 2, by=lambda a, d: sp.multigammaln(a, 2), rtol=RTOL)
for _options in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}, {"b": S}):
    value("scipy.special.logsumexp", A, rtol=RTOL, **_options)
value("scipy.special.softmax", A, axis=1, rtol=RTOL)
value("scipy.special.log_softmax", A.astype("f4"), rtol=1e-5)
value("scipy.special.polygamma", 1, X, rtol=RTOL)
value("scipy.special.zeta", Y + 1, 1.5, rtol=RTOL)
value("scipy.special.zeta", Y + 1, rtol=RTOL)
value("scipy.special.sinc", W, rtol=RTOL)
value("scipy.special.softplus", W, rtol=RTOL)

GRADIENTS |= {
    f"scipy.special.{name}": (f, x)
    for name, f, x in (
        ("expn", lambda x: sp.expn(np.array([0, 1, 4]), x), X),
        ("expn of large x", lambda x: sp.expn(np.array([0, 1, 4]), x), Y + 1),
        ("wofz", lambda x: parts(sp.wofz(x + 1j * Y)), X),
        ("sici", lambda x: sp.sici(x)[0] + sp.sici(x)[1], X),
        ("fresnel", lambda x: sp.fresnel(x)[0] + sp.fresnel(x)[1], X),
        ("multigammaln", lambda x: sp.multigammaln(x, 2), Y + 2),
        ("logsumexp", lambda x: sp.logsumexp(x, axis=0), A),
        ("softmax", lambda x: sp.softmax(x, axis=1), B),
        ("log_softmax", sp.log_softmax, B),
        ("polygamma", lambda x: sp.polygamma(1, x), X),
        ("zeta", lambda x: sp.zeta(1.5, x), Y),
        ("sinc", sp.sinc, W),
        ("comb", lambda x: sp.comb(x + 4, 2.0), X),
        ("perm", lambda x: sp.perm(x + 4, 2.0), X),
        ("factorial", sp.factorial, Y),
        ("softplus", sp.softplus, W),
    )
}

# ----- Distributions: which methods, at which arguments

DISTRIBUTIONS = {
    "norm": ("pdf logpdf cdf logcdf sf logsf ppf isf", (0.3, 1.2)),
    "gamma": ("pdf logpdf cdf sf", (2.0, 0.0, 1.5)),
    "beta": ("pdf logpdf cdf", (2.0, 3.0)),
    "t": ("pdf logpdf", (3.0,)),
    "cauchy": ("pdf logpdf cdf ppf sf", ()),
    "chi2": ("pdf logpdf cdf sf", (3.0,)),
    "expon": ("pdf logpdf cdf sf logcdf ppf", (0.1,)),
    "gennorm": ("pdf logpdf", (1.5,)),
    "gumbel_l": ("pdf logpdf cdf", ()),
    "gumbel_r": ("pdf logpdf cdf", ()),
    "laplace": ("pdf logpdf cdf", ()),
    "logistic": ("pdf logpdf cdf sf ppf", ()),
    "pareto": ("pdf logpdf cdf", (2.0, -1.0)),
    "truncnorm": ("pdf logpdf cdf", (-1.0, 1.5)),
    "uniform": ("pdf logpdf cdf", (-1.0, 3.0)),
    "vonmises": ("pdf logpdf", (1.5,)),
    "wrapcauchy": ("pdf logpdf", (0.4,)),
}
QUANTILES = np.array([-0.1, 0, 0.01, 0.5, 1, 1.2])
for _name in ("cauchy", "gumbel_l", "gumbel_r"):
    value(f"scipy.stats.{_name}.ppf", QUANTILES, 0.5, 2.0, rtol=RTOL)
value("scipy.stats.cauchy.isf", QUANTILES, rtol=RTOL)
value("scipy.stats.bernoulli.ppf", QUANTILES, 0.3, loc=1, rtol=RTOL)
value("scipy.stats.bernoulli.cdf", np.array([0, 1, 2]), 0.3, loc=1, rtol=RTOL)
FAR = np.array([-40, -8, 0, 8, 40.0])
for _name, _methods in {
    "norm": "logcdf logsf",
    "gumbel_r": "sf logsf",
    "gumbel_l": "logcdf",
}.items():
    for _method in _methods.split():
        value(f"scipy.stats.{_name}.{_method}", FAR, rtol=RTOL)
for _name, _shape in {"gennorm": 1.5, "vonmises": 1.5, "wrapcauchy": 0.4}.items():
    for _method in ("pdf", "logpdf"):
        value(f"scipy.stats.{_name}.{_method}", W, _shape, loc=0.5, scale=2.0, rtol=RTOL)
value("scipy.stats.gennorm.cdf", FAR / 5, 1.5, 0.1, 2.0, rtol=RTOL)
for _name in ("betaln", "beta"):  # one argument of at least 8
    value(
        f"scipy.special.{_name}", np.array([8.0, 1.0, 20.0]), np.array([1.0, 9.5, 30.0]), rtol=RTOL
    )
LOGPDF = st.norm.logpdf
value("scipy.stats.norm.logpdf", X, by=lambda x: LOGPDF(x, loc=x[0], scale=2.0), rtol=RTOL)

PROBABILITIES = {
    "bernoulli": (0.3,), "binom": (5, 0.4), "betabinom": (5, 1.5, 2.0), "geom": (0.3,),
    "nbinom": (4, 0.4), "poisson": (1.7,),
}  # fmt: skip

for _name, (_methods, _args) in DISTRIBUTIONS.items():
    for _method in _methods.split():
        value(f"scipy.stats.{_name}.{_method}", X, *_args, rtol=RTOL)
for _name, _args in PROBABILITIES.items():
    for _method in ("pmf", "logpmf"):
        value(f"scipy.stats.{_name}.{_method}", np.array([1, 0, 1]), *_args, rtol=RTOL)
value("scipy.stats.multivariate_normal.logpdf", V, np.zeros(3), S, rtol=RTOL)
value("scipy.stats.dirichlet.logpdf", np.array([0.2, 0.3, 0.5]), Y, rtol=RTOL)
GRADIENTS |= {
    f"scipy.stats.{name}": (f, x)
    for name, f, x in (
        ("gennorm.logpdf", lambda x: st.gennorm.logpdf(Y, 1.5, x, 2 * x), X),
        ("vonmises.pdf", lambda x: st.vonmises.pdf(Y, 1.5, x, 2 * x), X),
        ("wrapcauchy.pdf", lambda x: st.wrapcauchy.pdf(Y, 0.4, x, 2 * x), X),
        ("gumbel_r.logsf", lambda x: st.gumbel_r.logsf(V, x) * st.gumbel_l.logcdf(V, x), X),
        ("cauchy.ppf", lambda x: st.cauchy.ppf(x) * st.gumbel_r.ppf(x), X),
        ("norm.pdf", lambda x: st.norm.pdf(x, 0.3, 1.2), X),
        ("norm.logpdf", lambda x: st.norm.logpdf(0.5, x[:2], x[1:]), X),
        ("norm.cdf", lambda x: st.norm.cdf(x) + st.norm.sf(x, 0.1) * st.norm.ppf(x), X),
        ("norm.logcdf", lambda x: st.norm.logcdf(x) * st.norm.logsf(x), X),
        ("gamma.logpdf", lambda x: st.gamma.logpdf(X, x, scale=x), Y),
        ("beta.logpdf", lambda x: st.beta.logpdf(x, Y, x), X),
        ("t.logpdf", lambda x: st.t.logpdf(x, Y), X),
        ("cauchy.cdf", lambda x: st.cauchy.cdf(x) * st.cauchy.logpdf(x), X),
        ("chi2.logpdf", lambda x: st.chi2.logpdf(Y, x), X),
        ("expon.logpdf", lambda x: st.expon.logpdf(x, 0.1, Y), X),
        ("gumbel_r.logpdf", lambda x: st.gumbel_r.logpdf(x) + st.gumbel_l.logpdf(x), X),
        ("laplace.logpdf", lambda x: st.laplace.logpdf(x, -0.5), X),
        ("logistic.cdf", lambda x: st.logistic.cdf(x) * st.logistic.logpdf(x), X),
        ("pareto.logpdf", lambda x: st.pareto.logpdf(x + 1, Y), X),
        ("truncnorm.logpdf", lambda x: st.truncnorm.logpdf(x, -1.0, 1.5), X),
        ("poisson.logpmf", lambda x: st.poisson.logpmf(np.array([1, 0, 2]), x), X),
        ("vonmises.logpdf", lambda x: st.vonmises.logpdf(x, Y), X),
        (
            "multivariate_normal.logpdf",
            lambda x: st.multivariate_normal.logpdf(V, x[0], symmetric(x)),
            A,
        ),
    )
}

# ----- Linear algebra


def sorted_eigenvalues(a):
    """Eigenvalues in an order of their own."""
    return np.sort(sl.eigvals(a).real)


for _name in (
    "cholesky", "det", "eigvalsh", "expm", "inv", "norm", "pinv", "svdvals", "polar", "lu", "qr",
    "svd", "schur",
):  # fmt: skip
    value(f"scipy.linalg.{_name}", S, rtol=RTOL)
for _name in ("circulant", "companion", "fiedler", "fiedler_companion", "hankel", "toeplitz"):
    value(f"scipy.linalg.{_name}", W, rtol=RTOL)
value("scipy.linalg.eigh", S, rtol=RTOL, by=lambda a: sl.eigh(a, eigvals_only=True))
value("scipy.linalg.cho_factor", S, rtol=RTOL, by=lambda a: np.triu(sl.cho_factor(a)[0]))
value("scipy.linalg.cho_solve", S, B, rtol=RTOL, by=lambda a, b: sl.cho_solve(sl.cho_factor(a), b))
value("scipy.linalg.lu_factor", A, rtol=RTOL)
value("scipy.linalg.lu_solve", A, B, rtol=RTOL, by=lambda a, b: sl.lu_solve(sl.lu_factor(a), b))
for _assume in (None, "gen", "sym", "her", "pos", "diagonal", "upper triangular"):
    for _lower in (False, True):  # S + A is not symmetric: one triangle is read
        value("scipy.linalg.solve", S, B, lower=_lower, assume_a=_assume, rtol=RTOL)
        if _assume in (None, "sym", "her"):
            value("scipy.linalg.solve", S + A, B, lower=_lower, assume_a=_assume, rtol=RTOL)
value("scipy.linalg.solve", A, B, transposed=True, rtol=RTOL)
for _lower in (False, True):
    value("scipy.linalg.eigvalsh", A, S, lower=_lower, rtol=RTOL)
    value("scipy.linalg.eigvalsh", A, lower=_lower, subset_by_index=[1, 2], rtol=RTOL)
    value("scipy.linalg.cholesky", S + np.triu(A, 1), lower=_lower, rtol=RTOL) if _lower else None
value("scipy.linalg.eigh", A, S, rtol=RTOL, by=lambda a, b: abs(sl.eigh(a, b)[1]))
for _a in (A, A[:1, :1], A[:2, :2], np.kron(A, S)):
    value("scipy.linalg.hessenberg", _a, calc_q=True, rtol=RTOL)
value("scipy.linalg.hessenberg", A, rtol=RTOL)
value("scipy.linalg.solve_triangular", A, B, lower=True, rtol=RTOL)
value("scipy.linalg.solve_triangular", A.astype("f4"), B.astype("f4"), rtol=1e-5)
value("scipy.linalg.sqrtm", S, rtol=RTOL, by=lambda a: sl.sqrtm(a).real)
value("scipy.linalg.solve_sylvester", A, S, A, rtol=RTOL)
value("scipy.linalg.expm_frechet", A, S, rtol=RTOL)
value("scipy.linalg.expm_frechet", A, S.astype("f4"), compute_expm=False, rtol=RTOL)
for _a in (A + 1j * S, A.astype("f4"), np.stack([A, -A]), np.arange(4).reshape(2, 2), 9 * A):
    value("scipy.linalg.expm", _a, rtol=1e-5 if _a.dtype == np.float32 else RTOL)
for _a in (
    B,
    B.T,
    B + 1j * B[::-1],
    (B + 1j * B[::-1]).T,
    B.astype("f4"),
    np.arange(1, 5).reshape(2, 2),
):
    for _side in ("right", "left"):
        value("scipy.linalg.polar", _a, _side, rtol=1e-5 if _a.dtype == np.float32 else RTOL)
value("scipy.linalg.block_diag", A, B, W)
value("scipy.linalg.convolution_matrix", V, 4, "same")
value("scipy.linalg.khatri_rao", A, S)
value("scipy.linalg.leslie", V, V[:2])
value("scipy.linalg.toeplitz", V, W)
value("scipy.linalg.eigh_tridiagonal", W, W[:4], eigvals_only=True, rtol=RTOL)
for _name in ("coshm", "sinhm", "tanhm", "cosm", "sinm", "tanm", "eigvals"):
    value(
        f"scipy.linalg.{_name}",
        A / 3,
        rtol=RTOL,
        by=sorted_eigenvalues if _name == "eigvals" else None,
    )
for _name in ("cosm", "sinm"):
    value(f"scipy.linalg.{_name}", (A + 1j * S) / 9, rtol=RTOL)
value("scipy.linalg.pinvh", S, rtol=RTOL)
value("scipy.linalg.pinvh", np.ones((3, 3)), rtol=RTOL)
value("scipy.linalg.eigvalsh_tridiagonal", W, W[:4], rtol=RTOL)
value("scipy.linalg.orthogonal_procrustes", A, S, rtol=RTOL)
for _name in ("solve_toeplitz", "matmul_toeplitz"):
    value(f"scipy.linalg.{_name}", V + 3, B, rtol=RTOL)
    value(f"scipy.linalg.{_name}", (V + 3, W[:3]), B, rtol=RTOL)
value("scipy.linalg.solve_banded", (1, 1), A, V, rtol=RTOL)
value("scipy.linalg.solve_banded", (2, 0), A, B, rtol=RTOL)
for _name in ("dft", "hadamard", "helmert", "hilbert", "invhilbert", "invpascal", "pascal"):
    value(f"scipy.linalg.{_name}", 4)

GRADIENTS |= {
    f"scipy.linalg.{name}": (f, x)
    for name, f, x in (
        ("coshm", lambda x: sl.coshm(x / 4), A[:2, :2]),
        ("sinhm", lambda x: sl.sinhm(x / 4), A[:2, :2]),
        ("tanhm", lambda x: sl.tanhm(x / 4), A[:2, :2]),
        ("cosm", lambda x: sl.cosm(x / 4), A[:2, :2]),
        ("sinm", lambda x: sl.sinm(x / 4), A[:2, :2]),
        ("tanm", lambda x: sl.tanm(x / 9), A[:2, :2]),
        ("eigvals", lambda x: np.sum(np.abs(sl.eigvals(x))), A),
        ("eigvalsh_tridiagonal", lambda x: sl.eigvalsh_tridiagonal(x, W[:2]), V),
        ("pinvh", lambda x: sl.pinvh(symmetric(x)), A),
        ("orthogonal_procrustes", lambda x: sl.orthogonal_procrustes(x, A)[1], S),
        ("solve_toeplitz", lambda x: sl.solve_toeplitz(x + 3, x), V),
        ("matmul_toeplitz", lambda x: sl.matmul_toeplitz(x, x), V),
        ("solve_banded", lambda x: sl.solve_banded((1, 1), x, V), A),
        ("cholesky", lambda x: sl.cholesky(symmetric(x), lower=True), A),
        ("cho_factor", lambda x: np.triu(sl.cho_factor(symmetric(x))[0]), A),
        ("cho_solve", lambda x: sl.cho_solve(sl.cho_factor(symmetric(x)), B), A),
        ("det", sl.det, A),
        ("eigh", lambda x: sl.eigh(symmetric(x), eigvals_only=True), A),
        ("eigvalsh", lambda x: sl.eigvalsh(symmetric(x)), A),
        ("eigh of a pencil", lambda x: sl.eigh(x, symmetric(x.T), eigvals_only=True), A),
        ("expm", lambda x: sl.expm(x / 4), A[:2, :2]),
        ("expm_frechet", lambda x: sl.expm_frechet(x / 4, x)[1], A[:2, :2]),
        ("inv", sl.inv, A),
        ("lu", lambda x: sl.lu(x)[2], A),
        ("lu_factor", lambda x: sl.lu_factor(x)[0], A),
        ("lu_solve", lambda x: sl.lu_solve(sl.lu_factor(x), B), A),
        ("norm", sl.norm, A),
        ("pinv", sl.pinv, B),
        ("polar", lambda x: sl.polar(x)[0], A),
        ("polar tall", lambda x: sl.polar(x, "left")[1], B),
        ("polar wide", lambda x: sl.polar(x)[0] @ sl.polar(x)[1].T, B.T),
        ("polar of equal singular values", lambda x: sl.polar(x)[1] @ B, np.eye(3)[[1, 2, 0]]),
        ("qr", lambda x: sl.qr(x, mode="economic")[1], A),
        ("solve", lambda x: sl.solve(x, B), A),
        ("solve positive definite", lambda x: sl.solve(x, B, assume_a="pos"), S),
        ("solve_triangular", lambda x: sl.solve_triangular(x, B, lower=True), A),
        ("svd", lambda x: sl.svd(x)[1], A),
        ("svdvals", sl.svdvals, B),
        ("block_diag", lambda x: sl.block_diag(x, x), B),
        ("circulant", sl.circulant, V),
        ("companion", sl.companion, V),
        ("convolution_matrix", lambda x: sl.convolution_matrix(x, 4), V),
        ("fiedler", sl.fiedler, V),
        ("fiedler_companion", sl.fiedler_companion, W),
        ("hankel", sl.hankel, V),
        ("khatri_rao", lambda x: sl.khatri_rao(x, B), B),
        ("leslie", lambda x: sl.leslie(x, V[:2]), V),
        ("toeplitz", sl.toeplitz, V),
        ("eigh_tridiagonal", lambda x: sl.eigh_tridiagonal(x, W[:2], eigvals_only=True), V),
    )
}

# ----- Signals

for _mode in ("full", "same", "valid"):
    value("scipy.signal.convolve", W, V, mode=_mode, rtol=RTOL)
    value("scipy.signal.correlate", W, V, mode=_mode, rtol=RTOL)
    value("scipy.signal.convolve2d", A, B, mode=_mode, rtol=RTOL)
    value("scipy.signal.correlate2d", A, B, mode=_mode, rtol=RTOL)
    value("scipy.signal.fftconvolve", W, V, mode=_mode, rtol=1e-8)
value("scipy.signal.convolve", np.arange(4), np.arange(3))
value("scipy.signal.detrend", W, rtol=RTOL)
GRADIENTS |= {
    f"scipy.signal.{name}": (f, x)
    for name, f, x in (
        ("convolve", lambda x: sg.convolve(x, x), V),
        ("correlate", lambda x: sg.correlate(x, V), W),
        ("convolve2d", lambda x: sg.convolve2d(x, B), A),
        ("correlate2d", lambda x: sg.correlate2d(x, B), A),
        ("fftconvolve", lambda x: sg.fftconvolve(x, V), W),
        ("detrend", sg.detrend, W),
    )
}
