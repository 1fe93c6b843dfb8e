"""Random expressions that give float64 arrays, and views of the arrays in scope."""

from __future__ import annotations

from tests.fuzz.grammar.choices import ARRAYS
from tests.fuzz.grammar.expressions import Expressions

Shape = tuple[int, ...]


class ArrayExpressions(Expressions):
    def array(self, shape: Shape, depth: int = 1) -> str:
        """An expression that gives an array, new or not."""
        named = self.named(shape)
        if named and (depth <= 0 or self.chance(0.3)):
            return self.pick(*named)
        if depth <= 0:
            return self.new_array(shape)
        kinds = {
            "scaled": 8,
            "sum": 6,
            "function": 4,
            "new": 4,
            "view": 6,
            "divided": 2,
            "where": 2,
            "ternary": 1,
            "moved": 2,
            "product": 2,
            "gathered": 2,
        }
        return getattr(self, f"_array_{self.weighted(kinds)}")(shape, depth - 1)

    def _array_scaled(self, shape: Shape, depth: int) -> str:
        return f"({self.array(shape, depth)}) * ({self.float(1)})"

    def _array_sum(self, shape: Shape, depth: int) -> str:
        a, b = self.array(shape, depth), self.array(shape, depth)
        if len(shape) == 2 and self.chance(0.3):  # a row or a column, broadcast
            b = self.pick(f"({self.array(shape[1:], 0)})", f"({self.array(shape[:1], 0)})[:, None]")
        return f"({a} {self.pick('+', '-', '*')} {b})"

    def _array_function(self, shape: Shape, depth: int) -> str:
        forms = ["np.sin({})", "np.tanh({})", "-({})", "np.maximum({}, 0.2)", "np.abs({})"]
        forms += [
            "np.clip({}, -0.5, 0.8)",
            "np.cumsum({})" if len(shape) == 1 else "np.exp(-({}) ** 2)",
        ]
        return self.pick(*forms).format(self.array(shape, depth))

    def _array_new(self, shape: Shape, depth: int) -> str:
        return self.new_array(shape)

    def _array_view(self, shape: Shape, depth: int) -> str:
        return self.view(shape) or self.new_array(shape)

    def _array_divided(self, shape: Shape, depth: int) -> str:
        a = self.array(shape, depth)
        return f"({a} / (1.0 + ({a}) ** 2))"

    def _array_where(self, shape: Shape, depth: int) -> str:
        a, b = self.array(shape, depth), self.array(shape, depth)
        return f"np.where({a} > {self.float(1)}, {b}, {self.float(1)})"

    def _array_ternary(self, shape: Shape, depth: int) -> str:
        return f"({self.array(shape, depth)} if {self.test(1)} else {self.array(shape, depth)})"

    def _array_moved(self, shape: Shape, depth: int) -> str:
        a = self.array(shape, depth)
        if len(shape) == 2:
            return self.pick("np.flip({}, 1)", "({})[:, ::-1]", "np.roll({}, 1, axis=1)").format(a)
        if shape == (3,):
            return self.pick("np.roll({}, 1)", "np.append(({})[1:], 0.5)", "np.flip({})").format(a)
        return f"np.stack([({a})[1], ({a})[0]])"

    def _array_product(self, shape: Shape, depth: int) -> str:
        """Of a matrix and a vector, or of two vectors."""
        if len(shape) == 2:
            row, column = self.array(shape[1:], 0), self.array(shape[:1], 0)
            return self.pick(f"np.outer({column}, {row})", f"({column})[:, None] * ({row})")
        matrices = self.named((2, 3))
        if not matrices:
            return self.new_array(shape)
        matrix, other = self.pick(*matrices), self.array((5 - shape[0],), depth)
        return f"({matrix} @ ({other}))" if shape == (2,) else f"(({other}) @ {matrix})"

    def _array_gathered(self, shape: Shape, depth: int) -> str:
        """Elements at indices, repeated or not."""
        if shape == (3,) and (named := self.named((3,))):
            return f"{self.pick(*named)}[{self.pick('[2, 0, 1]', '[0, 0, 2]', 'np.arange(3)')}]"
        if shape == (2,) and (named := self.named((3,))):
            return f"{self.pick(*named)}[{self.pick('[2, 0]', '[1, 1]', 'np.array([-1, 0])')}]"
        return self.new_array(shape)

    def new_array(self, shape: Shape) -> str:
        kind = self.pick("items", "zeros", "full", "copy", "like")
        if kind == "items" and len(shape) == 1:
            items = ", ".join(self.float(1) for _ in range(shape[0]))
            return f"np.array([{items} + 0.0])"
        if kind == "zeros":
            return f"np.{self.pick('zeros', 'ones')}({shape if len(shape) > 1 else shape[0]})"
        if kind == "copy" and self.named(shape):
            return f"{self.pick(*self.named(shape))}.copy()"
        if kind == "like" and self.named(shape):
            return f"np.{self.pick('zeros', 'ones')}_like({self.pick(*self.named(shape))})"
        # A float among the operands: `np.full` of an int makes integers, as `np.array` does.
        return f"np.full({shape}, {self.float(1)} + 0.0)"

    def vec(self) -> str:
        """A vector of three elements, by name if there is one."""
        return self.pick(*(self.named((3,)) or ["np.array([0.5, -0.25, 1.0])"]))

    def mat(self) -> str:
        return self.pick(
            *(self.named((2, 3)) or ["np.array([[0.5, 1.0, -0.5], [0.25, 0.0, 2.0]])"])
        )

    # ----- Views

    def view(self, shape: Shape) -> str | None:
        """A view of an array in scope that has this shape."""
        found = []
        for name in self.shapes():
            found += self.views_of(name, self.names[name], shape)
        if shape == (3,):
            found += [f"{name}[{self.index(2)}]" for name in self.named(ARRAYS)]
        return self.pick(*found) if found else None

    def views_of(self, name: str, shape: Shape, wanted: Shape) -> list[str]:
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
            if wanted == (2,):
                found.append(f"{name}.ravel()[1:3]")
        if shape == (2, 3) and wanted == (3,):
            found += [f"{name}.reshape(-1)[2:5]", f"{name}.T[:, {self.index(2)}]"]
        return found
