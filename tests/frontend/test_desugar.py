"""Each desugaring, before -> after, as the text of core Python."""

import sys
import textwrap

import gast
import pytest

from myia.frontend.core import Loop, core, fresh_names
from myia.frontend.desugar import DESUGARINGS, desugar
from myia.frontend.desugar.break_ import remove_breaks
from myia.frontend.desugar.continue_ import remove_continues
from myia.frontend.desugar.raise_ import leave_after_raise
from myia.frontend.desugar.return_ import remove_early_returns
from myia.frontend.desugar.unreachable import drop_unreachable
from myia.frontend.desugar.unread_flags import drop_unread_flags
from myia.frontend.desugar.walrus_test import move_walrus_tests
from myia.frontend.unparse import to_text


def parse(text: str) -> gast.FunctionDef:
    body = textwrap.indent(textwrap.dedent(text), "    ")
    return core(gast.parse("def f():\n" + body).body[0])


def printed(stmts) -> str:
    # Printed one by one: the loops of the printed tree are no longer core Python.
    return "".join(map(to_text, stmts)).strip()


CASES = [
    (
        "walrus",
        move_walrus_tests,
        """
        while (x := g()) > 0:
            h(x)
        """,
        """
        while True:
            if not (x := g()) > 0:
                break
            h(x)
        """,
    ),
    (
        "walrus_else",
        move_walrus_tests,
        """
        while (x := g()):
            break
        else:
            h()
        """,
        """
        %exhausted = False
        while True:
            if not (x := g()):
                %exhausted = True
                break
            break
        if %exhausted:
            h()
        """,
    ),
    (
        "raise_in_for",
        leave_after_raise,
        """
        for x in xs:
            raise e
        """,
        """
        for x in xs:
            raise e
            continue
        """,
    ),
    (
        "raise_in_while",
        leave_after_raise,
        """
        while c:
            for x in xs:
                raise e
        """,
        """
        while c:
            for x in xs:
                raise e
                return %nothing
        """,
    ),
    (
        "else",
        remove_breaks,
        """
        for x in xs:
            if c:
                break
        else:
            g()
        """,
        """
        %break = False
        for x in xs, while not %break:
            if c:
                %break = True
        if not %break:
            g()
        """,
    ),
    (
        "else_without_break",
        remove_breaks,
        """
        while c:
            for x in xs:
                break
        else:
            g()
        """,
        """
        while c:
            %break = False
            for x in xs, while not %break:
                %break = True
        g()
        """,
    ),
    (
        "return_in_if",
        remove_early_returns,
        """
        if c:
            return a
        g()
        return b
        """,
        """
        %returned = False
        if c:
            %value = a
            %returned = True
        else:
            g()
            %value = b
            %returned = True
        return %value
        """,
    ),
    (
        "return_maybe",
        remove_early_returns,
        """
        if c:
            if d:
                return a
        g()
        """,
        """
        %returned = False
        if c:
            if d:
                %value = a
                %returned = True
        if not %returned:
            g()
            %value = None
            %returned = True
        return %value
        """,
    ),
    (
        "return_in_nested_loops",
        remove_early_returns,
        """
        while c:
            for x in xs:
                if x:
                    return x
                g()
            h()
        """,
        """
        %returned = False
        while not %returned and c:
            for x in xs, while not %returned:
                if x:
                    %value = x
                    %returned = True
                else:
                    g()
            if not %returned:
                h()
        if not %returned:
            %value = None
            %returned = True
        return %value
        """,
    ),
    (
        "return_from_endless",
        remove_early_returns,
        """
        while True:
            if c:
                return a
        """,
        """
        %returned = False
        while not %returned:
            if c:
                %value = a
                %returned = True
        return %value
        """,
    ),
    (
        "break",
        remove_breaks,
        """
        while c:
            if d:
                break
            g()
        """,
        """
        %break = False
        while not %break and c:
            if d:
                %break = True
            else:
                g()
        """,
    ),
    (
        "breaks_of_a_nest",
        remove_breaks,
        """
        for x in xs:
            for y in ys:
                break
            break
        """,
        """
        %break2 = False
        for x in xs, while not %break2:
            %break = False
            for y in ys, while not %break:
                %break = True
            %break2 = True
        """,
    ),
    (
        "continue",
        remove_continues,
        """
        for x in xs:
            if c:
                if d:
                    continue
                g()
            h()
        """,
        """
        for x in xs:
            %continue = False
            if c:
                if d:
                    %continue = True
                else:
                    g()
            if not %continue:
                h()
        """,
    ),
    (
        "unreachable",
        drop_unreachable,
        """
        while True:
            continue
            break
        g()
        """,
        """
        while True:
            continue
        """,
    ),
    (
        "unread",
        lambda stmts, fresh: drop_unread_flags(remove_early_returns(stmts, fresh), fresh),
        """
        if c:
            return a
        """,
        """
        if c:
            %value = a
        else:
            %value = None
        return %value
        """,
    ),
]


@pytest.mark.parametrize(
    "desugaring, before, after", [pytest.param(*c[1:], id=c[0]) for c in CASES]
)
def test_desugaring(desugaring, before, after):
    stmts = desugaring(parse(before).body, fresh_names())
    assert printed(stmts) == textwrap.dedent(after).strip()


def test_together():
    function = parse(
        """
        for x in xs:
            if x == 1:
                continue
            if x == 2:
                break
            if x == 3:
                return x
        else:
            g()
        return h()
        """
    )
    after = """
        %returned = False
        %break = False
        for x in xs, while not %returned and (not %break):
            if x == 1:
                pass
            elif x == 2:
                %break = True
            elif x == 3:
                %value = x
                %returned = True
        if not %returned:
            if not %break:
                g()
            %value = h()
            %returned = True
        return %value
        """
    assert printed(desugar(function)) == textwrap.dedent(after).strip()


def test_no_jumps_are_left():
    function = parse(
        """
        while a:
            for b in c:
                if d:
                    break
                elif e:
                    continue
                elif f:
                    return
                raise g
            else:
                continue
            break
        else:
            return 1
        """
    )
    stmts = desugar(function)
    nodes = [n for s in stmts for n in gast.walk(s)]
    assert not any(isinstance(n, (gast.Break, gast.Continue)) for n in nodes)
    assert [n for n in nodes if isinstance(n, gast.Return)] == [stmts[-1]]
    assert not any(n.orelse for n in nodes if isinstance(n, Loop))


def test_every_node_of_the_user_occurs_once():
    function = parse(
        "for x in xs:\n    if x: return a\n    b\n    if y:\n        if z: break\n    c\n"
    )
    stmts = desugar(function)
    reads = [n.id for s in stmts for n in gast.walk(s) if isinstance(n, gast.Name)]
    assert all(reads.count(name) == 1 for name in ("a", "b", "c", "xs", "y", "z"))


def test_every_desugaring_shows_before_and_after():
    assert all("->" in sys.modules[d.__module__].__doc__ for d in DESUGARINGS)
