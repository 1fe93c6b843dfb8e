"""What samples are made of: uniform, normal and exponential numbers, as a generator draws them.

A `Generator` makes the last two by the ziggurat method; a `RandomState` makes them as NumPy always
did: normal numbers come in pairs (Marsaglia's polar method), and the second is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.library.random.ziggurat_draws import exponential_attempt, normal_attempt

ONE_BY_ONE = 16  # normal numbers that are drawn one by one


class Ziggurat:
    """Of a bit generator."""

    def __init__(self, bits: Any) -> None:
        self.bits = bits

    def unit(self) -> Any:
        return self.bits.unit()

    def normal(self) -> Any:
        accepted, x = False, np.float64(0.0)
        while not accepted:
            accepted, x = normal_attempt(self.bits)
        return x

    def exponential(self) -> Any:
        accepted, x = False, np.float64(0.0)
        while not accepted:
            accepted, x = exponential_attempt(self.bits)
        return x


class Polar:
    """Of a `RandomState`."""

    def __init__(self, state: Any) -> None:
        self.state = state

    def unit(self) -> Any:
        return self.state._bit_generator.unit()

    def normal(self) -> Any:
        return np.float64(polar_normal(self.state))

    def exponential(self) -> Any:
        return -np.log(1.0 - self.unit())


def polar_normal(state: Any) -> Any:
    """A standard normal number: the one that was kept, or the first of a pair."""
    if state.has_gauss != 0:
        found = state.gauss
        state.has_gauss = np.int64(0)
        state.gauss = 0.0
    else:
        x, y, square = 0.0, 0.0, 0.0
        while square >= 1.0 or square == 0.0:
            x = 2.0 * float(state._bit_generator.unit()) - 1.0
            y = 2.0 * float(state._bit_generator.unit()) - 1.0
            square = float(squared(x) + squared(y))
        factor = float(np.sqrt(-2.0 * np.log(square) / square))
        found = factor * y
        state.gauss = factor * x
        state.has_gauss = np.int64(1)
    return found


def polar_normals(state: Any, count: int) -> Any:
    """Standard normal numbers, of words that are made together: those not used are drawn later."""
    xs = np.empty(count)
    if count < ONE_BY_ONE:
        for i in range(count):
            xs[i] = polar_normal(state)
        return xs
    k = 0
    if state.has_gauss != 0:
        xs[0] = state.gauss
        state.has_gauss = np.int64(0)
        state.gauss = 0.0
        k = 1
    coming = state._bit_generator.ahead()
    while k < count:
        units = coming.units()
        pairs = 2.0 * units.reshape(len(units) // 2, 2) - 1.0
        squares = squared(pairs[:, 0]) + squared(pairs[:, 1])
        good = (squares < 1.0) & (squares != 0.0)
        known = np.where(good, squares, 0.5)
        found = pairs * np.sqrt(-2.0 * np.log(known) / known)[:, None]
        i = 0
        while i < len(good) and k < count:
            xs[min(k + 1, count - 1)] = found[i, 0]
            xs[k] = found[i, 1]
            if good[i]:
                k += 2
            i += 1
        coming.draw(2 * i)
        if k > count:
            state.gauss = float(found[i - 1, 0])
            state.has_gauss = np.int64(1)
        coming.go_on()
    return xs


def squared(x: Any) -> Any:
    """The square of a number in [-1, 1], rounded by itself.

    Near 1 the logarithm of a sum of two depends on their last bits. The comparison is always true,
    which nobody knows but us: XLA does not join the product to the sum.
    """
    square = x * x
    return np.where(square <= 1.0, square, 2.0)
