"""`import`, `global`, `del`, `match`, classes; texts of run-time numbers and where they go."""

from __future__ import annotations

from tests.fuzz.grammar.choices import FLOAT, LIST, PAIR, RECORD
from tests.fuzz.grammar.constructs import construct
from tests.fuzz.grammar.statements import INDENT, Statements


class Names(Statements):
    @construct("import in functions")
    def imported(self, indent):
        f = self.target(FLOAT, "f")
        name = self.fresh("module")
        line, value = self.pick(
            (f"import math as {name}", f"{name}.cos({self.float(1)})"),
            (f"import numpy.linalg as {name}", f"{name}.norm({self.vec()})"),
            (f"from math import atan as {name}", f"{name}({self.float(1)})"),
            (f"from operator import mul as {name}", f"{name}({self.float(1)}, 0.5)"),
            (f"from itertools import accumulate as {name}", f"sum({name}({self.vec()}))"),
        )
        self.bind(f, FLOAT)
        return [indent + line, f"{indent}{f} = {value}"]

    @construct("global")
    def assigned_global(self, indent):
        if "G" not in self.names or "G" in self.protected:
            return None
        return [f"{indent}G {self.pick('=', '+=', '-=')} {self.float(1)} * 0.5"]

    @construct("del")
    def deleted(self, indent):
        if not (floats := self.assignable(FLOAT)):
            return None
        v, a, b = self.float(1), self.fresh("del"), self.pick(*floats)
        form = self.pick("name", "key", "item", "attribute")
        if form == "name":
            return [f"{indent}{a} = {v}", f"{indent}{b} = {a} * 0.5", f"{indent}del {a}"]
        if form == "key":
            lines = [f'{a} = {{"u": {v}, "v": 0.5}}', f'del {a}["v"]', f"{b} = sum({a}.values())"]
        elif form == "item":
            lines = [f"{a} = [{v}, 0.5, {b}]", f"del {a}[1]", f"{b} = {a}[1] * 0.5 + {a}[0]"]
        else:
            lines = [f"{a} = Record({v}, {b})", f"del {a}.v", f'{b} = {a}.u + hasattr({a}, "v")']
        return [indent + line for line in lines]

    @construct("match", "block")
    def matched(self, depth, indent):
        subject, cases = self.pick(*self.subjects())
        start, ends, lines = self.scope(), [], [f"{indent}match {subject}:"]
        total = False
        for pattern, bound in cases:
            self.enter(start)
            self.names |= bound
            guard = f" if {self.test(0)}" if self.chance(0.25) and pattern != "_" else ""
            body, reached = self.block(depth - 1, indent + INDENT * 2, self.pick(1, 1, 2))
            lines += [f"{indent}{INDENT}case {pattern}{guard}:", *body]
            if reached:
                ends.append(self.scope())
            total |= pattern == "_"
        self.meet(start, ends if total else [*ends, start])
        return lines, bool(ends) or not total

    def subjects(self) -> list[tuple[str, list[tuple[str, dict]]]]:
        u, v, w = self.fresh("m"), self.fresh("m"), self.fresh("m")
        rest = ("_", {})
        found = [
            (f"({self.int(1)}) % 4", [("0", {}), ("1 | 3", {}), rest]),
            (f"({self.int(1)}) % 3", [("0", {}), ("1", {})]),
            (
                f"({self.float(1)}, {self.int(0)})",
                [(f"({u}, 0)", {u: FLOAT}), (f"({v}, {w})", {v: FLOAT})],
            ),
            (f"[{self.float(0)}, {self.float(0)}]", [(f"[{u}, {v}]", {u: FLOAT, v: FLOAT})]),
            (f'{{"u": {self.float(0)}}}', [('{"v": _}', {}), (f'{{"u": {u}}}', {u: FLOAT}), rest]),
        ]
        if pairs := self.named(PAIR):
            found.append((self.pick(*pairs), [(f"({u}, {v})", {u: FLOAT, v: FLOAT}), rest]))
        if records := self.named(RECORD):
            pattern = f"Record(u={u}, v={v})"
            found.append((self.pick(*records), [(pattern, {u: FLOAT, v: FLOAT}), rest]))
        if lists := self.named(LIST):
            patterns = [("[_, _]", {}), (f"[{u}, *_]", {u: FLOAT}), rest]
            found.append((self.pick(*lists), patterns))
        return found

    @construct("class in functions")
    def local_class(self, indent):
        name, f, base = self.fresh("C"), self.target(FLOAT, "f"), self.fresh("B")
        lines = [
            f"class {base}:",
            f"{INDENT}k = {self.pick('2.0', '0.5', self.float(1))}",
            f"{INDENT}def __init__(self, v):",
            f"{INDENT}{INDENT}self.v = v",
            f"{INDENT}def get(self, u):",
            f"{INDENT}{INDENT}return self.v * self.k + {self.pick('u', self.float(0))}",
            f"class {name}({base}):",
            f"{INDENT}def {self.pick('get', '__call__')}(self, u):",
            f"{INDENT}{INDENT}return super().get(u) * 0.5 - {self.float(0)}",
        ]
        o = self.fresh("o")
        lines += [f"{o} = {self.pick(name, name, base)}({self.float(1)})"]
        if self.chance(0.3):
            lines += [f"for _ in range({self.pick(2, 3, 20)}):", f"{INDENT}{o}.v += {o}.k * 0.1"]
        self.bind(f, FLOAT)
        lines += [f"{f} = {o}.get({self.float(0)})"]
        return [indent + line for line in lines]

    # ----- Texts

    def text(self) -> str:
        """A text that shows run-time numbers; floats rounded, since compilers round otherwise."""
        f, i = (x.replace('"', "'") for x in (self.float(0), self.int(0)))  # within quotes
        return self.pick(
            f'f"{{{f}:.4f}} and {{{i}}}"',
            f'"%d: %.3f" % ({i}, {f})',
            f'"{{:8.3f}}|{{}}".format({f}, {i})',
            f'f"{{{i}:>4}} {{{i}!r}}"',
            f'f"{{({f}) > 0.5}}"',
            f'str({i}) + "!"',
        )

    @construct("print of run-time numbers")
    def printed(self, indent):
        return [f"{indent}print({self.text()}{self.pick('', ', ' + self.int(0))})"]

    @construct("logging")
    def logged(self, indent):
        level = self.pick("info", "warning", "debug")
        return [f'{indent}LOG.{level}("%d of %.3f", {self.int(0)}, {self.float(0)})']

    @construct("warnings")
    def warned(self, indent):
        return [f"{indent}warnings.warn({self.text()})"]
