"""Parts of arrays: masks, ranges, views of branches; run-time sizes; special methods; unions."""

from __future__ import annotations

import re

from tests.fuzz.grammar.choices import EITHER, FLOAT, INT, MAYBE, RECORD, SIZED, VEC
from tests.fuzz.grammar.constructs import construct
from tests.fuzz.grammar.statements import INDENT, Statements


class Parts(Statements):
    def arrays(self, form: str) -> str:
        """Arrays in scope for those that a form names."""
        names = {"A": self.mat(), "x": self.vec(), "y": self.vec()}
        return re.sub(r"\b[Axy]\b", lambda found: names[found[0]], form)

    # ----- Subscripts

    @construct("masks beside subscripts")
    def masked_store(self, indent):
        if not self.named((2, 3)):
            return None
        v, j, i, op = self.float(1), self.index(3), self.index(2), self.pick("=", "+=")
        form = self.pick(
            "A[A[:, {j}] > {t}, {j}] {op} {v}",
            "A[{i}, x > {t}] {op} {v}",
            "A[:, y < {t}] {op} {v}",
            "A[A[:, 0] < {t}] {op} {v}",
            "A[A > {t}] {op} {v}",
            "A[[0, 1], [2, {j}]] {op} {v}",
            "A[A[:, 1] > {t}, 1:] {op} {v}",
            "x[x > {t}] {op} y[x > {t}]",
        )
        return [indent + self.arrays(form).format(v=v, i=i, j=j, op=op, t=self.float(0))]

    @construct("masks beside subscripts", "float")
    def masked(self, depth):
        form = self.pick(
            "np.sum(A[A[:, 0] > {t}, {j}])",
            "np.sum(A[{i}, x > {t}])",
            "np.sum(A[:, x < {t}] ** 2)",
            "A[[0, 1], [2, {j}]].sum()",
            "np.sum(A[A[:, 1] > {t}, None])",
            "np.sum(x[x > {t}])",
            "x[x > {t}].size",
        )
        return self.arrays(form).format(i=self.index(2), j=self.index(3), t=self.float(0))

    @construct("x[range(n)]", "float")
    def ranged(self, depth):
        form = self.pick(
            "np.sum({a}[range(2)])", "np.sum({a}[range(({i}) % 4)])", "sum({a}[range(1, 3)])"
        )
        return form.format(a=self.vec(), i=self.int(1))

    @construct("x[range(n)]")
    def ranged_store(self, indent):
        n = self.pick("2", "1, 3", f"({self.int(1)}) % 3")
        if not (arrays := self.named((3,))):
            return None
        return [f"{indent}{self.pick(*arrays)}[range({n})] {self.pick('=', '+=')} {self.float(1)}"]

    @construct("ranges of run time", "int")
    def of_range(self, depth):
        i, n = self.int(0), f"({self.int(0)}) % 4"
        return self.pick(
            f"len(range({i}, {n}, {self.step()}))",
            f"range({n} + 1)[{self.pick('-1', '0')}]",
            f"(({i}) in range({n}, 6, 2))",
            f"list(range({n}, 5))[{self.pick('-1', '0')}]",
            f"sum(range({i}, {n}, {self.step()}))",
            f"(({self.float(0)}) in range(2, -3, {self.step()}))",
        )

    def step(self) -> str:
        return self.pick(
            f"({self.int(0)}) % 3 + 1", f"-1 - ({self.int(0)}) % 2", f"({self.int(0)}) or 1"
        )

    @construct("ranges of run time", "for")
    def over_range(self):
        k, ends = self.fresh("k"), self.pick(("0", "5"), ("4", "-2"), ("n % 5", "(n + 2) % 5"))
        if self.chance(0.3):
            return f"{k} in list(range(({self.int(0)}) % 4))", {k: INT}
        return f"{k} in range({', '.join(ends)}, {self.step()})", {k: INT}

    @construct("views made in branches")
    def view_of_branch(self, indent):
        if not self.named((2, 3)):
            return None
        w = self.target((3,), "a")
        views = ("x", "y[::-1]", "A[0]", "y", "A[1, ::-1]", "x[:]")
        one, other = (self.arrays(self.pick(*views)) for _ in "ab")
        lines = [f"{w} = {one}", f"if {self.test(1)}:", f"{INDENT}{w} = {other}"]
        if self.chance(0.3):
            lines = [f"{w} = {one} if {self.test(1)} else {other}"]
        self.bind(w, (3,))
        lines.append(f"{w}[{self.index(3)}] {self.pick('=', '+=')} {self.float(1)}")
        return [indent + line for line in lines]

    @construct("views made in loops")
    def view_of_loop(self, indent):
        if not self.named((2, 3)):
            return None
        k, w = self.fresh("k"), self.fresh("w")
        view, n = self.pick(
            (f"A[{k}]", 2), (f"A[{k}, ::-1]", 2), (f"A[:, {k}]", 3), (f"x[{k}:]", 2)
        )
        view = self.arrays(view)
        change = self.pick(
            f"{w}[{self.pick(0, -1)}] += {self.float(1)}",
            f"{w} *= 0.5",
            f"{w}[:] = {self.float(1)}",
        )
        lines = [f"for {k} in range({n}):", f"{INDENT}{w} = {view}", f"{INDENT}{change}"]
        return [indent + line for line in lines]

    @construct("shapes assigned in place")
    def shape_assigned(self, indent):
        a, f = self.fresh("sh"), self.bind(self.target(FLOAT, "f"), FLOAT)
        lines = [f"{a} = {self.mat()}{self.pick('.copy()', ' * 0.5')}"]
        lines += [
            f"{a}.shape = {self.pick('(3, 2)', '(6,)', '(3, -1)')}",
            f"{a}[-1] += {self.float(1)}",
        ]
        return [*(indent + line for line in lines), f"{indent}{f} = np.sum({a}[1:])"]

    # ----- Run-time sizes

    @construct("arrays of run-time size")
    def sized(self, indent):
        if not (names := self.assignable(SIZED)) or self.chance(0.3):
            new = self.pick(
                "{0}[{0} > {1}]".format(self.vec(), self.float(0)),
                f"np.zeros(({self.int(1)}) % 3 + 1)",
                f"np.ones(int(abs({self.float(0)})) % 4)",
                f"np.arange(({self.int(1)}) % 4) * 0.5",
                f"{self.vec()}[:({self.int(1)}) % 4] * {self.float(0)}",
            )
            return [f"{indent}{self.bind(self.target(SIZED, 'sz'), SIZED)} = {new}"]
        s = self.pick(*names)
        change = self.pick(
            "{s} = np.concatenate([{s}, {s}])",
            "{s} = np.concatenate([{s}, {y}])",
            "{s} = np.append({s}, {v})",
            "{s} = np.sort({s})",
            "{s} = {s} * {v}",
            "{s} += {v}",
            "{s} = {s}[{s} < {v}]",
            "{s} = {s}[1:]",
        )
        return [indent + change.format(s=s, y=self.vec(), v=self.float(1))]

    @construct("arrays of run-time size", "float")
    def of_sized(self, depth):
        if not (names := self.named(SIZED)):
            return None
        form = self.pick("np.sum({})", "{}.size", "len({})", "sum({})", "np.sum({0} * {0})")
        return form.format(self.pick(*names))

    @construct("arrays of run-time size", "for")
    def over_sized(self):
        if not (names := self.named(SIZED)):
            return None
        e = self.fresh("e")
        return f"{e} in {self.pick(*names)}", {e: FLOAT}

    @construct("np.unique, np.nonzero", "float")
    def unique(self, depth):
        form = self.pick(
            "np.sum(np.unique({a}))",
            "np.sum(np.nonzero({a} > {t})[0])",
            "np.unique(np.round({a})).size",
            "np.sum({a}[np.nonzero({a} > {t})])",
            "np.sum(np.flatnonzero({a} < {t}))",
        )
        return form.format(a=self.vec(), t=self.float(0))

    # ----- Special methods

    @construct("special methods by name", "float")
    def special(self, depth):
        a, b = self.float(depth), self.float(depth)
        return self.pick(
            f"float({a}).__add__(float({b}))",
            f"float.__mul__(float({a}), float({b}))",
            f"operator.sub({a}, {b})",
            f"{self.vec()}.__getitem__({self.index(3)})",
            f"{self.vec()}.__len__()",
            f"{self.mat()}.__matmul__({self.vec()})[0]",
            f"operator.itemgetter({self.index(3)})({self.vec()})",
            f"({a}, 0.5).__getitem__(0)",
            f"float({a}).__neg__()",
            f"abs(float({a})).__round__(1) * 0.1",
        )

    @construct("classes with special methods")
    def of_class(self, indent):
        vecs = self.assignable(VEC)
        if not vecs or self.chance(0.2):
            new = f"Vec({self.float(1)}, {self.float(1)})"
            return [f"{indent}{self.bind(self.target(VEC, 'vec'), VEC)} = {new}"]
        v, e = self.pick(*vecs), self.float(1)
        form = self.pick(
            "{v} = {v} + {e}",
            "{v} = {e} + {v}",
            "{v} = {v} * {e}",
            "{v} = -{v}",
            "{v} += {e}",
            "{v} = {v} + {w}",
            "{v}[{i}] = {e}",
            "{v}[{i}] += {e}",
            "{v} = {w} if {w} < {v} else {v}",
        )
        return [indent + form.format(v=v, w=self.pick(*vecs), e=e, i=self.int(0))]

    @construct("classes with special methods", "float")
    def of_vec(self, depth):
        if not (vecs := self.named(VEC)):
            return None
        form = self.pick(
            "abs({v})",
            "{v}[{i}]",
            "len({v})",
            "sum({v})",
            "{v}({e})",
            "(0.0 + ({e} in {v}))",
            "sum([*{v}])",
        )
        return form.format(v=self.pick(*vecs), i=self.int(0), e=self.float(0))

    # ----- Unions

    @construct("a number or None")
    def optional(self, indent):
        names = self.assignable(MAYBE)
        if not names or self.chance(0.4):
            o = self.bind(self.target(MAYBE, "o"), MAYBE)
            if self.chance(0.5):
                return [f"{indent}{o} = {self.float(1)} if {self.test(1)} else None"]
            lines = [f"{o} = None", f"if {self.test(1)}:", f"{INDENT}{o} = {self.float(1)}"]
            return [indent + line for line in lines]
        if not (floats := self.assignable(FLOAT)):
            return None
        o, f = self.pick(*names), self.pick(*floats)
        form = self.pick(
            "{f} = {o} if {o} is not None else {v}", "{f} = {v} if {o} is None else {o} * 0.5"
        )
        if self.chance(0.4):
            return [f"{indent}if {o} is not None:", f"{indent}{INDENT}{f} += {o}"]
        return [indent + form.format(f=f, o=o, v=self.float(1))]

    @construct("names of a loop, or None")
    def none_of_loop(self, indent):
        """Bound in each iteration: to None or a number; unbound where there is none."""
        o, k, f = self.fresh("lo"), self.fresh("k"), self.target(FLOAT, "f")
        v, w = self.float(0), self.float(1)
        head = self.pick(f"for {k} in range(2):", f"for {k} in range(1 + n % 3):", "while True:")
        bound = [f"{o} = {v} if {self.test(1)} else None"]
        if self.chance(0.5):
            bound = [f"{o} = None", f"if {self.test(1)}:", f"{INDENT}{o} = {w}"]
        last = self.pick([], [f"if {o} is None:", f"{INDENT}continue"])
        if head.startswith("while"):
            last = ["break"]
        lines = [head, *(INDENT + line for line in [*bound, *last])]
        lines.append(f"{f} = {w} if {o} is None else {o} * 0.5")
        self.bind(f, FLOAT)
        return [indent + line for line in lines]

    @construct("a search that may find nothing")
    def search(self, indent):
        fn, found, f = self.fresh("find"), self.fresh("r"), self.target(FLOAT, "f")
        with self.function(u=FLOAT, w=FLOAT):
            test, value = self.test(1), self.float(1)
        nothing = self.pick("None", "None", "(u, -1)", "None if u > 0.5 else (u, 0)")
        given = self.pick("w, i", "w, i", "i, a[i]", "(a[i] * w, 1)")
        loop = [
            "for i in range(len(a)):",
            f"{INDENT}w = a[i] * 0.5",
            f"{INDENT}if {test}:",
            f"{INDENT}{INDENT}{self.pick('break', 'break', 'return ' + given)}",
            "else:",
            f"{INDENT}return {nothing}",
            f"return {given}",
        ]
        lines = [
            f"def {fn}(a, u):",
            f"{INDENT}w = u",
            *(INDENT + line for line in loop),
            f"{found} = {fn}({self.vec()}, {self.float(0)})",
            f"{f} = {value if 'u' not in value and 'w' not in value else 0.25} "
            f"if {found} is None else {found}[0] - {found}[1] * 0.5",
        ]
        if self.chance(0.5):
            del lines[1]  # `w` is bound in the loop only
        self.bind(f, FLOAT)
        return [indent + line for line in lines]

    @construct("one of two classes")
    def duck(self, indent):
        o, f = self.fresh("dk"), self.bind(self.target(FLOAT, "f"), FLOAT)
        u, v = self.fresh("D"), self.fresh("D")
        lines = [
            f"class {u}:",
            f"{INDENT}def __init__(self, v):",
            f"{INDENT}{INDENT}self.v = v",
            f"{INDENT}def get(self, k):",
            f"{INDENT}{INDENT}return self.v * k",
            f"class {v}({u}):",
            f"{INDENT}def get(self, k):",
            f"{INDENT}{INDENT}return super().get(k) - {self.float(0)}",
            f"{o} = {u}({self.float(1)}) if {self.test(1)} else {v}({self.float(0)})",
        ]
        if self.chance(0.4):
            lines.append(f"{o}.v {self.pick('+=', '=', '*=')} {self.float(1)}")
        lines.append(f"{f} = {o}.get({self.float(1)}) + {o}.v")
        return [indent + line for line in lines]

    @construct("one of two objects")
    def shared(self, indent):
        a, b, p, q = self.fresh("a"), self.fresh("b"), self.fresh("p"), self.fresh("q")
        f, u = self.bind(self.target(FLOAT, "f"), FLOAT), self.fresh("D")
        lines = [
            f"class {u}:",
            f"{INDENT}def __init__(self, v):",
            f"{INDENT}{INDENT}self.v, self.log = v, [v]",
            f"{INDENT}def add(self, v):",
            f"{INDENT}{INDENT}self.v += v",
            f"{INDENT}{INDENT}self.log.append(v)",
            f"{a}, {b} = {u}({self.float(1)}), {u}({self.float(0)})",
        ]
        steps = [f"{p}, {q} = ({a}, {b}) if {self.test(1)} else ({b}, {a})"]
        if self.chance(0.4):
            new = f"{u}({self.float(1)})"
            one, two = self.pick((a, new), (new, b), (b, a))
            lines.append(f"{p}, {q} = {a}, {b}")
            steps = [f"if {self.test(1)}:", f"{INDENT}{p} = {one} if {self.test(1)} else {two}"]
            steps += ["else:", f"{INDENT}{p} = {self.pick(new, b, q, p)}"]
        form = self.pick(
            "{x}.v {op} {e}", "{x}.add({e})", "{x}.log.append({e})", "{x}.log[0] = {e}"
        )
        for x in self.pick((p,), (p, q), (p, a), (q, b)):
            steps.append(form.format(x=x, e=self.float(1), op=self.pick("+=", "=", "*=")))
        if self.chance(0.4):
            lines.append(f"for {self.fresh('k')} in range({self.pick('n % 3', '2')}):")
            lines += [INDENT + step for step in steps]
            p = a
        else:
            lines += steps
        lines.append(f"{f} = {a}.v - {b}.v * sum({p}.log) + len({b}.log)")
        return [indent + line for line in lines]

    @construct("is between objects")
    def identity(self, indent):
        records = self.named(RECORD)
        if len(records) < 2:
            new = f"Record({self.float(1)}, {self.float(1)})"
            return [f"{indent}{self.bind(self.fresh('r'), RECORD)} = {new}"]
        a, b = self.rng.sample(records, 2)
        best, item, f = self.fresh("best"), self.fresh("it"), self.target(FLOAT, "f")
        v = self.float(0)
        items = self.pick(f"({a}, {b})", f"[{b}, {a}, {a}]", f"({a}, Record({v}, 0.5), {b})")
        better = self.pick(f"{item}.u < {best}.u", f"{item}.norm() > {v}")
        lines = [
            f"{best} = {self.pick('None', 'None', a)}",
            f"for {item} in {items}:",
            f"{INDENT}if {best} is None or {better}:",
            f"{INDENT}{INDENT}{best} = {item}",
        ]
        if self.chance(0.3):
            lines = [f"{best} = {a} if {self.test(1)} else {b}"]
        if self.chance(0.4):
            lines.append(f"{best}.u {self.pick('+=', '=', '*=')} {self.float(1)}")
        lines.append(
            self.pick(
                f"{f} = {v} if {best} is {a} else {best}.u * 0.5",
                f"{f} = ({best} is not {b}) * {best}.v + {a}.u",
                f"{f} = {best}.u if {best} in ({b}, {a}) else {v}",
                f"{f} = [{a}, {b}, {best}].index({best}) + {best}.v",
            )
        )
        self.bind(f, FLOAT)
        return [indent + line for line in lines]

    @construct("an instance or a tuple")
    def either(self, indent):
        names = self.assignable(EITHER)
        a, b = self.float(1), self.float(1)
        if not names or self.chance(0.4):
            o = self.bind(self.target(EITHER, "ei"), EITHER)
            return [f"{indent}{o} = Record({a}, {b}) if {self.test(1)} else ({b}, 0.5)"]
        if not (floats := self.assignable(FLOAT)):
            return None
        o, f = self.pick(*names), self.pick(*floats)
        lines = [f"if isinstance({o}, tuple):", f"{INDENT}{f} += {o}[0]"]
        lines += ["else:", f"{INDENT}{f} = {o}.{self.pick('u', 'v')} + {a}"]
        return [indent + line for line in lines]
