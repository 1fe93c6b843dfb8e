"""Functions with a pole, ways to leave it out, central differences: see `test_selections.py`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

# ----- Functions with a pole at 0, and the condition that they are away from it

FUNCTIONS: dict[str, Callable] = {
    "sqrt": lambda x: np.sqrt(x),
    "log": lambda x: np.log(x),
    "power": lambda x: x**0.3,
    "division": lambda x: 6.0 / x,
    "norm": lambda x: np.sqrt(np.sum(x * x, -1)),
}

# ----- Selections: of y = f(x), where t is 0 if and only if x is

WEIGHTS = np.array([1.0, -0.5, 2.0, 0.7])


def where(y, t):
    return np.where(t > 0, y, 0.0)


def other_arm(y, t):
    return np.where(t == 0, 7.0, y) * 1.5


def slice_(y, t):
    return y[1:]


def strides(y, t):
    return y[3:0:-2]


def mask(y, t):
    return y[t > 0]


def index_array(y, t):
    return y[[1, 2]]


def take(y, t):
    return np.take(y, np.array([3, 1, 1]))


def store(y, t):
    y[0] = 1.0
    return y


def store_by_mask(y, t):
    y[t == 0] = -1.0
    return y


def store_then_slice(y, t):
    y[:2] = y[2:]
    return y[0:3]


def tril(y, t):
    return np.tril(y.reshape(2, 2).T[::-1].T)


def diagonal(y, t):
    a = y.reshape(2, 2)
    np.fill_diagonal(a, 1.0)
    return a


def clip(y, t):
    return np.clip(y, 0.4, 5.0)


def minimum_maximum(y, t):
    return np.maximum(0.4, np.minimum(y, 5.0))


def max_of_min(y, t):
    return np.max(np.minimum(y, 5.0))


def median(y, t):
    return np.sort(y)[1:3]


def two_selections(y, t):
    return np.where(t > 0, y, 0.0) + np.where(t > 3, y * y, 0.0)


def cumulative(y, t):
    return np.cumsum(y[::-1])[:3]


def product(y, t):
    return (y[:, None] @ np.array([[1.0, 2.0]]))[1:]


def stack(y, t):
    return np.concatenate([y[1:], y[2:] * y[1:3]])


def quotient(y, t):
    return np.where(t > 0, 1.0 / y, 0.0)[1:]


def branch(y, t):
    return np.sum(y) if t[0] > 0 else np.sum(y[1:] * WEIGHTS[1:])


def ternaries_in_a_loop(y, t):
    total = 0.0
    for i in range(4):
        total += y[i] if t[i] > 0 else 0.0
    return total


def stores_in_a_loop(y, t):
    for i in range(4):
        if t[i] == 0:
            y[i] = 1.0
    return y * WEIGHTS


def loads_in_a_loop(y, t):
    total = 0.0
    for i in range(1, 4):
        total += y[i] * WEIGHTS[i - 1]
    return total


def loads_in_nested_loops(y, t):
    total = 0.0
    for i in range(3):
        for j in range(i + 1):
            total += y[j + 1] * WEIGHTS[i]
    return total


def elements_in_a_loop(y, t):
    z = np.zeros(4)
    for i in range(4):
        z[i] = 2.0 / y[i]
    return np.where(t > 0, z, 0.0)


def while_loop(y, t):
    total, i = 0.0, 1
    while i < 4 and total < 100.0:
        total += y[i]
        i += 1
    return total


def steps_on_an_array(y, t):
    for _ in range(2):
        y = np.sqrt(1.0 + y * y)
    return y[1:]


SELECTIONS = [
    where,
    other_arm,
    slice_,
    strides,
    mask,
    index_array,
    take,
    store,
    store_by_mask,
    store_then_slice,
    tril,
    diagonal,
    clip,
    minimum_maximum,
    max_of_min,
    median,
    two_selections,
    cumulative,
    product,
    stack,
    quotient,
    branch,
    ternaries_in_a_loop,
    stores_in_a_loop,
    loads_in_a_loop,
    loads_in_nested_loops,
    elements_in_a_loop,
    while_loop,
    steps_on_an_array,
]


def objective(name: str, select: Callable) -> Callable:
    f = FUNCTIONS[name]

    def of_numbers(x):
        z = select(f(x), x)
        return np.sum(z * z)

    def of_rows(x):
        z = select(f(x), np.sum(x * x, -1))
        return np.sum(z * z)

    return of_rows if name == "norm" else of_numbers


def argument(name: str, select: Callable) -> np.ndarray:
    x = np.array([0.0, 4.0, 9.0, 2.0])
    return np.stack([0.6 * x, 0.8 * x], 1) if name == "norm" else x


def central_differences(f: Callable, x: np.ndarray) -> np.ndarray:
    """Of plain Python, in the elements that are kept; the first axis is that of x, flattened."""
    rows = []
    with np.errstate(all="ignore"):
        for i in np.ndindex(x.shape):
            h = np.zeros_like(x)
            h[i] = 1e-4
            kept = x[i] != 0
            # Five points: the error is of fourth order.
            near = (f(x + h) - f(x - h)) * 8 - (f(x + 2 * h) - f(x - 2 * h)) if kept else None
            rows.append(near / 12e-4 if kept else np.zeros_like(np.asarray(f(x))))
    return np.array(rows).reshape(x.shape + np.shape(rows[0]))
