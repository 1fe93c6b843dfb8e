"""`scipy.special`, `linalg`, `signal` and `stats`: functions traced from `jax.scipy`, by name.

Ufuncs that have a primitive or a formula of their own are in `DIRECT`. All are registered when a
program has imported their module.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import scipy

from myia.infer.registry import when_imported
from myia.ir.core import Value
from myia.library.formulas.distributions import METHODS
from myia.library.formulas.lookup import jax_function, parameters
from myia.library.numpy.compile_time import evaluate_at_compile_time
from myia.library.numpy.ufuncs.ufuncs import ufunc
from myia.library.support import value_formulas, value_hypergeometric
from myia.library.support.from_source import Array, from_source
from myia.library.support.traced import (
    double,
    each_inexact,
    each_own,
    lapack,
    one_dtype,
    one_inexact,
    strong_inexact,
    traced,
    traced_by_name,
    traced_values,
)
from myia.primitives.special import exponential_integrals, normal

# ----- scipy.special

UFUNCS = [
    "agm", "bdtr", "bdtrc", "beta", "betainc", "betaincc", "betaln", "binom", "boxcox",
    "boxcox1p", "cbrt", "chdtr", "chdtrc", "cosdg", "cosm1", "cotdg", "dawsn", "ellipe",
    "ellipk", "ellipkm1", "entr", "erf", "erfc", "erfcx", "erfi", "erfinv", "exp10", "exp2",
    "expit", "expm1", "exprel", "fdtr", "fdtrc", "fresnel", "gamma", "gammainc", "gammaincc",
    "gammaln", "gammasgn", "gdtr", "gdtrc", "huber", "i0", "i0e", "i1", "i1e", "inv_boxcox",
    "inv_boxcox1p", "kl_div", "log1p", "log_expit", "loggamma", "logit", "nbdtr",
    "nbdtrc", "ndtr", "owens_t", "pdtr", "pdtrc", "poch", "powm1", "pseudo_huber", "psi",
    "radian", "rel_entr", "rgamma", "round", "sici", "sindg", "stdtr", "tandg", "voigt_profile",
    "wofz", "xlog1py", "xlogy",
]  # fmt: skip


# Functions with a primitive, or with a formula on IR values.
DIRECT: dict[str, Callable[..., Value]] = {
    "erfcinv": exponential_integrals.erfc_inv,
    "exp1": exponential_integrals.exp1,
    "expi": exponential_integrals.expi,
    "expn": value_formulas.expn,
    "hyp1f1": value_hypergeometric.hyp1f1,
    "hyp2f1": value_hypergeometric.hyp2f1,
    "log_ndtr": normal.log_ndtr,
    "ndtri": normal.ndtri,
    "spence": exponential_integrals.spence,
}


@when_imported("scipy.special")
def _special(module: ModuleType) -> None:
    for name in UFUNCS:
        ufunc(getattr(module, name), traced_values(f"scipy.special.{name}"))
    for name, emit in DIRECT.items():
        ufunc(getattr(module, name), emit, kinds="fi")
    inexact = {"a b": "logsumexp", "x": "softmax log_softmax softplus", "x q": "zeta"}
    traced_by_name(module, one_inexact, inexact)
    traced_by_name(module, strong_inexact, {"N k": "comb perm"})
    traced_by_name(module, double, {"n": "factorial", "a": "multigammaln", "~n x": "polygamma"})


# ----- scipy.linalg


@when_imported("scipy.linalg")
def _linalg(module: ModuleType) -> None:
    by_lapack = {
        "a": "cholesky hessenberg inv lu lu_factor qr schur svd svdvals",
        "a b": "eigh eigvalsh solve_triangular",
        "d e": "eigh_tridiagonal",
        "a ?rtol": "pinv",
    }
    traced_by_name(module, lapack, by_lapack)
    inexact = {
        "a": "companion fiedler_companion norm",
        "A": "sqrtm",
        "a b": "solve",
        "a b q": "solve_sylvester",
    }
    traced_by_name(module, one_inexact, inexact)
    traced_by_name(module, double, {"a": "det"})
    structured = {
        "arrs": "block_diag",
        "c": "circulant",
        "a": "convolution_matrix fiedler",
        "c r": "hankel toeplitz",
        "f s": "leslie",
        "a b": "khatri_rao",
    }
    traced_by_name(module, one_dtype, structured)
    traced_by_name(module, each_own, {"lu_and_piv* b": "lu_solve"})
    from_source(module.cho_factor)(cho_factor)
    from_source(module.cho_solve)(cho_solve)
    for name in ("dft", "hadamard", "helmert", "hilbert", "invhilbert", "invpascal", "pascal"):
        evaluate_at_compile_time(getattr(module, name))


def cho_factor(
    a: Array, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Array:
    """The factor with zeros in the triangle that SciPy leaves unspecified."""
    return scipy.linalg.cholesky(a, lower=lower, check_finite=check_finite), lower


def cho_solve(
    c_and_lower: Array, b: Array, overwrite_b: bool = False, check_finite: bool = True
) -> Array:
    c, lower = c_and_lower
    finite = {"check_finite": check_finite}
    y = scipy.linalg.solve_triangular(c, b, trans=0 if lower else 2, lower=lower, **finite)
    return scipy.linalg.solve_triangular(c, y, trans=2 if lower else 0, lower=lower, **finite)


# ----- scipy.signal


@when_imported("scipy.signal")
def _signal(module: ModuleType) -> None:
    traced_by_name(module, one_dtype, {"in1 in2": "convolve convolve2d correlate correlate2d"})
    traced_by_name(module, one_inexact, {"in1 in2": "fftconvolve"})
    traced_by_name(module, each_inexact, {"data": "detrend"})


# ----- scipy.stats: the methods of distributions, which compute in float64

DISTRIBUTIONS = [
    "bernoulli", "beta", "betabinom", "binom", "cauchy", "chi2", "dirichlet", "expon",
    "gamma", "gennorm", "geom", "gumbel_l", "gumbel_r", "laplace", "logistic", "multinomial",
    "multivariate_normal", "nbinom", "norm", "pareto", "poisson", "t", "truncnorm", "uniform",
    "vonmises", "wrapcauchy",
]  # fmt: skip


@when_imported("scipy.stats")
def _stats(module: ModuleType) -> None:
    for distribution in DISTRIBUTIONS:
        for method in METHODS:
            name = f"scipy.stats.{distribution}.{method}"
            of_scipy = getattr(getattr(module, distribution), method, None)
            if of_scipy is not None and jax_function(name) is not None:
                _method(of_scipy, name)


def _method(of_scipy: Callable[..., Any], name: str) -> None:
    """All parameters are arrays; the names of the shape parameters are those of JAX."""
    traced(
        of_scipy, name, " ".join(parameters(jax_function(name))), double, like=jax_function(name)
    )
