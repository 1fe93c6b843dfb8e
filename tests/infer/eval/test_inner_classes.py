"""Classes that compiled functions define, against plain Python and central differences."""

from __future__ import annotations

import abc
import dataclasses
import enum
import functools
from dataclasses import dataclass, field
from typing import NamedTuple

import pytest

import myia


class Scaled:
    rate = 2.0

    def __init__(self, k):
        self.k = k

    def scaled(self):
        return self.k * self.rate

    @property
    def twice(self):
        return self.k * 2.0


def closures_and_class_attributes(x):
    n = 0.0

    class Counter:
        count, scale = 0, x * x
        total = 0.0

        def add(self, v, k=scale):
            nonlocal n
            n += k
            Counter.count += 1
            Counter.total += v * self.scale

    a, b = Counter(), Counter()
    for i in range(4):
        a.add(x * i)
        if x > 0.5:
            b.add(x)
    b.scale = 7.0
    return Counter.total * a.count + n * b.scale * Counter.scale


def dataclasses_inside(x):
    @dataclass
    class Box:
        r: float
        h: float = 2.0
        t: float = x
        parts: list = field(default_factory=lambda: [x, 2.0])

        def volume(self):
            return self.r * self.h * self.t * self.parts[0]

    @dataclass(frozen=True)
    class Point:
        a: float
        b: float

    p = dataclasses.replace(Point(x, 3.0), b=x * x)
    match p:
        case Point(a, b):
            y = a * b
    return Box(x).volume() + Box(1.0, h=x).volume() + y * (2.0 if p == Point(x, x * x) else 9.0)


def inheritance(x):
    class A:
        def __init__(self, r):
            self.__r = r

        def f(self):
            return self.__r * x

        def g(self):
            return self.f() + 1.0

    class B(A):
        def __init__(self, r, s):
            super().__init__(r)
            self.s = s

        def f(self):
            return super().f() * self.s

    class C(Scaled):
        rate = 3.0

        def scaled(self):
            return super().scaled() * self.twice + (0.5 if __class__ is C else 0.0)

    total = 0.0
    for o in (A(x), B(x, 3.0)):
        total += o.g() * (2.0 if isinstance(o, B) else 1.0)
    return total + C(x).scaled() + (1.0 if issubclass(B, A) else 5.0)


def operators(x):
    class Dual:
        def __init__(self, a, b):
            self.a, self.b = a, b

        def __add__(self, o):
            return Dual(self.a + o.a, self.b + o.b)

        def __mul__(self, o):
            return Dual(self.a * o.a, self.a * o.b + self.b * o.a)

        def __rmul__(self, k):
            return Dual(k * self.a, k * self.b)

        def __neg__(self):
            return Dual(-self.a, -self.b)

        def __lt__(self, o):
            return self.a < o.a

        def __getitem__(self, i):
            return self.a if i == 0 else self.b

        def __len__(self):
            return 2

        def __call__(self, v):
            return self.a * v

        def __iter__(self):
            yield self.a
            yield self.b

    d, y = Dual(x, 1.0), Dual(1.0, 0.0)
    for _ in range(40):
        y = y * d + 2.0 * d  # one loop, which carries an instance
    if d < y:
        y = -y
    a, b = y
    return y[0] + b * len(y) + d(a)


def descriptors(x):
    class C:
        def __init__(self, v):
            self._v = v

        @property
        def v(self):
            return self._v * 2.0

        @v.setter
        def v(self, new):
            self._v = new + x

        @staticmethod
        def s(a):
            return a * x

        @classmethod
        def make(cls, a):
            return cls(a)

        @functools.cached_property
        def c(self):
            return self._v**3

    c = C.make(x)
    c.v = 3.0 * x
    return c.v + C.s(2.0) + c.c + c.s(x)


def special_kinds(x):
    class Shape(abc.ABC):
        @abc.abstractmethod
        def area(self): ...

        def twice(self):
            return 2.0 * self.area()

    class Square(Shape):
        def area(self):
            return x * x

    class Pair(NamedTuple):
        a: float
        b: float = 2.0

        def norm(self):
            return self.a * self.a + self.b

    class Color(enum.Enum):
        RED = 1
        BLUE = 2

    class Failed(ValueError):
        pass

    class Entered:
        def __enter__(self):
            return x

        def __exit__(self, *error):
            return False

    total = Square().twice()
    for c in Color:
        total += x * c.value if c is Color.RED else x * x
    a, b = Pair(x)
    with Entered() as y:
        total += Pair(x).norm() * a + b * y
    try:
        if x > 0.5:
            raise Failed(x * x)
    except Failed as e:
        total += e.args[0] * 3.0
    return total


