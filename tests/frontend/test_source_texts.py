"""The text that is compiled is the text that runs, however a function came to be, and refused else.

Files are edited while their old code runs: before a function is given to the compiler, between that
and its first call, and in the files of its helpers.
"""

from __future__ import annotations

import doctest
import importlib
import importlib.machinery
import importlib.util
import itertools
import linecache
import pathlib
import runpy
import sys
import types

import pytest
from jaxtyping import install_import_hook

import myia
from myia.frontend.source_text import texts
from myia.source.diagnostics import MyiaError

NAMES = (f"edited_{i}" for i in itertools.count())

BEFORE = "import math\ndef g(x):\n    return x\n\ndef f(x, k=2.0):\n    y = x * k\n    return y\n"
# What a user may make of it meanwhile, at the same place and under the same name.
EDITS = {
    "constant": ("    y = x * k\n", "    y = x * 9.0\n"),
    "operator": ("x * k", "x + k"),
    "callee": ("x * k", "math.sin(x)"),
    "variable": ("y = x * k\n    return y", "z = x * k\n    return z"),
    "branch": ("    return y", "    return y if y > 100.0 else -y"),
    "type of a constant": ("x * k", "x * 2"),
    "inner function": ("x * k", "(lambda v: v * k)(x)"),
    "parameter": ("def f(x, k=2.0)", "def f(k, x=2.0)"),
    "other lines": ("import math", "import math\nimport os"),
    "gone": ("def f(", "def h("),
    "a mistake": ("return y", "return y)"),
}
CHANGED = "has changed since it was imported"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder on the path, whose modules are written to no cache."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return tmp_path


@pytest.fixture
def module(folder):
    """`module(text)`: the module of a new file, and its path."""
    names = []

    def make(text):
        names.append(next(NAMES))
        path = folder / f"{names[-1]}.py"
        path.write_text(text)
        return importlib.import_module(names[-1]), path

    yield make
    for name in names:
        sys.modules.pop(name, None)


def by_run_path(path):
    return runpy.run_path(str(path))["f"]


def by_import(path):
    return importlib.import_module(path.stem).f


def by_exec(path):
    namespace = {}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    return namespace["f"]


WAYS = [by_run_path, by_import, by_exec]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("edit", EDITS)
def test_a_file_edited_before_the_function_is_compiled(way, edit, folder):
    path = folder / f"{next(NAMES)}.py"
    path.write_text(BEFORE)
    f = way(path)
    path.write_text(BEFORE.replace(*EDITS[edit]))
    with pytest.raises(MyiaError, match=CHANGED):
        myia.jit(f)(3.0)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("edit", EDITS)
def test_a_file_edited_before_the_first_call(way, edit, folder):
    path = folder / f"{next(NAMES)}.py"
    path.write_text(BEFORE)
    F = myia.jit(way(path))
    path.write_text(BEFORE.replace(*EDITS[edit]))
    linecache.checkcache()  # as a traceback that is printed does
    assert F(3.0) == 6.0


@pytest.mark.parametrize("old, new", [("x * k", "x * k  # a comment"), ("x * k", "(x * k)")])
def test_edits_that_do_not_change_the_code(old, new, folder):
    path = folder / f"{next(NAMES)}.py"
    path.write_text(BEFORE)
    f = by_run_path(path)
    path.write_text(BEFORE.replace(old, new))
    assert myia.jit(f)(3.0) == 6.0


def test_each_version_of_a_file_that_runs_on_is_compiled(folder):
    path = folder / f"{next(NAMES)}.py"
    fs = []
    for k in range(4):
        path.write_text(f"def f(x):\n    return x * {k}.0\n")
        fs.append(myia.jit(by_run_path(path)))
    assert [f(1.0) for f in fs] == [0.0, 1.0, 2.0, 3.0]


def test_a_reloaded_module(module):
    made, path = module(BEFORE)
    old = myia.jit(made.f)
    path.write_text(BEFORE.replace("x * k", "x * 1000.0"))
    new = myia.jit(importlib.reload(made).f)
    assert (old(3.0), new(3.0)) == (6.0, 3000.0)


# ----- Helpers


HELPED = {
    "by name": "from {helper} import f\ndef run(x):\n    return f(x)\n",
    "by module": "import {helper}\ndef run(x):\n    return {helper}.f(x)\n",
    "inside": "from {helper} import f\ndef run(x):\n    return [f(v) for v in (x,)][0]\n",
    "in a closure": "from {helper} import f\ndef make(f):\n    return lambda x: f(x)\n"
    "run = make(f)\n",
    "of an instance": "import {helper}\ndef run(x):\n    return MODEL(x)\n"
    "class Model:\n    pass\nModel.__call__ = lambda self, x: {helper}.f(x)\nMODEL = Model()\n",
    "wrapped": "import functools\nfrom {helper} import f\n"
    "run = functools.wraps(f)(lambda *xs: f(*xs))\n",
}


