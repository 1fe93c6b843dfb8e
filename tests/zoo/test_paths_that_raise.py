"""Errors that are certain on one path: raised if and only if the program takes it."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import myia

A = np.array


class Unphysical(Exception):
    """An exception of the user's own."""


def guarded(x):
    if x > 0:
        raise ValueError("positive")
    return x * x


def index_of_a_short_list(x):
    items = [x, x * x]
    y = 0.0
    if x > 1:
        y = items[5]
    return y + items[1]


def key_of_a_dict(x):
    table = {"a": x}
    return table["b"] if x > 0 else table["a"]


def unequal_shapes(x):
    y = np.ones(3) * x
    if x > 0:
        y = y + np.ones(4)
    return y


def last_item_of_an_empty_list(x):
    items = []
    for i in range(4):
        if i == 0:
            items.append(x)
        else:
            y = items[-1]
            items.append(y * x)
            if i == 2:
                items.append(x)
    return np.stack(items).sum()


def positive(x):
    if x < 0:
        raise Unphysical("negative")
    return x


def through_a_call(x):
    return positive(x) ** 2


def in_every_iteration(xs):
    s = 0.0
    for x in xs:
        if x < -5:
            raise KeyError("low")
        s += positive(x) * x
    return s


def all_paths_but_two(x):
    if x > 0:
        return x
    elif x < -1:
        return x * 2
    raise ValueError("between")


def an_iteration_that_raises(x):
    for _ in range(int(x)):
        raise ValueError("an iteration")
    return x * x


def a_while_that_raises(x):
    while x > 0:
        if x <= 5:
            raise RuntimeError("low")
        x -= 1
    return x


def two_exceptions(x):
    if x > 3:
        if x > 4:
            raise Unphysical("b")
        else:
            raise ValueError("a")
    return x * x


def search_past_the_end(x):
    i = 0
    while x[i] != 0:
        i += 1
    return i * x[0]


def no_value_ends_the_loop(x):
    step = A([1.0, 2.0])[int(x)]
    while step < 10:
        step = step * 1.0 if x > 1 else step * 2
    return step


def always(x):
    raise ValueError("always")


def a_view_after_a_guard(x):
    if x.sum() < 0:
        raise ValueError("negative sum")
    v = x[1:]
    v[0] = 3 * x[0]
    return v, x.sum()


def a_dict_after_a_guard(x):
    state = {"x": x, "n": 0}
    if x > 100:
        raise OverflowError("diverged")
    state["n"] += 1
    state["y"] = x * 2
    return state["y"] * state["n"]


def raised_where_differentiated(x):
    def g(z):
        if z > 1:
            raise ValueError("too large")
        return z * z * x

    return myia.grad(g)(x)


def flat(result):
    return np.hstack(result) if isinstance(result, tuple) else result


def in_python(f, args):
    args = copy.deepcopy(args)
    try:
        return f(*args), None, args
    except Exception as error:
        return None, error, args


PATHS = {
    guarded: [-1.0, 1.0],
    index_of_a_short_list: [0.5, 2.0],
    key_of_a_dict: [-1.0, 1.0],
    unequal_shapes: [-1.0, 1.0],
    last_item_of_an_empty_list: [1.5],
    through_a_call: [2.0, -2.0],
    in_every_iteration: [A([1.0, 2.0]), A([1.0, -2.0, 3.0]), A([1.0, -6.0, -2.0])],
    all_paths_but_two: [1.0, -3.0, -0.5],
    an_iteration_that_raises: [0.5, 2.5],
    a_while_that_raises: [-1.0, 7.0],
    two_exceptions: [1.0, 3.5, 5.0],
    search_past_the_end: [A([2.0, 0.0]), A([2.0, 1.0])],
    no_value_ends_the_loop: [0.5, 3.0],
    always: [1.0],
    a_view_after_a_guard: [A([1.0, 2.0, 3.0]), A([1.0, -2.0, -3.0])],
    a_dict_after_a_guard: [1.0, 101.0],
}


@pytest.mark.parametrize("f", PATHS, ids=lambda f: f.__name__)
def test_raises_when_python_does(f):
    compiled = myia.jit(f)
    for x in PATHS[f]:
        want, error, args = in_python(f, (x,))
        if error is None:
            after = copy.deepcopy(x)
            np.testing.assert_allclose(flat(compiled(after)), flat(want))
            np.testing.assert_array_equal(after, args[0])
        else:
            with pytest.raises(type(error)) as got:
                compiled(copy.deepcopy(x))
            if error.args and f not in (key_of_a_dict, search_past_the_end, no_value_ends_the_loop):
                assert str(error.args[0]).strip() in str(got.value.args[0])


@pytest.mark.parametrize(
    "f", [guarded, index_of_a_short_list, through_a_call, two_exceptions, a_dict_after_a_guard]
)
def test_gradients_beside_a_path_that_raises(f):
    gradient = myia.grad(f)
    for x in PATHS[f]:
        if in_python(f, (x,))[1] is None:
            h = 1e-6
            np.testing.assert_allclose(gradient(x), (f(x + h) - f(x - h)) / (2 * h), rtol=1e-6)
        else:
            with pytest.raises(type(in_python(f, (x,))[1])):
                gradient(x)


def test_a_raise_inside_a_differentiated_function():
    f = myia.jit(raised_where_differentiated)
    assert f(0.5) == 0.5
    with pytest.raises(ValueError, match="too large"):
        f(5.0)


def test_what_is_certain_after_a_raise_is_raised_when_the_program_comes_there():
    def f(x):
        if x > 0:
            raise ValueError("positive")
        return np.ones(3) + np.ones(4) * x

    for x, message in ((1.0, "positive"), (-1.0, "broadcast")):
        with pytest.raises(ValueError, match=message):
            f(x)
        with pytest.raises(ValueError, match=message):
            myia.jit(f)(x)


CERTAIN = {
    ZeroDivisionError: (lambda n: n // 0, 5),
    KeyError: (lambda d: d["z"], {"a": 1.0}),
    IndexError: (lambda xs: xs[3], [1.0]),
    ValueError: (lambda a: a.max(), np.zeros(0)),
}


@pytest.mark.parametrize("error", CERTAIN)
def test_errors_that_are_certain_are_of_pythons_type_too(error):
    f, argument = CERTAIN[error]
    with pytest.raises(error) as found:
        myia.jit(f)(argument)
    assert isinstance(found.value, myia.MyiaError)
    assert f"this would raise {error.__name__}" in str(found.value)
