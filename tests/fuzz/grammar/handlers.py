"""`try`, `raise`, contexts."""

from __future__ import annotations

from tests.fuzz.grammar.choices import FLOAT
from tests.fuzz.grammar.constructs import construct
from tests.fuzz.grammar.statements import INDENT, Statements

RAISED = ("ValueError", "KeyError", "Bad", "Worse", "IndexError", "ZeroDivisionError")
CAUGHT = (*RAISED, "Exception", "LookupError", "ArithmeticError", "(ValueError, Bad)", "")


class Handlers(Statements):
    """`self.tries`: how many `try` are around; `self.handling`: is there a handler around?"""

    tries = 0
    handling = False

    # ----- Raising

    @construct("raise, assert")
    def raised(self, indent):
        if not (self.tries or self.risky or self.chance(0.1)):
            return None
        head = f"{indent}if {self.test(1)}:"
        if self.chance(0.2):
            return [f"{indent}assert {self.test(1)}{self.pick('', ', 3')}"]
        return [head, f"{indent}{INDENT}{self.a_raise()}"]

    def a_raise(self) -> str:
        if self.handling and self.chance(0.3):
            return "raise"
        kind = self.pick(*RAISED)
        if kind == "Worse":
            return f"raise Worse({self.float(0)}{self.pick('', ', ' + self.int(0))})"
        given = self.pick(
            "", '"no"', self.float(0), f'"k", {self.int(0)}', f'f"at {{{self.int(0)}}}"'
        )
        cause = " from None" if self.handling and self.chance(0.2) else ""
        return f"raise {kind}({given}){cause}"

    @construct("constructors that raise")
    def constructors(self, indent):
        """Exceptions and objects whose `__init__` may raise; what was given to one may change."""
        f = self.bind(self.target(FLOAT, "f"), FLOAT)
        one, other, items = self.fresh("e"), self.fresh("e"), self.fresh("k")
        made = [
            f"{items} = [{self.float(0)}, {f} * 0.5]",
            f"{one} = Checked({items}, {self.float(0)})",
            *self.pick([], [f"{items}.append({self.float(0)})"], [f"{items}[0] = {f}"]),
            *self.pick([], [f"{one}.total = {one}.total * 0.5"], [f"{one}.count += 1"]),
            *self.pick([], [f"if {self.test(0)}:", f"{INDENT}raise {one}"], [f"raise {one}"]),
            f"{f} = {one}.total * 0.5 + {one}.args[1]",
        ]
        box = [f"{one} = Box({self.float(0)}, {self.float(0)})", f"{f} += {one}.area * 0.25"]
        again = [f"{other}.total = {other}.total + {f}", "raise"]
        body = [
            "try:",
            *self.indented(self.pick(made, box)),
            f"except {self.pick('Checked', 'Checked', '(Checked, KeyError)')} as {other}:",
            *self.indented(self.pick([], again) if self.tries else []),
            f"{INDENT}{f} += {other}.total * 0.5 + {other}.count + len({other}.args)",
            f"except {self.pick('(Worse, Bad)', '(Worse, Bad)', 'Exception')}:",
            f"{INDENT}{f} {self.pick('=', '-=')} {self.float(0)}",
            f"{f} = min(max({f}, -9.0), 9.0)",
        ]
        loop = [f"for {self.fresh('k')} in range({self.pick('2', 'n % 4')}):", *self.indented(body)]
        lines = [f"{f} = {self.float(0)}", *self.pick(body, loop)]
        return [indent + line for line in lines]

    @construct("what Python's floats and indices raise")
    def may_raise(self, indent):
        if not self.tries:
            return None
        value = self.pick(
            f"{self.float(1)} / ({self.float(0)})",
            f"{self.float(0)} / ({self.int(1)})",
            f"math.sqrt({self.float(1)} + 0.01)",
            f"math.log({self.float(1)})",
            f"{self.vec()}[{self.int(1)}]",
            f"{self.mat()}[{self.int(1)}, 0]",
            f"({self.int(1)}) // ({self.int(1)})",
            f"({self.int(1)}) % ({self.int(1)}) * 0.5",
        )
        return [f"{indent}{self.bind(self.target(FLOAT, 'f'), FLOAT)} = {value}"]

    # ----- Catching

    @construct("try", "block")
    def a_try(self, depth, indent):
        start, ends = self.scope(), []
        lines = [f"{indent}try:"]
        count = self.pick(0, 1, 1, 1, 2)
        self.tries += 1
        body, reached = self.block(depth - 1, indent + INDENT, self.pick(1, 2, 3))
        lines += body
        if self.chance(0.5) and reached:
            lines += [f"{indent}{INDENT}{line}" for line in self.raise_at_times()]
        self.tries -= count == 0
        normal = self.scope() if reached else None
        handlers = self.handlers(depth, indent, count, start, ends)
        self.tries -= count > 0
        lines += handlers
        if normal is not None:
            self.enter(normal)
            if count and self.chance(0.3):
                more, reached = self.block(depth - 1, indent + INDENT, 1)
                lines += [f"{indent}else:", *more]
            if reached:
                ends.append(self.scope())
        self.meet(start, ends)
        if not count or self.chance(0.3):
            lines += self.finally_(indent, start, ends)
        return lines, bool(ends)

    def raise_at_times(self) -> list[str]:
        return [f"if {self.test(1)}:", f"{INDENT}{self.a_raise()}"]

    def handlers(self, depth, indent, count, start, ends) -> list[str]:
        """`except` clauses; `ends` gets the scopes at the ends that are reached."""
        lines = []
        before, self.handling = self.handling, True
        for i in range(count):
            self.enter(start)
            lines += [indent + line for line in self.clause(last=i == count - 1)]
            body, reached = self.block(depth - 1, indent + INDENT, self.pick(1, 1, 2))
            lines += body
            if reached:
                ends.append(self.scope())
        self.handling = before
        return lines

    def clause(self, last: bool) -> list[str]:
        kind = self.pick(*CAUGHT)
        floats = self.assignable(FLOAT)
        if not kind and last:
            return ["except:"]
        kind = kind or "Exception"
        if not floats or self.chance(0.5):
            return [f"except {kind}:"]
        value = "e.value + e.k" if kind == "Worse" else "len(e.args)"
        return [f"except {kind} as e:", f"{INDENT}{self.pick(*floats)} += {value}"]

    def finally_(self, indent, start, ends) -> list[str]:
        """Names of the body may be unbound in it; it may replace an exception, or a jump."""
        after = self.scope()
        self.enter(start)
        lines = [f"{indent}finally:", *self.simple_block(indent + INDENT)]
        if self.tries and self.chance(0.4):
            lines += [f"{indent}{INDENT}{line}" for line in self.raise_at_times()]
        elif self.chance(0.15) and self.endless is None:
            lines += self.do_jump(indent + INDENT)[0] if self.loops else []
        self.enter(after)
        return lines

    @construct("jumps out of try in loops", "block")
    def jumps_out(self, depth, indent):
        """A jump that `finally` or `__exit__` holds up, and may replace."""
        if not (arrays := self.assignable((3,))):
            return None
        array, value = self.pick(*arrays), self.float(0)
        f = self.bind(self.target(FLOAT, "f"), FLOAT)
        self.tries += 1
        jump = self.pick("break", "continue", f"return {self.result()}", self.a_raise())
        held = [f"if {self.test(1)}:", f"{INDENT}{jump}", f"{f} = {f} * 0.5 + {value}"]
        last = [f"{f} -= 0.25", *self.pick([], self.raise_at_times())]
        held = self.pick(
            ["try:", *self.indented(held), "finally:", *self.indented(last)],
            [f"with Guarded({array}, {value}):", *self.indented(held)],
        )
        self.tries -= 1
        body = [
            "try:",
            *self.indented(held),
            f"except {self.pick('Exception', 'ValueError', '(Bad, KeyError)')}:",
            f"{INDENT}{f} += {self.float(0)}",
            *self.pick([], ["else:", f"{INDENT}{f} *= 0.75"]),
            f"{array}[{self.index(3)}] += {f} * 0.25",
        ]
        lines = [f"{f} = {value}", f"for {self.fresh('k')} in range({self.pick('3', 'n % 4')}):"]
        return [indent + line for line in [*lines, *self.indented(body)]], True

    @staticmethod
    def indented(lines: list[str]) -> list[str]:
        return [INDENT + line for line in lines]

    # ----- Contexts

    @construct("with", "block")
    def a_with(self, depth, indent):
        name = self.fresh("f")
        if not (arrays := self.assignable((3,))):
            return None
        array = self.pick(*arrays)
        head, binds = self.pick(
            ('np.errstate(all="ignore")', False),
            ("contextlib.nullcontext()", False),
            (f"contextlib.nullcontext({self.float(1)}) as {name}", True),
            (f"Scaled({array}, {self.pick('0.5', '1.5')}) as {name}", True),
            (f"Scaled({array}, 0.75) as {name}, np.errstate()", True),
            (f"shifted({array}, {self.float(0)}) as {name}", True),
        )
        if binds:
            self.bind(name, FLOAT)
        self.protected.add(array)
        body, reached = self.block(depth - 1, indent + INDENT, self.pick(1, 2))
        return [f"{indent}with {head}:", *body], reached

    @construct("errstate that raises")
    def floating_point_error(self, indent):
        v, f = self.vec(), self.bind(self.target(FLOAT, "f"), FLOAT)
        value = self.pick(
            "np.sum({v} / ({v} - {a}))",
            "np.sum(np.sqrt({v} - {a} + 0.01))",  # no root of zero, which has no derivative
            "np.sum(np.log({v} * {a}))",
            "np.exp({v}[0] * 900.0 * {a})",
            "{v}[1] / ({v}[0] - {v}[0])",
            "np.sum(({v} - {v}[1]) ** -1.0)",
        ).format(v=v, a=self.float(0))
        kinds = self.pick('all="raise"', 'divide="raise", invalid="raise"', 'over="raise"')
        start = self.float(0)
        lines = [
            f"{f} = {start}",
            "try:",
            f"{INDENT}with np.errstate({kinds}):",
            f"{INDENT}{INDENT}{f} = {value}",
            f"except {self.pick('FloatingPointError', 'ArithmeticError', 'Exception')}:",
            f"{INDENT}{f} {self.pick('=', '+=')} {self.float(1)}",
            f"{f} = min(max({f}, -9.0), 9.0)",
        ]
        return [indent + line for line in lines]

    @construct("contextlib.suppress", "block")
    def suppressed(self, depth, indent):
        start = self.scope()
        self.tries += 1
        body, reached = self.block(depth - 1, indent + INDENT, self.pick(1, 2))
        self.tries -= 1
        context = f"contextlib.suppress({self.pick(*RAISED)})"
        if arrays := self.assignable((3,)):
            context = self.pick(context, f"caught({self.pick(*arrays)}, {self.float(0)})")
        lines = [f"{indent}with {context}:", *body]
        if reached:
            lines += [f"{indent}{INDENT}{line}" for line in self.raise_at_times()]
        self.meet(start, [start, self.scope()])
        return lines, True
