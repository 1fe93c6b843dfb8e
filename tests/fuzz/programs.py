"""Random programs as functions: their module, their arguments, a loss and its derivatives."""

from __future__ import annotations

import bisect
import collections
import contextlib
import functools
import heapq
import itertools
import linecache
import logging
import math
import operator
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from types import ModuleType
from typing import Any

import numpy as np

import myia

ACTIVE = (0, 1, 3, 4, 5)  # the arguments of floats
INTEGER = 2


def random_arguments(rng: Random) -> tuple:
    def numbers(*shape):
        values = [rng.uniform(-1.5, 1.5) for _ in range(math.prod(shape))]
        return np.array(values).reshape(shape)

    return (
        rng.uniform(-2, 2),
        rng.uniform(-2, 2),
        rng.randrange(5),
        numbers(3),
        numbers(3),
        numbers(2, 3),
    )


_numbers = itertools.count()
MODULES = {  # that random programs use
    "np": np,
    **{
        module.__name__: module
        for module in (
            bisect,
            collections,
            contextlib,
            functools,
            heapq,
            itertools,
            logging,
            math,
            operator,
            warnings,
        )
    },
}


def define(
    source: str, names: dict[str, Any] = MODULES, filename: str | None = None
) -> dict[str, Any]:
    """The names that `source` defines, given `names`, in a module known to `inspect` and `sys`."""
    filename = filename or f"<program {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    module = sys.modules["fuzz"] = ModuleType("fuzz")
    namespace = vars(module)
    namespace |= names
    exec(compile(source, filename, "exec"), namespace)
    return namespace


def loss_of(f: Callable) -> Callable:
    """A float that depends on all results of `f` and on its changes of arguments."""

    def weighed(r):
        if isinstance(r, tuple):
            return r[0] + weighed(r[1])
        if isinstance(r, np.ndarray):
            return np.sum(r * np.array([0.7, -0.4, 1.2]))
        return r * 1.0

    def loss(p, q, n, x, y, A):
        r = f(p, q, n, x, y, A)
        return weighed(r) + weighed(x) - 0.5 * weighed(y) + weighed(A[0]) + 0.3 * weighed(A[1])

    return loss


@dataclass(frozen=True)
class Derivatives:
    """Functions of `(p, q, n, x, y, A)`, and of a direction: `(p, q, x, y, A)` of it."""

    gradient: Callable
    tangent: Callable
    forward_over_reverse: Callable
    reverse_over_forward: Callable


def derivatives_of(loss: Callable) -> Derivatives:
    def gradient(p, q, n, x, y, A):
        return myia.grad(loss, (0, 1, 3, 4, 5))(p, q, n, x, y, A)

    def tangent(p, q, n, x, y, A, v):
        def at(p, q, x, y, A):
            return loss(p, q, n, x, y, A)

        return myia.jvp(at, (p, q, x, y, A), v)[1]

    def forward_over_reverse(p, q, n, x, y, A, v):
        def at(p, q, x, y, A):
            return gradient(p, q, n, x, y, A)

        return myia.jvp(at, (p, q, x, y, A), v)[1]

    def reverse_over_forward(p, q, n, x, y, A, v):
        return myia.grad(tangent, (0, 1, 3, 4, 5))(p, q, n, x, y, A, v)

    return Derivatives(gradient, tangent, forward_over_reverse, reverse_over_forward)


def like(args: tuple, numbers: np.ndarray) -> tuple:
    """The active arguments replaced by these numbers."""
    rest, new = list(numbers), list(args)
    for i in ACTIVE:
        size = np.size(args[i])
        part, rest = rest[:size], rest[size:]
        new[i] = np.reshape(part, np.shape(args[i])) if np.ndim(args[i]) else float(part[0])
    return tuple(new)


def active(args: tuple) -> tuple:
    return tuple(args[i] for i in ACTIVE)
