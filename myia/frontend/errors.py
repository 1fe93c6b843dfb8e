"""Diagnostics of the frontend: one class per refused construct."""

from __future__ import annotations

from myia.source.diagnostics import Diagnostic

# ----- Functions whose source cannot be had


class NotAFunction(Diagnostic):
    title = "{what} is not a Python function"
    notes = ("myia compiles the source of functions, lambdas and methods written in Python",)
    help = "wrap it in a Python function that calls it"
    what: str


class NoSource(Diagnostic):
    title = "the source of `{name}` is not available"
    notes = ("it was defined in {file}, and Python has no text of it",)
    help = "define it in a file or a notebook cell, not by `exec` or on the interactive prompt"
    name: str
    file: str


class SourceChanged(Diagnostic):
    title = "the source of `{name}` has changed since it was imported"
    notes = ("{file}, line {line}, no longer holds the code that Python runs",)
    help = "reload the module, or start Python again"
    name: str
    file: str
    line: int


class AmbiguousLambda(Diagnostic):
    title = "several lambdas on one line"
    label = "it cannot be told which of them is meant"
    help = "put each lambda on a line of its own, or give it a name with `def`"


class TooDeep(Diagnostic):
    title = "`{name}` is nested too deeply"
    label = "branches, early returns and operators inside each other exceed the compiler's stack"
    help = "move parts of it into functions of their own, or raise `sys.setrecursionlimit`"
    name: str


# ----- Statements


class UnsupportedTryStar(Diagnostic):
    title = "`except*` is not supported"
    label = "compiled code raises no groups of exceptions"
    help = "write `except`"


class UnsupportedClassBody(Diagnostic):
    title = "this statement is not supported in the body of a class"
    label = "the class `{name}` is made of methods, values and annotations"
    help = "write it before the class, or define the class at the top of the module"
    name: str


class UnboundInClass(Diagnostic):
    title = "`{name}` is read before the class gives it a value"
    label = "`{name}` is a name of the class `{cls}`; Python would look for it in the module"
    help = "use another name for one of the two"
    name: str
    cls: str


class NonlocalOfPython(Diagnostic):
    title = "`{name}` belongs to a function that is not compiled"
    label = "assigned through `nonlocal` here"
    help = "return the new value, and assign it where the function is called"
    name: str


class MatchWithShadowedBuiltin(Diagnostic):
    title = "`match` in a program with a `{name}` of its own is not supported"
    label = "patterns are compiled to calls of the builtin `{name}`"
    help = "rename it, or write `if`, `elif` and `else`"
    name: str


class UnsupportedAsync(Diagnostic):
    title = "asynchronous code is not supported"
    label = "compiled code does not wait"
    help = "await before or after the call, or in a function that the host calls: `myia.host`"


class UnsupportedTypeAlias(Diagnostic):
    title = "a `type` statement inside a compiled function is not supported"
    label = "defined here"
    help = "define the alias at the top of the module"


class DeleteGlobal(Diagnostic):
    title = "`del {name}` of a global is not supported"
    label = "deleted here"
    help = "assign `None`"
    name: str


class DeleteCaptured(Diagnostic):
    title = "`del {name}` of a name that an inner function uses is not supported"
    label = "deleted here"
    help = "leave out the `del`, or assign `None`"
    name: str


# ----- Expressions


class UnsupportedYield(Diagnostic):
    title = "`yield from` inside an expression is not supported"
    label = "written here"
    help = "assign its value to a name: `x = yield from g`"


class UnsupportedContextFunction(Diagnostic):
    title = "`{name}` cannot be cut in two at its `yield`"
    label = "under `contextmanager` one `yield` is supported, outside of branches and loops"
    help = "write a class with `__enter__` and `__exit__`"
    name: str


class YieldInFinally(Diagnostic):
    title = "`yield` inside `finally` is not supported"
    label = "it would be reached when the generator is closed"
    help = "yield after the `try`"


class UnsupportedTemplate(Diagnostic):
    title = "template strings are not supported"
    label = "written here"
    help = "write an f-string"
