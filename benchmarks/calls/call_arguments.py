"""The overhead of a call by the kinds of its arguments and results, against `jax.jit`.

Target: at most 1.2 times what JAX takes with what its results cost a user of NumPy (`.item()`,
`np.asarray`). The ratio is of the fastest of many short batches, in processor time. Each program is
made once: those of one code, made again, share programs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import jax
import numpy as np

import myia
from benchmarks.harness import measure

SAMPLING = {"samples": 201, "sample_seconds": 0.002, "clock": time.process_time}
SCALE = 2.5


class Case(NamedTuple):
    f: Callable[..., Any]
    args: tuple[Any, ...]
    finish: Callable[[Any], Any]  # what a user of JAX does with the result
    kwargs: Mapping[str, Any] = MappingProxyType({})
    ahead: bool = False  # compiled ahead of time


def _item(x: Any) -> Any:
    return x.item()


def _as_it_is(x: Any) -> Any:
    return x


def _arrays(xs: tuple[Any, ...]) -> tuple[np.ndarray, ...]:
    return tuple(map(np.asarray, xs))


def _cases() -> dict[str, Case]:
    x, y = np.full(16, 1.5), np.full(16, 2.0)
    x4, y4 = x.astype(np.float32), y.astype(np.float32)
    a, b = jax.numpy.float32(1.5), jax.numpy.float32(2.0)
    array = np.asarray
    return {
        "a float": Case(lambda x: x * x, (1.5,), _item),
        "two floats": Case(lambda x, y: x * y, (1.5, 2.0), _item),
        "two NumPy scalars": Case(lambda x, y: x * y, (np.float64(1.5), np.float64(2.0)), _item),
        "an array": Case(lambda x: x * x * 2.0, (x,), array),
        "an array, float32": Case(lambda x: x * x * 3.0, (x4,), array),
        "two arrays": Case(lambda x, y: x * y - x, (x, y), array),
        "two arrays, float32": Case(lambda x, y: x * y + y, (x4, y4), array),
        "an array and a float": Case(lambda x, y: x + y, (x, 2.0), array),
        "two jax scalars": Case(lambda x, y: x * x * y, (a, b), _as_it_is),
        "an array, by keyword": Case(lambda x, y: x + x * y, (x,), array, {"y": y}),
        "a tuple of two arrays": Case(lambda p: p[0] * p[1], ((x, y),), array),
        "a dict of two arrays": Case(lambda p: p["a"] * p["b"], ({"a": x, "b": y},), array),
        "two arrays -> a float": Case(lambda x, y: (x * y).sum(), (x, y), _item),
        "two arrays -> two arrays": Case(lambda x, y: (x * y, x + y), (x, y), _arrays),
        "an array, a global float": Case(lambda x: x * SCALE, (x,), array),
        "ahead of time: two arrays": Case(lambda x, y: x - y * x, (x, y), array, ahead=True),
        "ahead of time: two floats": Case(lambda x, y: x - y, (1.5, 2.0), _item, ahead=True),
    }


def main() -> None:
    with jax.enable_x64(True):  # of the same precision
        for name, (f, args, finish, kwargs, ahead) in _cases().items():
            ours, theirs = myia.jit(f), jax.jit(f)
            if ahead:
                ours = ours.lower(*args, **kwargs).compile()
                theirs = theirs.lower(*args, **kwargs).compile()
            contestants = {
                "jax": lambda f=theirs, a=args, k=kwargs, end=finish: end(f(*a, **k)),
                "myia": lambda f=ours, a=args, k=kwargs: f(*a, **k),
            }
            for _ in range(3):
                contestants["myia"]()
            found = measure(contestants, **SAMPLING)
            own, other = (1e6 * found[who].fastest for who in ("myia", "jax"))
            print(f"  {name:<28}{own:8.2f} µs   jax.jit{other:8.2f} µs{own / other:8.2f} x")


if __name__ == "__main__":
    main()