@pytest.mark.parametrize("form", HELPED)
def test_a_helper_edited_before_the_first_call(form, module):
    helper, path = module(BEFORE)
    made, _ = module(HELPED[form].format(helper=helper.__name__))
    F = myia.jit(made.run)
    path.write_text(BEFORE.replace("x * k", "x * 9.0"))
    if form == "of an instance":  # its class is in the file of `run`, which names the helper
        with pytest.raises(MyiaError, match=CHANGED):
            F(3.0)
    else:
        assert F(3.0) == 6.0


def test_a_decorator_edited_before_the_first_call(module):
    text = "import functools\ndef twice(f):\n    return functools.wraps(f)(lambda x: 2.0 * f(x))\n"
    decorator, path = module(text)
    made, _ = module(f"from {decorator.__name__} import twice\n@twice\ndef f(x):\n    return x\n")
    F = myia.jit(made.f)
    path.write_text(text.replace("2.0", "9.0"))
    assert F(3.0) == 6.0


@pytest.mark.parametrize("transform", [myia.grad, myia.jacfwd, myia.hvp])
def test_a_helper_edited_before_the_function_is_compiled(transform, module):
    helper, path = module(BEFORE)
    made, _ = module(HELPED["by name"].format(helper=helper.__name__))
    path.write_text(BEFORE.replace("x * k", "x * 9.0"))
    F = transform(made.run)
    with pytest.raises(MyiaError, match=CHANGED):
        F(*(3.0,) * (2 if transform is myia.hvp else 1))


def test_rules_are_read_when_they_are_given(module):
    rules, path = module(
        "def f(x):\n    return x\n"
        "def jvp(primals, tangents):\n    return primals[0], 7.0 * tangents[0]\n"
        "def fwd(x):\n    return x, x\ndef bwd(x, ct):\n    return (7.0 * ct,)\n"
    )
    forward, backward = myia.custom_jvp(rules.f), myia.custom_vjp(rules.f)
    forward.defjvp(rules.jvp)
    backward.defvjp(rules.fwd, rules.bwd)
    remembered = myia.checkpoint(rules.f)
    path.write_text(
        path.read_text().replace("7.0", "9.0").replace("return x\n", "return x * 5.0\n")
    )
    assert myia.grad(forward)(1.0) == myia.grad(backward)(1.0) == 7.0
    assert myia.grad(remembered)(1.0) == 1.0


# ----- Texts without a file


def define(text, filename):
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace = {}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["f"]


def test_an_entry_of_linecache_that_is_replaced():
    f = define(BEFORE, "<replaced>")
    define(BEFORE.replace("x * k", "x * 9.0"), "<replaced>")
    with pytest.raises(MyiaError, match=CHANGED):
        myia.jit(f)(3.0)


def test_an_entry_of_linecache_that_is_replaced_before_the_first_call():
    F = myia.jit(define(BEFORE, "<replaced later>"))
    G = myia.jit(define(BEFORE.replace("x * k", "x * 9.0"), "<replaced later>"))
    assert (F(3.0), G(3.0)) == (6.0, 27.0)


def test_texts_of_one_name_are_not_kept_without_end():
    for k in range(3 * texts.MAX_TEXTS):
        myia.jit(define(f"def f(x):\n    return x * {k}.0\n", "<many>"))
    assert len(texts._kept["<many>"]) == texts.MAX_TEXTS


def test_future_statements_of_an_earlier_cell():
    """The outer function's code holds no annotation of the inner one's."""
    text = "def f(x):\n    def g(y: none):\n        return y * 2.0\n    return g(x)\n"
    name = "<a later cell>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {}
    flag = importlib.import_module("__future__").annotations.compiler_flag
    exec(compile(text, name, "exec", flag), namespace)
    assert myia.jit(namespace["f"])(3.0) == 6.0


def test_doctests():
    examples = """
    >>> import myia
    >>> def f(x):
    ...     return x * 3.0
    >>> myia.jit(f)(2.0)
    6.0
    >>> def f(x):
    ...     return x * 4.0
    >>> myia.grad(lambda x: f(x) * x)(2.0)
    16.0
    """
    test = doctest.DocTestParser().get_doctest(examples, {}, "examples", None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


class Shell:
    """What the compiler asks IPython for."""

    def __init__(self, *cells):
        self.history_manager = types.SimpleNamespace(input_hist_parsed=list(cells))

    def transform_cell(self, text):
        return text


def magic(name, text):
    return f"get_ipython().run_cell_magic({name!r}, '', {text!r})\n"


@pytest.fixture
def in_ipython(monkeypatch):
    def enter(*cells):
        shell = Shell(*cells)
        monkeypatch.setitem(
            sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell)
        )

    return enter


