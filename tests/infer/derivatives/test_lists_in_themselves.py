"""Lists that hold themselves: shown as Python shows them, and refused where NumPy finds no end."""

import numpy as np
import pytest

import myia


def cycle(x):
    items = [x]
    items.append(items)
    return items


def in_a_tuple(x):
    items = [x]
    items.append((items, {"again": items}))
    return items


def in_a_dict(x):
    found = {"x": x}
    found["found"] = found
    return found


@pytest.mark.parametrize("make", [cycle, in_a_tuple, in_a_dict])
def test_texts_are_those_of_python(make, capsys):
    def f(x):
        held = make(x)
        print(held)
        print(f"<{held}>", str(held), "%s" % (held,), repr(held))  # noqa: UP031
        return x

    f(3.0)
    want = capsys.readouterr().out
    assert myia.jit(f)(3.0) == 3.0
    assert capsys.readouterr().out == want


def test_texts_of_what_is_known():
    def f(x):
        items = [1]
        items.append(items)
        return str(items), len(repr(items)) * x

    assert myia.jit(f)(2.0) == f(2.0) == ("[1, [...]]", 20.0)


@pytest.mark.parametrize(
    "use",
    [
        lambda held: np.array(held),
        lambda held: np.asarray(held, dtype=float),
        lambda held: np.sum(held),
        lambda held: np.ones(2) + held,
        lambda held: np.stack(held),
        lambda held: np.shape(held),
    ],
)
def test_no_array_is_made_of_them(use):
    def f(x):
        return use(cycle(x))

    for run in (f, myia.jit(f)):
        with pytest.raises(ValueError, match="setting an array element with a sequence"):
            run(2.0)


def test_a_value_that_may_be_none_in_their_text():
    def f(x):
        items = cycle(x if x > 0.0 else None)
        print(items)
        return x

    with pytest.raises(myia.MyiaError, match="in the text of a list of 2 items that holds itself"):
        myia.jit(f)(2.0)