def made_by_an_inner_function(x):
    def make(k):
        class Held:
            def f(self, y):
                return k * y

        return Held()

    a, b = make(x), make(2.0)
    held = [a, b]
    total = sum(h.f(x) for h in held)
    for i in range(30):

        class Step:
            k = total * 0.1

            def f(self):
                return self.k * x + i  # noqa: B023 - it is called in its iteration

        total = Step().f() + Step.k
    return total * (1.0 if type(a) is type(b) else 2.0)


def differentiated_inside(x):
    @dataclass
    class Model:
        w: float
        b: float

        def loss(self, v):
            return (self.w * v + self.b - 1.0) ** 2

    g = myia.grad(lambda m: m.loss(x))(Model(x, x * x))
    return g.w * g.b + myia.grad(Model(x, 2.0).loss)(3.0)


def differentiated_outside(x):
    return 4 * x * (x * x + x * x - 1.0) ** 2 + 2 * x * (3.0 * x + 2.0 - 1.0)


PROGRAMS = [
    *(closures_and_class_attributes, dataclasses_inside, inheritance, operators, descriptors),
    *(special_kinds, made_by_an_inner_function),
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_derivatives(f):
    for x in (0.4, 0.8):
        assert myia.jit(f)(x) == pytest.approx(f(x), rel=1e-13)
    h = 1e-6
    slope = (f(x + h) - f(x - h)) / (2 * h)
    assert myia.grad(f)(x) == pytest.approx(slope, rel=1e-8)


def test_a_derivative_inside():
    f, x = differentiated_inside, 0.8
    assert myia.jit(f)(x) == pytest.approx(differentiated_outside(x), rel=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivatives(f):
    myia.check_grads(f, (0.8,), order=2)


def test_bases_and_their_members_are_read_at_every_call(monkeypatch):
    def f(x):
        class B(Scaled):
            pass

        return B(x).scaled()

    compiled = myia.jit(f)
    assert compiled(3.0) == 6.0
    monkeypatch.setattr(Scaled, "rate", 5.0)
    assert compiled(3.0) == 15.0
    assert compiled.compiles == 1
    monkeypatch.setattr(Scaled, "scaled", lambda self: self.k + 1.0)
    assert compiled(3.0) == 4.0


def returned(x):
    class A:
        pass

    return [A()]


def returned_in_a_grown_list(x):
    class A:
        def __init__(self, k):
            self.k = k

    xs = []
    while x < 5.0:
        xs.append(A(x))
        x = x * 1.5
    return xs


def after_a_branch(x):
    o = None
    if x > 0.5:
        k = x * x

        class A:
            def f(self):
                return k

        o = A()
    return x if o is None else o.f()


def carried(x):
    class A:
        k = 1.0

    for _ in range(1000):
        y = A.k

        class A:
            k = y * x

    return A.k


def read_too_early(x):
    k = x

    class A:
        k = k

    return A.k


def a_loop_in_the_body(x):
    class A:
        for _ in range(3):
            pass

    return x


def own_metaclass(x):
    class Meta(type):
        pass

    class A(metaclass=Meta):
        pass

    return x


def a_new_attribute(x):
    class A:
        pass

    A.k = x
    return A.k


def a_mutable_default(x):
    @dataclass
    class A:
        xs: list = []  # noqa: RUF008 - what is refused

    return x


def a_method_as_exception(x):
    class Bad(Exception):
        def __init__(self, a):
            self.a = a

    raise Bad(x)


@pytest.mark.parametrize(
    ("f", "error", "message"),
    [
        (returned, myia.MyiaError, "object of the class A that compiled code defines, as a result"),
        (returned_in_a_grown_list, myia.MyiaError, "object of the class A that compiled code"),
        (after_a_branch, myia.MyiaError, "a class that a branch or a loop defines, after it"),
        (carried, myia.MyiaError, "loop"),
        (read_too_early, myia.MyiaError, "`k` is read before the class gives it a value"),
        (a_loop_in_the_body, myia.MyiaError, "not supported in the body of a class"),
        (own_metaclass, myia.MyiaError, "`metaclass=` of a class is not supported"),
        (a_new_attribute, myia.MyiaError, "to give the class A an attribute `k`"),
        (a_mutable_default, ValueError, "mutable default <class 'list'> for field xs"),
        (a_method_as_exception, myia.MyiaError, "an exception with methods"),
    ],
)
def test_refused(f, error, message):
    with pytest.raises(error, match=message):
        myia.jit(f)(0.75)
