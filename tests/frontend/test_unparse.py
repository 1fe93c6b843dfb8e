"""The text of core Python: of whole functions, and of expressions, with as few parentheses as mean
the same."""

import ast
import functools
import textwrap

import gast
import pytest

from myia.frontend.core import core
from myia.frontend.load import core_text
from myia.frontend.unparse import to_text
from tests.frontend.compare import define

FUNCTIONS = {
    "jumps": (
        '''
        def f(xs, n: int = -1):
            """A docstring."""
            total = 0
            for i, x in enumerate(xs):
                if x == n:
                    continue
                if x > n and (i or x):
                    return [x * y for y in xs]
                xs[i, 0] += total
            return total, n
        ''',
        """
        def f(xs, n: int=-1):
            %returned = False
            total = 0
            for i, x in enumerate(xs), while not %returned:
                if x == n:
                    pass
                elif x > n and (i or x):
                    %value = [x * y for y in xs]
                    %returned = True
                else:
                    xs[i, 0] += total
            if not %returned:
                %value = (total, n)
                %returned = True
            return %value
        """,
    ),
    "functions_inside": (
        """
        def f(x):
            def g(*, y=2):
                if x:
                    return lambda: x
            return g
        """,
        """
        def f(x):
            def g(*, y=2):
                if x:
                    %value = lambda: x
                else:
                    %value = None
                return %value
            %value = g
            return %value
        """,
    ),
    "match": (
        """
        def f(x):
            match x:
                case [a, 1]:
                    return a
            raise ValueError(x)
        """,
        """
        def f(x):
            %subject1 = x
            if is_sequence(%subject1) and len(%subject1) == 2 and (%subject1[1] == 1):
                a = %subject1[0]
                %value = a
            else:
                raise ValueError(x)
                %value = %nothing
            return %value
        """,
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name):
    before, after = map(textwrap.dedent, FUNCTIONS[name])
    assert core_text(define(before, "f", "<test>")) == after.lstrip()


class Counter:
    def add(self, x):
        self.__n += x

    @functools.wraps(add)
    def wrapped(self, x):
        return x


def test_method():
    expected = (
        "def add(self, x):\n    self._Counter__n += x\n    %value = None\n    return %value\n"
    )
    assert core_text(Counter().add) == core_text(Counter.add) == expected


def test_a_decorator_has_been_applied():
    assert core_text(Counter.wrapped).startswith("def wrapped(self, x):\n")


def test_lambda():
    assert core_text(lambda x, *a: (x + 1) * (a or 2)) == "lambda x, *a: (x + 1) * (a or 2)\n"


EXPRESSIONS = """
    -a ** -b ** c * (a + b) - (a - (b - c))
    (-a) ** 2 + (a ** b) ** c + (not a)
    a | b & c ^ d << (e | f)
    not (a and (b or not c)) == d
    a < b < (c < d)
    (a < b) is not c
    (a if b else c) if (lambda q, /, r, *, s=2, **t: q) else a if b else c
    lambda: (yes, no)
    [(a, b), (), (a,), *(a or b)]
    {a: b, **(a or b)}
    {-a, *b}
    x[()], x[a,], x[a:b + 1, None, ...], x[(a, b):], x[::-1]
    f(a + b, *a, k=a or b, **c)
    sum(x * y for x, y in z if x if y)
    max((x for x in z), key=-f)
    [x for x in (a if b else c)]
    {x: -y for x in z}
    (a := b) + 1, (lambda: a)(), (a + b).c, (a, b)[0], (1).real, 1.5.real
    f"{a + b!r:>{n}}{{}} {x['k']}", "it's", b"bytes", 1e400, 2j
""".strip().splitlines()


@pytest.mark.parametrize("text", [e.strip() for e in EXPRESSIONS])
def test_expression(text):
    statements = (f"r = {text}", f"x[0] += ({text})", f"if ({text}): pass", f"for i in ({text}): r")
    for statement in statements:
        printed = to_text(core(gast.parse(statement)))
        assert ast.dump(ast.parse(printed)) == ast.dump(ast.parse(statement))
