"""The constructs that a program may hold besides the core of the grammar.

Each program takes a random choice of them, so that they meet in ever new company, and each comes
often enough. How often is counted: `Program.constructs`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Construct:
    """`write` is a method of a generator; it gives None where the construct does not fit."""

    name: str
    write: Callable[..., Any]


# By what they write:
#   "statement"   (indent) -> lines
#   "block"       (depth, indent) -> (lines, is its end reached?)
#   "for"         () -> (head, the names that it binds)
#   "helper"      (name) -> lines of a function of the module
#   "float", "int"   (depth) -> text
CONSTRUCTS: dict[str, list[Construct]] = {
    kind: [] for kind in ("statement", "block", "for", "helper", "float", "int")
}


def construct(name: str, kind: str = "statement"):
    """Register a method; several methods may write one construct."""

    def register(write):
        CONSTRUCTS[kind].append(Construct(name, write))
        return write

    return register


def all_names() -> list[str]:
    return sorted({c.name for found in CONSTRUCTS.values() for c in found})


# What programs may use of their module; each is in the text of those that name it.
DEFINITIONS = {
    "Record": """class Record:
    def __init__(self, u, v):
        self.u = u
        self.v = v

    def norm(self):
        return self.u * 0.5 - self.v

    def move(self, by):
        self.u, self.v = self.v, self.u * 0.5 + by

""",
    "Vec": """class Vec:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def __add__(self, other):
        if isinstance(other, Vec):
            return Vec(self.a + other.a, self.b + other.b)
        return Vec(self.a + other, self.b)

    def __radd__(self, other):
        return Vec(self.a, self.b - other)

    def __iadd__(self, other):
        self.a += other
        return self

    def __mul__(self, k):
        return Vec(self.a * k, self.b * 0.5)

    def __neg__(self):
        return Vec(-self.a, self.b)

    def __abs__(self):
        return abs(self.a) + 0.5 * abs(self.b)

    def __getitem__(self, i):
        return self.a if i % 2 == 0 else self.b

    def __setitem__(self, i, v):
        if i % 2 == 0:
            self.a = v
        else:
            self.b = v

    def __len__(self):
        return 2

    def __iter__(self):
        yield self.a
        yield self.b

    def __contains__(self, v):
        return v < self.a

    def __lt__(self, other):
        return self.a < other.a

    def __call__(self, u):
        return self.a * u - self.b

""",
    "Bad": "class Bad(Exception):\n    pass\n\n",
    "Worse": """class Worse(Exception):
    def __init__(self, value, k=0):
        super().__init__("worse", value)
        self.value = value
        self.k = k

""",
    "Checked": """class Checked(ValueError):
    def __init__(self, items, most):
        self.total = sum(items) * 0.5
        if self.total > most:
            raise Worse(self.total)
        super().__init__("checked", most)
        self.count = len(items)

""",
    "Box": """class Box:
    def __init__(self, side, least):
        self.side = side
        if side < least:
            raise Bad(least)
        self.sides = [side, least]
        if side + least > 3.0:
            raise Checked(self.sides, least)
        self.area = side * side

""",
    "Scaled": """class Scaled:
    def __init__(self, a, k):
        self.a = a
        self.k = k

    def __enter__(self):
        self.a[0] *= self.k
        return self.a[1] * 0.5

    def __exit__(self, kind, error, trace):
        self.a[0] += 0.25
        return False

""",
    "Guarded": """class Guarded:
    def __init__(self, a, most):
        self.a = a
        self.most = most

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.a[1] *= 0.5
        if self.a[0] > self.most:
            raise ValueError("too much")
        return kind is KeyError

""",
    "shifted": """@contextlib.contextmanager
def shifted(a, by):
    a[1] += by
    yield a[0] * by
    a[1] -= 0.5 * by

""",
    "caught": """@contextlib.contextmanager
def caught(a, by):
    a[1] += by
    try:
        yield a[0] * by
    except (ValueError, ZeroDivisionError, IndexError):
        a[2] += 0.5 * by
    else:
        a[1] -= 0.5 * by

""",
    "LOG": 'LOG = logging.getLogger("fuzz")\n\n',
    "G": "G = 0.5\n\n",
}
