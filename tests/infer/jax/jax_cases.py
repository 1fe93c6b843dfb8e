"""Functions of JAX with sample arguments, at which they are smooth: name -> (f, *arguments)."""

from __future__ import annotations

import jax.nn as nn
import jax.numpy as jnp
import jax.scipy.special as special
import jax.scipy.stats as stats
import numpy as np

U = np.array([0.3, 0.62, 0.45])  # inside the unit interval
W = np.array([1.3, 0.7, 2.4])  # positive
V = np.array([2.5, 3.1, 1.7])  # above 1
N = np.array([3, 2, 4])
P = np.array([0.2, 0.5, 0.3])  # probabilities


def named(module, **arguments) -> dict[str, tuple]:
    """The functions of `module` by name; a first argument that is callable replaces them."""
    cases = {}
    for name, args in arguments.items():
        args = args if isinstance(args, tuple) else (args,)
        cases[name] = args if callable(args[0]) else (getattr(module, name), *args)
    return cases


# ----- jax.scipy.special, in groups of similar cost

ERROR_FUNCTIONS = named(
    special,
    dawsn=U,
    erf=U,
    erfc=U,
    erfcx=W,
    erfinv=U,
    fresnel=W,
    log_ndtr=W - 3,
    ndtr=W,
    ndtri=U,
    owens_t=(U, W),
    wofz=(lambda x: special.wofz(x + 0.3j), U),
)
GAMMA_FUNCTIONS = named(
    special,
    beta=(U, W),
    betainc=(lambda x: special.betainc(1.3, 0.7, x), U),
    betaln=(U, W),
    comb=(lambda n, k, x: special.comb(n, k) * x, N, np.array([1, 2, 3]), W),
    digamma=W,
    factorial=(lambda n, x: special.factorial(n) * x, N, W),
    gamma=W - 1.9,
    gammainc=(lambda x: special.gammainc(1.4, x), W),
    gammaincc=(lambda x: special.gammaincc(1.4, x), W),
    gammaln=W,
    gammasgn=W,
    loggamma=W,
    multigammaln=(lambda x: special.multigammaln(x, 3), V),
    poch=(W, U),
    polygamma=(lambda x: special.polygamma(2, x), W),
    zeta=(lambda q: special.zeta(2.5, q), W),
)
LOGARITHMS = named(
    special,
    bessel_jn=(lambda x: special.bessel_jn(x, v=2, n_iter=15), U),
    boxcox=(W, U),
    boxcox1p=(W, U),
    entr=W,
    expit=W,
    i0=W,
    i0e=W,
    i1=W,
    i1e=W,
    kl_div=(U, W),
    log_softmax=W,
    logit=U,
    logsumexp=W,
    rel_entr=(U, W),
    softmax=W,
    spence=U,
    xlog1py=(W, U),
    xlogy=(W, U),
)
INTEGRALS = named(
    special,
    expi=W,
    hyp1f1=(lambda x: special.hyp1f1(1.2, 2.3, x), U),
    sici=W,
)
# JAX has their first derivatives only, or takes long for the second.
ONCE = {
    "exp1": (special.exp1, W),
    "expn": (lambda x: special.expn(3, x), W),
    "hyp2f1": (lambda x: special.hyp2f1(1.2, 2.3, 1.7, x), U),
    "gammainc": (special.gammainc, W, V),
    "gammaincc": (special.gammaincc, W, V),
    "sph_harm_y": (
        lambda t, p: special.sph_harm_y(np.array([2]), np.array([1]), t, p, n_max=3),
        U[:1],
        W[:1],
    ),
    "truncnorm.cdf": (stats.truncnorm.cdf, U, -W, V),
    "gennorm.cdf": (stats.gennorm.cdf, W, V),
}

# ----- jax.scipy.stats: all functions of a distribution at the same arguments

_DISTRIBUTIONS = {
    "bernoulli": (N % 2, U),
    "beta": (U, W, V),
    "betabinom": (N, 5, W, V),
    "binom": (N, 5, U),
    "cauchy": (U, W, V),
    "chi2": (W,),
    "dirichlet": (P, V),
    "expon": (W, U, V),
    "gamma": (W,),
    "gennorm": (W, V),
    "geom": (N, U),
    "laplace": (W, U, V),
    "logistic": (U, W, V),
    "multinomial": (np.array([2, 1, 3]), 6, P),
    "multivariate_normal": (U, W, np.eye(3) * 2 + 0.1),
    "nbinom": (N, 3.0, U),
    "norm": (U, W, V),
    "pareto": (W + 1, V),
    "poisson": (N, W),
    "t": (W, V),
    "uniform": (U, -U, V),
    "vonmises": (U, W),
    "wrapcauchy": (U, U[::-1]),
}
_OTHER_ARGUMENTS = {
    "bernoulli.cdf": (U, U),
    "bernoulli.ppf": (U, U),
    "expon.ppf": (U, W, V),
    "pareto.ppf": (U, V),
    "poisson.entropy": None,  # not finite in JAX's derivative
    "gennorm.cdf": None,  # above
}
# Parameters in which JAX has no derivative of these, or not a second one.
_PARAMETERS = {"chi2": (2.6,), "gamma": (2.6,)}


