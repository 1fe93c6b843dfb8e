"""Random structured plain-Python programs, as source text.

    Generator(random.Random(seed)).program()     bulk runs
    programs()                                   a strategy of Hypothesis

A program is `f(p, q, n, x, y, A)`: floats, an int, two arrays of three elements, a 2x3 matrix. It
ends, its floats stay bounded, and its names are bound where they are read (unless it is `risky`).
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from expressions import BOOL, DICT, FLOAT, INT, LIST, PAIR, Expressions, Type
from hypothesis import strategies as st

ARGUMENTS: dict[str, Type] = {"p": FLOAT, "q": FLOAT, "n": INT, "x": (3,), "y": (3,), "A": (2, 3)}
SHAPES = ((3,), (2,), (2, 3))
INDENT = "    "


@dataclass(frozen=True)
class Program:
    """`source` defines `f(p, q, n, x, y, A)`; `risky`: it may raise."""

    source: str
    risky: bool


@dataclass
class Scope:
    """What is known at a point of the program."""

    names: dict[str, Type]
    bounds: dict[str, range]
    functions: dict[str, tuple[Type, ...]]


class Generator(Expressions):
    """`after`, of blocks: the names bound at their end, None where the end is not reached."""

    def __init__(self, rng: Random):
        super().__init__(rng)
        self.counts: dict[str, int] = {}
        self.protected: set[str] = set()  # not to be assigned: counters, targets of loops
        self.guards: list[tuple[str, str]] = []  # a bool, and a float bound where it holds
        self.loops = 0
        self.budget = 0
        self.results: Type = FLOAT

    def fresh(self, letter: str) -> str:
        self.counts[letter] = self.counts.get(letter, -1) + 1
        return f"{letter}{self.counts[letter]}"

    # ----- Programs

    def program(self) -> Program:
        self.risky = self.chance(0.12)
        self.results = self.pick(FLOAT, FLOAT, PAIR, (3,))
        helpers = []
        for _ in range(self.pick(0, 1, 1, 2)):
            helpers += self.helper()
        self.names = dict(ARGUMENTS)
        self.budget = self.rng.randrange(6, 16)
        body = []
        while self.budget > 0:
            lines, reached = self.block(3, INDENT, self.pick(2, 3, 4))
            body += lines
            if not reached:
                break
        else:
            body += [f"{INDENT}return {self.result(whole=True)}"]
        lines = [*helpers, f"def f({', '.join(ARGUMENTS)}):", *body]
        return Program("\n".join(lines) + "\n", self.risky)

    def result(self, whole: bool = False) -> str:
        """Of the program; `whole`: everything in scope contributes."""
        total = self.total() if whole else self.float(2)
        if self.results == FLOAT:
            return total
        if self.results == PAIR:
            return f"{total}, {self.array((3,), 1)}"
        return f"{self.array((3,), 1)} + ({total})"

    def total(self) -> str:
        forms = {
            FLOAT: "{}",
            INT: "0.1 * {}",
            BOOL: "(0.3 if {} else 0.0)",
            LIST: "sum({})",
            PAIR: "{0}[0] - {0}[1]",
            DICT: '{0}["u"] + 0.5 * {0}["v"]',
        }
        terms = []
        for name, kind in self.names.items():
            if name in ARGUMENTS and isinstance(kind, tuple):
                continue  # compared after the call
            form = forms.get(kind) or "np.sum({})"
            terms.append(f"{self.pick('0.5 * ', '1.5 * ', '-')}({form.format(name)})")
        self.rng.shuffle(terms)
        return " + ".join(terms[:8])

    def helper(self) -> list[str]:
        """A function of the module: of floats, or of an array, which it may write to."""
        name = self.fresh("h")
        kinds = self.pick((FLOAT,), (FLOAT, FLOAT), ((3,), FLOAT), ((2,), FLOAT))
        params = ["a" if isinstance(k, tuple) else "uv"[i % 2] for i, k in enumerate(kinds)]
        outer = self.names
        self.names = dict(zip(params, kinds))
        body = self.small_body(INDENT)
        self.names = outer
        self.functions[name] = kinds
        return [f"def {name}({', '.join(params)}):", *body, ""]

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

    # ----- Blocks

    def scope(self) -> Scope:
        return Scope(dict(self.names), dict(self.bounds), dict(self.functions))

    def enter(self, scope: Scope) -> None:
        self.names, self.bounds = dict(scope.names), dict(scope.bounds)
        self.functions = dict(scope.functions)

    def block(self, depth: int, indent: str, size: int) -> tuple[list[str], bool]:
        """The lines, and whether their end is reached."""
        lines: list[str] = []
        for _ in range(size):
            self.budget -= 1
            more, reached = self.statement(depth, indent)
            lines += more
            if not reached:
                return lines, False
        return lines, True

    def statement(self, depth: int, indent: str) -> tuple[list[str], bool]:
        kinds = {"assign": 6, "augment": 4, "integer": 2, "array": 4, "store": 6, "object": 3}
        if depth > 0 and self.budget > 0:
            kinds |= {"if": 5, "for": 5, "while": 2}
            kinds |= {"guarded": 1, "closure": 2} if depth > 1 else {}
        if self.loops:
            kinds |= {"jump": 3}
        kind = self.weighted(kinds)
        generate = getattr(self, f"do_{kind}")
        if kind == "if":
            return generate(depth, indent)
        if kind == "jump":
            return generate(indent)
        return generate(depth, indent) if kind in ("for", "while") else generate(indent), True

    # ----- Assignments

    def target(self, kind: Type, letter: str) -> str:
        """A name of this type that may be assigned: an old one or a new one."""
        old = [name for name in self.named(kind) if name not in self.protected]
        if old and (self.chance(0.65) or len(old) > 5):
            return self.pick(*old)
        return self.fresh(letter)

    def bind(self, name: str, kind: Type) -> str:
        self.names[name] = kind
        return name

    def do_assign(self, indent: str) -> list[str]:
        form = self.pick("one", "one", "one", "two", "both", "swap")
        floats = [name for name in self.named(FLOAT) if name not in self.protected]
        if form == "swap" and len(floats) > 1:
            a, b = self.rng.sample(floats, 2)
            return [f"{indent}{a}, {b} = {b}, {self.pick(a, self.float(1))}"]
        value = self.float(3)
        if form == "two":
            other = self.float(1)
            a, b = self.target(FLOAT, "f"), self.target(FLOAT, "f")
            lines = [f"{indent}{a}, {b} = {value}, {other}"]
            self.bind(a, FLOAT), self.bind(b, FLOAT)
            return lines
        if form == "both":
            a, b = self.target(FLOAT, "f"), self.target(FLOAT, "f")
            self.bind(a, FLOAT), self.bind(b, FLOAT)
            return [f"{indent}{a} = {b} = {value}"]
        name = self.target(FLOAT, "f")
        self.bind(name, FLOAT)
        return [f"{indent}{name} = {value}"]

    def do_augment(self, indent: str) -> list[str]:
        floats = [name for name in self.named(FLOAT) if name not in self.protected]
        if not floats:
            return self.do_assign(indent)
        op = self.weighted({"+=": 4, "-=": 2, "*=": 1})
        value = self.pick("0.5", "-0.75", "1.1") if op == "*=" else self.float(2)
        return [f"{indent}{self.pick(*floats)} {op} {value}"]

    def do_integer(self, indent: str) -> list[str]:
        ints = [name for name in self.named(INT) if name not in self.protected]
        form = self.pick("assign", "assign", "step", "flag")
        if form == "step" and ints:
            return [f"{indent}{self.pick(*ints)} {self.pick('+=', '-=')} {self.pick(1, 2)}"]
        if form == "flag":
            test = self.test(1)
            return [f"{indent}{self.bind(self.target(BOOL, 'c'), BOOL)} = {test}"]
        value = self.int(2)
        return [f"{indent}{self.bind(self.target(INT, 'i'), INT)} = ({value}) % {self.pick(4, 5)}"]

    def do_object(self, indent: str) -> list[str]:
        """Lists, pairs and dicts of floats."""
        form = self.pick("list", "list", "append", "append", "item", "pair", "unpack", "dict")
        lists = [name for name in self.named(LIST) if name not in self.protected]
        if form == "append" and lists:
            return [f"{indent}{self.pick(*lists)}.append({self.float(2)})"]
        if form == "item" and lists:
            name = self.pick(*lists)
            index = self.pick("0", "1", "-1", f"{self.int(0)} % len({name})")
            return [f"{indent}{name}[{index}] {self.pick('=', '+=')} {self.float(1)}"]
        if form == "unpack" and self.named(PAIR):
            pair = self.pick(*self.named(PAIR))
            a, b = self.target(FLOAT, "f"), self.target(FLOAT, "f")
            self.bind(a, FLOAT), self.bind(b, FLOAT)
            return [f"{indent}{a}, {b} = {pair}"]
        a, b = self.float(1), self.float(1)
        if form == "dict":
            if dicts := self.named(DICT):
                key = self.pick("u", "v")
                return [f'{indent}{self.pick(*dicts)}["{key}"] {self.pick("=", "+=")} {a}']
            return [f'{indent}{self.bind(self.fresh("d"), DICT)} = {{"u": {a}, "v": {b}}}']
        if form in ("pair", "unpack"):
            return [f"{indent}{self.bind(self.target(PAIR, 't'), PAIR)} = ({a}, {b})"]
        return [f"{indent}{self.bind(self.target(LIST, 'l'), LIST)} = [{a}, {b}]"]

    # ----- Arrays

    def array_names(self, shape: tuple[int, ...]) -> list[str]:
        return [name for name in self.named(shape) if name not in self.protected]

    def do_array(self, indent: str) -> list[str]:
        shape = self.pick(*SHAPES)
        form = self.pick("bind", "bind", "alias", "view", "view", "swap", "inplace", "inplace")
        named = self.array_names(shape)
        if form == "swap" and len(named) > 1:
            a, b = self.rng.sample(named, 2)
            return [f"{indent}{a}, {b} = {b}, {a}"]
        if form == "inplace" and (arrays := self.shapes()):
            return [f"{indent}{self.inplace(self.pick(*arrays))}"]
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
        form = self.pick("element", "element", "add", "add", "swap", "part", "part")
        if form == "part":
            return [indent + self.store_part(name, shape)]
        place = self.element(name)
        if form == "element":
            return [f"{indent}{place} = {self.float(2)}"]
        if form == "swap":
            other = self.element(self.pick(*arrays))
            return [f"{indent}{place}, {other} = {other}, {place}"]
        return [f"{indent}{place} {self.pick('+=', '-=')} {self.float(2)}"]

    def store_part(self, name: str, shape: tuple[int, ...]) -> str:
        """A store into a slice, a row, a column or the whole."""
        op = self.pick("=", "+=")
        if len(shape) == 2:
            column = f"{name}[:, {self.index(shape[1])}]"
            row = f"{name}[{self.index(shape[0])}]"
            place, part = self.pick((row, shape[1:]), (column, shape[:1]))
        elif shape == (3,) and self.chance(0.6):
            place, part = self.pick("{}[1:]", "{}[:2]", "{}[-2:]", "{}[::2]").format(name), (2,)
        else:
            place, part = f"{name}[:]", shape
        return f"{place} {op} {self.pick(self.float(1), self.array(part, 1))}"

    # ----- Control flow

    def do_if(self, depth: int, indent: str) -> tuple[list[str], bool]:
        start = self.scope()
        lines, ends = [], []
        tests = ["if", *["elif"] * self.pick(0, 0, 1)]
        heads = [f"{indent}{word} {self.test(1)}:" for word in tests]
        if self.chance(0.55):
            heads.append(f"{indent}else:")
        else:
            ends.append(start)
        for head in heads:
            self.enter(start)
            body, reached = self.block(depth - 1, indent + INDENT, self.pick(1, 1, 2, 3))
            lines += [head, *body]
            if reached:
                ends.append(self.scope())
        self.meet(start, ends)
        return lines, bool(ends)

    def meet(self, start: Scope, ends: list[Scope]) -> None:
        """Names bound at all ends; the others are bound on some paths only."""
        if not ends:
            self.enter(start)
            return
        everywhere = ends[0].names.keys()
        for end in ends:
            everywhere = everywhere & end.names.keys()
        somewhere = {k: v for end in ends for k, v in end.names.items()}
        self.enter(start)
        for name, kind in somewhere.items():
            if name in everywhere:
                self.names[name] = kind
            elif kind == FLOAT and name not in self.maybe:
                self.maybe.append(name)

    def loop(self, head: list[str], depth: int, indent: str, targets: dict[str, Type]) -> list[str]:
        start = self.scope()
        self.names |= targets
        self.protected |= targets.keys()
        self.loops += 1
        body, _ = self.block(depth - 1, indent + INDENT, self.pick(1, 2, 2, 3))
        self.loops -= 1
        self.meet(start, [start, self.scope()])
        lines = [*head, *body]
        if self.chance(0.2):
            lines.append(f"{indent}else:")
            inner = self.scope()
            lines += self.simple_block(indent + INDENT)
            self.meet(inner, [inner, self.scope()])
        return lines

    def simple_block(self, indent: str) -> list[str]:
        self.budget -= 1
        return self.pick(self.do_assign, self.do_augment, self.do_store)(indent)

    def do_for(self, depth: int, indent: str) -> list[str]:
        kinds = {"range": 6, "array": 3, "rows": 2, "zip": 2, "enumerate": 2, "items": 2}
        head, targets = getattr(self, f"_for_{self.weighted(kinds)}")()
        return self.loop([f"{indent}for {head}:"], depth, indent, targets)

    def counter(self, values: range) -> dict[str, Type]:
        name = self.fresh("k")
        if values:
            self.bounds[name] = values
        return {name: INT}

    def _for_range(self):
        n = self.pick(2, 3)
        spelled, values = self.pick(
            (f"range({n})", range(n)),
            ("range(1, 3)", range(1, 3)),
            ("range(2, -1, -1)", range(3)),
            ("range(0, 3, 2)", range(3)),
            ("reversed(range(3))", range(3)),
            ("range(n % 4)", range(4)),
            (f"range(({self.int(1)}) % 4)", range(4)),
            (f"range(int(abs({self.float(1)})) % 4)", range(4)),
            (f"range(({self.int(1)}) % 3, 3)", range(3)),
            (f"range(2, ({self.int(1)}) % 3 - 1, -1)", range(3)),
            (f"range(({self.int(1)}) % 3, ({self.int(1)}) % 4)", range(4)),
        )
        targets = self.counter(values)
        return f"{next(iter(targets))} in {spelled}", targets

    def _for_array(self):
        name, (array, _) = self.fresh("e"), self.vector()
        return f"{name} in {array}", {name: FLOAT}

    def vector(self) -> tuple[str, int]:
        shape = self.pick((3,), (3,), (2,))
        names = self.named(shape)
        array = self.pick(*names) if names and self.chance(0.7) else self.array(shape, 1)
        return array, shape[0]

    def _for_rows(self):
        name, matrices = self.fresh("r"), self.named((2, 3))
        return f"{name} in {self.pick(*matrices)}", {name: (3,)}

    def _for_zip(self):
        a, b = self.fresh("e"), self.fresh("e")
        first, second = self.vector()[0], self.vector()[0]
        return f"{a}, {b} in zip({first}, {second})", {a: FLOAT, b: FLOAT}

    def _for_enumerate(self):
        name, (array, n) = self.fresh("e"), self.vector()
        targets = self.counter(range(n))
        return f"{next(iter(targets))}, {name} in enumerate({array})", {**targets, name: FLOAT}

    def _for_items(self):
        name = self.fresh("e")
        if (lists := self.named(LIST)) and self.chance(0.5):
            items = self.pick(*lists)
            self.protected.add(items)  # not to grow while it is run over
            return f"{name} in {items}", {name: FLOAT}
        items = ", ".join(self.float(1) for _ in range(self.pick(2, 3)))
        return f"{name} in {self.pick('({})', '[{}]').format(items)}", {name: FLOAT}

    def do_while(self, depth: int, indent: str) -> list[str]:
        fuel = self.fresh("fuel")
        test = self.pick(
            f"{fuel} > 0", f"{fuel} > 0 and {self.test(1)}", f"{self.test(1)} and {fuel}"
        )
        head = [
            f"{indent}{fuel} = {self.pick(2, 3)}",
            f"{indent}while {test}:",
            f"{indent}{INDENT}{fuel} -= 1",
        ]
        self.protected.add(fuel)
        self.names[fuel] = INT
        return self.loop(head, depth, indent, {})

    def do_jump(self, indent: str) -> tuple[list[str], bool]:
        word = self.weighted({"break": 3, "continue": 3, "return": 2})
        text = f"return {self.result()}" if word == "return" else word
        if self.chance(0.85):
            return [f"{indent}if {self.test(1)}:", f"{indent}{INDENT}{text}"], True
        return [indent + text], False

    def do_guarded(self, indent: str) -> list[str]:
        """A name bound where a bool holds, and read where it holds."""
        usable = [(c, name) for c, name in self.guards if c in self.names]
        if usable and self.chance(0.6):
            flag, name = self.pick(*usable)
            self.names[name] = FLOAT
            value = self.float(2)
            del self.names[name]
            target = self.pick(*(self.named(FLOAT)))
            if target in self.protected:
                return self.do_assign(indent)
            return [f"{indent}if {flag}:", f"{indent}{INDENT}{target} = {value} + {name}"]
        flag, name = self.fresh("g"), self.fresh("o")
        lines = [f"{indent}{flag} = {self.test(1)}", f"{indent}if {flag}:"]
        lines.append(f"{indent}{INDENT}{name} = {self.float(2)}")
        self.protected.add(flag)
        self.bind(flag, BOOL)
        self.guards.append((flag, name))
        return lines

    def do_closure(self, indent: str) -> list[str]:
        """A function inside: it reads names around, and may write to them."""
        name = self.fresh("fn")
        if self.chance(0.3):
            default = self.pick("", f", v={self.float(1)}")
            scope = self.scope()
            self.names["u"] = FLOAT
            body = self.float(2) + (" + v" if default else "")
            self.enter(scope)
            self.functions[name] = (FLOAT,)
            return [f"{indent}{name} = lambda u{default}: {body}"]
        written = [v for v in self.named(FLOAT) if v not in self.protected]
        scope = self.scope()
        self.names["u"] = FLOAT
        inner = indent + INDENT
        lines = [f"{indent}def {name}(u):"]
        if written and self.chance(0.5):
            shared = self.pick(*written)
            lines.append(f"{inner}nonlocal {shared}")
            op = self.pick("=", "+=", "-=")
            lines.append(f"{inner}{shared} {op} {self.float(2)}")
        lines += self.small_body(inner)
        self.enter(scope)
        self.functions[name] = (FLOAT,)
        return lines


@st.composite
def programs(draw) -> Program:
    """Programs, as a strategy: they shrink towards the first choices."""
    return Generator(draw(st.randoms(use_true_random=False))).program()
