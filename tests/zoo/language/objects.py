"""Programs of classes, patterns and functions that are chosen at run time."""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import math
from typing import NamedTuple

import numpy as np

from tests.zoo.language.registry import program


class Color(enum.Enum):
    RED = 1
    BLUE = 2.5


class N(enum.IntEnum):
    A = 0
    B = 1


@program(2.0)
def enums(x):
    c = Color.BLUE
    if c is Color.BLUE:
        x = x * c.value
    if c == Color.RED:
        x = 0.0
    return x + [1.0, x][N.B] + len(c.name) + N.B * x + {Color.RED: x}[Color.RED]


@program(2.0)
def enum_iter(x):
    s = 0.0
    for c in Color:
        s += c.value * x
    return s + Color(1).value + Color["BLUE"].value


class Pt(NamedTuple):
    x: float
    y: float = 2.0

    def norm(self):
        return self.x**2 + self.y**2

    @property
    def s(self):
        return self.x + self.y


Q = collections.namedtuple("Q", "a b")


@program(2.0)
def ntuple(x):
    q = Pt(x)
    r = q._replace(x=3 * x)
    d = r._asdict()
    s = 0.0
    for n in q._fields:
        s += getattr(q, n)
    return q.norm() + r.s + d["x"] + s + Pt._make([x, x]).x + sum(Q(x, b=1.0)) + len(q)


class Vec:
    def __init__(self, *v):
        self.v = list(v)

    def __len__(self):
        return len(self.v)

    def __getitem__(self, i):
        return self.v[i]

    def __iter__(self):
        return iter(self.v)

    def __add__(self, o):
        return Vec(*[a + b for a, b in zip(self.v, o.v)])

    def __mul__(self, k):
        return Vec(*[a * k for a in self.v])

    def __rmul__(self, k):
        return self * k

    def __matmul__(self, o):
        return sum(a * b for a, b in zip(self.v, o.v))

    def __neg__(self):
        return Vec(*[-a for a in self.v])

    def __eq__(self, o):
        return all([a == b for a, b in zip(self.v, o.v)])

    def __lt__(self, o):
        return self.v[0] < o.v[0]

    def __contains__(self, a):
        return a in self.v

    def __setitem__(self, i, a):
        self.v[i] = a

    def __call__(self, z):
        return self.v[0] * z

    def __iadd__(self, o):
        self.v[0] += o
        return self

    def __abs__(self):
        return abs(self.v[0])

    def __bool__(self):
        return len(self.v) > 0

    def __float__(self):
        return self.v[0]

    def __sub__(self, o):
        return self + (-o)

    def __pow__(self, n):
        return Vec(*[a**n for a in self.v])

    def __truediv__(self, n):
        return Vec(*[a / n for a in self.v])


@program(2.0)
def dunders(x):
    a = Vec(x, 2 * x, 3.0)
    b = Vec(1.0, x, x)
    c = a + b
    s = c @ b + len(c) + c[1] + (a * 2.0)[0] + (3.0 * a)[1] + (-a)[2]
    if a == b:
        s += 100
    if b < a:
        s += x
    a[0] = 5 * x
    s += a[0] + a(x)
    a += x
    s += a[0] + abs(a) + (a - b)[1] + (a**2)[1] + (a / 2.0)[1]
    if a:
        s += 1
    return s


@program(2.0)
def dunder_iter(x):
    a = Vec(x, 2 * x, 3.0)
    s = 0.0
    for v in a:
        s += v * v
    u, v, w = a
    return s + u + v * w + sum(a) + sum(list(a)) + max(a) + (3.0 in a)


@program(2.0)
def dunder_iter2(x):
    a = Vec(x, 2 * x, 3.0)
    s = 0.0
    for i, v in enumerate(a):
        s += i * v
    for u, v in zip(a, a):
        s += u * v
    return s + sum(v * v for v in a) + float(a)


class GI:
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return 3

    def __getitem__(self, i):
        if i >= 3:
            raise IndexError
        return self.x * i


@program(2.0)
def getitem_iter(x):
    s = 0.0
    for v in GI(x):
        s += v * v
    return s


@program(1.0)
def closure_branch(x):
    def a(y):
        return y * x

    def b(y):
        return y + x

    f = a if x > 0 else b
    return f(3.0)


@program(-1.0)
def closure_branch2(x):
    f = math.sin if x > 0 else math.cos
    g = (lambda y: y * x) if x > 0 else (lambda y: y + x)
    return f(x) + g(x)


@program(1.0)
def closure_branch3(x):
    fs = [math.sin, lambda y: y * x, np.tanh]
    h = fs[0]
    if x > 0.5:
        h = fs[1]
    elif x > 0.2:
        h = fs[2]
    return h(x)


