"""The parser of the IR's text form (grammar: `ir/printer.py`).

The builder makes the ops, so the shape rules type them; result avals in the text are checked
against the rules. `parse(to_text(f))` is the same program as `f`
(`ir/equality.py`), and its text is the same character by character, source lines included.
Parameters that print as `<...>` (arbitrary Python objects) cannot be read back.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from myia.ir.avals import I64, PY, Aval, dtype_name, parse_dtype
from myia.ir.builder import Builder, at, emit
from myia.ir.code import Code, Namespace, Parameter
from myia.ir.core import Function, Region, Value
from myia.ir.lexer import Cursor
from myia.ir.primitive import PRIMITIVES
from myia.source.diagnostics import InternalError

Declared = Sequence[tuple[str, Aval]]
Bindings = list[tuple[str, Value]]
# The name of a primitive, its operands, regions and parameters.
Parsed = tuple[str, Sequence[Value], Sequence[Region], dict[str, Any]]

_LITERALS = {"True": True, "False": False, "None": None}


def parse(text: str, namespace: Namespace | None = None) -> Function | Code:
    """The function, or the first of the codes, that `text` holds.

    `namespace` is that of the codes. Raises `ParseError`, naming the line of the text.
    """
    return _Parser(text, namespace or Namespace({}, {})).program()


class _Parser(Cursor):
    def __init__(self, text: str, namespace: Namespace):
        super().__init__(text)
        self.namespace = namespace
        self.scopes: list[dict[str, Value]] = []
        self.python = False  # whether the current section is of IR(py)
        self.codes: dict[str, Code] = {}
        self.sections = {
            self.tokens[i + 1].text: i
            for i, token in enumerate(self.tokens[:-1])
            if token.text == "code" and self.tokens[i + 1].kind == "at"
        }

    # ----- Names

    def name(self) -> str:
        """The name after an `@`."""
        return self.next("at")[1:].strip('"')

    def value(self) -> Value:
        name = self.next("value")
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        self.position -= 1
        raise self.error(f"{name} is not defined here")

    def define(self, name: str, value: Value) -> Value:
        if not name[1:].isdigit():
            value.name = re.sub(r"\.\d+$", "", name[1:])
        self.scopes[-1][name] = value
        return value

    def aval(self) -> Aval:
        dtype = self.dtype(self.next("word"))
        self.expect("[")
        return Aval(dtype, tuple(int(n) for n in self.listed(lambda: self.next("number"), "]")))

    def dtype(self, word: str) -> np.dtype:
        dtype: np.dtype | None
        try:
            dtype = parse_dtype(word)
        except TypeError:
            dtype = None
        if dtype is None or dtype_name(dtype) != word:
            raise self.error(f"{word!r} is no dtype")
        return dtype

    def annotation(self) -> Aval | None:
        return self.aval() if self.accept(":") else None

    def declared(self) -> tuple[str, Any]:
        """`%x: aval`, or `%x` alone for a Python object."""
        return self.next("value"), self.annotation() or PY

    def binding(self) -> tuple[str, Value]:
        """`%arg = %initial`."""
        name = self.next("value")
        self.expect("=")
        return name, self.value()

    def bindings(self) -> Bindings:
        self.expect("(")
        return self.listed(self.binding, ")")

    # ----- Sections

    def program(self) -> Function | Code:
        self.newlines()
        if self.peek().text == "func":
            return self.function()
        if self.peek().text != "code":
            raise self.error(f"expected 'func' or 'code', found {self.peek().text!r}")
        return self.code(self.tokens[self.position + 1].text)

    def function(self) -> Function:
        span = self.spans.get(self.peek().line)
        self.expect("func")
        name = self.name()
        self.expect("(")
        args = self.listed(self.declared, ")")
        avals = self.some(self.aval) if self.accept("->") else []
        checks = self.param() if self.accept("checks") else ()
        self.python = any(aval is PY for _, aval in args)
        region = self.region(args, "return")
        found = [y.aval for y in region.yields if y.aval is not PY]
        if avals and avals != found:
            raise self.error(f"@{name} returns {', '.join(map(str, found))}")
        return Function(name, region, span, checks)

    def code(self, name: str) -> Code:
        """The code of that section, parsed once, at the first reference to it."""
        if name not in self.codes:
            if name not in self.sections:
                raise self.error(f"there is no section of the code {name}")
            saved = self.position, self.scopes, self.python
            self.position, self.scopes, self.python = self.sections[name], [], True
            self.codes[name] = self.code_section()
            self.position, self.scopes, self.python = saved
        return self.codes[name]

    def code_section(self) -> Code:
        span = self.spans.get(self.peek().line)
        self.expect("code")
        name = re.sub(r"\.\d+$", "", self.name())
        captured = self.listed(self.captured, "]") if self.accept("[") else []
        self.expect("(")
        parameters = self.listed(self.parameter, ")")
        region = self.region([(arg, PY) for _, arg in captured + parameters], "return")
        names = tuple(name for name, _ in captured)
        return Code(name, tuple(p for p, _ in parameters), names, region, self.namespace, span)

    def captured(self) -> tuple[str, str]:
        name = self.next("word")
        self.expect(":")
        return name, self.next("value")

    def parameter(self) -> tuple[Parameter, str]:
        kind = "POSITIONAL_OR_KEYWORD"
        if self.accept("*"):
            kind = "VAR_POSITIONAL"
        elif self.accept("**"):
            kind = "VAR_KEYWORD"
        name = self.next("word")
        if name in ("positional_only", "keyword_only") and self.peek().kind == "word":
            kind, name = name.upper(), self.next("word")
        default = self.accept("=")
        if default:
            self.expect("...")
        self.expect(":")
        return Parameter(name, kind, default), self.next("value")

    # ----- Regions

    def region(self, args: Declared, word: str = "yield") -> Region:
        """`{ block }`, a region whose arguments have these names and avals."""
        self.expect("{")
        self.scopes.append({})
        values = tuple(self.define(name, Value(aval)) for name, aval in args)
        yields: list[Value] = []
        with Builder() as b:
            self.newlines()
            while self.peek().text not in ("}", word):
                self.op()
                self.newlines()
            if self.accept(word):
                yields = self.uses()
                self.newlines()
        self.expect("}")
        self.scopes.pop()
        return Region(values, tuple(b.ops), tuple(yields))

    def part(self, word: str, args: Declared) -> Region:
        self.newlines()
        self.expect(word)
        region = self.region(args)
        self.newlines()
        return region

    def uses(self) -> list[Value]:
        """`%x, %y, ...`, perhaps none."""
        return self.some(self.value) if self.peek().kind == "value" else []

    # ----- Ops

    def op(self) -> None:
        span = self.spans.get(self.peek().line)
        left: list[tuple[str, Aval | None]] = []
        if self.peek().kind == "value":
            left = self.some(lambda: (self.next("value"), self.annotation()))
            self.expect("=")
        form: Callable[[_Parser], Parsed] = _FORMS.get(self.peek().text, _Parser.generic)
        if self.at_literal():
            form = _Parser.constant
        name, operands, regions, params = form(self)
        try:
            with at(span):
                results = emit(PRIMITIVES[name], *operands, regions=regions, **params)
        except (InternalError, TypeError, ValueError) as error:
            raise self.error(f"{name}: {error}") from error
        if len(results) != len(left):
            raise self.error(f"{name} has {len(results)} results")
        for (result, aval), y in zip(left, results):
            self.define(result, y)
            if aval is not None and aval != y.aval:
                raise self.error(f"{result} is {y.aval}, not {aval}")

    def generic(self) -> Parsed:
        name = self.next("word")
        if name not in PRIMITIVES:
            self.position -= 1
            raise self.error(f"there is no primitive {name!r} (is its module imported?)")
        operands = self.uses()
        params = self.params() if self.peek().text == "{" else {}
        regions: list[Region] = []
        while self.accept("("):
            regions.append(self.region(self.listed(self.declared, ")")))
        return name, operands, regions, params

    def at_literal(self) -> bool:
        """Whether a `constant` follows. (`complex` is a primitive too, without parentheses.)"""
        token, after = self.tokens[self.position : self.position + 2]
        if token.text == "complex":
            return after.text == "("
        return token.kind == "number" or token.text in ("True", "False")

    def constant(self) -> Parsed:
        value = self.param()
        self.expect(":")
        aval = self.aval()
        return "constant", (), (), {"value": value, "dtype": aval.dtype, "shape": aval.shape}

    def if_(self) -> Parsed:
        self.expect("if")
        pred, params = self.value(), self.rest()
        then = self.region(())
        self.expect("else")
        return "if", (pred,), (then, self.region(())), params

    def call(self) -> Parsed:
        self.expect("call")
        name, bindings = self.name(), self.bindings()
        params = {"name": name, **self.rest()}
        return "call", [x for _, x in bindings], [self.region(_avals(bindings))], params

    def derivative(self) -> Parsed:
        self.expect("derivative")
        params: dict[str, Any] = {"mode": self.next("word")}
        for name in ("wrt", "of"):
            self.expect(name)
            params[name] = self.param()
        bindings = self.bindings()
        self.expect("seeds")
        self.expect("(")
        seeds = self.listed(self.value, ")")
        params |= self.rest()
        operands = [*(x for _, x in bindings), *seeds]
        return "derivative", operands, [self.region(_avals(bindings))], params

    def loop(self) -> Parsed:
        """A `loop`, or a `rev`, which has an adjoint."""
        is_rev = self.accept("rev")
        count, bindings, args, params = self.loop_head()
        cts: list[tuple[str, Value, int]] = []
        accs: Bindings = []
        self.newlines()
        if self.accept("ct"):
            self.expect("(")
            carries = [name for name, _ in bindings]
            cts = self.listed(lambda: self.cotangent(carries), ")")
        if self.accept("acc"):
            accs = self.bindings()
        if is_rev:
            params["active"] = tuple(i for _, _, i in cts)
        params |= self.rest()
        position = self.position
        self.expect("{")
        self.newlines()
        params["conditional"] = self.peek().text == "cond"
        seeds = [(name, seed) for name, seed, _ in cts] + accs
        operands = [*count, *(x for _, x in bindings + seeds)]
        if not (is_rev or params["conditional"]):
            self.position = position
            return "loop", operands, [self.region(args)], params
        regions = [self.part("cond", args)] if params["conditional"] else []
        regions.append(self.part("body", args))
        if is_rev:
            regions.append(self.part("adjoint", [*args, *_avals(seeds)]))
        self.expect("}")
        return "rev" if is_rev else "loop", operands, regions, params

    def cotangent(self, carries: list[str]) -> tuple[str, Value, int]:
        """`%ct = %seed of %carry`."""
        name, seed = self.binding()
        self.expect("of")
        return name, seed, carries.index(self.next("value"))

    def loop_head(self) -> tuple[Sequence[Value], Bindings, Declared, dict[str, Any]]:
        """The count (or nothing), the carries, the arguments of the regions, the parameters."""
        counted, index = self.accept("for"), "%_"
        count: list[Value] = []
        if not counted:
            self.expect("while")
        index_aval = PY if self.python else I64
        if self.peek().kind == "value":
            index = self.next()
        if counted:
            index_aval = PY if self.accept("in") else I64
            if index_aval is I64:
                self.expect("<")
            count = [self.value()]
        bindings = self.bindings()
        bound = int(self.next("number")) if self.accept("bound") else None
        args = [(index, index_aval), *_avals(bindings)]
        return count, bindings, args, {"counted": counted, "conditional": False, "bound": bound}

    # ----- Parameters

    def params(self) -> dict[str, Any]:
        self.expect("{")
        return dict(self.listed(self.named_param, "}"))

    def rest(self) -> dict[str, Any]:
        return self.params() if self.accept("with") else {}

    def named_param(self) -> tuple[str, Any]:
        name = self.next("word")
        self.expect("=")
        return name, self.param()

    def param(self) -> Any:
        token = self.peek()
        if token.kind == "opaque":
            raise self.error(f"{token.text} is a Python object that cannot be read back")
        if token.kind == "at":
            self.position += 1
            return self.code(token.text)
        if token.kind == "string":
            return ast.literal_eval(self.next())
        if token.kind == "number":
            text = self.next()
            return int(text) if text.lstrip("-").isdigit() else float(text)
        if self.accept("("):
            return tuple(self.listed(self.param, ")"))
        if self.accept("..."):
            return ...
        if self.accept("complex"):
            self.expect("(")
            return complex(*self.listed(self.param, ")"))
        word = self.next("word")
        if word in _LITERALS:
            return _LITERALS[word]
        if self.peek().text == "[":
            self.position -= 1
            return self.aval()
        return self.dtype(word)


_FORMS = {
    "if": _Parser.if_,
    "for": _Parser.loop,
    "while": _Parser.loop,
    "rev": _Parser.loop,
    "call": _Parser.call,
    "derivative": _Parser.derivative,
}


def _avals(bindings: Bindings) -> list[tuple[str, Aval]]:
    return [(name, x.aval) for name, x in bindings]