def _at(f, parameters):
    return lambda *xs: f(*xs, *parameters)


def distribution(name: str) -> dict[str, tuple]:
    """The functions of one distribution."""
    module, cases = getattr(stats, name), {}
    for function in (f for f in dir(module) if not f.startswith("_")):
        f, args = getattr(module, function), _DISTRIBUTIONS[name]
        args = _OTHER_ARGUMENTS.get(f"{name}.{function}", args)
        if args is None:
            continue
        parameters = _PARAMETERS.get(name)
        if name == "beta" and "pdf" not in function:
            args, parameters = (U,), (W, V)
        cases[f"{name}.{function}"] = (_at(f, parameters) if parameters else f, *args)
    return cases


DISTRIBUTIONS = list(_DISTRIBUTIONS)
STATISTICS = {
    **{
        f"{d}.{f}": (getattr(getattr(stats, d), f), U, W, V)
        for d in ("gumbel_l", "gumbel_r")
        for f in ("cdf", "logcdf", "sf", "logsf")
    },
    "sem": (stats.sem, W),
    "rankdata": (lambda x: stats.rankdata(x) * x, W),
    "mode": (lambda x: stats.mode(x)[0], np.array([1.0, 2.0, 1.0])),
    "gaussian_kde": (lambda x, d: stats.gaussian_kde(d)(x), U, W),
    "truncnorm.logpdf": (stats.truncnorm.logpdf, U, -W, V),
}
# JAX's rule for a logarithm in them fails, whatever one differentiates in.
GUMBEL = {
    f"{d}.{f}": (getattr(getattr(stats, d), f), U, W, V)
    for d in ("gumbel_l", "gumbel_r")
    for f in ("logpdf", "pdf", "ppf")
}

# ----- jax.nn

_X = np.array([1.3, -0.7, 2.4, 0.35])
_QUERY = np.arange(12.0).reshape(1, 2, 2, 3) / 7 - 0.9
_ACTIVATIONS = [
    *("celu", "elu", "gelu", "glu", "hard_sigmoid", "hard_silu", "hard_swish"),
    *("hard_tanh", "identity", "leaky_relu", "log_sigmoid", "log_softmax"),
    *("logmeanexp", "logsumexp", "mish", "relu", "relu6", "selu", "sigmoid", "silu"),
    *("soft_sign", "softmax", "softplus", "sparse_plus", "sparse_sigmoid"),
    *("squareplus", "standardize", "swish", "tanh"),
]
ACTIVATIONS = named(
    nn,
    **dict.fromkeys(_ACTIVATIONS, _X),
    log1mexp=np.abs(_X),
    exact_gelu=(lambda x: nn.gelu(x, approximate=False), _X),
    one_hot=(lambda i, x: nn.one_hot(i, 4) * x, np.array([1, 3, 0, 2]), _X),
)
# These products are summed in single precision.
SINGLE = {
    "attention": (nn.dot_product_attention, _QUERY, _QUERY * 2, _QUERY + 1),
    "causal": (
        lambda q, k, v: nn.dot_product_attention(q, k, v, is_causal=True),
        _QUERY,
        _QUERY * 2,
        _QUERY + 1,
    ),
}

# ----- Complex numbers, where the functions are holomorphic or of their parts

_Z = np.array([0.3 + 0.2j, -0.7 + 1.1j, 1.2 - 0.4j])
_Y = np.array([0.8 - 0.3j, 1.5 + 0.2j, -0.4 - 0.9j])
_OF_ONE = [
    *("exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "sqrt", "sin", "cos"),
    *("tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh"),
    *("arctanh", "square", "reciprocal", "abs", "real", "imag", "conj", "angle"),
    *("sinc", "negative", "cumsum", "cumprod", "prod", "sum", "mean", "var", "std"),
]
_OF_TWO = [
    *("add", "subtract", "multiply", "divide", "power", "dot", "vdot", "inner"),
    "outer",
]
COMPLEX = named(
    jnp,
    **dict.fromkeys(_OF_ONE, _Z),
    **{name: (getattr(jnp, name), _Z, _Y) for name in _OF_TWO},
    arccosh=_Z[::2],
    sigmoid=(nn.sigmoid, _Z),
    norm=(jnp.linalg.norm, _Z),
    squared=(lambda z: jnp.real(z * jnp.conj(z)), _Z),
    integer_power=(lambda z: z**3 + z**-2, _Z),
    of_parts=(lambda x, y: jnp.exp(x + 1j * y), U, W),
    where=(lambda z: jnp.where(z.real > 0, z, z * z), _Z),
)
