"""Random structured programs: all statements that jump or assign, nested, on a few names."""

from __future__ import annotations

import random

NAMES = ("a", "b", "c", "d")


class Generator:
    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.loops: list[str] = []  # kinds of the loops around
        self.captured = self.random.random() < 0.25  # do inner functions occur?

    def pick(self, *choices):
        return self.random.choice(choices)

    # ----- Expressions: integers, small

    def atom(self) -> str:
        return self.pick(*NAMES, *NAMES, str(self.random.randrange(-2, 5)))

    def expression(self, depth: int = 2) -> str:
        r = self.random.random()
        if depth == 0 or r < 0.35:
            return self.atom()
        e = [self.expression(depth - 1) for _ in range(3)]
        if r < 0.55:
            return f"({e[0]} {self.pick('+', '-', '%', '% 7 *')} {e[1]})"
        if r < 0.65:
            return f"t({e[0]})"
        if r < 0.72:
            return f"({e[0]} if {self.test(depth - 1)} else {e[1]})"
        if r < 0.79:
            return f"({e[0]} {self.pick('and', 'or')} {e[1]})"
        if r < 0.84:
            return f"({self.pick(*NAMES)} := {e[0]})"
        if r < 0.89:
            v = self.pick("i", "j", *NAMES)
            return (
                f"sum([{v} + {e[0]} for {v} in range({self.pick(*NAMES, '2')} % 3) if {e[1]} < 2])"
            )
        if r < 0.92:
            return f"sum(q for q in [{e[0]}, {e[1]}] if t(q) > 0)"
        if self.captured and r < 0.97:
            return self.pick(f"(lambda: {e[0]})()", f"(lambda q, r={e[1]}: q + r)({e[2]})")
        return f"max({e[0]}, {e[1]})"

    def test(self, depth: int = 1) -> str:
        r = self.random.random()
        e = [self.expression(depth) for _ in range(3)]
        op = [self.pick("<", "<=", "==", "!=", ">") for _ in range(2)]
        if r < 0.6:
            return f"{e[0]} {op[0]} {e[1]}"
        if r < 0.75:
            return f"{e[0]} {op[0]} t({e[1]}) {op[1]} {e[2]}"
        if r < 0.85:
            return f"not {e[0]}"
        return f"({e[0]} {op[0]} {e[1]} {self.pick('and', 'or')} {e[2]})"

    # ----- Statements

    def block(self, depth: int, indent: str) -> list[str]:
        lines = []
        for _ in range(self.pick(1, 1, 2, 2, 3)):
            lines += self.statement(depth, indent)
        return lines

    def statement(self, depth: int, indent: str) -> list[str]:
        r = self.random.random()
        if depth > 0 and r < 0.25:
            return self.if_(depth - 1, indent)
        if depth > 0 and r < 0.40:
            return self.for_(depth - 1, indent)
        if depth > 0 and r < 0.52:
            return self.while_(depth - 1, indent)
        if r < 0.66:
            return [indent + self.jump()]
        if self.captured and r < 0.70:
            return self.function(indent)
        return [indent + self.simple()]

    def jump(self) -> str:
        r = self.random.random()
        if self.loops and r < 0.7:
            return self.pick("break", "continue", "break", "continue", f"t({self.atom()})")
        if r < 0.8:
            return f"return {self.expression()}"
        if r < 0.84:
            return f"raise ValueError({self.expression()})"
        return f"{self.pick(*NAMES)} = {self.expression()}"

    def simple(self) -> str:
        r = self.random.random()
        x, y, e, f = self.pick(*NAMES), self.pick(*NAMES), self.expression(), self.expression(1)
        if r < 0.45:
            return f"{x} = {e}"
        if r < 0.60:
            return f"{x} {self.pick('+', '-', '^')}= {e}"
        if r < 0.70:
            return f"{x}, {y} = {e}, {f}"
        if r < 0.75:
            return f"{x} = {y} = {e}"
        if r < 0.80 and not self.captured:
            return f"del {x}"
        if r < 0.85:
            return f"assert {self.test()}, t({f})"
        if r < 0.90:
            return f"*{x}, = [{e}]; {x} = {x}[0]"
        return f"t({e})"

    def if_(self, depth: int, indent: str) -> list[str]:
        lines = [f"{indent}if {self.test()}:", *self.block(depth, indent + "    ")]
        if self.random.random() < 0.25:
            lines += [f"{indent}elif {self.test()}:", *self.block(depth, indent + "    ")]
        if self.random.random() < 0.5:
            lines += [f"{indent}else:", *self.block(depth, indent + "    ")]
        return lines

    def for_(self, depth: int, indent: str) -> list[str]:
        target, items = self.pick(
            ("a", "range(3)"),
            ("b", f"range({self.atom()} % 4)"),
            ("c", f"[{self.expression(1)}, {self.atom()}]"),
            ("d", "range(2)"),
            ("a, b", f"[({self.atom()}, 1), (2, {self.atom()})]"),
            ("i", "range(3)"),
        )
        return self.loop(f"for {target} in {items}:", depth, indent)

    def while_(self, depth: int, indent: str) -> list[str]:
        test = "True" if self.random.random() < 0.3 else self.test()
        return self.loop(f"while {test}:", depth, indent)

    def loop(self, head: str, depth: int, indent: str) -> list[str]:
        self.loops.append(head)
        body = self.block(depth, indent + "    ")
        self.loops.pop()
        lines = [indent + head, f"{indent}    tick()", *body]
        if self.random.random() < 0.3:
            lines += [f"{indent}else:", *self.block(depth, indent + "    ")]
        return lines

    def function(self, indent: str) -> list[str]:
        loops, self.loops = self.loops, []
        shared = self.pick(*NAMES)
        body = self.block(1, indent + "    ")
        self.loops = loops
        head = [f"{indent}def inner({self.pick('', 'b=' + self.atom())}):"]
        if shared != "b":
            head.append(f"{indent}    nonlocal {shared}")
        if not any(line.split()[0] in ("nonlocal",) for line in body):
            return [
                *head,
                f"{indent}    tick()",
                *body,
                f"{indent}{self.pick('t(inner())', 'pass')}",
            ]
        return [indent + "pass"]

    def program(self, name: str) -> str:
        lines = self.block(4, "    ") + self.block(3, "    ")
        end = self.pick([], [f"    return {self.expression()}"], ["    return a, b"])
        unreached = "    if False: c = d = 0" if self.random.random() < 0.3 else "    c = d = 1"
        return "\n".join([f"def {name}(a, b):", unreached, *lines, *end]) + "\n"
