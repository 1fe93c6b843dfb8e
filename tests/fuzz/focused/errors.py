"""What raises, which handler catches it, and what was done before: against Python.

    python -m tests.fuzz.focused.errors --count 2000 --seed 0

Statements raise, or convert, index and divide what they cannot, and jump, in branches, loops,
comprehensions, handlers and `finally` in each other.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from myia.source.diagnostics import MyiaError
from myia.source.hidden import Hidden
from tests.fuzz.focused.writer import Grammar, Writer, command, in_time
from tests.fuzz.programs import MODULES, define
from tests.infer.driver import run

INPUTS = (
    *(((0.7, 0.3, -0.4), 2), ((-0.5, 0.9, np.nan), 1), ((0.45, -0.35, 0.0), 3)),
    *(((0.0, 0.15, 0.55), 0), ((np.nan, 0.6, 0.2), 2), ((1.5, -1.2, 0.8), 1)),
)
DEFINITIONS = """
class Bad(Exception):
    pass


class Worse(Bad):
    pass
"""
GUARD = """
def f(x, n):
    try:
        return unguarded(x, n)
    except Worse:
        return 1.0, 0.0, 1
    except Bad:
        return 2.0, 0.0, 2
    except (ValueError, ZeroDivisionError):
        return 3.0, 0.0, 3
    except Exception:
        return 4.0, 0.0, 4
"""
GRAMMARS: dict[str, Grammar] = {
    "raised": {
        "start": ("s, t, k = 0.5, x[0] * 2.0, 1",),
        "check": (
            *("x[<index>]", "if <condition>: raise <exception>", "k = int(<number>)"),
            "u = [[int(<number>)] for _ in range(<count>)]",
            "u = [x[<index>] for _ in range(<count>)]",
        ),
        "statement": (
            *("<check>",) * 3,
            *("s = s * 0.5 + <number>", "t = <number>", "k += 1", "s += k", "k = k % 3"),
        ),
        "condition": (
            *("x[0] > 0.5", "n > 1", "t < 1.0", "s > 1.0", "x[1] > x[0]", "k > 2", "x[2] < 0.1"),
        ),
        "exception": (
            *("ValueError", "IndexError('k', n)", "Bad('b', s)", "Worse(k)", "KeyError('a')"),
            *("ZeroDivisionError", "ArithmeticError(1)"),
        ),
        "classes": (
            *("ValueError", "IndexError", "Bad", "Worse", "(Bad, KeyError)", "ZeroDivisionError"),
            *("ArithmeticError", "LookupError", "Exception", "(ValueError, IndexError)"),
        ),
        "index": ("n", "n + 1", "k", "k + 1", "n - k"),
        "count": ("2", "n", "k"),
        "number": ("x[0]", "x[1]", "x[2]", "s", "t", "x[0] + x[1]", "t - 0.3"),
        "result": ("s, t, k",),
    }
}
# Python's floats raise only where a handler could catch it: here, of everything.
GRAMMARS["caught"] = {
    **GRAMMARS["raised"],
    "check": (
        *GRAMMARS["raised"]["check"],
        *("t = math.sqrt(<number>)", "t = 1.0 / float(<number>)", "t = math.log(<number>)"),
        "s += sum(math.sqrt(v + 0.6) for v in x)",
    ),
}
# Jumps, and exceptions, that a `finally` holds up, and may replace.
GRAMMARS["finally"] = {
    **GRAMMARS["raised"],
    "jump": ("break", "continue", "continue", "return <result>"),
}


def program(kind: str, seed: int) -> str:
    source = Writer(GRAMMARS[kind], seed, DEFINITIONS).program()
    return source.replace("def f(", "def unguarded(") + GUARD if kind == "caught" else source


def check(source: str, counts: Counter) -> str | None:
    """How the program differs from Python."""
    f = define(source, MODULES)["f"]
    for numbers, n in INPUTS:
        x = np.array(numbers)
        with np.errstate(all="ignore"):
            want = _outcome(f, x, n)
        got = in_time(_outcome, lambda x, n: run(f, x, n), x, n)
        if isinstance(got, MyiaError) and not isinstance(want, Exception):
            raise got
        counts["errors" if isinstance(want, Exception) else "values"] += 1
        if not _are_alike(got, want):
            return f"{got!r}, not {want!r}"
    return None


def _outcome(f, x: np.ndarray, n: int) -> object:
    try:
        return f(x, n)
    except Exception as error:
        return error


def _are_alike(got: object, want: object) -> bool:
    if isinstance(want, Exception):
        return isinstance(got, MyiaError) or (
            type(got).__name__ == type(want).__name__
            and len(got.args) == len(want.args)
            and all(map(_are_equal, got.args, want.args))
        )
    return not isinstance(got, Exception) and all(map(_are_equal, got, want))


def _are_equal(a: object, b: object) -> bool:
    if isinstance(a, Hidden):  # known at run time, and not filled in here
        return True
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and isinstance(b, str)  # messages have tests of their own
    return bool(np.isclose(a, b, 1e-9, equal_nan=True))


if __name__ == "__main__":
    raise SystemExit(command(__doc__, program, check, GRAMMARS))
