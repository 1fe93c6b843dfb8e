"""Settings of the process that compile-time operations depend on: asked again at every call."""

import decimal
import functools
import locale
from decimal import Decimal
from fractions import Fraction

import pytest

import myia

TEMPLATE, BY_LOCALE, PERCENT = "{}", "{:n}", "%s"
ONE, THREE = Decimal(1), Decimal(3)
PAIR = (Decimal("1.23456789"), Decimal(2))
NUMBERS = [Decimal("1.23456789"), Decimal(1)]


def in_a_loop(x):
    total = ONE
    for _ in range(3):
        total = total / THREE
    return x * float(total)


DECIMALS = {
    "quotient": lambda x: x * float(ONE / THREE),
    "negative": lambda x: x * float(-PAIR[0]),
    "positive": lambda x: x * float(+PAIR[0]),
    "sum of a tuple": lambda x: x * float(sum(PAIR)),
    "sum of a list": lambda x: x * float(sum(NUMBERS)),
    "power": lambda x: x * float(pow(PAIR[0], 2)),
    "remainder": lambda x: x * float(divmod(PAIR[0], 1)[1]),
    "reduced": lambda x: x * float(functools.reduce(lambda a, b: a * b, PAIR)),
    "comprehension": lambda x: x * sum([float(-t) for t in PAIR]),
    "f-string": lambda x: x * len(f"{ONE / THREE}"),
    "format": lambda x: x * len(TEMPLATE.format(ONE / THREE)),
    "percent": lambda x: x * len(PERCENT % (ONE / THREE)),
    "loop": in_a_loop,
    "a branch": lambda x: x if PAIR[0] / PAIR[0] / THREE * 1 == ONE / THREE else -2.0 * x,
    "rounded text": lambda x: x * float(f"{PAIR[0]:.3f}"),
}


@pytest.fixture
def context():
    with decimal.localcontext() as found:
        yield found


@pytest.mark.parametrize("name", DECIMALS)
def test_the_context_of_decimal(name, context):
    f = DECIMALS[name]
    compiled = myia.jit(f)
    for precision, rounding in ((28, "ROUND_HALF_EVEN"), (3, "ROUND_HALF_EVEN"), (4, "ROUND_DOWN")):
        context.prec, context.rounding = precision, getattr(decimal, rounding)
        assert compiled(1.5) == f(1.5)
        assert compiled(2.5) == f(2.5)


def test_programs_of_earlier_contexts_are_used_again(context):
    compiled = myia.jit(DECIMALS["quotient"])
    for precision in (28, 3, 28, 3):
        context.prec = precision
        assert compiled(1.0) == float(ONE / THREE)
    assert compiled.compiles == 2


def test_a_trap_raises(context):
    compiled = myia.jit(DECIMALS["quotient"])
    compiled(1.0)
    context.traps[decimal.Inexact] = True
    with pytest.raises(decimal.Inexact):
        DECIMALS["quotient"](1.0)
    with pytest.raises(myia.MyiaError, match="Inexact"):
        compiled(1.0)


def test_a_sign_before_a_fraction():
    half = Fraction(1, 2)
    assert myia.jit(lambda x: x * float(-half))(3.0) == -1.5


COUNT = 1234567


TEXTS = {
    "f-string": lambda x: x * len(f"{COUNT:n}"),
    "format": lambda x: x * len(BY_LOCALE.format(COUNT)),
    "builtin": lambda x: x * len(format(COUNT, "n")),
    "in a loop": lambda x: x * sum([len(f"{n:n}") for n in (COUNT, 10 * COUNT)]),
}


@pytest.mark.parametrize("name", TEXTS)
def test_the_locale(name, monkeypatch):
    """No other locale may be installed: one is told from another by its name alone."""
    f = TEXTS[name]
    compiled = myia.jit(f)
    assert compiled(1.0) == f(1.0)
    before = compiled.compiles
    query = locale.setlocale
    monkeypatch.setattr(locale, "setlocale", lambda *given: f"{query(*given)}, changed")
    assert compiled(1.0) == f(1.0)
    assert compiled.compiles == before + 1