class Base:
    k = 3.0

    def __init__(self, x):
        self.x = x
        self.n = 0

    @classmethod
    def make(cls, x):
        return cls(x * 2)

    @staticmethod
    def sq(z):
        return z * z

    @property
    def y(self):
        return self.x * self.k

    def f(self):
        return self.x

    def __repr__(self):
        return "B"


class Der(Base):
    def __init__(self, x):
        super().__init__(x)
        self.z = x + 1

    def f(self):
        return super().f() * 10 + self.z

    @functools.cached_property
    def cp(self):
        return self.x * 7


@program(2.0)
def classes(x):
    d = Der.make(x)
    d.n += 1
    d.x *= 2
    d.w = x
    s = 0.0
    if isinstance(d, Base):
        s += 1
    if hasattr(d, "q"):
        s += 100
    return (
        d.f()
        + d.y
        + Der.sq(x)
        + d.sq(d.x)
        + d.n
        + d.w
        + getattr(d, "nope", 5.0)
        + Base.f(d)
        + s
        + type(d).k
    )


@program(2.0)
def cached_prop(x):
    d = Der(x)
    return d.cp + d.cp


def act(name, x):
    match name:
        case "relu":
            return x
        case "tanh" | "th":
            return math.tanh(x)
        case _:
            return 0.0


@program(2.0)
def match_static(x):
    return act("th", x) + act("relu", x) + act("q", x)


@program(2.0)
def match_tuple(x):
    r = 0.0
    for op in [("mul", 2.0), ("add", 1.0), ("neg",), {"k": x}, 3]:
        match op:
            case ("mul", k) if k > 1:
                r += x * k
            case ("add", k):
                r += x + k
            case [one]:
                r -= x * len(one)
            case {"k": v}:
                r += v
            case int(n):
                r += n
    return r


@program(2.0)
def match_cls(x):
    q = Pt(x, 1.0)
    match q:
        case Pt(a, b):
            return a * b * 3
    return 0.0


@dataclasses.dataclass
class DC:
    a: float
    b: list = dataclasses.field(default_factory=list)
    c: float = 1.0


@program(2.0)
def dcs(x):
    d = DC(x)
    e = dataclasses.replace(d, c=3 * x)
    d.b.append(x)
    d.c += x
    return d.a + e.c + d.c + len(d.b) + len(dataclasses.fields(d)) + (DC(1.0) == DC(1.0))


@program(2.5)
def loop_choice(x):
    def a(y):
        return y * x

    def b(y):
        return y + x

    f = a
    s = 0.0
    for i in range(4):
        s += f(1.5)
        f = b if x > i else a
    return s + f(x)


@program(2.0, 3.0)
def while_choice(x, y):
    n = 0
    acc = [x]

    def inc(v):
        acc[0] = acc[0] + v
        return acc[0]

    g = None
    while n < 3:
        n += 1
        if x > n:
            g = inc
        else:
            g = lambda v: v * n * y  # noqa: B023, E731
        x = x * 0.7 + g(0.5)
    return x + acc[0]


@program(2.0)
def methods_choice(x):
    a, b = Der(x), Base(x * 2)
    f = a.f if x > 3 else b.f
    return f() + x


@program(2.0)
def partial_choice(x):
    f = functools.partial(pow, x) if x > 1 else (lambda n: n * x)
    return f(3)


@program(1.6, 2)
def match_traced(x, n):
    match int(x * n):
        case 0:
            return x
        case 3 | 4:
            return x * x
        case k if k > 10:
            return x + k
    return -x


@program(1.5)
def match_guard(x):
    s = 0.0
    for v in [1.0, 2.0, -3.0]:
        match v * x:
            case w if w > 2:
                s += w * w
            case w if w < 0:
                s -= w
            case _:
                s += x
    return s


@program(1.5)
def match_nested(x):
    t = (("a", x), [x, 2.0, 3.0], {"k": (1, x)})
    match t:
        case (("b", q), *_):
            return q
        case (("a" as nm, q), [first, *rest], {"k": (1, z)}):
            return q * first + sum(rest) * z + len(nm)


@program(1.5)
def match_dc(x):
    d = DC(x, [x], 2.0)
    match d:
        case DC(a=1.0):
            return 0.0
        case DC(a, [b], c=c):
            return a * b * c


@program(1.5)
def tuple_list_eq(x):
    return (
        x * ((1, 2) == [1, 2])
        + x * ((1, 2) != [1, 2])
        + (DC(x) == DC(x))
        + (DC(x) != DC(2 * x))
        + ({"a": x} == {"a": x})
    )
