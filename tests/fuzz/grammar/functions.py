"""Functions of the module that call themselves or yield, and what is done with generators."""

from __future__ import annotations

from tests.fuzz.grammar.choices import FLOAT, INT
from tests.fuzz.grammar.constructs import construct
from tests.fuzz.grammar.statements import INDENT, Statements


class Functions(Statements):
    """`self.generators`: names of generator functions of a float and an int; do they end?"""

    yields = False  # is it the body of a generator?

    # ----- Recursion

    @construct("recursion", "helper")
    def recursion_of_run_time(self, name):
        outer = self.names
        self.names = {"u": FLOAT, "k": INT}
        end, step, again = self.float(2), self.float(1), self.float(0)
        more = self.pick("k - 1", "k - 1", "k // 2")
        result = self.pick(
            "{name}({step}, k - 1) * 0.5 + {again}",
            "{name}(u * 0.5, k - 1) + 0.3 * {name}({step}, {more} - 1)",
            "{again} - {name}(u + 0.25, {more} - 1) * u",
            "max({name}({step}, k - 1), {again})",
        ).format(name=name, step=step, again=again, more=more)
        test = self.pick(
            "k <= 0 or k > 3", "k <= 0 or k > 3", f"k <= 0 or k > 4 or u > {self.float(0)}"
        )
        body = [f"{INDENT}if {test}:", f"{INDENT}{INDENT}return {end}"]
        if self.chance(0.4):
            body.append(f"{INDENT}w = {name}({step}, k - 1)")
            body.append(f"{INDENT}if w > {again}:")
            body.append(f"{INDENT}{INDENT}return w * 0.5")
        self.names = outer
        self.functions[name] = (FLOAT, INT)
        return [f"def {name}(u, k):", *body, f"{INDENT}return {result}", ""]

    @construct("recursion over an array", "helper")
    def recursion_over_array(self, name):
        self.names, outer = {"a": (3,), "u": FLOAT}, self.names
        value = self.float(1)
        self.names = outer
        inner = self.fresh("h")
        self.functions[name] = ((3,), FLOAT)
        first = self.pick(f"a[k] = a[k] * 0.5 + {value}", f"u += a[k] * {value}", "u *= 0.5")
        last = self.pick(
            "a[k] += {i}(a, k + 1, u)", "w = {i}(a, k + 1, u)", "u += {i}(a, k + 1, u) * w"
        )
        return [
            f"def {inner}(a, k, u):",
            f"{INDENT}if k >= len(a):",
            f"{INDENT}{INDENT}return u",
            f"{INDENT}{first}",
            f"{INDENT}w = a[k]",
            f"{INDENT}{last.format(i=inner)}",
            f"{INDENT}return u * 0.5 + w + a[k]",
            "",
            f"def {name}(a, u):",
            f"{INDENT}return {inner}(a, {self.pick(0, 1)}, u)",
            "",
        ]

    @construct("mutual recursion", "helper")
    def mutual_recursion(self, name):
        self.names, outer = {"u": FLOAT, "k": INT}, self.names
        a, b, c = self.float(1), self.float(1), self.float(0)
        self.names = outer
        other = self.fresh("h")
        self.functions[name] = (FLOAT, INT)
        return [
            f"def {other}(u, k):",
            f"{INDENT}return {name}({a}, k - 1) * 0.5 + {c}",
            "",
            f"def {name}(u, k):",
            f"{INDENT}if k <= 0 or k > 3:",
            f"{INDENT}{INDENT}return u",
            f"{INDENT}return {other}({b}, k) + {self.pick('u', '0.25 * ' + name + '(u, k - 2)')}",
            "",
        ]

    @construct("recursion in loops", "helper")
    def recursion_in_loops(self, name):
        """Each call runs the loop that calls it, and may gather values in a list."""
        self.names, outer = {"u": FLOAT, "k": INT}, self.names
        end, step, value = self.float(1), self.float(0), self.float(0)
        self.names |= {"w": FLOAT, "e": FLOAT}
        test, of_call = self.test(0), self.float(1)
        self.names = outer
        self.functions[name] = (FLOAT, INT)
        head, last = self.pick(
            (["for i in range(k):"], []),
            (["i = 0", "while i < 2:"], [f"{INDENT}i += 1"]),
            (["i = k", "while i > 0:"], [f"{INDENT}i -= 1"]),
            (["i = 0", f"while i < k and w < {value} + 2.0:"], [f"{INDENT}i += 1"]),
            ([f"for v in (0.5, {value}):"], []),
        )
        call = f"{name}({step} * 0.5, k - 1)"
        body = [f"e = {call}", *self.pick([], [f"if {test}:", f"{INDENT}{self.left()}"])]
        body += self.pick(
            ["w = w * 0.5 + e"],
            ["out.append(e * 0.5)"],
            ["out.append(w)", f"w += {of_call} * 0.25"],
            ["out.insert(0, e)", "w -= out.pop() * 0.5"],
        )
        lines = [
            "if k <= 0 or k > 3:",
            f"{INDENT}return {end}",
            "w, out, e = u, [0.5], u",
            *head,
            *last,
            *(INDENT + line for line in body),
            f"return w * 0.5 + sum(out){self.pick('', ' * 0.5 - len(out)')}",
        ]
        return [f"def {name}(u, k):", *(INDENT + line for line in lines), ""]

    def left(self) -> str:
        return self.pick("break", "continue", "return w * 0.5", "w -= 0.25")

    # ----- Generators

    @construct("recursive generators", "helper")
    def recursive_generator(self, name):
        """To a depth of two."""
        self.names, outer = {"u": FLOAT, "k": INT}, self.names
        first, then, last = self.float(1), self.float(0), self.float(0)
        test = self.test(0)
        self.names = outer
        again = f"{name}({then} * 0.5, k - 1)"
        body = self.pick(
            [f"yield from {again}"],
            [f"for e in {again}:", f"{INDENT}yield e * 0.5"],
            [f"for e in {again}:", f"{INDENT}if {test}:", f"{INDENT * 2}yield e - u"],
            ["for _ in range(2):", f"{INDENT}yield from {again}"],
            [f"yield sum({again}) * 0.5"],
        )
        after = self.pick([], [f"yield {last}"], [f"yield from {name}(u - 0.5, k - 2)"])
        # What loops over it is compiled once for each of its yields, at each depth.
        lines = ["if k <= 0 or k > 2:", *self.pick([], [f"{INDENT}yield u * 0.5"])]
        lines += [f"{INDENT}return", f"yield {first}", *body, *after]
        self.generators[name] = True
        return [f"def {name}(u, k):", *(INDENT + line for line in lines), ""]

    @construct("generator functions", "helper")
    def generator_function(self, name):
        self.names, outer = {"u": FLOAT, "k": INT}, self.names
        first, then, last = self.float(1), self.float(1), self.float(0)
        test = self.test(0)
        loop = self.pick(
            "for i in range(k % 4):", "for i in range(3):", "for i in (1, 0.5):", "while True:"
        )
        infinite = loop.startswith("while")
        body = [f"yield {first}"] if self.chance(0.4) else []
        body += [
            loop,
            *self.yielding_block(infinite),
            *self.pick(
                [f"{INDENT}yield {then}", f"{INDENT}u = u * 0.5 - 0.25"],
                [f"{INDENT}u = u * 0.5 + {last}", f"{INDENT}yield u"],
                [f"{INDENT}if {test}:", f"{INDENT * 2}yield {then}", f"{INDENT}yield u * 0.5"],
            ),
        ]
        if not infinite and self.chance(0.4):
            body += [f"yield {last}"]
        if not infinite and self.chance(0.2):
            body += ["yield from (u, 0.5)"]
        if not infinite and self.generators and self.chance(0.3):
            ending = [g for g, ends in self.generators.items() if ends]
            body += [f"yield from {g}(u * 0.5, 2)" for g in ending[:1]]
        self.names = outer
        self.generators[name] = not infinite
        return [f"def {name}(u, k):", *(INDENT + line for line in body), ""]

    def yielding_block(self, infinite: bool) -> list[str]:
        """Statements of any kind in the loop of a generator; they may yield, too."""
        if self.chance(0.5):
            return []
        self.budget, self.loops, self.yields = 3, self.loops + 1, True
        self.endless = self.loops if infinite else None
        lines, _ = self.block(2, INDENT, self.pick(1, 2))
        self.loops, self.yields, self.endless = self.loops - 1, False, None
        return lines

    @construct("yield in blocks")
    def a_yield(self, indent):
        return [f"{indent}yield {self.float(1)}"] if self.yields else None

    def generator(self, ends: bool | None = None) -> str | None:
        """A call of a generator function."""
        fitting = [g for g, e in self.generators.items() if ends in (None, e)]
        if not fitting:
            return None
        return f"{self.pick(*fitting)}({self.float(0)} * 0.5, {self.int(0)})"

    @construct("generator functions", "for")
    def over_generator(self):
        if (g := self.generator(ends=True)) is None:
            return None
        name, k = self.fresh("e"), self.fresh("k")
        if self.chance(0.3):
            return f"{k}, {name} in enumerate({g})", {k: INT, name: FLOAT}
        if self.chance(0.2):
            other = self.fresh("e")
            return f"{name}, {other} in zip({self.vec()}, {g})", {name: FLOAT, other: FLOAT}
        return f"{name} in {g}", {name: FLOAT}

    @construct("generators without an end", "for")
    def over_infinite_generator(self):
        if (g := self.generator()) is None:
            return None
        name = self.fresh("e")
        form = self.pick("itertools.islice({}, 3)", "itertools.islice({}, 1, 4)")
        return f"{name} in {form.format(g)}", {name: FLOAT}

    @construct("generators without an end", "block")
    def left_generator(self, depth, indent):
        if (g := self.generator()) is None:
            return None
        name, count = self.fresh("e"), self.fresh("i")
        head = [
            f"{indent}{count} = 0",
            f"{indent}for {name} in {g}:",
            f"{indent}{INDENT}{count} += 1",
            f"{indent}{INDENT}if {count} > {self.pick(2, 3)}:",
            f"{indent}{INDENT}{INDENT}break",
        ]
        self.names[count] = INT
        return self.loop(head, depth, indent, {name: FLOAT, count: INT}), True

    @construct("generator functions", "float")
    def of_generator(self, depth):
        if (g := self.generator(ends=True)) is None:
            return None
        form = self.pick(
            "sum({})",
            "next({}, 0.5)",
            "list([0.5, *{}])[-1]",
            "max([0.1, *{}])",
            "sum(v * v for v in {})",
            "sum(itertools.accumulate({}))",
        )
        assigns = ":=" in g  # Python has no assignment in what a comprehension runs over
        return ("sum({})" if assigns else form).format(g)

    @construct("resumed generators")
    def resumed_generator(self, indent):
        if (g := self.generator()) is None:
            return None
        name, f, v = self.fresh("gen"), self.bind(self.target(FLOAT, "f"), FLOAT), self.float(0)
        steps = [
            f"{indent}{f} += next({name}, {v}) * 0.5",
            f"{indent}{f} += sum(itertools.islice({name}, 2)) * 0.25",
            f"{indent}if {f} > {v}:\n{indent}{INDENT}{f} -= next({name}, 0.25)",
            f"{indent}for _ in range(3):\n{indent}{INDENT}{f} = {f} * 0.5 + next({name}, 0.75)",
            f"{indent}for e in {name}:\n{indent}{INDENT}{f} += e * 0.5\n{indent}{INDENT}break",
        ]
        first = [f"{indent}{name} = {g}", f"{indent}{f} = next({name}, {v})"]
        return [*first, *(line for _ in range(2) for line in self.pick(*steps).split("\n"))]

    @construct("iterator classes")
    def iterator_class(self, indent):
        cls, name, v = self.fresh("I"), self.fresh("it"), self.float(0)
        f = self.bind(self.target(FLOAT, "f"), FLOAT)
        ends = self.pick("self.n <= 0", "self.n <= 0 or self.v > 2.0", "not self.n > 0")
        lines = [
            f"class {cls}:",
            f"{INDENT}def __init__(self, v, n):",
            f"{INDENT * 2}self.v, self.n = v, n",
            f"{INDENT}def __iter__(self):",
            f"{INDENT * 2}return self",
            f"{INDENT}def __next__(self):",
            f"{INDENT * 2}if {ends}:",
            f"{INDENT * 3}raise StopIteration",
            f"{INDENT * 2}self.n -= 1",
            f"{INDENT * 2}self.v = self.v * 0.5 + {self.pick('0.25', 'self.n', '0.1 * q')}",
            f"{INDENT * 2}return self.v",
            f"{name} = {cls}({v}, ({self.int(0)}) % 4)",
            f"{f} = {self.pick(f'next({name}, 0.5)', f'sum({name})', f'{v}')}",
        ]
        uses = [
            [f"for e in {name}:", f"{INDENT}{f} += e * 0.5"],
            [
                f"for e in {name}:",
                f"{INDENT}if e > {f}:",
                f"{INDENT * 2}break",
                f"{INDENT}{f} += e",
            ],
            [f"for e, w in zip({self.vec()}, {name}):", f"{INDENT}{f} = {f} * 0.5 + e * w"],
            [f"{f} += max([0.1, *{name}])"],
            [f"{f} += next({name}, {v}) * 0.5 + {name}.n"],
        ]
        lines += [line for _ in range(2) for line in self.pick(*uses)]
        return [indent + line for line in lines]

    @construct("generators in turns", "for")
    def in_turns(self):
        one, other = self.generator(ends=True), self.generator()
        if one is None or other is None:
            return None
        a, b = self.fresh("e"), self.fresh("e")
        return f"{a}, {b} in zip({one}, {other})", {a: FLOAT, b: FLOAT}

    @construct("generators within themselves", "block")
    def within_itself(self, depth, indent):
        """The body of a loop runs the generator that the loop runs."""
        if not (ending := [g for g, ends in self.generators.items() if ends]):
            return None
        g, a, b = self.pick(*ending), self.fresh("e"), self.fresh("e")
        f, v = self.bind(self.target(FLOAT, "f"), FLOAT), self.float(0)
        inner = self.pick(
            [f"{f} += sum({g}({a} * 0.5, 2)) * 0.25"],
            [
                f"for {b} in {g}({a} * 0.25, {self.pick('2', 'n', '1')}):",
                f"{INDENT}{f} -= {b} * 0.5",
            ],
            [
                f"for {b} in {g}({v} * 0.5, 3):",
                f"{INDENT}if {b} > {a}:",
                f"{INDENT * 2}break",
                f"{INDENT}{f} = {f} * 0.5 + {b}",
            ],
        )
        lines = [f"{f} = {v}", f"for {a} in {g}({v}, {self.int(0)}):"]
        lines += [INDENT + line for line in inner]
        return [indent + line for line in lines], True

    @construct("generator expressions")
    def generator_expression(self, indent):
        a, v = self.vec(), self.float(0)
        name, f = self.fresh("gen"), self.bind(self.target(FLOAT, "f"), FLOAT)
        item = self.pick(f"v * {v}", "v * v", f"(v - {v})")
        test = self.pick("", f" if v > {v}")
        use = self.pick("sum({})", "next({}, 0.25)", "max([0.1, *{}])", "sum(u * 0.5 for u in {})")
        return [
            f"{indent}{name} = ({item} for v in {a}{test})",
            f"{indent}{f} = {use.format(name)}",
        ]

    # ----- itertools

    @construct("itertools", "for")
    def over_itertools(self):
        a, b, i, j = self.fresh("e"), self.fresh("e"), self.fresh("k"), self.fresh("k")
        v = self.float(0)
        xs = self.pick(self.vec(), *self.named((2,)))
        return self.pick(
            (f"{a}, {b} in itertools.pairwise({xs})", {a: FLOAT, b: FLOAT}),
            (f"{a} in itertools.chain({xs}, (0.5, {v}))", {a: FLOAT}),
            (f"{a} in itertools.accumulate({xs})", {a: FLOAT}),
            (f"{a} in itertools.accumulate({xs}, lambda s, v: s * 0.5 + v)", {a: FLOAT}),
            (f"{a} in itertools.islice(itertools.cycle({xs}), 4)", {a: FLOAT}),
            (f"{i}, {j} in itertools.product(range(2), range(2))", {i: INT, j: INT}),
            (f"{i}, {j} in itertools.combinations(range(3), 2)", {i: INT, j: INT}),
            (f"{a}, {b} in itertools.permutations({xs}, 2)", {a: FLOAT, b: FLOAT}),
            (f"{a} in itertools.takewhile(lambda v: v < {v}, {xs})", {a: FLOAT}),
            (f"{a} in itertools.dropwhile(lambda v: v < {v}, {xs})", {a: FLOAT}),
            (f"{a} in itertools.starmap(lambda v, w: v * w, zip({xs}, {self.vec()}))", {a: FLOAT}),
            (
                f"{a}, {b} in itertools.zip_longest({self.vec()}, {xs}, fillvalue=0.5)",
                {a: FLOAT, b: FLOAT},
            ),
            (f"{a} in itertools.repeat({v}, 2)", {a: FLOAT}),
            (f"{a} in map(lambda v: v * {v}, {xs})", {a: FLOAT}),
            (f"{a} in filter(lambda v: v > {v}, {xs})", {a: FLOAT}),
            (f"{i}, {a} in zip(itertools.count(1), {xs})", {i: INT, a: FLOAT}),
        )

    @construct("itertools", "float")
    def of_itertools(self, depth):
        xs = self.vec()
        return self.pick(
            f"sum(itertools.accumulate({xs}))",
            f"next((v for v in {xs} if v > {self.float(0)}), 0.5)",
            f"sum(a * b for a, b in itertools.combinations({xs}, 2))",
            f"sum(itertools.chain({xs}, (0.25,)))",
            f"functools.reduce(lambda s, v: s * 0.5 + v, {xs})",
            # A sine of a bool has 16 bits: too few for differences.
            f"(0.0 + any(v > {self.float(0)} for v in {xs}))",
            f"next(iter({xs}))",
        )
