"""What a class says of its instances is asked at every call: defaults of namedtuples, members."""

import enum
import functools
from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np
import pytest

import myia


class Record(NamedTuple):
    x: float
    k: Any = 2.0
    label: str = "a"


Pair = namedtuple("Pair", "x k", defaults=(np.arange(3.0),))


def of_record(x):
    r = Record(x)
    return r.x * r.k * len(r.label)


def of_pair(x):
    return x * Pair(x).k.sum()


@pytest.fixture(autouse=True)
def restored():
    before = {cls: cls.__new__.__defaults__ for cls in (Record, Pair)}
    missing = Rate._missing_.__func__
    yield
    for cls, defaults in before.items():
        cls.__new__.__defaults__ = defaults
    Rate._missing_ = classmethod(missing)
    Pair.__new__.__defaults__[0][:] = np.arange(3.0)


def test_defaults_of_namedtuples_that_are_replaced():
    compiled = myia.jit(of_record)
    for defaults in ((2.0, "a"), (3.0, "a"), (4, "a"), (np.float64(5.0), "abc"), (2.0, "a")):
        Record.__new__.__defaults__ = defaults
        assert compiled(1.5) == of_record(1.5)
        assert myia.grad(of_record)(1.5) == defaults[0] * len(defaults[1])


def test_a_default_that_is_an_array_may_change():
    compiled = myia.jit(of_pair)
    assert compiled(2.0) == of_pair(2.0) == 6.0
    Pair._field_defaults["k"][:] = 1.0
    assert compiled(2.0) == of_pair(2.0) == 6.0
    Pair._field_defaults["k"][:] = 2.0
    assert compiled(2.0) == of_pair(2.0) == 12.0


def test_arguments_come_before_defaults():
    assert myia.jit(lambda x: Record(x, label="abc"))(1.0) == Record(1.0, 2.0, "abc")
    with pytest.raises(myia.MyiaError, match="missing a required argument: 'x'"):
        myia.jit(lambda x: Record(k=x))(1.0)
    with pytest.raises(myia.MyiaError, match="multiple values"):
        myia.jit(lambda x: Record(x, x=x))(1.0)


class Doubled(namedtuple("Doubled", "x")):
    def __new__(cls, x):
        return super().__new__(cls, 2.0 * x)


def test_namedtuples_that_users_make_are_refused():
    with pytest.raises(myia.MyiaError, match="Doubled"):
        myia.jit(lambda x: Doubled(x).x)(1.0)


class Rate(enum.Enum):
    SLOW = 0.5
    FAST = 2.0

    @classmethod
    def _missing_(cls, value):
        return cls.FAST if value > LIMIT else cls.SLOW


LIMIT = 5.0


def of_members(x):
    return x * Rate(3.0).value + Rate(0.5).value


def test_missing_members_are_asked_at_every_call(monkeypatch):
    compiled = myia.jit(of_members)
    assert compiled(1.0) == of_members(1.0) == 1.0
    monkeypatch.setitem(globals(), "LIMIT", 1.0)
    assert compiled(1.0) == of_members(1.0) == 2.5
    Rate._missing_ = classmethod(lambda cls, value: None)
    with pytest.raises(ValueError, match=r"3.0 is not a valid Rate"):
        of_members(1.0)
    with pytest.raises(ValueError, match=r"3.0 is not a valid Rate"):
        compiled(1.0)
    Rate._missing_ = classmethod(lambda cls, value: cls.FAST)
    assert compiled(1.0) == of_members(1.0)


class Bits(enum.IntFlag):
    ONE = 1
    TWO = 2


def test_flags_are_looked_up():
    f = lambda x: x * (Bits(3) & Bits.TWO)  # noqa: E731
    assert myia.jit(f)(1.5) == f(1.5) == 3.0
    compiled = myia.jit(functools.partial(lambda x, n: x * Bits(n), n=2))
    assert compiled(1.5) == 3.0


# ----- Names of libraries


class operator:
    RATES = {"a": 1.0}  # noqa: RUF012
    rate = 2.0
    shift = np.ones(2)


def of_a_class(x):
    return x * operator.RATES["a"] * operator.rate + operator.shift[0]


def test_a_class_with_the_name_of_a_library(monkeypatch):
    compiled = myia.jit(of_a_class)
    assert compiled(1.5) == of_a_class(1.5)
    monkeypatch.setitem(operator.RATES, "a", 5.0)
    assert compiled(1.5) == of_a_class(1.5)
    monkeypatch.setattr(operator, "rate", 3.0)
    operator.shift[:] = 7.0
    assert compiled(1.5) == of_a_class(1.5)
    operator.shift[:] = 1.0
    assert compiled(1.5) == of_a_class(1.5)