@pytest.mark.parametrize("name", ["<timed exec>", "<string>"])
def test_cells_under_a_magic(name, in_ipython):
    """IPython compiles the rest of such a cell under a name of which nobody has a text."""
    cells = [f"def f(x):\n    return x * {k}.0\n" for k in range(3)]
    in_ipython(
        "", *(magic("time", text) for text in cells), magic("capture", magic("time", BEFORE))
    )
    for text, value in zip([*cells, BEFORE], (0.0, 3.0, 6.0, 6.0), strict=True):
        namespace = {}
        exec(compile(text, name, "exec"), namespace)
        assert myia.jit(namespace["f"])(3.0) == value


def test_other_cells_are_no_text_of_a_function(in_ipython):
    in_ipython("x = 1", magic("time", BEFORE), "this is ( no Python run_cell_magic")
    namespace = {}
    exec(compile(BEFORE.replace("x * k", "x * 9.0"), "<timed exec>", "exec"), namespace)
    with pytest.raises(MyiaError, match="the source of `f` is not available"):
        myia.jit(namespace["f"])(3.0)


# ----- Loaders that change the code


def forget(path):
    texts._lines.pop(str(path), None)
    texts._kept.pop(str(path))
    linecache.clearcache()


ASSERTS = """
def f(x):
    assert x > 0.0, "positive"
    return x * 2.0

def g(x):
    return x * 2.0
"""


@pytest.fixture
def rewritten(folder):
    """A module whose asserts pytest rewrites, and its path."""
    name = next(NAMES)
    path = folder / f"{name}.py"
    path.write_text(ASSERTS)
    pytest.register_assert_rewrite(name)
    yield importlib.import_module(name), path
    sys.modules.pop(name, None)


@pytest.mark.parametrize("name", ["f", "g"])
def test_what_pytest_rewrites(name, rewritten):
    module, _ = rewritten
    F = myia.jit(getattr(module, name))
    assert "@pytest_ar" in vars(module)
    assert F(3.0) == 6.0
    if name == "f":
        with pytest.raises(AssertionError, match="positive"):
            F(-3.0)


@pytest.mark.parametrize("name", ["f", "g"])
@pytest.mark.parametrize("old, new", [("x * 2.0", "x * 9.0"), ("x > 0.0", "x > 1.0")])
def test_what_pytest_rewrote_is_edited(name, old, new, rewritten):
    module, path = rewritten
    function = getattr(module, name)
    taken = myia.jit(function)
    path.write_text(ASSERTS.replace(old, new))
    assert taken(3.0) == 6.0
    forget(path)
    if name == "g" and "0.0" in old:  # its own code is what it was
        assert myia.jit(function)(3.0) == 6.0
        return
    function.__code__ = function.__code__.replace()  # not compiled yet
    with pytest.raises(MyiaError, match=CHANGED):
        myia.jit(function)(3.0)


def test_what_a_type_checkers_hook_rewrites(folder):
    name = next(NAMES)
    text = "def f(x: float):\n    def g(y: float):\n        return y * 2.0\n    return g(x)\n"
    path = folder / f"{name}.py"
    path.write_text(text)
    with install_import_hook(name, None):
        module = importlib.import_module(name)
    f = module.f.__wrapped__
    assert "jaxtyping" in f.__code__.co_names
    assert myia.jit(f)(3.0) == 6.0
    path.write_text(text.replace("2.0", "9.0"))
    forget(path)
    f.__code__ = f.__code__.replace()  # not compiled yet
    with pytest.raises(MyiaError, match=CHANGED):
        myia.jit(f)(3.0)


class SilentLoader(importlib.machinery.SourcelessFileLoader):
    """It changes constants and does not say how."""

    source_to_code = None

    def exec_module(self, module):
        text = pathlib.Path(self.path).read_text().replace("2.0", "3.0")
        exec(compile(text, self.path, "exec"), vars(module))


def test_what_an_unknown_loader_rewrites(folder):
    path = folder / f"{next(NAMES)}.py"
    path.write_text(ASSERTS + "\n\ndef h(x):\n    return x * 5.0\n")
    loader = SilentLoader(path.stem, str(path))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_file_location(path.stem, path, loader=loader)
    )
    loader.exec_module(module)
    assert module.g(1.0) == 3.0
    with pytest.raises(MyiaError, match=CHANGED):
        myia.jit(module.g)(1.0)
    assert myia.jit(module.h)(1.0) == 5.0
