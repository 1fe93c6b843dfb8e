"""Instances in prints, f-strings, messages and logs: the text that their class gives."""

import contextlib
import dataclasses
import io
import logging
import typing

import pytest

import myia
from myia.errors import MyiaError


class Point:
    def __init__(self, x, n):
        self.x, self.n = x, n

    def __str__(self):
        return f"P({self.x:.2f})"


class Named(Point):
    def __str__(self):
        return "named " + super().__str__()


class Shown:
    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return f"Q<{self.x}>"


class Formatted:
    def __init__(self, x):
        self.x = x

    def __format__(self, spec):
        return f"F{self.x:.1f}" if spec == "short" else "F: " + format(self.x, spec)


class NoText:
    def __str__(self):
        return 3


class Talks:
    def __str__(self):
        print("asked")
        return "t"


@dataclasses.dataclass
class Data:
    x: float
    name: str = "d"
    hidden: float = dataclasses.field(default=1.0, repr=False)


@dataclasses.dataclass
class DataWithText(Data):
    def __str__(self):
        return f"<{self.name}>"


class Pair(typing.NamedTuple):
    a: float
    b: int


class PairWithText(typing.NamedTuple):
    a: float

    def __str__(self):
        return f"pair {self.a}"


def by_str(x):
    p = Point(x, 1)
    print(p)
    print(f"{p} {p!s}", str(p), Named(x, 2), "%s" % p)  # noqa: UP031
    return x


def by_repr(x):
    q = Shown(x)
    print(q, [q], (q, 1), {"a": q})
    print(f"{q} {q!r} {q!s}", repr(q), "%r and %s" % (q, q))  # noqa: UP031
    return x


def by_format(x):
    f = Formatted(x)
    print(f"{f:short} {f:.3f}")
    return x


def dataclasses_(x):
    print(Data(x), Data(x, "k"), [Data(x)], f"{Data(x)}", repr(Data(x)))
    print(DataWithText(x), f"{DataWithText(x)!r}", [DataWithText(x)])
    return x


def named_tuples(x):
    print(Pair(x, 2), f"{Pair(x, 1)}", PairWithText(x), [PairWithText(x)], f"{PairWithText(x)}")
    return x


def no_string(x):
    try:
        print(NoText())
    except TypeError as e:
        print(e)
    return x


def no_format(x):
    try:
        print(f"{Point(x, 1):>10}")
    except TypeError as e:
        print(e)
    return x


def changed_in_a_loop(x):
    p = Point(x, 1)
    for i in range(3):
        p.x = p.x * 2
        if p.x > 1:
            print("step", i, p)
    return p.x


def in_messages(x):
    if x < 0:
        raise ValueError(f"bad {Point(x, 1)}")
    raise KeyError(str(Shown(x)))


def with_a_width(x):
    print(f"{Point(2.0, 1)!s:>10}|")
    return x


def several(x):
    print(*[Point(x, i) for i in range(2)], sep=";")
    return x


def that_prints(x):
    print(Talks(), x)
    print(f"{x} {Talks()}")
    return x


PROGRAMS = [by_str, by_repr, by_format, dataclasses_, named_tuples, no_string, no_format]
PROGRAMS += [changed_in_a_loop, in_messages, with_a_width, several, that_prints]


def outcome(f, x):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            result = f(x)
        except (ValueError, KeyError) as error:
            result = type(error), str(error)
    return result, out.getvalue()


@pytest.mark.parametrize("x", [0.37, -1.5])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_texts(f, x):
    assert outcome(myia.jit(f), x) == outcome(f, x)


def test_logs(caplog):
    def f(x):
        logging.getLogger("t").warning("at %s", Point(x, 1))
        return 2 * x

    assert myia.grad(f)(0.5) == 2.0
    assert [record.getMessage() for record in caplog.records] == ["at P(0.50)"]


def test_an_address_is_refused():
    class Plain:
        pass

    def f(x):
        print(Plain())
        return x

    with pytest.raises(MyiaError, match="printing an instance of Plain is not supported"):
        myia.jit(f)(1.0)


def test_a_line_into_which_a_text_prints_is_refused():
    """Python has written the first object by then."""

    def f(x):
        print(x, Talks())
        return x

    with pytest.raises(MyiaError, match="of which a later one prints"):
        myia.jit(f)(1.0)
