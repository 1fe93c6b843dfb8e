"""Exceptions whose constructors are written in Python: they run where the exception is made."""

import dataclasses

import numpy as np
import pytest

import myia


class Bad(Exception):
    def __init__(self, value, step=2):
        super().__init__(f"bad value {value} at step {step}")
        self.value, self.step = value, step


class Worse(Bad):
    def __init__(self, value):
        Bad.__init__(self, value * 2, 7)
        self.both = np.array([value, value])

    @property
    def twice(self):
        return 2 * self.value

    def total(self):
        return self.both.sum() + self.value


class Small(Exception):
    def __init__(self, items):
        if sum(items) > 4:
            raise KeyError("too much")
        super().__init__("small")
        self.total = sum(items)


class Loud(Exception):
    def __init__(self, value):
        print("made of", value)
        self.value = value


class Missing(OSError):
    def __init__(self, value):
        super().__init__(2, "nothing there", "file")
        self.value = value


@dataclasses.dataclass
class Record(Exception):
    code: float
    step: int = 3


def check(x, step):
    if x > 2:
        raise Bad(x, step)
    return x


def an_argument_that_changes(x, n):
    items = [x]
    e = Small(items)
    items.append(x)
    try:
        raise e
    except Small as e:
        return e.total * x


def one_that_raises(x, n):
    try:
        raise Small([x * n])
    except KeyError as e:
        return 2.0 * x + len(e.args)
    except Small as e:
        return e.total


def wrong_arguments(x, n):
    try:
        raise Bad(x, n, 3, 4)
    except TypeError:
        return 2.0 * x
    except Bad:
        return x


def one_that_prints(x, n):
    try:
        raise Loud(x)
    except Loud as e:
        return e.value * e.value * e.args[0]


def one_that_prints_and_is_not_asked(x, n):
    try:
        raise Loud(x)
    except Loud:
        return x


def two_places(x, n):
    try:
        if n > 3:
            raise Bad(x, n)
        raise Bad(3.0 * x, n)
    except Bad as e:
        return e.value * e.step


def in_a_loop(x, n):
    s = 0.0
    for i in range(n):
        try:
            s += check(x * i, i)
        except Bad as e:
            s -= e.value * e.step
    return s


def in_a_while(x, n):
    v, i = x, 0
    try:
        while v < 100.0:
            v = check(v, i) * 1.5
            i += 1
    except Bad as e:
        return e.value + e.step
    return v


def methods_and_arrays(x, n):
    try:
        raise Worse(x)
    except Bad as e:
        return e.total() * e.twice


def a_dataclass(x, n):
    try:
        if n > 3:
            raise Record(x)
        raise Record(x * 2.0, step=n)
    except Record as e:
        return e.code * e.step


def again(x, n):
    try:
        try:
            if n > 3:
                raise Bad(x, n)
            raise ValueError("v")
        except (Bad, ValueError):
            raise
    except Bad as e:
        return e.value * 3.0
    except ValueError:
        return x * 7.0


def changed_by_a_handler(x, n):
    try:
        try:
            raise Bad(x, n)
        except Bad as e:
            e.value = e.value * n
            e.more = x
            raise
    except Bad as e:
        return e.value * e.more


def changed_before(x, n):
    e = Bad(x)
    e.more = 3.0 * x
    if n > 3:
        e.value = 5.0
    try:
        raise e
    except Bad as caught:
        return caught.more * caught.value


def the_same(x, n):
    first, second = Bad(x), Bad(x)
    try:
        if n > 3:
            raise first
        raise second
    except Bad as e:
        return x if e is first else 2.0 * x


def kept_in_a_list(x, n):
    found = []
    for i in range(n):
        try:
            if i % 2:
                raise Bad(x * i)
        except Bad as e:
            found.append(e)
    return sum(e.value for e in found)


def out_of_a_generator(x, n):
    def items():
        for i in range(n):
            if i > 3:
                raise Bad(x * i, i)
            yield x * i

    s = 0.0
    try:
        for v in items():
            s += v
    except Bad as e:
        s += e.value * 100.0
    return s


def out_of_a_recursion(x, n):
    def f(x, k):
        if k == 0:
            raise Bad(x, k)
        return f(x * 1.5, k - 1)

    try:
        return f(x, n)
    except Bad as e:
        return e.value


def with_a_base_of_python(x, n):
    try:
        raise Missing(x)
    except OSError as e:
        return e.value * e.errno * len(e.args) * len(e.filename)


def one_of_two(x, n):
    e = Bad(x) if x > n else Bad(2.0 * x, n)
    e.value = e.value * x
    try:
        raise e
    except Bad as caught:
        return caught.value * caught.step


