import math
import re

import numpy as np
import pytest

import myia
from myia.passes.control_flow.predication import predication
from tests.passes.before_after import before_after, unchanged
from tests.zoo.reference_calls import ReferenceCalls

LOOP = """
func @f(%n: i64[], %x: f64[], %u: {code}) -> f64[] {{
  %y = for %i < %n (%y = %x) bound 9 {{
    %count = {count}: i64[]
    %c, %z = for %k < %count (%c = %u, %z = %y) bound {count} {{
      cond {{
        %0 = 0: {code}
        %1 = eq %c, %0
        yield %1
      }}
      body {{
        {effect}
        %2 = neg %z
        %3 = 7: {code}
        yield %3, %2
      }}
    }}
    yield %z
  }}
  return %y
}}"""


def loop(count=5, code="i32[]", effect=""):
    return LOOP.format(count=count, code=code, effect=effect)


def test_an_exception_leaves_a_short_loop(golden):
    golden(before_after(predication, loop()))


def test_what_stays():
    assert unchanged(predication, loop(count=1000))
    assert unchanged(predication, loop(code="i64[]"))
    assert unchanged(predication, loop(effect="debug_print {fmt=''}"))
    outermost = loop().replace("for %i < %n (%y = %x) bound 9 {", "if %b {")
    outermost = outermost.replace("%z = %y", "%z = %x").replace(
        "    yield %z\n  }", "    yield %z\n  } else { yield %x }"
    )
    assert unchanged(predication, outermost.replace("%n: i64[]", "%b: bool[]"))


def damped(xs):
    """The exception comes in the first iteration, in a later one, or never."""
    total = 0.0
    for x in xs:
        y = float(x)
        try:
            for k in range(4):
                y = y - (y * y * y - 2.0) / (y * (y - 3.0) * (k - 2.5))
        except ZeroDivisionError:
            y = 0.5 * y + 1.0
        total += y * y
    return total


def nested(xs):
    total = 0.0
    for x in xs:
        y, n = float(x), 0
        for k in range(3):
            try:
                for j in range(3):
                    n += 1
                    y = 1.0 / (y - j) + 0.25 * k
            except ZeroDivisionError:
                y += 0.125
        total += y * n
    return total


STARTS = np.array([0.0, 3.0, 1.5, 2.5, 1.0, 2.0, -0.75, 0.3, 0.0, 4.0, 5.0])


@pytest.mark.parametrize("f", [damped, nested])
def test_values_and_derivatives(f):
    """Also where the exception comes; there a difference would take another path."""
    np.testing.assert_allclose(myia.jit(f)(STARTS), f(STARTS), rtol=1e-13)
    for F in (myia.grad(f), myia.grad(lambda x: np.sum(myia.grad(f)(x) ** 2))):
        got = F(STARTS)
        assert np.isfinite(got).all()
        leaving = ReferenceCalls(F, disable="predication")(STARTS)
        np.testing.assert_allclose(got, leaving, rtol=1e-12)


def test_the_loop_around_it_is_vectorized():
    """Each exponentiation of an iteration is one of all of them."""

    def f(xs):
        total = 0.0
        for x in xs:
            y = float(x)
            try:
                for _ in range(5):
                    y = y - math.exp(-y) / (y - 2.0)
            except ZeroDivisionError:
                y = 1.0
            total += y
        return total

    for F in (myia.jit(f), myia.grad(f)):
        text = F.ir(np.zeros(64))["finish"]
        assert "= exp" in text and not re.search(r"f64\[\] = exp", text)
