"""Classes that inherit the `__init__` that `dataclass` makes, or call it."""

from abc import ABC, abstractmethod
from dataclasses import InitVar, astuple, dataclass, field, replace
from typing import NamedTuple

import pytest

import myia
from tests.infer.driver import assert_value_and_derivative


@dataclass
class Base:
    b: float
    name: str = "x"


class Plain(Base):
    pass


class WithMethods(Plain):
    def double(self):
        return self.b * 2.0


class WithFields(Base):
    c: float = 3.0


@dataclass
class DecoratedAgain(Plain):
    z: float = 1.0


class WithInit(Base):
    def __init__(self, v):
        super().__init__(v * 2.0, "own")
        self.w = v


class Mixin:
    def tenfold(self):
        return self.b * 10.0


class Mixed(Mixin, Base):
    pass


@dataclass(kw_only=True)
class Keywords:
    a: float
    items: list = field(default_factory=list)


class OfKeywords(Keywords):
    pass


@dataclass
class WithPost:
    a: float
    s: float = field(init=False)

    def __post_init__(self):
        self.s = self.a * self.factor()

    def factor(self):
        return 2.0


class OtherFactor(WithPost):
    def factor(self):
        return 5.0


class OtherPost(WithPost):
    def __post_init__(self):
        super().__post_init__()
        self.s += 1.0


@dataclass(frozen=True, order=True)
class Frozen:
    a: float


class OfFrozen(Frozen):
    def cube(self):
        return self.a**3


@dataclass
class Abstract(ABC):
    a: float

    @abstractmethod
    def method(self): ...


class Pair(NamedTuple):
    a: float
    b: float = 2.0


class OfPair(Pair):
    def total(self):
        return self.a * self.b


def constructed(x):
    return Plain(x).b, Plain(x, "y").name, Plain(name="z", b=x).name, WithMethods(x).double()


def results(x):
    own = WithFields(x).c, Mixed(x).tenfold(), astuple(Plain(x))
    return Plain(x), DecoratedAgain(x, "y", x), own


def own_init(x):
    found = WithInit(x)
    Base.__init__(found, found.b + found.w)
    return found.b, found.name, found.w


def lists_of_their_own(x):
    first, second = OfKeywords(a=x), OfKeywords(a=x)
    first.items.append(x)
    return first.items, second.items


def after_init(x):
    return OtherFactor(x).s, OtherPost(x).s


def compared(x):
    a, b = OfFrozen(x), OfFrozen(2.0)
    return a < b, a == OfFrozen(x), Plain(x) == Base(x), replace(a, a=3.0).cube(), max(a, b).a


def of_named_tuples(x):
    return OfPair(x).total(), OfPair(x, b=x).total(), OfPair(x)._replace(a=3.0).total()


def inside(x):
    @dataclass
    class Inner:
        v: float

    class OfInner(Inner):
        def twice(self):
            return self.v * 2.0

    return OfInner(x).twice()


PROGRAMS = [constructed, results, own_init, lists_of_their_own, after_init, compared]


@pytest.mark.parametrize("f", [*PROGRAMS, of_named_tuples, inside], ids=lambda f: f.__name__)
def test_as_python(f):
    compiled = myia.jit(f)
    for x in (0.7, 2.5):
        assert compiled(x) == f(x)


def energy(x):
    return WithMethods(x * x).double() * OtherPost(x).s + OfFrozen(x).cube() + WithInit(x).b


def test_derivative():
    assert_value_and_derivative(energy, 0.7)


@pytest.mark.parametrize("cls", [Plain, OfKeywords, Abstract])
def test_what_python_refuses(cls):
    def program(x):
        try:
            cls()
        except TypeError:
            return -x
        return x

    assert myia.jit(program)(1.5) == program(1.5) == -1.5
    with pytest.raises(TypeError):
        myia.jit(lambda x: cls(x, x, x))(1.5)


# ----- Fields that are no arguments, arguments that are no fields

MADE = []


def counted_list():
    MADE.append(1)
    return [1.0]


@dataclass
class Derived:
    x: float
    y: float = field(init=False)

    def __post_init__(self):
        self.y = self.x * 2


@dataclass
class Without:
    x: float
    y: float = field(init=False)


@dataclass
class InitOnly:
    x: float
    scale: InitVar[float]
    shift: InitVar[float] = 2.0
    y: float = field(init=False, default=1.0)
    w: float = field(init=False)
    k: float = field(default=7.0, kw_only=True)

    def __post_init__(self, scale, shift):
        self.w = self.x * scale + shift


@dataclass
class OfFactories:
    a: list = field(default_factory=counted_list)
    b: list = field(init=False, default_factory=list)


def initialized(x):
    d = InitOnly(x, 3.0)
    e = InitOnly(x, 3.0, shift=x, k=x)
    return d.x + d.y + d.w + d.k + e.w * e.k


def replaced(x):
    return replace(Derived(1.0), x=x).y + replace(Derived(x)).y


def replaced_init_only(x):
    d = InitOnly(x, 3.0)
    return replace(d, scale=x).w + replace(d, scale=2.0, shift=x, x=x * x).w


@pytest.mark.parametrize("f", [initialized, replaced, replaced_init_only])
def test_fields_that_are_no_arguments(f):
    assert_value_and_derivative(f, 1.5)


@pytest.mark.parametrize(
    ("f", "error"),
    [
        (lambda x: replace(Derived(1.0), y=x).y, ValueError),
        (lambda x: replace(InitOnly(x, 3.0), x=2.0).w, ValueError),
        (lambda x: replace(InitOnly(x, 3.0), scale=2.0, y=2.0).w, ValueError),
        (lambda x: replace(Without(x), x=5.0).y, AttributeError),
        (lambda x: replace(Derived(x), q=1.0).y, TypeError),
        (lambda x: InitOnly(x).w, TypeError),
        (lambda x: replace(Plain, b=x).b, TypeError),
    ],
)
def test_errors_of_replace(f, error):
    for function in (f, myia.jit(f)):
        with pytest.raises(error):
            function(2.0)


def test_an_attribute_is_there_where_python_sets_it():
    def f(x):
        return InitOnly(x, 3.0)

    assert list(vars(myia.jit(f)(2.0)).items()) == list(vars(f(2.0)).items())


def test_a_factory_is_called_where_its_field_is_not_given():
    def f(x):
        one, other = OfFactories([x]), OfFactories()
        return one.a[0] + other.a[0] + len(one.b)

    assert f(2.0) == 3.0 and len(MADE) == 1
    assert myia.jit(f)(2.0) == 3.0 and len(MADE) == 2