CAUGHT = [
    one_of_two,
    an_argument_that_changes,
    one_that_raises,
    wrong_arguments,
    one_that_prints,
    one_that_prints_and_is_not_asked,
    two_places,
    in_a_loop,
    in_a_while,
    methods_and_arrays,
    a_dataclass,
    again,
    changed_by_a_handler,
    changed_before,
    the_same,
    kept_in_a_list,
    out_of_a_generator,
    out_of_a_recursion,
    with_a_base_of_python,
]


@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("f", CAUGHT)
def test_caught(f, n, capsys):
    x, h = 1.5, 1e-6
    wanted = f(x, n)
    printed = capsys.readouterr().out
    assert myia.jit(f)(x, n) == wanted
    assert capsys.readouterr().out == printed
    slope = (f(x + h, n) - f(x - h, n)) / (2 * h)
    assert myia.grad(f)(x, n) == pytest.approx(slope, rel=1e-6)
    curve = (f(x + 1e-4, n) - 2 * wanted + f(x - 1e-4, n)) / 1e-8
    assert myia.grad(myia.grad(f))(x, n) == pytest.approx(curve, abs=1e-3)


def told(f, *args):
    """What a caller sees of an exception, its cause, and what is printed before."""
    with pytest.raises(Exception) as raised:
        f(*args)
    e = raised.value
    cause = e.__cause__
    return [(type(x), x.args, str(x), state(x)) for x in (e, *([cause] if cause else []))]


def state(e):
    return {name: repr(x) for name, x in vars(e).items() if name != "__notes__"}


def of_a_dataclass(x, n):
    raise Record(x, step=n)


def of_a_base_of_python(x, n):
    raise Missing(x)


def of_a_constructor(x, n):
    raise Small([x * n])


def of_one_that_prints(x, n):
    raise Loud(x)


def of_an_instance_that_changed(x, n):
    e = Bad(x)
    e.more = x * n
    raise e


def of_a_handler(x, n):
    try:
        raise Bad(x, n)
    except Bad as e:
        e.value = e.value * n
        raise


def with_a_cause(x, n):
    try:
        check(x * n, n)
    except Bad as e:
        raise Worse(x) from e


class Dated(Exception):
    def __init__(self, value):
        super().__init__(str(memoryview(b"abc").tolist()), value)
        self.value = value


class Fresh(Exception):
    def __new__(cls, value):
        made = super().__new__(cls, value)
        made.value = value
        return made


def of_a_constructor_that_is_not_supported(x, n):
    raise Dated(x)


def of_a_class_with_new(x, n):
    raise Fresh(x)


RAISED = [
    of_a_dataclass,
    of_a_base_of_python,
    of_a_constructor,
    of_one_that_prints,
    of_an_instance_that_changed,
    of_a_handler,
    with_a_cause,
    of_a_constructor_that_is_not_supported,
    of_a_class_with_new,
]


@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("f", RAISED)
def test_raised(f, n, capsys):
    wanted = told(f, 1.5, n)
    printed = capsys.readouterr().out
    assert told(myia.jit(f), 1.5, n) == wanted
    assert capsys.readouterr().out == printed


def caught_with_new(x):
    try:
        raise Fresh(x)
    except Fresh:
        return x


def caught_not_supported(x):
    try:
        raise Dated(x)
    except Dated:
        return x


def changed_while_it_is_held_back(x):
    e = Bad(x)
    try:
        raise e
    finally:
        e.value = 2.0 * x


REFUSED = {
    caught_with_new: "the `__new__` of Fresh",
    caught_not_supported: "memoryview",
    changed_while_it_is_held_back: "cannot write into an attribute of an instance of Bad",
}


@pytest.mark.parametrize("f", REFUSED)
def test_refused(f):
    with pytest.raises(myia.errors.MyiaError, match=REFUSED[f]):
        myia.jit(f)(1.5)


def decoded(x):
    try:
        return x * len(b"\xff".decode("utf-8"))
    except UnicodeDecodeError as e:
        return x * 2.0 + e.start + len(e.reason)


def encoded(x):
    if x > 0:
        return x * len("\u00e9".encode("ascii"))
    return x


def test_codecs():
    assert myia.jit(decoded)(1.5) == decoded(1.5)
    assert myia.grad(decoded)(1.5) == 2.0
    with pytest.raises(UnicodeEncodeError) as raised:
        myia.jit(encoded)(1.5)
    e = raised.value
    assert (e.encoding, e.object, e.start, e.end) == ("ascii", "\u00e9", 0, 1)
