"""Attributes of instances of subclasses of dict, list and tuple: theirs, and those of the class."""

import collections

import numpy as np
import pytest

import myia


class Config(dict):
    pass


class WithRate(dict):
    rate = 0.1


class AttrDict(dict):
    __getattr__ = dict.__getitem__


class Bunch(dict):
    def __getattr__(self, name):
        if name not in self:
            raise AttributeError(name)
        return self[name]


class Itself(dict):
    def __init__(self, **items):
        super().__init__(**items)
        self.__dict__ = self


class Computed(dict):
    @property
    def rate(self):
        return self["a"] * 2.0

    def total(self):
        return self["a"] + self.rate


class Items(list):
    pass


class RatedItems(list):
    rate = 0.1


class Point(collections.namedtuple("Point", "a")):
    pass


class Numbers(tuple):
    pass


def with_rate(x, rate=5.0):
    x.rate = rate
    return x


INSTANCES = {
    "dict": lambda: with_rate(Config(a=1.0)),
    "no attribute": lambda: Config(a=1.0),
    "over one of the class": lambda: with_rate(WithRate(a=1.0)),
    "of the class": lambda: WithRate(a=1.0),
    "of an item": lambda: Bunch(rate=5.0),
    "property": lambda: Computed(a=2.5),
    "its own attributes": lambda: Itself(rate=5.0),
    "list": lambda: with_rate(Items([1.0])),
    "class of a list": lambda: RatedItems([1.0]),
    "over one of a list's class": lambda: with_rate(RatedItems([1.0])),
    "plain list": lambda: Items([1.0]),
    "namedtuple": lambda: with_rate(Point(1.0)),
    "tuple": lambda: with_rate(Numbers((1.0,))),
    "plain tuple": lambda: Numbers((1.0,)),
    "OrderedDict": lambda: with_rate(collections.OrderedDict(a=1.0)),
    "Counter": lambda: with_rate(collections.Counter(a=1)),
}
READS = {
    "getattr": lambda c, x: x * getattr(c, "rate", 0.25),
    "hasattr": lambda c, x: x if hasattr(c, "rate") else -x,
    "both": lambda c, x: x * c.rate if hasattr(c, "rate") else x * len(c) * 7.0,
}


@pytest.mark.parametrize("how", READS)
@pytest.mark.parametrize("name", INSTANCES)
def test_attributes(name, how):
    f, c = READS[how], INSTANCES[name]()
    assert myia.jit(f)(c, 2.0) == f(c, 2.0)
    assert myia.jit(lambda x: f(c, x))(2.0) == f(c, 2.0)
    assert myia.jit(lambda holder, x: f(holder[0], x))([c], 2.0) == f(c, 2.0)
    assert myia.grad(f, argnums=1)(c, 2.0) == f(c, 1.0)


@pytest.mark.parametrize("make", [Config, WithRate, Items, RatedItems, Numbers, lambda: Point(1.0)])
@pytest.mark.parametrize("how", READS)
def test_attributes_that_come_and_change(make, how):
    f, c, other = READS[how], make(), make()
    given, held = myia.jit(f), myia.jit(lambda x: f(c, x))

    def same():
        for x in (c, other, c):
            for _ in range(2):
                assert given(x, 2.0) == f(x, 2.0)
        assert held(2.0) == held(2.0) == f(c, 2.0)

    same()
    for rate in (5.0, 6.0, 3, np.float64(2.0)):
        c.rate = rate
        same()
    del c.rate
    same()


def test_attributes_of_classes_that_change(monkeypatch):
    f = READS["getattr"]
    c, items = WithRate(a=1.0), RatedItems([1.0])
    compiled = [myia.jit(lambda x, c=c: f(c, x)) for c in (c, items)]
    for rate in (0.1, 0.5, 2):
        monkeypatch.setattr(WithRate, "rate", rate)
        monkeypatch.setattr(RatedItems, "rate", rate)
        assert [F(2.0) for F in compiled] == [f(c, 2.0), f(items, 2.0)]
    monkeypatch.setattr(Computed, "total", lambda self: self["a"] * 100.0)
    made = Computed(a=2.0)
    total = myia.jit(lambda c: c.total())
    assert total(made) == 200.0
    monkeypatch.undo()
    assert total(made) == made.total() == 6.0


def test_items_that_are_read_as_attributes():
    def loss(p, x):
        return (p.w * x + p.b) ** 2

    for cls in (AttrDict, Bunch):
        p = cls(w=2.0, b=1.0)
        assert myia.jit(loss)(p, 3.0) == loss(p, 3.0) == 49.0
        assert myia.grad(loss)(p, 3.0) == {"w": 42.0, "b": 14.0}
    with pytest.raises(KeyError):
        myia.jit(lambda p: p.v)(AttrDict(w=2.0))
    with pytest.raises(AttributeError, match="v"):
        myia.jit(lambda p: p.v)(Bunch(w=2.0))
    assert myia.jit(lambda p: getattr(p, "v", 3.0))(Bunch(w=2.0)) == 3.0


def test_a_list_stays_of_its_class():
    def f(c, x):
        c.append(x)
        return x if isinstance(c, Items) and not hasattr(c, "rate") else -x

    for cls in (Items, RatedItems):
        c, d = cls([1.0]), cls([1.0])
        assert myia.jit(f)(c, 2.0) == f(d, 2.0)
        assert c == d


def test_what_is_not_differentiated_is_refused():
    """One with attributes of its own is known by identity: its items are no arguments."""
    c = with_rate(Config(a=2.0))
    assert myia.jit(lambda c: c["a"] * c.rate)(c) == 10.0
    c["a"] = 3.0
    assert myia.jit(lambda c: c["a"] * c.rate)(c) == 15.0
    with pytest.raises(myia.MyiaError):
        myia.grad(lambda c: c["a"] * c.rate)(c)
