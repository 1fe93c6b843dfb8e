"""Runs a function in Python and as IR(py), and compares all observable effects."""

from __future__ import annotations

import copy
import linecache

from myia.frontend.load import load
from myia.ir.verifier import verify
from tests.frontend.pyinterp import make_function

LOG: list = []


def t(x):
    """Records `x`, and returns it: shows the order of evaluation."""
    LOG.append(repr(x))
    return x


class OutOfFuel(Exception):
    pass


class Fuel:
    left = 0


def tick():
    """Ends programs that do not terminate by themselves."""
    Fuel.left -= 1
    if Fuel.left < 0:
        raise OutOfFuel


def outcome(fn, args, fuel=100):
    """The result or the kind of exception, the arguments afterwards, and the records of `t`."""
    args = copy.deepcopy(args)
    LOG.clear()
    Fuel.left = fuel
    try:
        result = ("returns", type(r := fn(*args)).__name__, repr(r))
    except Exception as e:
        # What reads a cell cannot tell a local from a closure's variable, as Python's errors do.
        kind = NameError if isinstance(e, NameError) else type(e)
        wording = "" if kind in (NameError, TypeError) or "unpack" in str(e) else str(e)
        result = ("raises", kind.__name__, wording)
    return result, repr(args), list(LOG)


def interpreted(fn):
    """`fn` as IR(py), with its own defaults."""
    defaults = [*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()]
    code = load(fn)
    verify(code, vocabulary="py")
    return make_function(code, (), defaults)


def check(fn, *args):
    """`fn` and its IR(py) do the same."""
    expected, actual = outcome(fn, args), outcome(interpreted(fn), args)
    assert actual == expected, f"{fn.__name__}{args}"
    return expected[0]


def define(source: str, name: str, filename: str = "<test program>", **namespace):
    """The function `name` of `source`, with its text known to `linecache`."""
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace |= {"t": t, "tick": tick}
    exec(compile(source, filename, "exec"), namespace)
    return namespace[name]
