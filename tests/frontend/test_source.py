"""Functions are found in their source, or refused clearly."""

import functools
import importlib
import linecache
import math
import sys

import pytest

from myia.frontend.load import load
from myia.frontend.source_text.find import find
from myia.ir.core import walk
from myia.primitives.core import py
from myia.source.diagnostics import MyiaError
from tests.frontend.compare import define, interpreted
from tests.frontend.lambdas import ALIKE, BY_LINES, CURRIED, ON_ONE_LINE, PAIR, decorated, non_ascii


@pytest.mark.parametrize("fns", [ON_ONE_LINE, BY_LINES, ALIKE])
def test_lambdas_of_a_list(fns):
    assert [interpreted(f)(10) for f in fns] == [f(10) for f in fns]


def test_lambda_in_lambda():
    assert interpreted(CURRIED)(3)(4) == 7
    assert interpreted(CURRIED(3))(4) == 7


def test_lambdas_as_arguments_of_one_call():
    assert [interpreted(f)(2) for f in PAIR] == [3, 4]


def test_locations_are_those_of_the_file():
    code = load(decorated)
    assert code.span.file.name == sys.modules["tests.frontend.lambdas"].__file__
    assert code.span.file.line(code.span.line) == "def decorated(x):"
    (op,) = [op for op in walk(code.region) if op.primitive is py.binary]
    line = code.span.file.line(op.span.line)
    assert line[op.span.col : op.span.end_col] == "x * 3"


def test_columns_are_characters():
    code = load(non_ascii)
    (op,) = [op for op in walk(code.region) if op.primitive is py.binary and op.params["op"] == "*"]
    line = code.span.file.line(op.span.line)
    assert line[op.span.col : op.span.end_col] == "é * 2"


def refusal(fn) -> str:
    with pytest.raises(MyiaError) as info:
        load(fn)
    return str(info.value)


def test_builtin():
    assert refusal(math.sin) == (
        "`sin` is not a Python function\n"
        "  note: myia compiles the source of functions, lambdas and methods written in Python\n"
        "  help: wrap it in a Python function that calls it\n"
        "  code: not-a-function"
    )


def test_object():
    first = refusal(functools.partial(decorated, 1)).splitlines()[0]
    assert first == "an object of type `partial` is not a Python function"


@pytest.mark.parametrize("known", [None, "print('another text')\n"])
def test_exec(known, monkeypatch):
    """Python 3.13 keeps the text of `python -c` under the name that `exec` uses."""
    monkeypatch.delitem(linecache.cache, "<string>", raising=False)
    if known is not None:
        monkeypatch.setitem(linecache.cache, "<string>", (len(known), None, [known], "<string>"))
    namespace = {}
    exec("def f(x): return x", namespace)
    assert refusal(namespace["f"]) == (
        "the source of `f` is not available\n"
        "  note: it was defined in <string>, and Python has no text of it\n"
        "  help: define it in a file or a notebook cell, "
        "not by `exec` or on the interactive prompt\n"
        "  code: no-source"
    )


def test_changed_file(tmp_path, monkeypatch):
    path = tmp_path / "changing.py"
    path.write_text("def f(x):\n    return x + 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    module = importlib.import_module("changing")
    path.write_text("def f(x):\n    return x + 2000\n")
    assert refusal(module.f) == (
        "the source of `f` has changed since it was imported\n"
        f"  note: {path}, line 1, no longer holds the code that Python runs\n"
        "  help: reload the module, or start Python again\n"
        "  code: source-changed"
    )
    module = importlib.reload(module)
    assert interpreted(module.f)(1) == 2001


def test_changed_after_it_was_read(tmp_path, monkeypatch):
    path = tmp_path / "read_once.py"
    path.write_text("def f(x):\n    return x + 1\ndef g(x):\n    return x + 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("read_once")
    assert interpreted(module.f)(1) == 2
    path.write_text("def f(x):\n    return x\ndef g(x):\n    return x + 3000\n")
    assert interpreted(module.g)(1) == 3  # from the text as it was imported


def test_lambdas_that_cannot_be_told_apart():
    text = "def make(k):\n    return [lambda x: x + k, lambda x: x * k]\nfs = make(2)\n"
    f, g = define(text, "fs", "<two lambdas>")
    f.__code__ = f.__code__.replace(co_linetable=b"")  # as under `python -X no_debug_ranges`
    assert interpreted(g)(3) == 6
    assert refusal(f) == (
        "several lambdas on one line\n"
        "  --> <two lambdas>:2:13\n"
        "   |\n"
        " 2 |     return [lambda x: x + k, lambda x: x * k]\n"
        "   |             ^^^^^^^^^^^^^^^ it cannot be told which of them is meant\n"
        "  help: put each lambda on a line of its own, or give it a name with `def`\n"
        "  code: ambiguous-lambda"
    )


def test_lambdas_without_locations_are_told_apart_by_their_code():
    text = "fs = [lambda x: x + 1, lambda x: x + 2, lambda x: (1, 0.0), lambda x: (1, -0.0)]\n"
    for f in define(text, "fs", "<four lambdas>"):
        value = f(10)
        f.__code__ = f.__code__.replace(co_linetable=b"")
        assert repr(interpreted(f)(10)) == repr(value)


def test_code_is_loaded_once_and_namespaces_are_kept_apart():
    def make(k):
        def f(x):
            return [k * v for v in x], lambda: k

        return f

    f, g = make(2), make(3)
    a, b = load(f), load(g)
    assert load(g) is b
    assert interpreted(f)([1])[0] == [2] and interpreted(g)([1])[0] == [3]
    assert interpreted(f)([1])[1]() == 2 and interpreted(g)([1])[1]() == 3
    assert a.namespace is not b.namespace


def test_closures_without_inner_functions_share_their_region():
    def make(k):
        return lambda x: x * k

    assert load(make(1)).region is load(make(2)).region


def test_find_returns_the_file_of_the_function():
    node, file = find(decorated)
    assert node.name == "decorated" and file.name == sys.modules["tests.frontend.lambdas"].__file__
