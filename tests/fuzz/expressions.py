"""Random expressions of plain Python over the names of a scope.

Values stay bounded and smooth almost everywhere, so that central differences can judge
derivatives. Everything is drawn from `rng`, a `random.Random`: seeded, or one of Hypothesis.
"""

from __future__ import annotations

from random import Random

FLOAT, INT, BOOL, LIST, PAIR, DICT = "float", "int", "bool", "list", "pair", "dict"
Type = str | tuple[int, ...]  # a shape: a float64 array

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


class Expressions:
    """Expressions of each type. `names`: the names that are certainly bound here."""

    def __init__(self, rng: Random):
        self.rng = rng
        self.names: dict[str, Type] = {}
        self.bounds: dict[str, range] = {}  # names of ints that stay in a range
        self.functions: dict[str, tuple[Type, ...]] = {}  # of floats, mostly; they give a float
        self.maybe: list[str] = []  # floats bound on some paths only
        self.risky = False  # may the program raise?

    # ----- Choices

    def chance(self, p: float) -> bool:
        return self.rng.random() >= 1 - p

    def pick(self, *choices):
        return self.rng.choice(choices)

    def weighted(self, choices: dict):
        """One of the keys, by weight."""
        return self.rng.choice([k for k, weight in choices.items() for _ in range(weight)])

    def named(self, kind: Type) -> list[str]:
        return [name for name, t in self.names.items() if t == kind]

    def shapes(self, rank: int | None = None) -> list[str]:
        return [
            name
            for name, t in self.names.items()
            if isinstance(t, tuple) and (rank is None or len(t) == rank)
        ]

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
        if self.risky and self.maybe and self.chance(0.3):
            return self.pick(*self.maybe)
        if lists := self.named(LIST):
            return self.list_atom(self.pick(*lists))
        if pairs := self.named(PAIR):
            return f"{self.pick(*pairs)}[{self.pick(0, 1, -1)}]"
        if dicts := self.named(DICT):
            return f'{self.pick(*dicts)}["{self.pick("u", "v")}"]'
        return self.literal()

    def list_atom(self, name: str) -> str:
        """Lists have two items at least."""
        index = self.pick("0", "1", "-1", f"{self.int(0)} % len({name})")
        return self.pick(f"{name}[{index}]", f"sum({name})", f"len({name})")

    def element(self, array: str) -> str:
        shape = self.names[array]
        indices = [self.index(n) for n in shape]
        if len(shape) == 2 and self.chance(0.4):
            return f"{array}[{indices[0]}][{indices[1]}]"
        return f"{array}[{', '.join(indices)}]"

    def index(self, n: int) -> str:
        """Of an axis of extent n: in range, unless the program is risky."""
        if self.risky and self.chance(0.15):
            return self.int(1)
        known = [name for name, values in self.bounds.items() if values and max(values) < n]
        known = [name for name in known if name in self.names and min(self.bounds[name]) >= -n]
        if known and self.chance(0.5):
            return self.pick(*known)
        if self.chance(0.4):
            return f"({self.int(1)}) % {n}"
        return str(self.rng.randrange(-n, n))

    def float(self, depth: int = 2) -> str:
        if depth == 0 or self.chance(0.25):
            return self.float_atom()
        kinds = {
            "arithmetic": 8,
            "scaled": 3,
            "smooth": 4,
            "divided": 2,
            "ternary": 2,
            "logical": 1,
            "extreme": 2,
            "reduction": 3,
            "call": 3,
            "cast": 1,
            "power": 1,
            "negative": 1,
            "comprehension": 1,
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

    def _reduction(self, depth: int) -> str:
        rank = self.pick(1, 1, 2)
        if not self.shapes(rank):
            return self._scaled(depth)
        a = self.pick(*self.shapes(rank))
        forms = ["np.sum({})", "{}.sum()", "{}.mean()"]
        if rank == 1:
            forms += ["sum({})", "np.dot({0}, {0})", "({0} @ {1})"]
        first, second = (f"({self.array(self.names[a], depth)})" for _ in range(2))
        return self.pick(*forms).format(self.pick(a, first), second)

    def _call(self, depth: int) -> str:
        if self.chance(0.25):
            body = f"{self.pick('u * u', 'u - 0.5', 'u')} + {self.float(depth)}"
            return f"(lambda u: {body})({self.float(depth)})"
        return self.called(depth) or self._arithmetic(depth)

    def called(self, depth: int) -> str | None:
        """A call of a function that fits the names in scope."""
        fitting = [
            f
            for f, kinds in self.functions.items()
            if all(k == FLOAT or self.named(k) for k in kinds)
        ]
        if not fitting:
            return None
        f = self.pick(*fitting)
        args = [
            self.float(depth) if k == FLOAT else self.pick(*self.named(k))
            for k in self.functions[f]
        ]
        return f"{f}({', '.join(args)})"

    def _cast(self, depth: int) -> str:
        return f"{self.pick('float', 'int')}({self.float(depth)})"

    def _power(self, depth: int) -> str:
        return f"({self.float(depth)}) ** {self.pick(2, 3)}"

    def _negative(self, depth: int) -> str:
        return f"-({self.float(depth)})"

    def _comprehension(self, depth: int) -> str:
        if not self.shapes(1):
            return self._negative(depth)
        a = self.pick(*self.shapes(1))
        item = self.pick("v", "v * v", f"v * ({self.float(0)})", f"(v - {self.float(0)})")
        test = self.pick("", "", f" if v > {self.float(0)}")
        return f"sum([{item} for v in {a}{test}])"

    # ----- Integers: small

    def int(self, depth: int = 1) -> str:
        names = [*self.named(INT), *self.bounds]
        names = [name for name in names if name in self.names]
        if depth == 0 or self.chance(0.3):
            if names and self.chance(0.75):
                return self.pick(*names)
            return self.pick("1", "2", "0", "3", "-1")
        a, b = self.int(depth - 1), self.int(depth - 1)
        kind = self.weighted(
            {"sum": 4, "mod": 3, "cast": 3, "ternary": 1, "extreme": 1, "half": 1, "risky": 2}
        )
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

    # ----- Arrays

    def array(self, shape: tuple[int, ...], depth: int = 1) -> str:
        """An expression that gives an array, new or not."""
        named = self.named(shape)
        if named and (depth <= 0 or self.chance(0.3)):
            return self.pick(*named)
        if depth <= 0:
            return self.new_array(shape)
        kind = self.weighted(
            {"scaled": 4, "sum": 3, "function": 2, "new": 2, "view": 3, "divided": 1, "where": 1}
        )
        a = self.array(shape, depth - 1)
        if kind == "sum":
            return f"({a} {self.pick('+', '-', '*')} {self.array(shape, depth - 1)})"
        if kind == "function":
            return self.pick("np.sin({})", "np.tanh({})", "-({})", "np.maximum({}, 0.2)").format(a)
        if kind == "new":
            return self.new_array(shape)
        if kind == "view" and (view := self.view(shape)):
            return view
        if kind == "divided":
            return f"{a} / (1.0 + ({a}) ** 2)"
        if kind == "where":
            return (
                f"np.where({a} > {self.float(1)}, {self.array(shape, depth - 1)}, {self.float(1)})"
            )
        return f"({a}) * ({self.float(1)})"

    def new_array(self, shape: tuple[int, ...]) -> str:
        kind = self.pick("items", "zeros", "full", "copy")
        if kind == "items" and len(shape) == 1:
            return f"np.array([{', '.join(self.float(1) for _ in range(shape[0]))}])"
        if kind == "zeros":
            return f"np.zeros({shape if len(shape) > 1 else shape[0]})"
        if kind == "copy" and self.named(shape):
            return f"{self.pick(*self.named(shape))}.copy()"
        # A float among the operands: `np.full` of an int makes integers.
        return f"np.full({shape}, {self.float(1)} + 0.0)"

    def view(self, shape: tuple[int, ...]) -> str | None:
        """A view of an array in scope that has this shape."""
        found = []
        for name in self.shapes():
            found += self.views_of(name, self.names[name], shape)
        return self.pick(*found) if found else None

    def views_of(self, name: str, shape: tuple[int, ...], wanted: tuple[int, ...]) -> list[str]:
        found = [f"{name}[:]", f"{name}[::-1]"] if shape == wanted else []
        if len(shape) == 1 and len(wanted) == 1 and wanted[0] < shape[0]:
            n = wanted[0]
            start = self.rng.randrange(shape[0] - n + 1)
            found += [f"{name}[{start}:{start + n}]", f"{name}[-{n}:]", f"{name}[:{n}]"]
        if len(shape) == 2 and len(wanted) == 1:
            if wanted[0] == shape[1]:
                found.append(f"{name}[{self.index(shape[0])}]")
            if wanted[0] == shape[0]:
                found.append(f"{name}[:, {self.index(shape[1])}]")
        if len(shape) == 2 and shape[::-1] == wanted:
            found.append(f"{name}.T")
        return found
