"""Calls of Python functions while a program runs (`myia.host`), and how their exceptions return.

    %y = host_call %code %x {call=lookup}      run once, in program order, as `print` is

The first operand is the code of the run-time checks so far: after one that failed, Python would not
have come here, and the function is not called. Nothing differentiates a host call: `transforms/`
takes it out of what is differentiated, or refuses.
"""

from __future__ import annotations

import functools
import itertools
import logging
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp
from jax.experimental import io_callback

from myia.ir.avals import Aval
from myia.ir.builder import emit
from myia.ir.core import Op, Value
from myia.ir.primitive import NONDIFFERENTIABLE, Formula, Primitive
from myia.source.process import Lock


@dataclass(frozen=True, eq=False)
class HostCall:
    """`run(*arrays)` gives the arrays of the results, which have these avals."""

    name: str
    run: Callable[..., Sequence[np.ndarray]]
    results: tuple[Aval, ...]

    def __repr__(self) -> str:
        return self.name

    def __call__(self, code: np.ndarray, *xs: np.ndarray) -> tuple[np.ndarray, ...]:
        if code:
            return tuple(np.zeros(a.shape, a.dtype) for a in self.results)
        return tuple(self.run(*xs))


# ----- Running a program with host calls

_programs = Lock()
_inside = threading.local()
NESTED = (
    "a function that the host runs for compiled code calls compiled code that calls the host: "
    "call that function outside of it, or without `myia.host`"
)


def in_one_thread(program: Formula) -> Formula:
    """`program`, which returns when its host calls have been made.

    JAX orders the host calls of all programs. So one of another thread would wait in any case, and
    one inside of a host call would wait for ever.
    """

    @functools.wraps(program, updated=())
    def run(*arrays: jax.Array | float) -> Sequence[jax.Array]:
        if getattr(_inside, "host", False):
            raise RuntimeError(NESTED)
        with _programs:
            results = jax.block_until_ready(program(*arrays))
            jax.effects_barrier()
        return results

    for name in ("lower", "as_text", "memory_analysis", "cost_analysis"):
        if hasattr(program, name):
            setattr(run, name, getattr(program, name))
    return run


# ----- Exceptions

# XLA knows the text of an exception alone. The text names the entry here that holds the exception.
_failures: dict[int, BaseException] = {}
_numbers = itertools.count(1)
_KEPT = 64  # entries that nobody has taken: the call was in a program that JAX compiled


class HostCallFailed(Exception):
    """What XLA is told in place of the exception of a host function."""


def _record(error: BaseException) -> HostCallFailed:
    number = next(_numbers)
    _failures[number] = error
    _failures.pop(number - _KEPT, None)
    return HostCallFailed(f"host call failure {number}")


def host_exception(error: Exception) -> BaseException | None:
    """The exception of the host function that made XLA raise `error`."""
    found = re.search(r"host call failure (\d+)", str(error))
    return None if found is None else _failures.pop(int(found[1]), None)


def _is_news(record: logging.LogRecord) -> bool:
    """False for what JAX logs of an exception that our caller will see."""
    return not (record.exc_info and isinstance(record.exc_info[1], HostCallFailed))


# JAX logs each exception of a callback. A filter works on the very logger that makes the record.
logging.getLogger(f"{jax.__name__}._src.callback").addFilter(_is_news)


# ----- Arrays on their way to the host and back
# In a thread of XLA's, JAX makes 32 bits of 64 unless they travel as two words.


def in_words(x: Any) -> Any:
    dtype = np.dtype(x.dtype)
    if dtype.kind == "c":
        return in_words(jnp.stack([lax.real(x), lax.imag(x)], axis=-1))
    return lax.bitcast_convert_type(x, np.uint32) if dtype.itemsize == 8 else x


def words_of(x: np.ndarray) -> np.ndarray:
    """The same for an array of NumPy's."""
    flat, shape = np.ascontiguousarray(x).reshape(-1), x.shape
    if flat.dtype.kind == "c":
        flat, shape = flat.view(flat.real.dtype), (*shape, 2)
    if flat.dtype.itemsize == 8:
        flat, shape = flat.view(np.uint32), (*shape, 2)
    return flat.reshape(shape)


def from_words(x: np.ndarray, aval: Aval) -> np.ndarray:
    """A copy, as XLA takes its memory back; read-only, as nobody would see a write to it."""
    found = np.array(x).reshape(-1).view(aval.dtype).reshape(aval.shape)
    found.flags.writeable = False
    return found


def array_of_words(x: Any, aval: Aval) -> Any:
    if aval.dtype.kind == "c":
        part = Aval(np.zeros(0, aval.dtype).real.dtype, (*aval.shape, 2))
        x = array_of_words(x, part)
        return lax.complex(x[..., 0], x[..., 1])
    return lax.bitcast_convert_type(x, aval.dtype) if aval.dtype.itemsize == 8 else x


def as_words(xs: Sequence[Any]) -> tuple[list[Any], Callable[[Sequence[Any]], list[np.ndarray]]]:
    """What a callback of JAX is given of arrays, and how it makes arrays of NumPy of that."""
    avals = [Aval(np.dtype(x.dtype), x.shape) for x in xs]

    def received(words: Sequence[Any]) -> list[np.ndarray]:
        return [from_words(np.asarray(x), a) for x, a in zip(words, avals)]

    return list(map(in_words, xs)), received


def call_in_order(f: Formula, results: Sequence[Aval], xs: Sequence[Any]) -> tuple[Any, ...]:
    """`f(*arrays of NumPy)` in a program of JAX: once, after all earlier calls and before later."""
    sent, received = as_words(xs)

    def callback(*words: jax.Array) -> tuple[np.ndarray, ...]:
        arrays = received(words)
        _inside.host = True
        try:
            return tuple(map(words_of, f(*arrays)))
        except BaseException as error:
            raise _record(error) from error
        finally:
            _inside.host = False

    shapes = [jax.ShapeDtypeStruct(w.shape, w.dtype) for w in map(_empty_words, results)]
    found = io_callback(callback, tuple(shapes), *sent, ordered=True)
    return tuple(map(array_of_words, found, results))


def _empty_words(aval: Aval) -> np.ndarray:
    return words_of(np.broadcast_to(np.zeros((), aval.dtype), aval.shape))


# ----- The primitive


def _lower(*xs: jax.Array, call: HostCall) -> tuple[jax.Array, ...]:
    return call_in_order(call, call.results, [jnp.asarray(x) for x in xs])


host_call_p = Primitive(
    name="host_call",
    avals=lambda *xs, call: call.results,
    lower=_lower,
    evaluate=lambda *xs, call: call(*xs),
    derivative=NONDIFFERENTIABLE,
    effect=True,
)


def host_call(call: HostCall, code: Value, *xs: Value) -> tuple[Value, ...]:
    """Emit a call of a Python function."""
    return emit(host_call_p, code, *xs, call=call)


def is_host_call(op: Op) -> bool:
    return op.primitive is host_call_p


def has_host_call(op: Op) -> bool:
    """Whether `op` is, or has inside of it, a host call."""
    return is_host_call(op) or any(has_host_call(inner) for r in op.regions for inner in r.ops)


def is_recorded(op: Op) -> bool:
    """A host call whose results a recomputation reads from a record."""
    return is_host_call(op) and bool(op.results)


def has_recorded_call(op: Op) -> bool:
    return is_recorded(op) or any(has_recorded_call(inner) for r in op.regions for inner in r.ops)
