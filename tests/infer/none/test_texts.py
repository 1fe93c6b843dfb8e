"""Texts, prints, logs and errors of values that may be None."""

from __future__ import annotations

import logging
import warnings

import jax
import pytest

import myia

LOG = logging.getLogger("tests.none")
LOG.setLevel(logging.INFO)


def printed(x):
    print("v", x if x > 0 else None, sep="|", end="#\n")
    return x


def printed_constants(x):
    if x > 0:
        r = None
    else:
        r = "negative"
    print(r)
    return r


def printed_in_a_loop(x):
    best = None
    for k in range(3):
        c = x * k
        if c > 1 and (best is None or c > best[0]):
            best = (c, k)
        print("best:", best)
    return best


def printed_containers(x):
    v = x if x > 0 else None
    print((v, x), [v, [v]], {"v": v, "{": 1})
    for k, w in {"lo": None, "hi": v}.items():
        print(k, w)
    return x


def printed_types(x):
    v = x if x > 0 else None
    print(type(v))
    return type(v) is float


def printed_arguments(x):
    def f(a, b=None, *c, **k):
        print(a, b, c, k)
        return a

    v = x if x > 0 else None
    return f(v, v, v, k=v)


def formatted(x):
    v = x if x > 0 else None
    one, two, braces = "%s", "%s %d", "{} {n}"
    print(str(v), repr(v), one % v, two % (v, 3), braces.format(v, n=v), f"{v!r:>8}")
    print("a" + str(v))
    return x


def first_of(x):
    first = next((y for y in [1.0, 2.0, 3.0] if y > x), None)
    print(f"first={first}")
    return first


def with_a_format(x):
    v = x if x > 0 else None
    print(f"{v:.2f}")
    return x


def with_a_caught_format(x):
    v = x if x > 0 else None
    try:
        print(f"{v:.2f}")
    except TypeError as e:
        print("T", e)
    return x


def raised(x):
    v = x if x > 0 else None
    if x < -5:
        raise ValueError(f"bad {v}", v)
    return x


def asserted(x):
    v = x if x > 0 else None
    assert x > -5, f"not {v}"
    assert x > 0, v
    return x


def caught(x):
    v = x if x > 0 else None
    try:
        if x < 0:
            raise KeyError(v)
    except KeyError as e:
        print("K", e, e.args)
    return x


def logged(x):
    v = x if x > 0 else None
    LOG.info("v=%s", v)
    LOG.info(f"w={v}")
    warnings.warn(f"x={v}", stacklevel=1)
    return x


PROGRAMS = [
    *(printed, printed_constants, printed_in_a_loop, printed_containers, printed_types),
    *(printed_arguments, formatted, first_of, with_a_format, with_a_caught_format, raised),
    *(caught, logged),
]


def happens(f, x, capfd, caplog):
    caplog.clear()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            result = repr(f(x))
        except (TypeError, ValueError, AssertionError) as error:
            result = type(error), str(error), error.args
        jax.effects_barrier()
    said = [str(w.message) for w in found]
    return result, capfd.readouterr().out, said, [r.getMessage() for r in caplog.records]


@pytest.mark.parametrize("f", PROGRAMS)
def test_texts(f, capfd, caplog):
    compiled = myia.jit(f)
    for x in (3.0, 0.5, -1.0, -6.0):
        assert happens(compiled, x, capfd, caplog) == happens(f, x, capfd, caplog)


def test_messages_of_assertions():
    for x, wanted in ((-6.0, "not None"), (-1.0, None)):
        with pytest.raises(AssertionError) as error:
            myia.jit(asserted)(x)
        assert error.value.args == (wanted,)
    assert myia.jit(asserted)(2.0) == 2.0


def test_too_many_in_one_text():
    def f(x):
        vs = [x if x > k else None for k in range(9)]
        print(*vs)
        return x

    with pytest.raises(myia.MyiaError, match="more than 8 values that may be None"):
        myia.jit(f)(1.0)
