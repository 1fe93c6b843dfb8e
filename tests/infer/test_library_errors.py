"""Errors of libraries: the user's line first, public names, and what works instead."""

import collections
import functools
import os
import pickle
import socket
import statistics
import subprocess
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
import scipy.stats

import myia
from myia.infer.unsupported import NUMPY_PAGE, PYTHON_PAGE
from myia.source.diagnostics import MyiaError


def names(x):
    pair = collections.namedtuple("pair", ["a", "b"])  # the user's line
    return pair(x, x).a


def dedents(x):
    return len(textwrap.dedent("  a")) * x  # the user's line


def most_common(x):
    return statistics.mode([x, 2 * x])  # the user's line


def fills(x):
    return len(textwrap.fill("a b")) * x


def helper(x):
    return most_common(x)


INSIDE = {  # the function, the name that the user wrote
    "collections": (names, "collections.namedtuple"),
    "textwrap": (dedents, "textwrap.dedent"),
    "statistics": (most_common, "statistics.mode"),
    "through a function of the user": (helper, "statistics.mode"),
}


@pytest.mark.parametrize("name", INSIDE)
@pytest.mark.parametrize("transform", (myia.jit, myia.grad))
def test_the_users_line_comes_first(name, transform):
    f, called = INSIDE[name]
    with pytest.raises(MyiaError) as caught:
        transform(f)(1.0)
    _, place, _, source, pointer, *rest = str(caught.value).splitlines()
    assert f"{__file__}:" in place
    assert "the user's line" in source
    assert pointer.endswith(f"in `{called}`, which this calls")
    assert sum(line.startswith("  --> ") for line in rest) == 1  # where it is refused
    assert "outside" in rest[-2]
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_the_chain_of_calls():
    with pytest.raises(MyiaError, match=r"textwrap.py:\d+: calls `textwrap.TextWrapper.wrap`"):
        myia.jit(fills)(1.0)


NAMED = {  # what is said to be not supported, and what works
    "scipy.integrate.odeint": (lambda x: scipy.integrate.odeint(None, x, [0, 1]), "as a loop"),
    "scipy.optimize.minimize": (lambda x: scipy.optimize.minimize(np.sin, x), "call it outside"),
    "scipy.stats.levy_stable_gen.pdf": (
        lambda x: scipy.stats.levy_stable.pdf(x, 1.0, 1.0),
        "jax.scipy.stats",
    ),
    "numpy.nditer": (lambda x: np.nditer(x), NUMPY_PAGE),
    "numpy.random.zipf": (lambda x: np.random.zipf(2.0), "draw the numbers outside"),
    "open": (lambda x: open("numbers.txt"), "read the file outside"),  # noqa: SIM115
    "input": (lambda x: float(input()) * x, "myia.host(f, like=...)"),
    "eval": (lambda x: eval("x + 1"), "myia.host(f, like=...)"),
    "exec": (lambda x: exec("y = x"), "myia.host(f, like=...)"),
    "compile": (lambda x: compile("x", "", "eval"), "myia.host(f, like=...)"),
    "threading.Thread": (lambda x: threading.Thread(target=print), "myia.host(f, like=...)"),
    "subprocess.run": (lambda x: subprocess.run(["ls"]), "myia.host(f, like=...)"),
    "socket.socket": (lambda x: socket.socket(), "myia.host(f, like=...)"),
    "numpy.loadtxt": (lambda x: np.loadtxt("a") * x, "on the host: `myia.host`"),
    "posix.getcwd": (lambda x: len(os.getcwd()) * x, "myia.host(f, like=...)"),
}


@pytest.mark.parametrize("name", NAMED)
def test_public_names_and_what_works(name):
    f, help_text = NAMED[name]
    with pytest.raises(MyiaError) as caught:
        myia.jit(f)(1.0)
    title, *_, last, _ = str(caught.value).splitlines()
    assert title == f"`{name}` is not supported"
    assert help_text in last


def test_pages_that_messages_name_are_in_the_documentation():
    pages = Path(__file__).parents[2].glob("docs/*.md")
    titles = {path.read_text().splitlines()[0] for path in pages}
    assert {f"# {told.split(chr(39))[1]}" for told in (NUMPY_PAGE, PYTHON_PAGE)} <= titles


def test_a_function_of_torch():
    torch = pytest.importorskip("torch")
    with pytest.raises(MyiaError, match=r"`torch\.sin` is not supported") as caught:
        myia.jit(lambda x: torch.sin(x))(1.0)
    assert "a tensor that is an argument is an array here" in str(caught.value)


@pytest.mark.parametrize("transform", (myia.jit, myia.grad, myia.value_and_grad))
def test_functions_of_numba(transform):
    twice = pytest.importorskip("numba").njit(lambda x: 2 * x)
    with pytest.raises(MyiaError, match=r"f\.py_func") as caught:
        transform(twice)(1.0)
    assert ".<lambda>` is not supported" in str(caught.value)
    assert myia.grad(twice.py_func)(1.0) == 2.0


# ----- functools


@functools.singledispatch
def scaled(x):
    return x


@scaled.register
def _(x: float):
    return 2.0 * x


@scaled.register(np.ndarray)
def _(x):
    return 3.0 * x


def test_single_dispatch():
    def f(x, v):
        return scaled(x) + np.sum(scaled(v)) + scaled(1)

    v = np.array([1.0, 2.0])
    assert myia.jit(f)(1.5, v) == f(1.5, v)
    np.testing.assert_array_equal(myia.grad(f, argnums=1)(1.5, v), [3.0, 3.0])


@functools.cache
def cached(x, n):
    return 2.0


@pytest.mark.parametrize("key", ([1], {"a": 1}, {1}))
def test_cached_functions_want_hashable_arguments(key):
    with pytest.raises(TypeError, match="unhashable"):
        myia.jit(lambda x: x * cached(1, list(key)))(1.0)
    assert myia.jit(lambda x: x * cached(1, (1, 2)))(1.0) == 2.0


def test_identity_of_functions():
    def f(x, a, b):
        return x if a is not b else 2 * x

    def g(x):
        return x

    assert myia.jit(f)(1.0, g, helper) == 1.0
    assert myia.jit(lambda x: helper is most_common or helper is not helper)(1.0) is False
    with pytest.raises(MyiaError, match="`is`"):  # one code, maybe two functions
        myia.jit(f)(1.0, g, g)
