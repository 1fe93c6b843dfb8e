"""Every refused construct, with the exact message."""

import textwrap

import gast
import pytest

from myia.frontend.fence import FENCE, LEAVES
from myia.frontend.load import load
from myia.source.diagnostics import MyiaError
from tests.frontend.compare import define

# name: (the program, the message without its location)
REFUSED = {
    "except_group": (
        """
        def f(x):
            try:
                return 1 / x
            except* ValueError:
                pass
        """,
        """
        `except*` is not supported
          --> <test>:2:5
           |
         2 |     try:
           |     ^^^^ compiled code raises no groups of exceptions
          help: write `except`
          code: unsupported-try-star
        """,
    ),
    "class_body": (
        """
        def f(x):
            class C:
                for i in range(3):
                    pass
            return C
        """,
        """
        this statement is not supported in the body of a class
          --> <test>:3:9
           |
         3 |         for i in range(3):
           |         ^^^^^^^^^^^^^^^^^^ the class `C` is made of methods, values and annotations
          help: write it before the class, or define the class at the top of the module
          code: unsupported-class-body
        """,
    ),
    "class_name": (
        """
        def f(x):
            class C:
                x = x
            return C
        """,
        """
        `x` is read before the class gives it a value
          --> <test>:3:13
           |
         3 |         x = x
           |             ^ `x` is a name of the class `C`; Python would look for it in the module
          help: use another name for one of the two
          code: unbound-in-class
        """,
    ),
    "del_global": (
        """
        def f(x):
            global LIMIT
            LIMIT = x
            del LIMIT
        """,
        """
        `del LIMIT` of a global is not supported
          --> <test>:4:9
           |
         4 |     del LIMIT
           |         ^^^^^ deleted here
          help: assign `None`
          code: delete-global
        """,
    ),
    "nonlocal_of_python": (
        """
        def make():
            n = 0
            def f():
                nonlocal n
                n += 1
            return f
        f = make()
        """,
        """
        `n` belongs to a function that is not compiled
          --> <test>:4:9
           |
         4 |         nonlocal n
           |         ^^^^^^^^^^ assigned through `nonlocal` here
          help: return the new value, and assign it where the function is called
          code: nonlocal-of-python
        """,
    ),
    "match_shadowed_builtin": (
        """
        def f(x):
            len = 3
            match x:
                case 1:
                    return len
        """,
        """
        `match` in a program with a `len` of its own is not supported
          --> <test>:3:5
           |
         3 |     match x:
           |     ^^^^^^^^ patterns are compiled to calls of the builtin `len`
          help: rename it, or write `if`, `elif` and `else`
          code: match-with-shadowed-builtin
        """,
    ),
    "async_def": (
        """
        async def f(x):
            return x
        """,
        """
        asynchronous code is not supported
          --> <test>:1:1
           |
         1 | async def f(x):
           | ^^^^^^^^^^^^^^^ compiled code does not wait
          help: await before or after the call, or in a function that the host calls: `myia.host`
          code: unsupported-async
        """,
    ),
    "inner_async_def": (
        """
        def f(x):
            async def g():
                await x
            return g
        """,
        """
        asynchronous code is not supported
          --> <test>:2:5
           |
         2 |     async def g():
           |     ^^^^^^^^^^^^^^ compiled code does not wait
          help: await before or after the call, or in a function that the host calls: `myia.host`
          code: unsupported-async
        """,
    ),
    "del_of_captured": (
        """
        def f(x):
            y = x
            g = lambda: y
            del y
            return g
        """,
        """
        `del y` of a name that an inner function uses is not supported
          --> <test>:4:9
           |
         4 |     del y
           |         ^ deleted here
          help: leave out the `del`, or assign `None`
          code: delete-captured
        """,
    ),
    "yield_from": (
        """
        def f(x):
            y = 1 + (yield from x)
        """,
        """
        `yield from` inside an expression is not supported
          --> <test>:2:14
           |
         2 |     y = 1 + (yield from x)
           |              ^^^^^^^^^^^^ written here
          help: assign its value to a name: `x = yield from g`
          code: unsupported-yield
        """,
    ),
    "yield_in_finally": (
        """
        def f(x):
            try:
                x += 1
            finally:
                yield x
        """,
        """
        `yield` inside `finally` is not supported
          --> <test>:2:5
           |
         2 |     try:
           |     ^^^^ it would be reached when the generator is closed
          help: yield after the `try`
          code: yield-in-finally
        """,
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    program, message = map(textwrap.dedent, REFUSED[name])
    fn = define(program.lstrip("\n"), "f", "<test>")
    with pytest.raises(MyiaError) as info:
        load(fn)
    assert str(info.value) == message.strip("\n")


# Not in functions of Python 3: modules, nodes of Python 2, comments, and parameters of types.
ELSEWHERE = {gast.Module, gast.Interactive, gast.Expression, gast.FunctionType, gast.Suite}
ELSEWHERE |= {gast.Print, gast.Exec, gast.Repr, gast.type_ignore}
ELSEWHERE |= {gast.TypeVar, gast.TypeVarTuple, gast.ParamSpec}


def test_the_fence_speaks_of_every_class_of_gast():
    classes = {c for c in vars(gast).values() if isinstance(c, type) and issubclass(c, gast.AST)}
    abstract = {c for c in classes if any(d is not c and issubclass(d, c) for d in classes)}
    unspoken = {c for c in classes - abstract if not issubclass(c, LEAVES)} - set(FENCE)
    assert unspoken == ELSEWHERE


def test_the_first_refusal_in_the_text_is_reported():
    handler = "    try: x()\n    except* ValueError: pass\n"
    program = f"def f(x):\n{handler}    async def g(): pass\n"
    with pytest.raises(MyiaError, match=r"`except\*`"):
        load(define(program, "f", "<test>"))


def test_an_annotation_may_hold_anything():
    program = "def f(x: (a for a in ())) -> [0]:\n    y: (a for a in x) = x\n    return y\n"
    fn = define(program, "f", "<test>")
    assert load(fn).name == "f"


def test_too_deep():
    branches = "".join(f"    if x == {i}: return {i}\n" for i in range(1000))
    with pytest.raises(MyiaError) as info:
        load(define("def f(x):\n" + branches, "f", "<test>"))
    assert str(info.value) == (
        "`f` is nested too deeply\n"
        "  --> <test>:1:1\n"
        "   |\n"
        " 1 | def f(x):\n"
        "   | ^^^^^^^^^ branches, early returns and operators inside each other "
        "exceed the compiler's stack\n"
        "  help: move parts of it into functions of their own, or raise `sys.setrecursionlimit`\n"
        "  code: too-deep"
    )


def test_names_of_the_diagnostic_are_those_of_the_user():
    program = (
        "def make(n):\n    def f():\n        nonlocal n\n        n = 1\n    return f\nf = make(0)\n"
    )
    with pytest.raises(MyiaError) as info:
        load(define(program, "f", "<test>"))
    assert info.value.diagnostic.name == "n"
    assert info.value.diagnostic.span.line == 3
