"""What is refused: every kind of diagnostic, its programs, and the messages of its sites."""

from __future__ import annotations

import ast
import importlib
import linecache
import re
import textwrap
from collections import defaultdict
from dataclasses import MISSING, dataclass, fields
from functools import cache
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

import myia
from myia.infer.unsupported import Unsupported, UnsupportedJax
from myia.source.diagnostics import Diagnostic, MyiaError
from tests.frontend.test_refusals import REFUSED
from tests.infer.test_refusals import DIFFERENTIATED, FILE, PROGRAMS
from tests.refusals.examples import EXAMPLES, MORE

PACKAGE = Path(myia.__file__).parent
GOLDEN = Path(__file__).parents[1] / "golden" / "infer" / "test_refusals"
GIVEN = "…"  # what a program puts into a message


def kinds() -> dict[str, type[Diagnostic]]:
    """By code: every diagnostic that has one, but bases of families."""
    for path in PACKAGE.rglob("*.py"):
        if "(Diagnostic):" in path.read_text():
            importlib.import_module(_module(path))
    found = [d for d in _subclasses(Diagnostic) if d.code and d is not Unsupported]
    assert len({d.code for d in found}) == len(found), "two diagnostics of one name"
    return {d.code: d for d in sorted(found, key=lambda d: d.code)}


def _module(path: Path) -> str:
    return ".".join(("myia", *path.relative_to(PACKAGE).with_suffix("").parts))


def _subclasses(cls: type) -> list[type]:
    return [c for s in cls.__subclasses__() for c in (s, *_subclasses(s))]


def shown(kind: type[Diagnostic], template: str) -> str:
    """A template, with the defaults of fields in it."""
    defaults = {
        f.name: GIVEN if f.default is MISSING else f.default for f in fields(kind.as_dataclass())
    }
    return template.replace(":,}", "}").format(**defaults)


# ----- Programs


@cache
def programs() -> dict[str, list[str]]:
    """By code: programs, each with its message."""
    found = {code: [text] for code, text in _first_programs().items()}
    for code, sources in MORE.items():
        found[code] += map(refusal, sources)
    return found


def _first_programs() -> dict[str, str]:
    found = {code: refusal(source) for code, source in EXAMPLES.items()}
    for path in sorted(GOLDEN.glob("*.txt")):
        found.setdefault(path.read_text().rpartition("code: ")[2].strip(), with_call(path))
    for program, message in REFUSED.values():
        source, told = (textwrap.dedent(text).strip() for text in (program, message))
        code = told.rpartition("code: ")[2]
        found.setdefault(code, f"{source}\n\nmyia.jit(f)(1.0)\n\n{told}\n")
    return found


def refusal(source: str) -> str:
    """A program whose last line is refused, and the message."""
    source = textwrap.dedent(source).strip()
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    namespace = {"np": np, "jax": jax, "jnp": jnp, "myia": myia, "dataclass": dataclass}
    try:
        exec(compile(source, FILE, "exec"), {"__name__": "program", **namespace})
    except MyiaError as error:
        return f"{source}\n\n{error}\n"
    raise AssertionError(f"this runs:\n{source}")


def with_call(path: Path) -> str:
    """A golden file of refusals, with the call that its test makes."""
    name = path.stem.partition(".")[2]
    is_gradient = name in DIFFERENTIATED
    source, args, *_ = (DIFFERENTIATED if is_gradient else PROGRAMS)[name]
    source = textwrap.dedent(source).strip()
    call = f"myia.{'grad' if is_gradient else 'jit'}(f)({', '.join(map(_spelt, args))})"
    return f"{source}\n\n{call}{path.read_text().removeprefix(source)}"


def _spelt(x: object) -> str:
    text = np.array_repr(x).replace("\n", "") if isinstance(x, np.ndarray) else repr(x)
    return f"np.{text}" if isinstance(x, np.ndarray) else text


# ----- Sites


@cache
def messages() -> dict[str, dict[str, str]]:
    """By code of a family: what it says at each of its sites, and the way out there."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for path in sorted(PACKAGE.rglob("*.py")):
        if "unsupported" in (text := path.read_text()):
            names = vars(importlib.import_module(_module(path)))
            for function in ast.walk(ast.parse(text)):
                if isinstance(function, ast.FunctionDef):
                    _Site(function, names).add_to(found)
    return {code: dict(sorted(rows.items())) for code, rows in found.items()}


class _Site:
    def __init__(self, function: ast.FunctionDef, names: dict[str, object]):
        self.function, self.names = function, names

    def add_to(self, found: dict[str, dict[str, str]]) -> None:
        for call in ast.walk(self.function):
            if not isinstance(call, ast.Call):
                continue
            kind = next((k for x in (*call.args, call.func) if (k := self.kind(x))), None)
            keywords = {k.arg: k.value for k in call.keywords}
            if ast.unparse(call.func) == "unsupported":  # of JAX: `what` is the first argument
                kind, keywords = UnsupportedJax, {"what": call.args[0]}
            if kind and "what" in keywords:
                help_text = keywords.get("help_text")
                out = self.texts(help_text) if help_text else []
                for what in self.texts(keywords["what"]):
                    if set(re.findall(r"\w+", what)) - {"a", "and", "as", "is", "of", "that"}:
                        found[kind.code].setdefault(what, out[0] if len(out) == 1 else "")

    def kind(self, node: ast.expr) -> type[Unsupported] | None:
        found = self.names.get(node.id) if isinstance(node, ast.Name) else None
        return found if isinstance(found, type) and issubclass(found, Unsupported) else None

    def texts(self, node: ast.expr) -> list[str]:
        """What an expression may be, with dots for what a program puts into it."""
        match node:
            case ast.Constant(str(text)):
                return [text]
            case ast.JoinedStr(values):
                parts = (v.value if isinstance(v, ast.Constant) else GIVEN for v in values)
                return ["".join(map(str, parts))]
            case ast.IfExp():
                return self.texts(node.body) + self.texts(node.orelse)
            case ast.Name(id) if isinstance(text := self.names.get(id), str):
                return [text]
            case ast.Name(id):
                assigned = (n for n in ast.walk(self.function) if isinstance(n, ast.Assign))
                values = [n.value for n in assigned if ast.unparse(n.targets[0]) == id]
                return [text for value in values for text in self.texts(value)]
        return []
