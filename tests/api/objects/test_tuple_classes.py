"""Tuples of classes: named tuples, a user's own, and those of the standard library."""

import collections
import functools
import time

import numpy as np
import pytest

import myia


class Pair(tuple):
    scale = 3.0

    @property
    def first(self):
        return self[0]

    @functools.cached_property
    def sum(self):
        return self[0] + self[1]

    def times(self, x):
        return self.first * self[1] * x

    @classmethod
    def named(cls):
        return len(cls.__name__)


class Two(tuple):
    """Its constructor takes other arguments than a tuple."""

    def __new__(cls, a, b):
        return tuple.__new__(cls, (a, b))


class Fallback(tuple):
    def __getattr__(self, name):
        return self[0] * len(name)


class Shown(tuple):
    def __repr__(self):
        return f"shown {len(self)}"


class Named(collections.namedtuple("Named", "a b")):
    """One of its fields is read otherwise, and its constructor takes one."""

    scale = 5.0

    def __new__(cls, a):
        return super().__new__(cls, a, 2.0 * a)

    @property
    def a(self):
        return 100.0


def pair(a=1.0, b=2.0):
    return Pair((a, b))


USES = {
    "property": (lambda p: p.first, pair()),
    "method": (lambda p: p.times(2.0), pair()),
    "class method": (lambda p: p.named(), pair()),
    "constant": (lambda p: p.scale, pair()),
    "cached property": (lambda p: p.sum, pair()),
    "method of tuples": (lambda p: (p.count(1), p.index(2)), Pair((1, 2))),
    "class": (lambda p: (p.__class__ is Pair, type(p) is Pair, isinstance(p, Pair)), pair()),
    "concatenation": (lambda p: (p * 2, (*p, 1.0)), pair()),
    "comparison": (lambda p: (p == (1.0, 2.0), p < (2.0,)), pair()),
    "unpacking": (lambda p: [x * 2.0 for x in p], pair()),
    "text": (str, Pair((1, 2))),
    "formatted": (lambda p: f"{p}", Pair((1, 2))),
    "text of its own": (lambda p: (str(p), f"{p!r}"), Shown((1, 2))),
    "fallback": (lambda p: p.abc, Fallback((2.0,))),
    "other constructor": (lambda p: p[0] - p[1], Two(1.0, 2.0)),
    "field that is replaced": (lambda p: (p.a, p.b, p[0], p.scale), Named(1.0)),
    "field of a library": (lambda t: (t.tm_year, t[0], len(t)), time.gmtime(0)),
}


@pytest.mark.parametrize("name", USES)
def test_as_python(name):
    f, p = USES[name]
    got, want = myia.jit(f)(p), f(p)
    assert got == want and type(got) is type(want)


@pytest.mark.parametrize("p", [pair(), Two(1.0, 2.0), Named(1.0)], ids=lambda p: type(p).__name__)
def test_they_are_results(p):
    cls = type(p)
    assert np.isclose(myia.grad(lambda p: p[0] * p[1])(p), (p[1], p[0])).all()
    results = (
        myia.jit(lambda p: p)(p),
        myia.grad(lambda p: p[0] * p[1])(p),
        myia.value_and_grad(lambda p: p[0] * p[1])(p)[1],
        myia.vjp(lambda p: p[0] * p[1], p)[1](1.0)[0],
        myia.jvp(lambda p: p, (p,), (p,))[1],
        myia.jit(copies)(p, np.int64(3))[2],
        myia.vmap(lambda p: p)(tuple.__new__(cls, (np.ones(3), np.ones(3)))),
    )
    assert [type(x) for x in results] == [cls] * len(results)
    assert results[0] == p and results[4] == p and results[5] == p
    myia.check_grads(lambda p: p[0] * p[1], (p,))


def copies(p, n):
    found = []
    for _ in range(n):
        found.append(p)
    return found


def test_a_pullback_has_arrays_of_its_own():
    p = Two(np.ones(2), np.ones(2))
    _, pull = myia.vjp(lambda p: np.sum(p[0] * p[1]), p)
    p[0][:] = 7.0
    assert (pull(1.0)[0][1] == 1.0).all()


def test_numbers_that_are_not_differentiated_are_named():
    with pytest.raises(myia.MyiaError, match=r"is the int 2, at `p\[1\]`"):
        myia.grad(lambda p: p[0] * p[1])(pair(1.0, 2))


@pytest.mark.parametrize("name", ["none", "_fields", "_asdict", "_replace"])
def test_an_attribute_that_is_not_there(name):
    with pytest.raises(AttributeError, match=f"'Pair' object has no attribute '{name}'"):
        myia.jit(lambda p: getattr(p, name))(pair())


def test_attributes_of_its_own():
    """Such a tuple is not taken apart."""
    plain, more = pair(), pair()
    more.extra, more.times = 7.0, lambda x: -x
    same, times = myia.jit(lambda p: p), myia.jit(lambda p: p.times(1.0))
    for _ in range(5):
        assert same(plain) == plain and not vars(same(plain))
        assert times(plain) == 2.0
    assert vars(same(more)) == vars(more)
    assert times(more) == -1.0
    assert myia.jit(lambda p, x: p.extra * p[0] * x)(more, 2.0) == 14.0


REFUSED = {
    "result": (lambda t: t, "a result of the class struct_time"),
    "text": (lambda t: f"{t}", "printing"),
    "hidden": (lambda t: t.tm_zone, "the descriptor `member_descriptor`"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_tuples_with_more_than_their_items_are_refused(name):
    f, text = REFUSED[name]
    with pytest.raises(myia.MyiaError, match=text):
        myia.jit(f)(time.gmtime(0))


def test_a_result_that_no_file_can_make(tmp_path):
    program = myia.jit(lambda p: p).lower(pair()).compile()
    with pytest.raises(myia.errors.ArtifactError, match="a result that Pair makes"):
        program.save(tmp_path / "f.myia")
