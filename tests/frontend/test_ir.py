"""The form of the lowered IR(py): carries, checks, names and locations."""

import textwrap

import pytest

from myia.frontend.load import load
from myia.ir.core import walk
from myia.primitives.core import py
from myia.primitives.core.structured import Loop, if_p, loop_p
from tests.frontend.compare import define


def ops(program: str, primitive=None):
    code = load(define(textwrap.dedent(program), "f", "<test>"))
    found = list(walk(code.region))
    return found if primitive is None else [op for op in found if op.primitive is primitive]


def carried(program: str) -> list[list[str]]:
    return [[a.name for a in Loop.of(op).body.args[1:]] for op in ops(program, loop_p)]


CARRIES = {
    "what_is_read_in_the_next_iteration_or_after": (
        """
        def f(xs):
            n = s = 0
            for x in xs:
                u = x * x
                n += u
                s = u
            return s
        """,
        [["n", "s"]],
    ),
    "not_what_is_assigned_before_it_is_read": (
        """
        def f(xs):
            u = 5
            for x in xs:
                u = x
                v = u + 1
            return 0
        """,
        [[]],
    ),
    "not_what_a_jump_cannot_leave_unassigned": (
        """
        def f(xs):
            s = 0
            for x in xs:
                if x > 0:
                    if x > 1:
                        continue
                    u = 1
                else:
                    u = 2
                s += u
            return s
        """,
        [["s"]],
    ),
    "the_loop_variable_if_read_after": (
        """
        def f(n):
            for i in range(n):
                pass
            return i
        """,
        [["i"]],
    ),
    "flags_of_break_and_return": (
        """
        def f(xs):
            for x in xs:
                if x == 1:
                    break
                if x == 2:
                    return x
            return 0
        """,
        [["value", "returned", "break"]],
    ),
    "one_flag_for_break_and_else": (
        """
        def f(xs):
            for x in xs:
                if x == 1:
                    break
            else:
                return 0
            return 1
        """,
        [["break"]],
    ),
    "what_break_takes_out_of_an_endless_loop": (
        """
        def f(x):
            while True:
                y = x * 2
                x = y + 1
                if x > 10:
                    break
            return y
        """,
        [["break", "y", "x"]],
    ),
    "a_raise_in_a_for_needs_no_flag": (
        """
        def f(xs):
            s = 0
            for x in xs:
                if x < 0:
                    raise ValueError
                s += x
            return s
        """,
        [["s"]],
    ),
    "captured_names_are_cells": (
        """
        def f(n):
            s = 0
            g = lambda: s
            for i in range(n):
                s += i
            return g()
        """,
        [[]],
    ),
    "nothing_in_comprehensions": (
        """
        def f(xs):
            return [x for x in xs for y in x if y]
        """,
        [[], []],
    ),
}


@pytest.mark.parametrize("name", CARRIES)
def test_loops_carry(name):
    program, expected = CARRIES[name]
    assert [sorted(names) for names in carried(program)] == [sorted(names) for names in expected]


def test_if_yields_what_is_read_after():
    (op,) = ops(
        """
        def f(c):
            if c:
                a = 1
                b = 2
            else:
                a = 3
            return a
        """,
        if_p,
    )
    assert [y.name for y in op.results] == ["a"]


def test_only_reads_that_may_fail_are_checked():
    checks = ops(
        """
        def f(c, n):
            x = 1
            if c:
                y = 2
            for i in range(n):
                z = i
            while True:
                w = 1
                if c:
                    break
            if c:
                v = 1
            else:
                raise ValueError
            return x, y, z, i, w, v
        """,
        py.defined,
    )
    assert [op.params["name"] for op in checks] == ["y", "z", "i"]


def test_untaken_code_is_in_the_other_branch():
    (outer,) = (op for op in load(define(EARLY, "f", "<test>")).region.ops if op.primitive is if_p)
    then, other = outer.regions
    assert not any(op.primitive is py.binary for op in then.ops)
    assert any(op.primitive is py.binary for op in other.ops)


EARLY = "def f(x):\n    if x == 0:\n        return x\n    return 1 / x\n"


def test_every_op_points_at_the_whole_expression():
    program = "def f(x):\n    return g(x[0],\n             x.y) + -x\n"
    places = {
        op.primitive.name: (op.span.line, op.span.col, op.span.end_line, op.span.end_col)
        for op in ops(program)
        if op.primitive is not py.const
    }
    assert places == {
        "py.global": (2, 11, 2, 12),
        "py.getitem": (2, 13, 2, 17),
        "py.getattr": (3, 13, 3, 16),
        "py.call": (2, 11, 3, 17),
        "py.unary": (3, 20, 3, 22),
        "py.binary": (2, 11, 3, 22),
    }


def test_values_have_the_users_names():
    found = ops("def f(x):\n    y = x + 1\n    a, (b, *c) = y\n    return [i for i in c]\n")
    names = [y.name for op in found for y in op.results if y.name]
    assert [n for n in names if n not in ("value",)] == ["y", "a", "b", "c"]
    (loop,) = (op for op in found if op.primitive is loop_p)
    assert loop.regions[0].args[0].name == "i"


def test_parameters():
    program = "def f(a, /, b, c=1, *d, e, g=2, **h):\n    return a\n"
    code = load(define(program, "f", "<test>"))
    assert [(p.name, p.kind, p.has_default) for p in code.parameters] == [
        ("a", "POSITIONAL_ONLY", False),
        ("b", "POSITIONAL_OR_KEYWORD", False),
        ("c", "POSITIONAL_OR_KEYWORD", True),
        ("d", "VAR_POSITIONAL", False),
        ("e", "KEYWORD_ONLY", False),
        ("g", "KEYWORD_ONLY", True),
        ("h", "VAR_KEYWORD", False),
    ]
    assert [a.name for a in code.region.args] == ["a", "b", "c", "d", "e", "g", "h"]


def test_cells_come_before_parameters():
    (op,) = ops("def f(x):\n    y = x\n    return lambda a, b=1: (x, y)\n", py.function)
    code = op.params["code"]
    assert code.captured == ("x", "y")
    assert [a.name for a in code.region.args] == ["x", "y", "a", "b"]
    assert len(op.operands) == 3  # two cells and a default
