"""Roots, logarithms, quotients without a value that nothing reads: gradients against differences.

    python -m tests.fuzz.focused.poles --count 2000 --seed 0

Branches, loops and handlers leave out or overwrite what has no value, and products, sums, extrema
and arrays of it. What an element has no value for is not stored into an array whose other elements
are read: such a gradient may be NaN (`transforms/supports/tracked.py`).
"""

from __future__ import annotations

from collections import Counter

import numpy as np

import myia
from tests.fuzz.comparisons import differences
from tests.fuzz.focused.writer import Grammar, Writer, command, in_time
from tests.fuzz.harness import Checks, Reference
from tests.fuzz.programs import MODULES, define

INPUTS = (
    *(((0.7, 0.3, -0.4), 2), ((-0.5, 0.9, 0.6), 1)),
    *(((0.45, -0.35, 0.2), 3), ((0.2, 0.15, 0.55), 0)),
)
GRAMMARS: dict[str, Grammar] = {
    "overwritten": {
        "start": ("a, b, c, v, w = x[0], x[1] * x[2], 0.5, x * 1.0, x * x",),
        "statement": (
            *("<fine>",) * 3,
            *("<name> = <scalar>",) * 3,
            *("<vector> = <array>",) * 3,
            "x = x + 0.5",
        ),
        "fine": (
            *("a = x[0] * x[1]", "b = np.sum(x)", "c = np.sin(x[0])", "a = math.atan(x[1])"),
            *("v = x * x", "w = np.cos(x)", "v = x[::-1] * 1.0", "w = x * 2.0"),
            "<vector>[<i>] = x[<i>] * x[0]",
        ),
        "end": ("<fine>",),
        "result": (
            *("a + b", "np.sum(v) + c", "a * c + np.sum(w)", "b * np.sum(v * w)"),
            *("a", "np.sum(v)", "b + np.sum(w)"),
        ),
        "condition": ("x[0] > 0.5", "n > 1", "a < 1.0", "np.sum(x) > 0.0", "x[1] > x[0]"),
        "name": ("a", "b", "c"),
        "vector": ("v", "w"),
        "i": ("0", "1", "2"),
        "known scalar": ("a", "b", "c", "x[0]", "x[1]", "v[1]", "0.7", "1.5"),
        "known array": ("v", "w", "x"),
        "scalar": (
            *("<known scalar>",) * 3,
            *("np.sum(<array>)", "np.max(<array>)", "<known array> @ <array>"),
            *("(<scalar> * <scalar>)", "(<known scalar> + <scalar>)"),
            *("<function>(<scalar>)", "np.sqrt(<scalar> - 2.0)", "1.0 / (<scalar>)"),
        ),
        "array": (
            *("<known array>",) * 3,
            *("(<known array> * <array>)", "(<array> + <scalar>)", "(<scalar> * <known array>)"),
            "np.where(<known array> > 0.4, <known array>, <array>)",
            *("<function>(<array>)", "np.log(<array> - 1.0)", "(<array>) ** 1.5"),
        ),
        "function": ("np.sqrt", "np.log", "np.arcsin", "np.log1p", "np.exp"),
    }
}
_OVERWRITTEN = GRAMMARS["overwritten"]
GRAMMARS["missing data"] = {
    **_OVERWRITTEN,
    "known scalar": (*_OVERWRITTEN["known scalar"], "D[0]", "D[1]", "D[n % 3]"),
    "known array": (*_OVERWRITTEN["known array"], "D"),
    "condition": (
        *_OVERWRITTEN["condition"],
        *("np.isnan(<name>)", "np.isnan(np.sum(<vector>))", "np.isnan(D[n % 3])"),
    ),
}
NAMES = {**MODULES, "D": np.array([1.0, np.nan, -0.5])}
RTOL, ATOL = 1e-4, 1e-4


def program(kind: str, seed: int) -> str:
    return Writer(GRAMMARS[kind], seed).program()


def check(source: str, counts: Counter) -> str | None:
    """How a gradient differs from differences."""
    f = define(source, NAMES)["f"]
    gradient = Reference(myia.grad(f), Checks())
    for numbers, n in INPUTS:
        x = np.array(numbers)
        with np.errstate(all="ignore"):
            want, trusted = differences(lambda y, n=n: f(y.copy(), n), x, np.eye(len(x)))
        if not trusted.all():
            continue
        got = in_time(gradient, x, n)
        counts["gradients"] += 1
        if not np.allclose(np.ravel(got), want[:, 0], RTOL, ATOL):
            return f"{got}, not {want[:, 0]}"
    return None


if __name__ == "__main__":
    raise SystemExit(command(__doc__, program, check, GRAMMARS))
