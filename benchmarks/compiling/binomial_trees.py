"""Loops over arrays that shrink: an American put on a binomial tree, value and gradient.

Targets: the gradient compiled within 3 s, at any number of steps; at least as fast as NumPy, and as
JAX at its best: a scan over arrays of the first size. (Unrolled, JAX needs minutes to compile it.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

import myia
from benchmarks.page.rows import Row, row

GROUP = "Arrays that shrink in loops"
ARGUMENTS = (100.0, 100.0, 0.05, 0.2, 1.0)  # price, strike, rate, volatility, time
ALL = tuple(range(len(ARGUMENTS)))


def american_put(price, strike, rate, volatility, time, steps):
    step = time / steps
    up = np.exp(volatility * np.sqrt(step))
    weight = (np.exp(rate * step) - 1 / up) / (up - 1 / up)
    discount = np.exp(-rate * step)
    stock = price * up ** np.arange(-steps, steps + 1, 2)
    value = np.maximum(strike - stock, 0.0)
    for _ in range(steps):
        stock = stock[1:] / up
        held = discount * (weight * value[1:] + (1 - weight) * value[:-1])
        value = np.maximum(held, strike - stock)
    return value[0]


def american_put_in_jax(price, strike, rate, volatility, time, steps):
    """The arrays keep their size; what is behind their end is never read."""
    step = time / steps
    up = jnp.exp(volatility * jnp.sqrt(step))
    weight = (jnp.exp(rate * step) - 1 / up) / (up - 1 / up)
    discount = jnp.exp(-rate * step)
    stock = price * up ** jnp.arange(-steps, steps + 1, 2)
    value = jnp.maximum(strike - stock, 0.0)

    def iteration(state, _):
        stock, value = state
        stock = jnp.append(stock[1:] / up, stock[-1])
        held = discount * (weight * value[1:] + (1 - weight) * value[:-1])
        return (stock, jnp.append(jnp.maximum(held, strike - stock[:-1]), value[-1])), None

    (_, value), _ = jax.lax.scan(iteration, (stock, value), None, length=steps)
    return value[0]


def called(f: Callable[..., Any]) -> Callable[[], Any]:
    return lambda: np.asarray(jax.block_until_ready(f(*map(np.float64, ARGUMENTS))))


def rows(quick: bool = False) -> Iterator[Row]:
    for steps in (20,) if quick else (100, 1_000):
        ours = partial(american_put, steps=steps)
        theirs = partial(american_put_in_jax, steps=steps)
        with jax.enable_x64(True):
            values = {
                "myia": called(myia.jit(ours)),
                "NumPy": called(ours),
                "JAX, best": called(jax.jit(theirs)),
            }
            yield row(GROUP, f"American put, {steps:,} steps", values, quick=quick)
            gradients = {
                "myia": called(myia.grad(ours, ALL)),
                "JAX, best": called(jax.jit(jax.grad(theirs, ALL))),
            }
            yield row(GROUP, f"its gradient, {steps:,} steps", gradients, quick=quick)


def main() -> None:
    for found in rows():
        found.show()


if __name__ == "__main__":
    main()
