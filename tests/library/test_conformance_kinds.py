"""Every supported function at arguments of other kinds, derived from a call in the tables.

Its arrays of floats become float32, integers, bools, empty arrays, numbers; they get another axis,
so that they broadcast or are batches; the axis is counted from the end. A result must equal
NumPy's, dtype and shape included, or the call is refused. `REFUSED` lists the refusals, and
`OTHERWISE` the intended differences. Where NumPy raises, any error of the user's is accepted, but
no internal error.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable

import numpy as np
import pytest

from myia.source.diagnostics import InternalError, MyiaError
from tests.infer.driver import assert_same, run
from tests.library.samples import (
    from_source_samples,
    linalg_samples,
    numpy_array_cases,
    scipy_samples,
)
from tests.library.samples.numpy_cases import CASES, Call
from tests.library.samples.numpy_samples import VALUES
from tests.library.test_numpy_functions import by_numpy

assert numpy_array_cases and linalg_samples and scipy_samples and from_source_samples

ERRORS = (MyiaError, TypeError, ValueError, IndexError, ArithmeticError)


def whole(dtype: str) -> Callable:
    return lambda x: np.nan_to_num(np.round(2 * x), nan=99, posinf=99, neginf=-99).astype(dtype)


KINDS = {
    "float32": lambda x: x.astype("f4"),
    "int64": whole("i8"),
    "int32": whole("i4"),
    "bool": lambda x: ~(x <= 0),
    "empty": lambda x: np.atleast_1d(x)[:0],
    "number": lambda x: x.ravel()[0] if x.size else x,
}


# ----- Other shapes, other axes: None where a call has no such form


def parameters(f: Callable) -> list[str]:
    if getattr(f, "__name__", "") in ("reduce", "accumulate", "reduceat"):  # they do not tell
        f = {"reduce": np.sum, "accumulate": np.cumsum}.get(f.__name__, np.take)
    try:
        return list(inspect.signature(f).parameters)
    except ValueError:  # of ufuncs
        return []


def with_options(call: Call, **options) -> Call | None:
    """The call with options that the function has, and that are not given by position."""
    free = options.keys() & parameters(call.f)[len(call.args) :]
    return Call(call.f, call.args, {**call.options, **options}, rtol=call.rtol) if free else None


def with_shapes(call: Call, shaped: Callable) -> Call:
    args = tuple(shaped(i, x) if is_double(x) else x for i, x in enumerate(call.args))
    return Call(call.f, args, call.options, rtol=call.rtol)


def several(call: Call) -> bool:
    return sum(map(is_double, call.args)) > 1


FORMS = {
    "last axis": lambda call: with_options(call, axis=-1),
    "axis from the end": lambda call: with_options(call, axis=-np.ndim(call.args[0])),
    "axes from the end": lambda call: with_options(call, axis=(-1, -2)),
    "keepdims": lambda call: with_options(call, keepdims=True),
    "broadcast": lambda call: (
        with_shapes(call, lambda i, x: x if i else x[..., None]) if several(call) else None
    ),
    "rows and columns": lambda call: (
        with_shapes(call, lambda i, x: x[None] if i else x[:, None]) if several(call) else None
    ),
    "stacked": lambda call: with_shapes(call, lambda i, x: np.stack([x, x])),
}
TABLES = {**{f"numpy.{name}": calls for name, calls in CASES.items()}, **VALUES}


def is_double(x) -> bool:
    return isinstance(x, np.ndarray) and x.dtype == np.float64


def base(calls: list[Call]) -> Call | None:
    """The first call of arrays of float64 that is computed."""
    for call in calls:
        taken = not call.refused and any(map(is_double, call.args))
        if taken and not isinstance(by_numpy(call), Exception):
            return call
    return None


def rank(call: Call) -> int:
    return max(x.ndim for x in call.args if is_double(x))


def of_most_axes(calls: list[Call]) -> Call:
    """The first of those calls of arrays of float64 that have the most axes."""
    taken = [c for c in calls if not c.refused and any(map(is_double, c.args))]
    return max((c for c in taken if not isinstance(by_numpy(c), Exception)), key=rank)


BASES = {name: call for name, calls in TABLES.items() if (call := base(calls)) is not None}
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    WIDEST = {name: of_most_axes(TABLES[name]) for name in BASES}


def changed(call: Call, kind: str) -> Call | None:
    if kind in FORMS:
        return FORMS[kind](call)
    args = tuple(KINDS[kind](x) if is_double(x) else x for x in call.args)
    return Call(call.f, args, call.options, rtol=call.rtol)


def tolerance(call: Call, wanted) -> float:
    """Of small numbers, bools among them, SciPy computes some functions in single precision."""
    leaves = wanted if isinstance(wanted, (tuple, list)) else (wanted,)
    dtypes = [getattr(x, "dtype", None) for x in (*leaves, *call.args)]
    return max(call.rtol or 1e-9, 1e-4 if {np.dtype("f4"), np.dtype("c8")} & {*dtypes} else 0)


def outcome(name: str, kind: str) -> str:
    """What becomes of a call: "same", "refused", or what is wrong with it."""
    call = changed((WIDEST if kind in FORMS else BASES)[name], kind)
    if call is None:
        return "no such form"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = by_numpy(call)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = run(call.f, *call.args, **call.options)
    except InternalError as e:
        return f"internal error: {e}"
    except ERRORS:
        return "same" if isinstance(wanted, Exception) else "refused"
    if isinstance(wanted, Exception):
        return "same"
    try:
        assert_same(found, wanted, tolerance(call, wanted))
    except AssertionError as e:
        return " ".join(str(e).split())
    return "same"


# JAX 0.11.2 computes some of empty arrays, too.
REFUSED_BY_SOME_VERSIONS: set[str] = set()

# Arrays of no dimension have no axis 0 here; some functions of JAX take no integers, no bools, or
# nothing empty.
REFUSED = {
    kind: set(names.split())
    for kind, names in {
        "int64": "scipy.signal.convolve2d scipy.signal.correlate2d",
        "int32": "scipy.signal.convolve2d scipy.signal.correlate2d",
        "bool": """numpy.piecewise scipy.linalg.convolution_matrix
            scipy.linalg.toeplitz scipy.linalg.matmul_toeplitz""",
        "empty": """numpy.apply_along_axis numpy.histogramdd numpy.linalg.lstsq
            numpy.linalg.matrix_rank numpy.polymul numpy.unwrap scipy.linalg.fiedler_companion
            scipy.linalg.lu_solve scipy.linalg.solve_sylvester scipy.signal.fftconvolve""",
        "number": """numpy.argsort numpy.cumulative_prod numpy.cumulative_sum
            numpy.divide.reduce numpy.fmax.reduce numpy.hypot.reduce numpy.logaddexp.reduce
            numpy.subtract.reduce numpy.trim_zeros scipy.linalg.cho_factor
            scipy.linalg.cholesky scipy.linalg.expm scipy.linalg.lu_factor scipy.linalg.solve
            scipy.linalg.sqrtm""",
        "keepdims": "numpy.vecdot",
        "broadcast": "scipy.linalg.block_diag",
        "rows and columns": """scipy.linalg.block_diag scipy.signal.convolve
            scipy.signal.correlate""",
        "stacked": """numpy.trim_zeros scipy.linalg.block_diag
            scipy.linalg.eigh_tridiagonal scipy.linalg.eigvalsh_tridiagonal
            scipy.linalg.lu scipy.linalg.orthogonal_procrustes scipy.linalg.sqrtm""",
    }.items()
}
# Densities are float64 always, eigenvalues complex always, 2F1 is NaN beyond 1, shapes and types
# of what is made of nothing, or of a number, are regular.
OTHERWISE = {
    kind: set(names.split())
    for kind, names in {
        "float32": "scipy.stats.dirichlet.logpdf",
        "int64": "scipy.special.hyp2f1",
        "int32": "scipy.special.hyp2f1",
        "bool": """numpy.hypot.accumulate numpy.linalg.eigvals scipy.linalg.solve_sylvester
            scipy.linalg.eigvals scipy.linalg.orthogonal_procrustes""",
        "empty": """scipy.linalg.fiedler scipy.linalg.solve_toeplitz
            scipy.linalg.matmul_toeplitz""",
        "number": "numpy.linalg.matrix_rank scipy.linalg.fiedler_companion",
        "broadcast": "scipy.stats.dirichlet.logpdf",
    }.items()
}
# Functions whose tables hold no call of an array of floats: they are of integers, of dtypes, of
# shapes or of compile-time numbers, and their own samples have the kinds that there are.
WITHOUT_FLOATS = """
    numpy.arange numpy.bartlett numpy.base_repr numpy.binary_repr numpy.bitwise_and
    numpy.bitwise_count numpy.bitwise_left_shift numpy.bitwise_or numpy.bitwise_or.accumulate
    numpy.bitwise_or.reduce numpy.bitwise_right_shift numpy.bitwise_xor
    numpy.bitwise_xor.accumulate numpy.bitwise_xor.reduce numpy.blackman numpy.broadcast_shapes
    numpy.can_cast numpy.choose numpy.diag_indices numpy.eye numpy.fft.fftfreq numpy.fft.rfftfreq
    numpy.fromfunction numpy.full numpy.gcd numpy.gcd.accumulate numpy.gcd.reduce numpy.hamming
    numpy.hanning numpy.identity numpy.indices numpy.invert numpy.isdtype numpy.issubdtype
    numpy.ix_ numpy.kaiser numpy.lcm numpy.lcm.accumulate numpy.lcm.reduce numpy.left_shift
    numpy.lexsort numpy.linalg.multi_dot numpy.logical_xor.accumulate numpy.logical_xor.reduce
    numpy.mintypecode numpy.ones numpy.packbits numpy.promote_types numpy.ravel_multi_index
    numpy.result_type numpy.right_shift numpy.roots numpy.select numpy.tri numpy.tril_indices
    numpy.triu_indices numpy.typename numpy.unpackbits numpy.unravel_index numpy.zeros
    scipy.linalg.dft scipy.linalg.hadamard scipy.linalg.helmert scipy.linalg.hilbert
    scipy.linalg.invhilbert scipy.linalg.invpascal scipy.linalg.pascal scipy.special.log_softmax
    scipy.special.wofz
"""


def test_every_function_is_called_with_every_kind():
    """Those of the page are in `TABLES` (`test_numpy_page`); here, all that take arrays."""
    of_counts = ("pmf", "bernoulli.cdf")
    counts = {n for n in TABLES if n.startswith("scipy.stats.") and n.endswith(of_counts)}
    assert set(TABLES) - set(BASES) == {*WITHOUT_FLOATS.split(), *counts}


@pytest.mark.parametrize("kind", [*KINDS, *FORMS])
def test_kind(kind):
    found = {name: outcome(name, kind) for name in BASES}
    wrong = {n: x for n, x in found.items() if x not in ("same", "refused", "no such form")}
    assert {n: x for n, x in wrong.items() if n not in OTHERWISE.get(kind, ())} == {}
    refused = {n for n, x in found.items() if x == "refused"}
    recorded = REFUSED.get(kind, set())
    assert refused - recorded == set()
    assert recorded - refused <= REFUSED_BY_SOME_VERSIONS
