"""Random statements without a body: assignments, stores, changes of containers, definitions."""

from __future__ import annotations

from tests.fuzz.grammar.array_expressions import ArrayExpressions
from tests.fuzz.grammar.choices import ARRAYS, BOOL, DICT, FLOAT, INT, INTS, LIST, PAIR, RECORD

SHAPES = ((3,), (2,), (2, 3))
INDENT = "    "


class Statements(ArrayExpressions):
    """Each `do_...(indent)` gives the lines of one statement."""

    # ----- Numbers

    def do_assign(self, indent: str) -> list[str]:
        form = self.weighted({"one": 6, "two": 2, "both": 1, "swap": 2, "chain": 1, "star": 1})
        floats = self.assignable(FLOAT)
        if form == "swap" and len(floats) > 1:
            a, b = self.rng.sample(floats, 2)
            return [f"{indent}{a}, {b} = {b}, {self.pick(a, self.float(1))}"]
        if form == "chain" and self.shapes():
            place, value = self.element(self.pick(*self.shapes())), self.float(2)
            name = self.bind(self.target(FLOAT, "f"), FLOAT)
            return [
                indent + self.pick(f"{place} = {name} = {value}", f"{name} = {place} = {value}")
            ]
        value = self.float(3)
        if form == "two":
            other = self.float(1)
            a, b = self.two_targets()
            return [f"{indent}{a}, {b} = {value}, {other}"]
        if form == "both":
            a, b = self.two_targets()
            return [f"{indent}{a} = {b} = {value}"]
        if form == "star":
            other = self.float(1)
            name, rest = self.target(FLOAT, "f"), self.fresh("l")
            self.bind(name, FLOAT), self.bind(rest, LIST)
            return [f"{indent}{name}, *{rest} = {value}, {other}, {self.literal()}"]
        return [f"{indent}{self.bind(self.target(FLOAT, 'f'), FLOAT)} = {value}"]

    def two_targets(self) -> tuple[str, str]:
        a, b = self.target(FLOAT, "f"), self.target(FLOAT, "f")
        return self.bind(a, FLOAT), self.bind(b, FLOAT)

    def do_augment(self, indent: str) -> list[str]:
        floats = self.assignable(FLOAT)
        if not floats:
            return self.do_assign(indent)
        op = self.weighted({"+=": 4, "-=": 2, "*=": 1})
        value = self.pick("0.5", "-0.75", "1.1") if op == "*=" else self.float(2)
        return [f"{indent}{self.pick(*floats)} {op} {value}"]

    def do_integer(self, indent: str) -> list[str]:
        ints = self.assignable(INT)
        form = self.pick("assign", "assign", "step", "flag")
        if form == "step" and ints:
            return [f"{indent}{self.pick(*ints)} {self.pick('+=', '-=')} {self.pick(1, 2)}"]
        if form == "flag":
            test = self.test(1)
            return [f"{indent}{self.bind(self.target(BOOL, 'c'), BOOL)} = {test}"]
        value = self.int(2)
        return [f"{indent}{self.bind(self.target(INT, 'i'), INT)} = ({value}) % {self.pick(4, 5)}"]

    # ----- Containers

    def do_object(self, indent: str) -> list[str]:
        forms = {"list": 4, "append": 4, "item": 2, "pair": 2, "unpack": 2, "dict": 2}
        forms |= {"record": 2, "arrays": 2, "ints": 2, "pop": 1}
        form = self.weighted(forms)
        if form in ("append", "item", "pop") and self.assignable(LIST):
            return [indent + self.change_of_list(form, self.pick(*self.assignable(LIST)))]
        if form == "unpack" and self.named(PAIR):
            pair = self.pick(*self.named(PAIR))
            a, b = self.two_targets()
            return [f"{indent}{a}, {b} = {pair}"]
        if form == "arrays":
            return [indent + self.of_arrays()]
        if form == "ints":
            return [indent + self.of_ints()]
        op, a, b = self.pick("=", "+="), self.float(1), self.float(1)
        if form == "dict":
            if dicts := self.named(DICT):
                return [f'{indent}{self.pick(*dicts)}["{self.pick("u", "v")}"] {op} {a}']
            return [f'{indent}{self.bind(self.fresh("d"), DICT)} = {{"u": {a}, "v": {b}}}']
        if form == "record":
            if records := self.named(RECORD):
                method = f".move({a})" if self.chance(0.4) else f".{self.pick('u', 'v')} {op} {a}"
                return [f"{indent}{self.pick(*records)}{method}"]
            return [f"{indent}{self.bind(self.fresh('s'), RECORD)} = Record({a}, {b})"]
        if form in ("pair", "unpack"):
            return [f"{indent}{self.bind(self.target(PAIR, 't'), PAIR)} = ({a}, {b})"]
        return [f"{indent}{self.bind(self.target(LIST, 'l'), LIST)} = [{a}, {b}]"]

    def change_of_list(self, form: str, name: str) -> str:
        if form == "append":
            return f"{name}.append({self.float(2)})"
        if form == "pop":
            item = self.pick("0.5", self.float(1))
            return f"{name}.append({item} + {name}.pop())"
        index = self.pick("0", "1", "-1", f"{self.int(0)} % len({name})")
        return f"{name}[{index}] {self.pick('=', '+=')} {self.float(1)}"

    def of_arrays(self) -> str:
        """A list of arrays: names of arrays, in another place."""
        if (lists := self.named(ARRAYS)) and self.chance(0.6):
            place = f"{self.pick(*lists)}[{self.index(2)}]"
            return self.pick(
                f"{place}[{self.index(3)}] {self.pick('=', '+=')} {self.float(1)}",
                f"{place} = {self.array((3,), 1)}",
                f"{place} += {self.float(1)}",
            )
        a, b = self.array((3,), 1), self.array((3,), 1)
        return f"{self.bind(self.fresh('m'), ARRAYS)} = [{a}, {b}]"

    def of_ints(self) -> str:
        """An integer array: what is stored in it loses its fraction."""
        if (arrays := self.named(INTS)) and self.chance(0.7):
            name, value = self.pick(*arrays), self.pick(self.int(1), f"({self.float(1)}) * 2.5")
            if self.chance(0.3):
                return f"{name}[{self.index(3)}] += {self.int(1)}"
            return f"{name}[{self.pick(self.index(3), '1:')}] = {value}"
        new = self.pick("np.zeros(3, int)", "np.array([2, 0, 1])", "np.arange(3)", "np.full(3, 1)")
        return f"{self.bind(self.fresh('b'), INTS)} = {new}"

    # ----- Arrays

    def do_array(self, indent: str) -> list[str]:
        shape = self.pick(*SHAPES)
        form = self.pick("bind", "bind", "alias", "view", "view", "swap", "inplace", "inplace")
        named = self.assignable(shape)
        if form == "swap" and len(named) > 1:
            a, b = self.rng.sample(named, 2)
            return [f"{indent}{a}, {b} = {b}, {a}"]
        if form == "inplace" and (arrays := self.shapes()):
            return [indent + self.inplace(self.pick(*arrays))]
        value = self.array(shape, 2)
        if form == "alias" and named:
            value = self.pick(*named)
        elif form == "view":
            value = self.view(shape) or value
        return [f"{indent}{self.bind(self.target(shape, 'a'), shape)} = {value}"]

    def inplace(self, name: str) -> str:
        shape = self.names[name]
        if self.chance(0.3):
            return f"{name} *= {self.pick('0.5', '-0.8')}"
        value = self.pick(self.float(1), self.array(shape, 1))
        if len(shape) == 2 and self.chance(0.3):
            value = self.array(shape[1:], 1)
        return f"{name} {self.pick('+=', '-=')} {value}"

    def do_store(self, indent: str) -> list[str]:
        arrays = self.shapes()
        if not arrays:
            return self.do_assign(indent)
        name = self.pick(*arrays)
        shape = self.names[name]
        form = self.weighted({"element": 4, "add": 4, "swap": 2, "part": 4, "mixed": 1, "mask": 1})
        if form == "part":
            return [indent + self.store_part(name, shape)]
        if form == "mask":
            return [
                f"{indent}{name}[{name} {self.pick('>', '<')} {self.float(1)}] = {self.float(1)}"
            ]
        place = self.element(name)
        if form == "element":
            return [f"{indent}{place} = {self.float(2)}"]
        if form == "swap":
            other = self.element(self.pick(*arrays))
            return [f"{indent}{place}, {other} = {other}, {place}"]
        if form == "mixed" and (floats := self.assignable(FLOAT)):
            other = self.pick(*floats)
            return [f"{indent}{place}, {other} = {other}, {place}"]
        return [f"{indent}{place} {self.pick('+=', '-=')} {self.float(2)}"]

    def store_part(self, name: str, shape: tuple[int, ...]) -> str:
        """A store into a slice, a row, a column, chosen elements or the whole."""
        op = self.pick("=", "+=")
        if len(shape) == 2:
            column = f"{name}[:, {self.index(shape[1])}]"
            row = f"{name}[{self.index(shape[0])}]"
            place, part = self.pick((row, shape[1:]), (column, shape[:1]))
        elif shape == (3,) and self.chance(0.7):
            form = self.pick("{}[1:]", "{}[:2]", "{}[-2:]", "{}[::2]", "{}[[2, 0]]", "{}[[1, 1]]")
            place, part = form.format(name), (2,)
        else:
            place, part = f"{name}[:]", shape
        return f"{place} {op} {self.pick(self.float(1), self.array(part, 1))}"

    # ----- Functions

    def do_closure(self, indent: str) -> list[str]:
        """A function inside: it reads names around, and may write to them."""
        name = self.fresh("fn")
        lines = self.lambda_(name) if self.chance(0.3) else self.inner_function(name)
        self.functions[name] = (FLOAT,)
        return [indent + line for line in lines]

    def lambda_(self, name: str) -> list[str]:
        default = self.pick("", f", v={self.float(1)}")
        with self.function(u=FLOAT):
            body = self.float(2) + (" + v" if default else "")
        return [f"{name} = lambda u{default}: {body}"]

    def inner_function(self, name: str) -> list[str]:
        lines = [f"def {name}(u):"]
        written = [name for name in self.assignable(FLOAT) if name != "u"]
        with self.function(u=FLOAT):
            if written and self.chance(0.5):
                shared = self.pick(*written)
                word = "global" if shared == "G" else "nonlocal"
                lines.append(f"{INDENT}{word} {shared}")
                change = f"{self.pick('=', '+=', '-=')} {self.float(2)}"
                lines.append(f"{INDENT}{shared} {change}")
            return lines + self.small_body(INDENT)

    def helper(self) -> list[str]:
        """A function of the module: of floats, or of an array, which it may write to."""
        name = self.fresh("h")
        if self.chance(0.2):
            return self.recursion(name)
        kinds = self.pick((FLOAT,), (FLOAT, FLOAT), ((3,), FLOAT), ((2,), FLOAT), (RECORD, FLOAT))
        letters = {FLOAT: "uv", RECORD: "r"}
        params = [letters.get(k, "a")[i % 2 if k == FLOAT else 0] for i, k in enumerate(kinds)]
        outer = self.names
        self.names = dict(zip(params, kinds))
        body = self.small_body(INDENT)
        self.names = outer
        self.functions[name] = kinds
        return [f"def {name}({', '.join(params)}):", *body, ""]

    def recursion(self, name: str) -> list[str]:
        """Tail recursion, which ends."""
        self.names, outer = {"u": FLOAT, "k": INT}, self.names
        step, end = self.float(2), self.float(1)
        self.names = outer
        self.functions[name] = (FLOAT, INT)
        return [
            f"def {name}(u, k):",
            f"{INDENT}if k <= 0 or k > 4:",
            f"{INDENT}{INDENT}return {end}",
            f"{INDENT}return {name}({step}, k - 1)",
            "",
        ]

    def small_body(self, indent: str) -> list[str]:
        """A few statements and a `return` of a float."""
        functions, self.functions = self.functions, {}
        body = []
        for _ in range(self.pick(0, 1, 2)):
            form = self.pick("early", "assign", "store", "loop")
            if form == "early":
                body.append(f"{indent}if {self.test(1)}:")
                body.append(f"{indent}{INDENT}return {self.float(1)}")
            elif form == "store" and self.shapes(1):
                body += self.do_store(indent)
            elif form == "loop":
                name = self.local_float(indent, body)
                count = self.pick("2", "3", f"int(abs({self.pick(*self.named(FLOAT))})) % 3")
                body.append(f"{indent}for k in range({count}):")
                body.append(f"{indent}{INDENT}{name} = {name} * 0.5 + {self.float(1)}")
            else:
                self.local_float(indent, body)
        self.functions = functions
        return [*body, f"{indent}return {self.float(2)}"]

    def local_float(self, indent: str, body: list[str]) -> str:
        name = self.fresh("w")
        body.append(f"{indent}{name} = {self.float(1)}")
        self.names[name] = FLOAT
        return name
