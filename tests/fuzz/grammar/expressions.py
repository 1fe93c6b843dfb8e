"""Random expressions of plain Python that give numbers or truth values.

Values stay bounded and smooth almost everywhere, so that central differences can judge
derivatives.
"""

from __future__ import annotations

from tests.fuzz.grammar.choices import (
    ARRAYS,
    BOOL,
    DICT,
    FLOAT,
    INT,
    INTS,
    LIST,
    PAIR,
    RECORD,
    Choices,
)

SMOOTH = (
    "math.sin({})",
    "math.cos({})",
    "math.tanh({})",
    "math.sqrt(1.0 + ({0}) ** 2)",
    "math.log(1.0 + ({0}) ** 2)",
    "math.exp(-abs({}))",
    "np.sin({})",
    "np.tanh({})",
    "math.atan({})",
)


class Expressions(Choices):
    """Numbers and truth values; `array(shape, depth)` is in `array_expressions`."""

    # ----- Floats

    def literal(self) -> str:
        return self.pick("0.5", "1.5", "-0.3", "2", "0.7", "1", "-1.2", "0.0", "3")

    def float_atom(self) -> str:
        kind = self.weighted({"name": 8, "literal": 3, "element": 6, "int": 2, "other": 3})
        if kind == "name" and (names := self.named(FLOAT)):
            return self.pick(*names)
        if kind == "element" and (arrays := self.shapes()):
            return self.element(self.pick(*arrays))
        if kind == "int" and (ints := self.named(INT)):
            return self.pick(*ints)
        if kind == "other":
            return self.other_atom()
        return self.literal()

    def other_atom(self) -> str:
        """A part of a container; of a list, which has two items at least."""
        if self.risky and self.maybe and self.chance(0.3):
            return self.pick(*self.maybe)
        kinds = [k for k in (LIST, PAIR, DICT, RECORD, ARRAYS, INTS) if self.named(k)]
        if not kinds:
            return self.literal()
        kind = self.pick(*kinds)
        name = self.pick(*self.named(kind))
        if kind == LIST:
            index = self.pick("0", "1", "-1", f"{self.int(0)} % len({name})")
            return self.pick(f"{name}[{index}]", f"sum({name})", f"len({name})")
        if kind == PAIR:
            return f"{name}[{self.pick(0, 1, -1)}]"
        if kind == DICT:
            return f'{name}["{self.pick("u", "v")}"]'
        if kind == RECORD:
            return self.pick(f"{name}.u", f"{name}.v", f"{name}.norm()")
        if kind == ARRAYS:
            return f"{name}[{self.pick('0', '1', '-1', f'{self.int(0)} % 2')}][{self.index(3)}]"
        return f"{name}[{self.index(3)}]"

    def element(self, array: str) -> str:
        shape = self.names[array]
        indices = [self.index(n) for n in shape]
        if len(shape) == 2 and self.chance(0.4):
            return f"{array}[{indices[0]}][{indices[1]}]"
        return f"{array}[{', '.join(indices)}]"

    def index(self, n: int) -> str:
        """An index of an axis of length n: in range, unless the program is risky."""
        if self.risky and self.chance(0.15):
            return self.int(1)
        known = [k for k, values in self.bounds.items() if k in self.names and values]
        known = [k for k in known if -n <= min(self.bounds[k]) and max(self.bounds[k]) < n]
        if known and self.chance(0.5):
            return self.pick(*known)
        if self.chance(0.4):
            return f"({self.int(1)}) % {n}"
        return str(self.rng.randrange(-n, n))

    def float(self, depth: int = 2) -> str:
        if depth == 0 or self.chance(0.25):
            return self.float_atom()
        if self.chance(0.2) and (written := self.construct("float", depth - 1)):
            return f"({written})"
        kinds = {
            "arithmetic": 16,
            "scaled": 6,
            "smooth": 8,
            "divided": 4,
            "ternary": 4,
            "logical": 2,
            "extreme": 4,
            "reduction": 7,
            "call": 6,
            "cast": 2,
            "power": 2,
            "negative": 2,
            "comprehension": 3,
            "walrus": 1,
            "modulo": 1,
        }
        return getattr(self, f"_{self.weighted(kinds)}")(depth - 1)

    def _arithmetic(self, depth: int) -> str:
        return f"({self.float(depth)} {self.pick('+', '-', '*')} {self.float(depth)})"

    def _scaled(self, depth: int) -> str:
        return f"{self.float(depth)} * {self.pick('0.5', '0.25', '-0.5', '1.25')}"

    def _smooth(self, depth: int) -> str:
        return self.pick(*SMOOTH).format(self.float(depth))

    def _divided(self, depth: int) -> str:
        return f"{self.float(depth)} / (1.0 + ({self.float(depth)}) ** 2)"

    def _ternary(self, depth: int) -> str:
        return f"({self.float(depth)} if {self.test(depth)} else {self.float(depth)})"

    def _logical(self, depth: int) -> str:
        return f"({self.float(depth)} {self.pick('and', 'or')} {self.float(depth)})"

    def _extreme(self, depth: int) -> str:
        form = self.pick("max({}, {})", "min({}, {})", "abs({} - {})", "min({}, {}, 0.4)")
        return form.format(self.float(depth), self.float(depth))

    def _modulo(self, depth: int) -> str:
        return f"({self.float(depth)}) {self.pick('%', '//')} {self.pick('0.7', '2', '-1.5')}"

    def _reduction(self, depth: int) -> str:
        rank = self.pick(1, 1, 2)
        if not self.shapes(rank):
            return self._scaled(depth)
        a = self.pick(*self.shapes(rank))
        forms = ["np.sum({})", "{}.sum()", "{}.mean()", "np.max({})", "{}.min()"]
        if rank == 1:
            forms += ["sum({})", "np.dot({0}, {0})", "({0} @ {1})", "max({})"]
            forms += ["sum(map(lambda v: v * v, {}))", "{0}[np.argmax({0})]"]
        else:
            forms += ["{}.sum(axis=0)[1]", "np.sum({}, axis=1)[-1]", "{}.ravel()[4]"]
            forms += ["{}.reshape(3, 2)[2, 0]", "np.trace({0} @ {0}.T)"]
        first, second = (f"({self.array(self.names[a], depth)})" for _ in range(2))
        return self.pick(*forms).format(self.pick(a, first), second)

    def _call(self, depth: int) -> str:
        if self.chance(0.25):
            with self.function():
                body = f"{self.pick('u * u', 'u - 0.5', 'u')} + {self.float(depth)}"
            return f"(lambda u: {body})({self.float(depth)})"
        return self.called(depth) or self._arithmetic(depth)

    def called(self, depth: int) -> str | None:
        """A call of a function that fits the names in scope."""
        fitting = [
            f
            for f, kinds in self.functions.items()
            if all(k in (FLOAT, INT) or self.named(k) for k in kinds)
        ]
        if not fitting:
            return None
        f = self.pick(*fitting)
        return f"{f}({', '.join(self.argument(k, depth) for k in self.functions[f])})"

    def argument(self, kind, depth: int) -> str:
        if kind == FLOAT:
            return self.float(depth)
        return self.int(1) if kind == INT else self.pick(*self.named(kind))

    def _cast(self, depth: int) -> str:
        return f"{self.pick('float', 'int')}({self.float(depth)})"

    def _power(self, depth: int) -> str:
        return f"({self.float(depth)}) ** {self.pick(2, 3)}"

    def _negative(self, depth: int) -> str:
        return f"-({self.float(depth)})"

    def _walrus(self, depth: int) -> str:
        names = [x for x in self.assignable(FLOAT) if x != "v"]  # the name in comprehensions
        return f"({self.pick(*names)} := {self.float(depth)})" if names else self.float(depth)

    def _comprehension(self, depth: int) -> str:
        if not self.shapes(1):
            return self._negative(depth)
        a = self.pick(*self.shapes(1))
        item = self.pick("v", "v * v", f"v * ({self.float(0)})", f"(v - {self.float(0)})")
        test = self.pick("", "", f" if v > {self.float(0)}")
        if self.chance(0.3):
            return f"sum([v * {self.float(0)} for i, v in enumerate({a}) if i != {self.int(0)}])"
        return self.pick("sum([{}])", "sum({})", "max([0.1, *[{}]])").format(
            f"{item} for v in {a}{test}"
        )

    # ----- Integers: small

    def int(self, depth: int = 1) -> str:
        names = list(dict.fromkeys([*self.named(INT), *self.bounds]))
        names = [name for name in names if name in self.names]
        if depth == 0 or self.chance(0.3):
            if names and self.chance(0.75):
                return self.pick(*names)
            return self.pick("1", "2", "0", "3", "-1")
        if self.chance(0.2) and (written := self.construct("int", depth - 1)):
            return f"({written})"
        a, b = self.int(depth - 1), self.int(depth - 1)
        kinds = {"sum": 4, "mod": 3, "cast": 3, "ternary": 1, "extreme": 1, "half": 1}
        kind = self.weighted({**kinds, "risky": 2, "ints": 1, "bits": 1})
        if kind == "sum":
            return f"({a} {self.pick('+', '-')} {b})"
        if kind == "mod":
            return f"({a} * {self.pick(2, 3)} + {b}) % {self.pick(3, 4, 5)}"
        if kind == "cast":
            return f"int(abs({self.float(depth)}) * {self.pick(3, 10)}) % {self.pick(3, 4)}"
        if kind == "ternary":
            return f"({a} if {self.test(0)} else {b})"
        if kind == "extreme":
            return self.pick(f"min({a}, {b})", f"max({a}, {b})", f"abs({a})")
        if kind == "risky" and self.risky:
            return f"({a} {self.pick('//', '%')} ({b}))"
        if kind == "ints" and (arrays := self.named(INTS)):
            return f"int({self.pick(*arrays)}[{self.index(3)}])"
        if kind == "bits":
            return f"(({a}) {self.pick('&', '|', '^')} ({b}))"
        return f"({a}) // {self.pick(2, -2, 3)}"

    # ----- Conditions

    def test(self, depth: int = 1) -> str:
        e = [self.float(min(depth, 1)) for _ in range(3)]
        less = self.pick("<", "<=", ">", ">=")
        kinds = {"float": 6, "chain": 2, "int": 3, "name": 2, "array": 1}
        if depth > 0:
            kinds |= {"not": 1, "and": 2}
        kind = self.weighted(kinds)
        if kind == "chain":
            return f"{e[0]} {self.pick('<', '<=')} {e[1]} {self.pick('<', '<=')} {e[2]}"
        if kind == "int":
            return self.pick(
                f"({self.int(1)}) % 2 == {self.pick(0, 1)}",
                f"{self.int(0)} {self.pick('<', '>', '!=', '==')} {self.int(1)}",
                f"{self.int(0)} in (0, 2)",
                f"{self.int(0)}",
            )
        if kind == "name" and (names := self.named(BOOL)):
            return self.pick(*names)
        if kind == "array" and self.shapes(1):
            a = self.pick(*self.shapes(1))
            return f"{self.pick('np.any', 'np.all')}({a} > {e[0]})"
        if kind == "not":
            return f"not ({self.test(depth - 1)})"
        if kind == "and":
            return f"({self.test(depth - 1)} {self.pick('and', 'or')} {self.test(depth - 1)})"
        return f"{e[0]} {less} {e[1]}"
