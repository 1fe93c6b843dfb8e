"""The printer: the IR's text form, short and stable, which `ir/parser.py` reads back.

    program   ::= section+                       a function, or codes (the first is the main one)
    section   ::= func @name ( %arg: aval, ... ) [-> aval, ...] { block }
                | code @name [[ name: %cell, ... ]] ( [kind] name [=...]: %arg, ... ) { block }
    block     ::= op* [yield %x, ...]            `return` instead of `yield` in a section
    op        ::= [%result [: aval], ... =] right                  # file:line, the op's span
    right     ::= literal : aval                                   `constant`
                | if %p { block } else { block }
                | head { block } | head { parts }                  `loop`
                | rev head [ct ( %ct = %seed of %carry, ... )] [acc ( bindings )] { parts }
                | call @name ( bindings ) { block }
                | derivative mode wrt ints of ints ( bindings ) seeds ( %seed, ... ) { block }
                | primitive [%x, ...] [{ name=param, ... }] ( %arg: aval, ... ) { block } ...
    head      ::= for %k (< %n | in %iterable) ( bindings ) [bound int]
                | while [%k] ( bindings ) [bound int]
    parts     ::= [cond { block }] body { block } [adjoint { block }]
    bindings  ::= %arg = %initial, ...           all regions of a loop share these arguments
    param     ::= a Python literal | dtype | aval | @code | ( param, ... ) | < anything else >

A value has the user's name for it, `%x`, made unique among the visible ones as `%x.1`; one without
a name has a number. Avals of Python objects are not written.

    func @f(%x: f64[], %n: i64[]) -> f64[] {                 # power.py:4
      %0 = 1.0: f64[]
      %y = for %k < %n (%y = %0) {                           # power.py:6
        %y.1: f64[] = mul %y, %x                             # power.py:7
        yield %y.1
      }
      return %y
    }
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from myia.ir.avals import PY, Aval, dtype_name
from myia.ir.code import Code, Parameter
from myia.ir.core import Function, Op, Region, Value, is_read
from myia.source.span import Span

COMMENT_COLUMN = 60
_KINDS = {
    "POSITIONAL_ONLY": "positional_only ",
    "POSITIONAL_OR_KEYWORD": "",
    "VAR_POSITIONAL": "*",
    "KEYWORD_ONLY": "keyword_only ",
    "VAR_KEYWORD": "**",
}


def to_text(
    program: Function | Code | Region | Op,
    *,
    spans: bool = True,
    messages: Mapping[Op, str] | None = None,
) -> str:
    """The text of a function or code (or, for debugging, of one region or op).

    `spans`: whether each op names its source line. `messages` are printed below their ops.
    """
    printer = _Printer(spans, messages or {})
    if isinstance(program, Function):
        printer.function(program)
    elif isinstance(program, Code):
        printer.reference(program)
    elif isinstance(program, Region):
        printer.block(program, "yield")
    else:
        printer.op(program)
    printer.pending_codes()
    return "\n".join(printer.lines) + "\n"


class _Printer:
    def __init__(self, spans: bool, messages: Mapping[Op, str]):
        self.lines: list[str] = []
        self.indent = 0
        self.spans = spans
        self.messages = messages
        self.names: dict[Value, str] = {}
        self.taken: dict[str, int] = {}  # the number of visible values with this hint
        self.numbered = 0
        self.codes: dict[Code, str] = {}
        self.printed = 0

    # ----- Lines and names

    def line(self, text: str, span: Span | None = None) -> None:
        text = "  " * self.indent + text
        if self.spans and span is not None:
            file = re.split(r"[/\\]", span.file.shown)[-1]
            text = f"{text:<{COMMENT_COLUMN}} # {file}:{span.line}"
        self.lines.append(text)

    @contextmanager
    def scope(self, indent: int = 1) -> Iterator[None]:
        """Names given inside may be reused afterwards."""
        taken = dict(self.taken)
        self.indent += indent
        yield
        self.indent -= indent
        self.taken = taken

    def define(self, value: Value) -> str:
        if value.name is None:
            name = f"%{self.numbered}"
            self.numbered += 1
        else:
            hint = re.sub(r"\W", "_", value.name)
            hint = f"_{hint}" if not hint or hint[0].isdigit() else hint
            count = self.taken.get(hint, 0)
            self.taken[hint] = count + 1
            name = f"%{hint}.{count}" if count else f"%{hint}"
        self.names[value] = name
        return name

    def use(self, value: Value) -> str:
        """The name of a value, with a `?` when nothing has defined it so far."""
        if value not in self.names:
            self.names[value] = f"%?{value.name or len(self.names)}"
        return self.names[value]

    def uses(self, values: Sequence[Value]) -> str:
        return ", ".join(map(self.use, values))

    def typed(self, value: Value) -> str:
        return self.define(value) + _colon(value)

    def bind(self, args: Sequence[Value], texts: Iterable[str]) -> str:
        """`(%y = %x, ...)`: the arguments of a region and the texts of their initial values."""
        pairs = zip(args, texts, strict=True)
        return "(" + ", ".join(f"{self.define(a)} = {x}" for a, x in pairs) + ")"

    def reference(self, code: Code) -> str:
        """The unique name of a code, which gets a section of its own."""
        if code not in self.codes:
            taken = sum(code.name == other.name for other in self.codes)
            self.codes[code] = _at(f"{code.name}.{taken}" if taken else code.name)
        return self.codes[code]

    # ----- Sections

    def function(self, f: Function) -> None:
        with self.scope(indent=0):
            args = ", ".join(map(self.typed, f.args))
            avals = [str(y.aval) for y in f.results if y.aval is not PY]
            result = f" -> {', '.join(avals)}" if avals else ""
            checks = f" checks {self.param(f.checks)}" if f.checks else ""
            self.line(f"func {_at(f.name)}({args}){result}{checks} {{", f.span)
            self.block(f.region, "return")
            self.line("}")

    def pending_codes(self) -> None:
        """The sections of all codes that are referred to, directly or by another code."""
        while self.printed < len(self.codes):
            code = list(self.codes)[self.printed]
            self.printed += 1
            if self.lines:
                self.line("")
            self.code(code)

    def code(self, code: Code) -> None:
        args = code.region.args
        cells, params = args[: len(code.captured)], args[len(code.captured) :]
        with self.scope(indent=0):
            captured = ", ".join(
                f"{name}: {self.define(a)}" for name, a in zip(code.captured, cells, strict=True)
            )
            parameters = ", ".join(
                f"{_parameter(p)}: {self.define(a)}"
                for p, a in zip(code.parameters, params, strict=True)
            )
            captured = f"[{captured}]" if captured else ""
            self.line(f"code {self.codes[code]}{captured}({parameters}) {{", code.span)
            self.block(code.region, "return")
            self.line("}")

    def block(self, region: Region, word: str = "yield") -> None:
        """The ops and yields of a region whose arguments have their names already."""
        with self.scope():
            for op in region.ops:
                self.op(op)
            if region.yields:
                self.line(f"{word} {self.uses(region.yields)}")

    # ----- Ops

    def op(self, op: Op) -> None:
        """The results are named first, but their names are not visible in the regions."""
        form = _FORMS.get(op.primitive.name, _Printer.generic)
        outer = dict(self.taken) if op.regions else self.taken
        lines = len(self.lines)
        show = self.define if op.primitive.name in ("loop", "rev", "constant") else self.typed
        left = ", ".join(map(show, op.results))
        left = f"{left} = " if left else ""
        inner, self.taken = self.taken, outer
        try:
            form(self, op, left)
        except (ValueError, KeyError, IndexError):  # malformed: the verifier shows it all the same
            del self.lines[lines:]
            self.generic(op, left)
        self.taken = inner
        if op in self.messages:
            self.line(f"^^^ {self.messages[op]}")

    def generic(self, op: Op, left: str) -> None:
        words = [op.primitive.name]
        if op.operands:
            words.append(self.uses(op.operands))
        words += self.params(op.params)
        text = left + " ".join(words)
        if not op.regions:
            return self.line(text, op.span)
        for i, region in enumerate(op.regions):
            with self.scope(indent=0):
                args = ", ".join(map(self.typed, region.args))
                self.line(f"{text} ({args}) {{", None if i else op.span)
                self.block(region)
                text = "}"
        return self.line("}")

    def constant(self, op: Op, left: str) -> None:
        (y,) = op.results
        literal = self.param(op.params["value"])
        if op.operands or y.aval != Aval(op.params["dtype"], op.params["shape"]):
            raise ValueError("a malformed constant")
        self.line(f"{left}{literal}{_colon(y)}", op.span)

    def if_(self, op: Op, left: str) -> None:
        (pred,), (then, other) = op.operands, op.regions
        self.line(f"{left}if {self.use(pred)}{self.rest(op)} {{", op.span)
        self.block(then)
        self.line("} else {")
        self.block(other)
        self.line("}")

    def call(self, op: Op, left: str) -> None:
        (body,) = op.regions
        with self.scope(indent=0):
            bindings = self.bind(body.args, map(self.use, op.operands))
            rest = self.rest(op, "name")
            self.line(f"{left}call {_at(op.params['name'])}{bindings}{rest} {{", op.span)
            self.block(body)
            self.line("}")

    def derivative(self, op: Op, left: str) -> None:
        (f,), mode = op.regions, op.params["mode"]
        wrt, of = self.param(op.params["wrt"]), self.param(op.params["of"])
        n = len(f.args)
        with self.scope(indent=0):
            bindings = self.bind(f.args, map(self.use, op.operands[:n]))
            seeds = self.uses(op.operands[n:])
            head = f"{left}derivative {mode} wrt {wrt} of {of} {bindings} seeds ({seeds})"
            self.line(f"{head}{self.rest(op, 'mode', 'wrt', 'of')} {{", op.span)
            self.block(f)
            self.line("}")

    def loop(self, op: Op, left: str) -> None:
        """A `loop`, or a `rev`, which has an adjoint."""
        *cond, body = op.regions[: 1 + op.params["conditional"]]
        adjoint = op.regions[1 + len(cond) :]
        if len(adjoint) != (op.primitive.name == "rev"):
            raise ValueError("a malformed loop")
        active = op.params.get("active", ())
        given = op.operands[op.params["counted"] + len(body.args) - 1 :]
        args = [x for region in adjoint for x in region.args[len(body.args) :]]
        rest = self.rest(op, "counted", "conditional", "bound", "active")
        n = len(active)
        with self.scope(indent=0):
            head = self.loop_head(op, cond, body)
            if active:
                pairs = zip(map(self.use, given), active)
                seeds = [f"{seed} of {self.use(body.args[1 + i])}" for seed, i in pairs]
                head += f" ct {self.bind(args[:n], seeds)}"
            if args[n:] or given[n:]:
                head += f" acc {self.bind(args[n:], map(self.use, given[n:]))}"
            self.line(f"{left}{'rev ' if adjoint else ''}{head}{rest} {{", op.span)
            if cond or adjoint:
                self.parts(cond, body, adjoint)
            else:
                self.block(body)
            self.line("}")

    def parts(self, cond: Sequence[Region], body: Region, adjoint: Sequence[Region]) -> None:
        """The regions of a loop. They share the names of the index and the carries."""
        named = [("cond", r) for r in cond] + [("body", body)] + [("adjoint", r) for r in adjoint]
        self.indent += 1
        for word, region in named:
            self.names.update(zip(region.args, map(self.use, body.args)))
            self.line(f"{word} {{")
            self.block(region)
            self.line("}")
        self.indent -= 1

    def loop_head(self, op: Op, cond: Sequence[Region], body: Region) -> str:
        index, counted = body.args[0], op.params["counted"]
        if len(cond) != op.params["conditional"]:
            raise ValueError("a malformed loop")
        count = self.use(op.operands[0]) if counted else ""
        if counted:
            head = f"for {self.define(index)} {'in' if index.aval is PY else '<'} {count}"
        elif any(is_read(r.args[0], r) for r in op.regions):
            head = f"while {self.define(index)}"
        else:
            self.names[index] = "%_"
            head = "while"
        carries = op.operands[counted : counted + len(body.args) - 1]
        head += f" {self.bind(body.args[1:], map(self.use, carries))}"
        bound = op.params["bound"]
        return head if bound is None else f"{head} bound {bound}"

    # ----- Parameters

    def params(self, params: Mapping[str, Any]) -> list[str]:
        pairs = ", ".join(f"{name}={self.param(params[name])}" for name in sorted(params))
        return [f"{{{pairs}}}"] if pairs else []

    def rest(self, op: Op, *shown: str) -> str:
        """` with {...}`: the parameters of a structured op that its form does not show."""
        params = self.params({k: v for k, v in op.params.items() if k not in shown})
        return f" with {params[0]}" if params else ""

    def param(self, value: Any) -> str:
        if isinstance(value, Code):
            return self.reference(value)
        if type(value) in (int, bool, float, str, bytes, type(None), type(...)):
            return "..." if value is ... else repr(value)
        if type(value) is complex:
            return f"complex({value.real!r}, {value.imag!r})"
        if isinstance(value, np.dtype):
            return dtype_name(value)
        if isinstance(value, Aval):
            return str(value)
        if type(value) is tuple:
            items = ", ".join(map(self.param, value))
            return f"({items},)" if len(value) == 1 else f"({items})"
        return f"<{_one_line(repr(value))}>"


_FORMS = {
    "constant": _Printer.constant,
    "if": _Printer.if_,
    "loop": _Printer.loop,
    "rev": _Printer.loop,
    "call": _Printer.call,
    "derivative": _Printer.derivative,
}


def _colon(value: Value) -> str:
    return "" if value.aval is PY else f": {value.aval}"


def _at(name: str) -> str:
    """`@f`, or `@"<lambda>"` when the name is no word."""
    return f"@{name}" if re.fullmatch(r"[^\W\d]\w*(\.\w+)*", name) else f'@"{name}"'


def _parameter(p: Parameter) -> str:
    return f"{_KINDS[p.kind]}{p.name}{'=...' if p.has_default else ''}"


def _one_line(text: str) -> str:
    """A representation without addresses, which would not be stable."""
    return re.sub(r" at 0x[0-9a-f]+", "", " ".join(text.split()))
