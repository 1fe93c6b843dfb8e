"""Python objects are asked through facts only (`infer/domain/facts.py`).

The files of inference and of the library are read for code that looks into Python objects by
itself. What is left is listed, with what it looks at.
"""

from __future__ import annotations

import ast
import pathlib
from collections import Counter

import pytest

import myia

ROOT = pathlib.Path(myia.__file__).parent
FILES = sorted([*(ROOT / "infer").rglob("*.py"), *(ROOT / "library").rglob("*.py")])

OF_VALUES = {
    *("getattr", "hasattr", "vars", "len", "bool", "iter", "str", "repr", "format", "list"),
    *("tuple", "sorted", "sum", "issubclass", "callable", "dir", "hash"),
}
OF_ANYTHING = {"getattr_static", "unwrap", "getmembers"}

SIGNATURES = "takes arguments and answers apart, at every call"
MESSAGE = "the text of an error"
LIBRARY = "an object of a library"
OPTION = "an option, which is an immutable value or is refused"
OWN = "an object of the compiler"
# file -> (how often, what it looks at)
ALLOWED = {
    "infer/attributes.py": (1, "an attribute of an immutable value"),
    "infer/boundary/differentiable_leaves.py": (1, OWN),
    "infer/boundary/exceptions.py": (1, "the class of an exception that the program makes"),
    "infer/boundary/undifferentiated.py": (1, MESSAGE),
    "infer/derivatives/lost_state.py": (1, "the text of a warning"),
    "infer/derivatives/parameters.py": (4, "names of parameters"),
    "infer/domain/describe.py": (1, MESSAGE),
    "infer/domain/facts.py": (2, "the facts themselves"),
    "infer/eval/calls.py": (1, MESSAGE),
    "infer/eval/program.py": (1, "names of parameters"),
    "infer/indexing/parse_subscripts.py": (1, OPTION),
    "infer/jax/objects/calls.py": (1, MESSAGE),
    "infer/recursion/calls.py": (1, "the length of a text or a tuple, which do not change"),
    "infer/jax/objects/pytrees.py": (1, LIBRARY),
    "infer/loops/fixed_point.py": (1, OWN),
    "infer/operators/comparison.py": (2, "a set or a tuple of immutable values"),
    "infer/operators/operators.py": (1, "a tuple of immutable values"),
    "infer/paths/choice.py": (2, "is it a function, or a class of ours? Its type and mark tell"),
    "infer/paths/merge.py": (1, "is it a class of ours? Its mark tells"),
    "library/numpy/arrays/array_methods.py": (1, OPTION),
    "library/numpy/ufuncs/vectorize.py": (1, OPTION),
    "library/support/arguments.py": (1, OPTION),
}


def looks(tree: ast.AST) -> Counter:
    """What the code does with `x.value`, a Python object that inference holds."""
    found: Counter = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in OF_VALUES and node.args and _is_held(node.args[0]):
                found[node.func.id] += 1
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found[node.func.attr] += node.func.attr in OF_ANYTHING
        elif isinstance(node, ast.Compare):
            pairs = zip(node.ops, node.comparators)
            found["in"] += sum(
                isinstance(op, (ast.In, ast.NotIn)) and _is_held(x) for op, x in pairs
            )
        elif isinstance(node, (ast.For, ast.comprehension)):
            found["for"] += _is_held(node.iter)
    return +found


def _is_held(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "value"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_python_objects_are_asked_through_facts(path):
    found = looks(ast.parse(path.read_text()))
    count, _ = ALLOWED.get(path.relative_to(ROOT).as_posix(), (0, ""))
    advice = "ask through `ctx.fact` or `ctx.root`, so that the program sees a change"
    assert found.total() <= count, f"{dict(found)}: {advice}"


def test_the_list_of_exceptions_is_short():
    known = {path.relative_to(ROOT).as_posix() for path in FILES}
    assert ALLOWED.keys() <= known
    assert sum(count for count, _ in ALLOWED.values()) < 30


@pytest.mark.parametrize(
    "code", ["len(x.value)", "y in x.value", "[i for i in x.value]", "inspect.getattr_static(c, n)"]
)
def test_looking_is_found(code):
    assert looks(ast.parse(code)).total() == 1
