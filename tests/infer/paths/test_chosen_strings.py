"""Strings that a branch selects, and messages with run-time numbers."""

import numpy as np
import pytest

import myia


def text(x):
    name = "rising" if x > 1 else "low"
    line = f"{name} {name!r:>8} {x:.2f}"
    print(line, name + "!", "%s: %.1f" % (name, x), "{} {}".format(name, 1))  # noqa: UP031, UP032
    return x * len(name) * (2.0 if name + "?" == "low?" else 1.0)


def parts(x):
    name, other = ("abc" if x > 1 else "b"), ("c" if x > 2 else "abcd")
    total = 0.0
    for letter in name:
        total += ord(letter) * x
    if name[0] == "a" and "b" in name and name in other:
        total *= x
    return total * name.count("b") + other.find(name), name.upper(), f"<{name}|{other:>5}>"


def built(x):
    word = ""
    for v in [x, 2.0, x * x]:
        word += "u" if v < 1.8 else "d"
    return word.count("u") * x * x, word


def messages(x):
    total = 0.0
    for i in (1, 5):
        try:
            total += [x, 2.0][int(x * i)]
        except IndexError as e:
            print(e, repr(e), f"{e} {e!r}", str(e), e.args[0])
            total += x * x if "range" in str(e) else 0.0
    return total


def message_of_numbers(x):
    name = "up" if x > 1 else "down"
    try:
        if x > 0:
            raise ValueError(f"{name} at {x}")
    except ValueError as e:
        print(e, f"got {e}", repr(e), type(e).__name__)
        message = str(e) + "."
        print(message)
    return x * x


@pytest.mark.parametrize("f", [text, parts, built, messages, message_of_numbers])
def test_as_python(f, capfd):
    compiled = myia.jit(f)
    for x in (1.7, 0.3):
        want, said = f(x), capfd.readouterr().out
        got = compiled(x)
        assert capfd.readouterr().out == said
        if not isinstance(want, tuple):
            got, want = (got,), (want,)
        assert list(got[1:]) == list(want[1:]) and got[0] == pytest.approx(want[0], rel=1e-13)


def test_derivatives():
    def loss(x):
        return text(x) * messages(x) + parts(x)[0] + built(x)[0]

    first, second = myia.jvp(myia.grad(loss), (1.7,), (1.0,))
    h = 1e-4
    low, mid, high = loss(1.7 - h), loss(1.7), loss(1.7 + h)
    assert first == pytest.approx((high - low) / (2 * h), rel=1e-6)
    assert second == pytest.approx((high - 2 * mid + low) / h**2, rel=1e-5)


def test_an_index_of_an_array(capfd):
    def f(xs, x):
        try:
            return xs[int(x)]
        except IndexError as e:
            print(e)
            message = str(e)
            print(f"{message}!")
            return x

    xs = np.arange(3.0)
    want, said = f(xs, 5.0), capfd.readouterr().out
    assert myia.jit(f)(xs, 5.0) == want and capfd.readouterr().out == said
    assert myia.jit(f)(xs, 1.0) == xs[1]


def test_an_error_of_a_chosen_name():
    def f(x):
        name = "a" if x > 0 else "b"
        raise ValueError(f"bad {name} {x}")

    with pytest.raises(ValueError, match=r"bad b -1\.5"):
        myia.jit(f)(-1.5)
