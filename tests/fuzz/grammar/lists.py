"""Lists: without a bound, edited at run-time indices, nested, sorted; heaps, deques, sets, dicts.

A list in scope has two items at least, a deque too; a nested list is two lists of three floats.
"""

from __future__ import annotations

from tests.fuzz.grammar.choices import COUNTS, FLOAT, KEYS, LIST, QUEUE, TABLE
from tests.fuzz.grammar.constructs import construct
from tests.fuzz.grammar.statements import INDENT, Statements


class Lists(Statements):
    def a_list(self) -> str | None:
        lists = self.assignable(LIST)
        return self.pick(*lists) if lists else None

    def floats(self, count: int, depth: int = 1) -> str:
        return ", ".join(self.float(depth) for _ in range(count))

    # ----- Lists

    @construct("list without a bound", "block")
    def grown_list(self, depth, indent):
        name, z = self.target(LIST, "l"), self.fresh("z")
        first, start = self.floats(2), self.float(1)
        self.bind(name, LIST)
        end, step = self.pick(("2.5", "0.4"), ("2.5", "0.4"), ("3.0", "0.13"))
        self.names[z] = FLOAT
        self.protected.add(z)
        head = [
            f"{indent}{name} = [{first}]",
            f"{indent}{z} = abs({start})",
            f"{indent}while {z} < {end}:",
            f"{indent}{INDENT}{name}.append({self.float(1)})",
            f"{indent}{INDENT}{z} += {step}",
        ]
        if step == "0.13":
            return head, True
        return self.loop(head, depth, indent, {z: FLOAT}), True

    @construct("edits of lists")
    def edited_list(self, indent):
        if (xs := self.a_list()) is None:
            return None
        i, j, v = self.int(1), self.int(0), self.float(1)
        form = self.pick(
            "{xs}.insert(({i}) % len({xs}), {v})",
            "{xs}.insert({j}, {v})",
            "{xs}.extend([{v}, 0.5])",
            "{xs} += [{v}]",
            "{xs} = {xs} + [{v}]",
            "{xs} = [{v}, *{xs}]",
            "{xs}.reverse()",
            "{xs}[({i}) % len({xs})], {xs}[0] = {xs}[0], {xs}[({i}) % len({xs})]",
            "{xs} = {xs}[::-1]",
            "{xs} = [{v}] * 3",
            "{xs} = {a}.tolist()",
            "{xs} = list({a}) + {xs}[:2]",
            "{xs} = {xs}.copy()",
            "{xs} = [u * 0.5 for u in {xs}]",
        )
        lines = [form.format(xs=xs, i=i, j=j, v=v, a=self.vec())]
        if self.chance(0.3):
            lines = [f"{xs}.append({v})", self.pick(f"del {xs}[({i}) % len({xs})]", f"{xs}.pop(0)")]
        return [indent + line for line in lines]

    @construct("pop and remove")
    def popped(self, indent):
        if (xs := self.a_list()) is None:
            return None
        i, v = self.int(1), self.float(1)
        name = self.bind(self.target(FLOAT, "f"), FLOAT)
        form = self.pick("{xs}.pop(({i}) % len({xs}))", "{xs}.pop()", "{xs}.pop(0)", "{xs}.pop(-2)")
        return [f"{indent}{xs}.append({v})", f"{indent}{name} = {form.format(xs=xs, i=i)}"]

    @construct("slices of lists at run-time indices")
    def slice_of_list(self, indent):
        if (xs := self.a_list()) is None:
            return None
        i = self.int(1)
        form = self.pick(
            "{xs}[({i}) % 2:({i}) % 2 + 1] = [{v}, 0.25]",
            "{xs}[1:] = [{v}]",
            "{xs}[:({i}) % 2] = [{v}]",
            "del {xs}[2 + ({i}) % 2:]",
        )
        return [indent + form.format(xs=xs, i=i, v=self.float(1))]

    @construct("slices of lists at run-time indices", "float")
    def of_slice(self, depth):
        if (xs := self.a_list()) is None:
            return None
        form = self.pick("sum({xs}[({i}) % 2:])", "sum({xs}[:({i}) % 3])", "len({xs}[({i}) % 2:])")
        return form.format(xs=xs, i=self.int(1))

    @construct("in, index, count of lists", "int")
    def found_in_list(self, depth):
        if (xs := self.a_list()) is None:
            return None
        return self.pick(
            f"{xs}.index({xs}[-1])", f"{xs}.count({xs}[0])", f"int({self.float(0)} in {xs})"
        )

    # ----- Nested lists

    @construct("nested lists")
    def table(self, indent):
        tables = self.assignable(TABLE)
        if not tables or self.chance(0.25):
            new = self.pick(
                f"[[{self.floats(3)}], [{self.floats(3, 0)}]]",
                f"[[{self.vec()}[i] * {self.vec()}[j] for j in range(3)] for i in range(2)]",
                f"[[{self.float(0)}] * 3 for _ in range(2)]",
                f"{self.mat()}.tolist()",
            )
            return [f"{indent}{self.bind(self.target(TABLE, 'tt'), TABLE)} = {new}"]
        t = self.pick(*tables)
        i, j, op = self.index(2), self.index(3), self.pick("=", "+=", "-=")
        form = self.pick(
            "{t}[{i}][{j}] {op} {v}",
            "{t}[{i}][{j}] {op} {v}",
            "{t}[0], {t}[1] = {t}[1], {t}[0]",
            "{t}[{i}] = [{vs}]",
            "{t}[{i}][{j}], {t}[0][1] = {t}[0][1], {t}[{i}][{j}]",
            "{t} = [row[::-1] for row in {t}]",
            "{t}[{i}].reverse()",
        )
        values = {"v": self.float(1), "vs": self.floats(3, 0)}
        return [indent + form.format(t=t, i=i, j=j, op=op, **values)]

    @construct("nested lists", "float")
    def of_table(self, depth):
        if not (tables := self.named(TABLE)):
            return None
        form = self.pick(
            "{t}[{i}][{j}]",
            "{t}[{i}][{j}]",
            "sum({t}[{i}])",
            "sum(map(sum, {t}))",
            "sum(u * u for row in {t} for u in row)",
            "max(map(max, {t}))",
            "sum(a * b for a, b in zip(*{t}))",
            "np.sum(np.array({t}) * {m})",
        )
        return form.format(t=self.pick(*tables), i=self.index(2), j=self.index(3), m=self.mat())

    @construct("nested lists", "for")
    def rows_of_table(self):
        if not (tables := self.named(TABLE)):
            return None
        t = self.pick(*tables)
        self.protected.add(t)
        row, name = self.fresh("rr"), self.fresh("e")
        if self.chance(0.5):
            return f"{row} in {t}", {row: LIST}
        return f"{name}, *{row} in {t}", {name: FLOAT, row: LIST}

    # ----- Sorting

    @construct("sorted, min and max by keys", "float")
    def sorted_item(self, depth):
        a = self.pick(self.vec(), *self.named(LIST))
        key = self.pick(f"lambda v: abs(v - {self.float(0)})", "lambda v: -v * v", "abs")
        i = self.index(2)
        form = self.pick(
            "sorted({a})[{i}]",
            "sorted([{v}, *{a}])[{i}]",
            "sorted({a}, reverse=True)[{i}]",
            "sorted({a}, key={key})[{i}]",
            "min({a}, key={key})",
            "max({a}, key={key})",
            "sorted(zip({a}, {b}))[0][1]",
            "max(zip({a}, {b}), key=lambda t: t[1])[0]",
            "{b}[sorted(range(3), key=lambda i: {b}[i])[{i}]]",
        )
        return form.format(a=a, b=self.vec(), key=key, i=i, v=self.float(0))

    @construct("list.sort")
    def sort(self, indent):
        if (xs := self.a_list()) is None:
            return None
        how = self.pick("", "", "reverse=True", "key=abs", "key=lambda v: -v")
        return [f"{indent}{xs}.sort({how})"]

    @construct("heapq")
    def heap(self, indent):
        if (xs := self.a_list()) is None:
            return None
        v = self.float(1)
        form = self.pick("push", "pop", "pushpop", "heapify", "replace")
        if form == "heapify":
            return [f"{indent}heapq.heapify({xs})"]
        lines = [f"{indent}heapq.heapify({xs})"] if self.chance(0.5) else []
        if form == "push":
            return [*lines, f"{indent}heapq.heappush({xs}, {v})"]
        f = self.bind(self.target(FLOAT, "f"), FLOAT)
        if form == "pop":
            lines.append(f"{indent}heapq.heappush({xs}, {v})")
            return [*lines, f"{indent}{f} = heapq.heappop({xs})"]
        call = {"pushpop": "heappushpop", "replace": "heapreplace"}[form]
        return [*lines, f"{indent}{f} = heapq.{call}({xs}, {v})"]

    @construct("heapq", "float")
    def of_heap(self, depth):
        a = self.pick(self.vec(), *self.named(LIST))
        return f"heapq.{self.pick('nsmallest', 'nlargest')}(2, {a})[{self.pick(0, 1)}]"

    @construct("bisect", "int")
    def bisected(self, depth):
        a = self.pick(self.vec(), *self.named(LIST))
        call = self.pick("bisect", "bisect_left", "bisect_right")
        return f"bisect.{call}(sorted({a}), {self.float(1)})"

    @construct("bisect")
    def insort(self, indent):
        if (xs := self.a_list()) is None:
            return None
        return [f"{indent}{xs}.sort()", f"{indent}bisect.insort({xs}, {self.float(1)})"]

    # ----- Collections

    @construct("deque")
    def queue(self, indent):
        queues = self.assignable(QUEUE)
        if not queues or self.chance(0.2):
            bound = self.pick("", "", ", maxlen=3")
            new = f"collections.deque([{self.floats(2)}]{bound})"
            return [f"{indent}{self.bind(self.target(QUEUE, 'q'), QUEUE)} = {new}"]
        q, v = self.pick(*queues), self.float(1)
        form = self.pick("append", "append", "appendleft", "left", "right", "rotate", "item")
        if form in ("left", "right"):
            f = self.bind(self.target(FLOAT, "f"), FLOAT)
            pop = "popleft" if form == "left" else "pop"
            return [f"{indent}{f} = {q}.{pop}()", f"{indent}{q}.append({v} + {f} * 0.5)"]
        if form == "rotate":
            return [f"{indent}{q}.rotate({self.pick(1, -1)})"]
        if form == "item":
            return [f"{indent}{q}[{self.pick(0, -1)}] {self.pick('=', '+=')} {v}"]
        return [f"{indent}{q}.{form}({v})"]

    @construct("deque", "float")
    def of_queue(self, depth):
        if not (queues := self.named(QUEUE)):
            return None
        form = self.pick("{0}[0]", "{0}[-1]", "sum({0})", "len({0})", "max({0})", "list({0})[1]")
        return form.format(self.pick(*queues))

    @construct("set")
    def key_set(self, indent):
        if not (sets := self.assignable(KEYS)) or self.chance(0.2):
            new = self.pick("{0, 2}", "set()", "set([1, 2])", "{k for k in range(3) if k != 1}")
            return [f"{indent}{self.bind(self.target(KEYS, 'ks'), KEYS)} = {new}"]
        s = self.pick(*sets)
        change = self.pick("{}.add(1)", "{}.discard(2)", "{} |= {{3}}", "{}.update([0, 3])")
        return [indent + change.format(s)]

    @construct("set", "float")
    def of_set(self, depth):
        if not (sets := self.named(KEYS)):
            return None
        s = self.pick(*sets)
        a, b = self.float(0), self.float(0)
        return self.pick(f"({a} if {self.pick(1, 2)} in {s} else {b})", f"len({s})", f"sum({s})")

    @construct("defaultdict and Counter")
    def counts(self, indent):
        if not (found := self.assignable(COUNTS)) or self.chance(0.25):
            new = self.pick(
                "collections.defaultdict(float)",
                "collections.defaultdict(lambda: 0.5)",
                "collections.Counter()",
                'collections.Counter("uvu")',
            )
            return [f"{indent}{self.bind(self.target(COUNTS, 'cc'), COUNTS)} = {new}"]
        d, key = self.pick(*found), self.pick('"u"', '"v"', '"w"')
        return [f"{indent}{d}[{key}] {self.pick('+=', '=', '-=')} {self.float(1)}"]

    @construct("defaultdict and Counter", "float")
    def of_counts(self, depth):
        if not (found := self.named(COUNTS)):
            return None
        form = self.pick(
            '{0}["u"]', '{0}["v"]', "sum({0}.values())", "len({0})", '{0}.get("w", 0.5)'
        )
        return form.format(self.pick(*found))
