"""Properties that raise: the exception is an answer, and is raised where Python raises it."""

import enum

import pytest

import myia


class Level(enum.Enum):
    LOW = 1

    @property
    def wrong(self):
        CALLS.append(self)
        if FAILS:
            raise ValueError("no such number")
        return 3.0

    @property
    def absent(self):
        raise AttributeError("absent")


CALLS = []
FAILS = [True]


def read(x):
    try:
        return x * Level.LOW.wrong
    except ValueError:
        return x * 0.5


def read_or(x):
    try:
        return x * getattr(Level.LOW, "wrong", 2.0)
    except ValueError:
        return x * 0.5


def asked(x):
    try:
        return x if hasattr(Level.LOW, "wrong") else 2.0 * x
    except ValueError:
        return x * 0.5


def asked_absent(x):
    return x if hasattr(Level.LOW, "absent") else x * 0.25


@pytest.mark.parametrize("f", [read, read_or, asked, asked_absent])
def test_what_a_property_raises(f):
    compiled = myia.jit(f)
    assert [compiled(x) for x in (1.0, 2.0, 3.0)] == [f(x) for x in (1.0, 2.0, 3.0)]


def test_a_property_that_raises_no_more(monkeypatch):
    compiled = myia.jit(read)
    assert compiled(1.0) == read(1.0) == 0.5
    monkeypatch.setitem(globals(), "FAILS", [])
    assert compiled(1.0) == read(1.0) == 3.0


def test_an_exception_that_nobody_catches():
    with pytest.raises(ValueError, match="no such number"):
        myia.jit(lambda x: x * Level.LOW.wrong)(1.0)
