"""Every call of the table gives what NumPy gives: numbers, dtypes, shapes, types, errors."""

import warnings

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.driver import assert_same, run
from tests.library.samples import numpy_array_cases  # noqa: F401 (fills the table)
from tests.library.samples.numpy_cases import CASES, Call


def by_numpy(call: Call):
    """NumPy's result, or the exception that it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call.f(*call.args, **call.options)
        except Exception as e:  # SciPy's compiled modules raise errors of their own
            return e


def check(call: Call, compute, rtol: float | None = None) -> None:
    wanted = by_numpy(call)
    if call.refused or isinstance(wanted, Exception):
        errors = (MyiaError, type(wanted)) if isinstance(wanted, Exception) else MyiaError
        with pytest.raises(errors):
            compute(call.f, *call.args, **call.options)
        return
    assert_same(compute(call.f, *call.args, **call.options), wanted, rtol or call.rtol)


def check_all(calls: list[Call], compute, rtol: float | None = None) -> None:
    for call in calls:
        try:
            check(call, compute, rtol)
        except BaseException as e:
            raise AssertionError(f"{call}: {type(e).__name__}: {e}") from e


@pytest.mark.parametrize("name", sorted(CASES))
def test_function(name):
    check_all(CASES[name], run)


def compiled(f, *args, **options):
    return myia.jit(f)(*args, **options)


@pytest.mark.parametrize("name", sorted(CASES))
def test_function_compiled(name):
    """A few calls by XLA, which rounds differently."""
    calls = [c for c in CASES[name] if not c.refused and not isinstance(by_numpy(c), Exception)]
    floats = [c for c in calls if getattr(c.args[0], "dtype", None) == np.float64]
    check_all((floats or calls)[1:3], compiled, rtol=1e-12)
