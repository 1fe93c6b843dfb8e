"""The compiled functions of each program: a random projection of its results, and derivatives.

The arguments of a program come as `xs`, those made of floats, and `rest`, all others; `order` tells
where each belongs. Arguments that the program writes to are results of it, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import myia


def dot(a, w):
    if w is None:
        return 0.0
    if isinstance(w, (tuple, list)):
        total = 0.0
        for x, v in zip(a, w):
            total = total + dot(x, v)
        return total
    if isinstance(w, dict):
        total = 0.0
        for k in w:
            total = total + dot(a[k], w[k])
        return total
    if hasattr(w, "__match_args__"):
        total = 0.0
        for name in w.__match_args__:
            total = total + dot(getattr(a, name), getattr(w, name))
        return total
    if isinstance(w, np.ndarray):
        return np.sum(a * w)
    return a * w


@dataclass(frozen=True)
class Losses:
    """Functions of `(xs, rest, weights)`, some of a direction `v` for `xs` besides."""

    outcome: Callable
    loss: Callable
    loss_and_outcome: Callable
    tangent: Callable
    second_tangent: Callable
    directional: Callable


def losses_of(f: Callable, order: tuple, changed: tuple[int, ...]) -> Losses:
    """`order[i]`: whether argument i is in `xs`, and where there; `changed`: those written to."""

    def outcome(xs, rest):
        args = [xs[i] if active else rest[i] for active, i in order]
        y = f(*args)
        return y, [args[i] for i in changed]

    def loss(xs, rest, weights):
        return dot(outcome(xs, rest), weights)

    def loss_and_outcome(xs, rest, weights):
        out = outcome(xs, rest)
        return dot(out, weights), out

    def tangent(xs, rest, weights, v):
        def at(xs):
            return loss(xs, rest, weights)

        return myia.jvp(at, (xs,), (v,))[1]

    def second_tangent(xs, rest, weights, v):
        def at(xs):
            return tangent(xs, rest, weights, v)

        return myia.jvp(at, (xs,), (v,))[1]

    def directional(xs, rest, weights, v):
        return dot(myia.grad(loss)(xs, rest, weights), v)

    return Losses(outcome, loss, loss_and_outcome, tangent, second_tangent, directional)
