"""Kernels: plain NumPy functions that write into their arguments, with example arguments.

    @kernel(lambda draw, n: (2.0, draw(n), draw(n)), writes="y")
    def axpy(a, x, y):
        for i in range(len(x)):
            y[i] += a * x[i]

The decorator leaves the function unchanged. Its gradient is taken in all floats and arrays of
floats except those named `passive`. Differentiated is `objective`, the weighted sum of all that the
kernel writes and returns, which is plain NumPy, too.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

LOOPS, SLICES = "loops", "slices"


class Draw:
    """Well-conditioned random inputs."""

    def __init__(self, seed: int):
        self._rng = np.random.default_rng(seed)

    def __call__(self, *shape: int) -> np.ndarray:
        """Between 0.5 and 1.5."""
        return self._rng.uniform(0.5, 1.5, shape)

    def signed(self, *shape: int) -> np.ndarray:
        """Between -1 and 1."""
        return self._rng.uniform(-1.0, 1.0, shape)

    def integers(self, bound: int, *shape: int) -> np.ndarray:
        return self._rng.integers(0, bound, shape)

    def dominant(self, n: int) -> np.ndarray:
        """A matrix whose diagonal dominates: it needs no pivots."""
        return self.signed(n, n) / n + 2.0 * np.eye(n)

    def positive_definite(self, n: int) -> np.ndarray:
        root = self.signed(n, n)
        return root @ root.T / n + np.eye(n)


@dataclass(frozen=True)
class Kernel:
    """`writes` and `active` are positions of arguments."""

    function: Callable
    make: Callable[[Draw, int], tuple]
    writes: tuple[int, ...]
    passive: tuple[int, ...]
    style: str
    tests: tuple[int, int]
    times: int

    @property
    def name(self) -> str:
        return self.function.__name__

    def arguments(self, n: int) -> tuple:
        """New arrays, always with the same contents."""
        return self.make(Draw(n), n)

    def active(self, args: tuple) -> tuple[int, ...]:
        return tuple(i for i, a in enumerate(args) if _is_continuous(a) and i not in self.passive)

    def outputs(self, args: tuple) -> list:
        """What the function writes, and its result, if any; `args` are overwritten."""
        result = self.function(*args)
        written = [args[i] for i in self.writes]
        return written if result is None else [*written, result]

    @functools.cached_property
    def returns(self) -> bool:
        """Does the function return something, too?"""
        return len(self.outputs(self.arguments(min(self.tests)))) > len(self.writes)

    def weights(self, n: int) -> list:
        """Weights of what the kernel writes and returns.

        A kernel that only writes is not run for them: plain Python is slow where `n` is large.
        """
        args, draw = self.arguments(n), Draw(n + 1)
        outputs = self.outputs(args) if self.returns else [args[i] for i in self.writes]
        return [draw(*np.shape(output)) for output in outputs]

    def objective(self) -> Callable:
        """`objective(weights, *args)`: writes into `args`, as the kernel does."""
        function, writes = self.function, self.writes

        def objective(weights, *args):
            result = function(*args)
            total = 0.0
            for weight, i in zip(weights, writes):
                total += np.sum(weight * args[i])
            if result is not None:
                total += np.sum(weights[-1] * result)
            return total

        return objective

    def pure(self) -> Callable:
        """The objective of copies: it can be called again and again with the same arrays."""
        objective, writes = self.objective(), self.writes

        def pure(weights, *args):
            copies = [a.copy() if i in writes else a for i, a in enumerate(args)]
            return objective(weights, *copies)

        return pure


KERNELS: dict[str, Kernel] = {}


def kernel(
    make: Callable[[Draw, int], tuple],
    *,
    writes: str = "",
    passive: str = "",
    style: str = LOOPS,
    tests: tuple[int, int] = (20, 7),
    times: int = 100,
) -> Callable[[Callable], Callable]:
    """`arguments(draw, n)`; names of the arguments that are written, and held fixed.

    `tests` are the two sizes of its tests, `times` the size around which it is timed.
    """

    def register(function: Callable) -> Callable:
        names = list(inspect.signature(function).parameters)
        written, held = (tuple(map(names.index, text.split())) for text in (writes, passive))
        found = Kernel(function, make, written, held, style, tests, times)
        assert found.name not in KERNELS
        KERNELS[found.name] = found
        return function

    return register


def _is_continuous(argument) -> bool:
    return isinstance(argument, float) or (
        isinstance(argument, np.ndarray) and argument.dtype.kind in "fc"
    )
