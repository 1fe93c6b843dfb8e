"""A class of containers may get operators of its own after it was used."""

import collections

import pytest

import myia


class Row(tuple):
    pass


class Named(collections.namedtuple("Named", "a b")):
    pass


class Table(dict):
    pass


class Rows(list):
    pass


class Number(int):
    pass


class Text(str):
    pass


def item(q):
    return q[0] * 2.0


def length(q):
    return len(q) * 2.0


def added(q):
    return q + q


CHANGES = [
    (Row((1.0, 2.0)), item, "__getitem__", lambda self, i: 50.0),
    (Named(1.0, 2.0), item, "__getitem__", lambda self, i: 50.0),
    (Row((1.0, 2.0)), added, "__add__", lambda self, other: 50.0),
    (Table({0: 1.0}), item, "__getitem__", lambda self, i: 50.0),
    (Table(a=1.0), length, "__len__", lambda self: 50),
    (Rows([1.0]), item, "__getitem__", lambda self, i: 50.0),
    (Rows([1.0]), added, "__add__", lambda self, other: 50.0),
    (Number(3), added, "__add__", lambda self, other: 50),
    (Text("ab"), length, "__len__", lambda self: 50),
]
HELD = None


def of_global(f):
    def read():
        return f(HELD)

    return read


@pytest.mark.parametrize("is_global", [False, True], ids=["argument", "global"])
@pytest.mark.parametrize("q, f, name, method", CHANGES, ids=lambda x: getattr(x, "__name__", None))
def test_operators_that_come_later(q, f, name, method, is_global, monkeypatch):
    monkeypatch.setitem(globals(), "HELD", q)
    f = of_global(f) if is_global else f
    args, compiled = () if is_global else (q,), myia.jit(f)

    def as_python():
        try:
            assert [compiled(*args) for _ in range(3)] == [f(*args)] * 3
            assert myia.jit(f)(*args) == f(*args)
        except myia.MyiaError as refused:
            assert "operators of its own" in str(refused) or "is not supported" in str(refused)

    before = f(*args)
    assert [compiled(*args) for _ in range(5)] == [before] * 5
    with monkeypatch.context() as patched:
        patched.setattr(type(q), name, method, raising=False)
        as_python()
    assert f(*args) == before
    assert [compiled(*args) for _ in range(3)] == [before] * 3


def test_an_operator_takes_the_place_of_another_name(monkeypatch):
    """The class has as many names as before."""
    q, compiled = Row((1.0, 2.0)), myia.jit(item)
    Row.other = 1
    assert [compiled(q) for _ in range(5)] == [2.0] * 5
    del Row.other
    monkeypatch.setattr(Row, "__getitem__", lambda self, i: 50.0, raising=False)
    assert compiled(q) == item(q) == 100.0
