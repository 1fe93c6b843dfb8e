"""Exceptions of compiled programs: type, `args`, attributes and texts as Python's."""

import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import myia
from tests.api.errors.programs_that_raise import (
    PROGRAMS,
    Detailed,
    an_object_of_the_module,
    keywords,
    numbers_in_a_loop,
)


def outcome(f, *args):
    """Type, arguments and attributes of what `f` raises."""
    with pytest.raises(BaseException) as found:
        f(*args)
    error = found.value
    own = {name: x for name, x in vars(error).items() if name != "__notes__"}
    return type(error), error.args, own


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_exceptions_are_pythons(f):
    for transform in (myia.jit, myia.grad):
        compiled = transform(f)
        for x in (3.5, 4.25):
            (kind, args, own), (want_kind, want_args, want_own) = (
                outcome(compiled, x),
                outcome(f, x),
            )
            assert kind is want_kind and own == want_own
            assert repr(args) == repr(want_args)  # also of the types of the numbers
    assert myia.jit(f)(0.25) == f(0.25)


def test_the_place_is_a_note():
    with pytest.raises(Detailed) as found:
        myia.jit(keywords)(2.0)
    (note,) = found.value.__notes__
    line = keywords.__code__.co_firstlineno + 2
    assert note.endswith(f"programs_that_raise.py:{line}")
    for _ in range(2):  # one note, also on an object that is raised again
        with pytest.raises(OverflowError) as found:
            myia.jit(an_object_of_the_module)(2.0)
        assert len(found.value.__notes__) == 1


def test_a_failing_call_prints_once_and_changes_nothing(capfd):
    def f(y, x):
        y[0] = x
        print("x is", x)
        if x > 1.0:
            raise ValueError(f"{y[0]} is too large")
        return y.sum()

    y = np.zeros(2)
    with pytest.raises(ValueError, match=r"^2\.5 is too large\n"):
        myia.jit(f)(y, 2.5)
    jax.effects_barrier()
    assert y[0] == 0.0
    assert capfd.readouterr().out == "x is 2.5\n"


def test_each_failing_call_has_its_own_numbers():
    compiled = myia.jit(numbers_in_a_loop)
    wrong = []

    def run(x):
        for _ in range(20):
            if repr(outcome(compiled, x)) != repr(outcome(numbers_in_a_loop, x)):
                wrong.append(x)

    threads = [threading.Thread(target=run, args=(x,)) for x in (2.0, 3.0, 4.5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert compiled.compiles == 1


def test_hidden_arguments_of_failing_calls():
    scale = 2.0

    def f(x):
        if x * scale > 1.0:
            raise ValueError(f"{x * scale}")
        return x

    compiled = myia.jit(f)
    assert outcome(compiled, 3.0)[1] == ("6.0",)
    scale = 5.0
    assert outcome(compiled, 3.0)[1] == ("15.0",)


def test_numbers_of_asynchronous_and_donated_calls():
    def f(y):
        if y[0] > 1.0:
            raise ValueError(f"{y[0]:.1f}")
        return y * 2.0

    assert outcome(myia.jit(f, check=True), jnp.full(3, 2.5))[1] == ("2.5",)
    donated = myia.jit(f, check=True, donate_argnums=0)
    kind, (text,), _ = outcome(donated, jnp.full(3, 2.5))
    assert kind is ValueError and text in ("2.5", "<run-time value>")


def test_host_calls_are_not_made_again():
    met = []

    @myia.host(like=0.0)
    def record(x):
        met.append(x)
        return 2.0 * x

    def f(x):
        y = record(x)
        if y > 1.0:
            raise ValueError(f"{y} is too large")
        return y

    assert outcome(myia.jit(f), 3.0) == (ValueError, ("<run-time value> is too large",), {})
    assert met == [3.0]


def _too_large(limit, factor):
    def f(x, k=factor, *, shift=1.0):
        if x > limit:
            raise ValueError(x, limit, k)
        return x * k + shift

    return f


TRANSFORMS = {
    "jit": lambda f, x: myia.jit(f)(x),
    "grad": lambda f, x: myia.grad(f)(x),
    "vjp": lambda f, x: myia.vjp(f, x),
    "jvp": lambda f, x: myia.jvp(f, (x,), (1.0,)),
}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_numbers_of_functions_made_anew(transform):
    """Their programs are compiled for one that is gone when a check of another fails."""
    for limit in range(4):
        transform(_too_large(float(limit), 2.0), -1.0)
    with pytest.raises(ValueError) as caught:
        transform(_too_large(5.0, 3.0), 7.0)
    assert caught.value.args == (7.0, 5.0, 3.0)
