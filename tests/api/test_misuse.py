"""What users do wrong with lists, generators, recursion and seeds: one message for each."""

import jax
import numpy as np
import pytest

import myia


def rows(x):
    with np.errstate(all="ignore"):
        yield x
        yield 2 * x


def used_twice(x):
    items = rows(x)
    return next(items) + sum(items)


def grown(x):
    xs = []
    while x < 1e9:
        xs.append(x)
        x = x * 1.5
    return sum(xs)


def square(x):
    return x * x


def endless(x):
    return x + endless(x * 0.5)


def deep(x):
    if x < 0.0:
        return 0.0
    return x + deep(x - 1e-9)


GROWS = "the list `xs` grows without a bound"
BOUND = "help: bound the loop: `for i in myia.bounded(range(n), most)`"
SAME_FORM = "help: give it the structure and the shapes of what it is the derivative of"
ONE_BY_ONE = "taking items one by one of a generator that yields inside `with` or `finally`"
MISUSES = {
    "a generator that is used twice": (
        lambda: myia.jit(used_twice)(0.3),
        f"{ONE_BY_ONE} is not supported",
        "help: write one loop over the call of the generator",
    ),
    "a list without a bound under jax.jit": (lambda: jax.jit(myia.jit(grown))(1.0), GROWS, BOUND),
    "a list without a bound ahead of time": (lambda: myia.jit(grown).lower(1.0), GROWS, BOUND),
    "a cotangent that is no number": (
        lambda: myia.vjp(square, 1.0)[1]("a"),
        "a cotangent is ('a') where (f64[]) is wanted",
        SAME_FORM,
    ),
    "a cotangent of another shape": (
        lambda: myia.vjp(square, 1.0)[1](np.ones(3)),
        "a cotangent is (an array f64[3]) where (f64[]) is wanted",
        SAME_FORM,
    ),
    "a tangent of another shape": (
        lambda: myia.jvp(square, (1.0,), (np.ones(3),)),
        "a tangent is (an array f64[3]) where (f64[]) is wanted",
        SAME_FORM,
    ),
    "a recursion without an end": (
        lambda: myia.jit(endless)(1.0),
        "recursion does not end at compile time",
        "help: write it as a loop with a list or an array as the stack",
    ),
}


@pytest.mark.parametrize("name", MISUSES)
def test_message(name):
    run, title, help_text = MISUSES[name]
    with pytest.raises(myia.MyiaError) as caught:
        run()
    first, *_, last, _ = str(caught.value).splitlines()
    assert (first, last.strip()) == (title, help_text)


def test_recursion_that_is_too_deep():
    with pytest.raises(RecursionError) as caught:
        myia.jit(deep)(1.0)
    assert str(caught.value) == "maximum recursion depth exceeded in a call of `deep`"


def test_memory():
    with pytest.raises(MemoryError) as caught:
        myia.jit(grown, memory="1kB")(1e-300)
    before, _, rest = str(caught.value).partition(" (")
    assert before == "the list `xs`"
    assert rest.partition(") ")[2] == (
        "needs room for 64 items of 8 bytes, and there are 1,000 bytes for all lists: "
        "`memory=` sets another limit"
    )


@pytest.mark.parametrize(
    ("run", "name"),
    [
        (lambda: myia.jvp(square, np.ones(2), (np.ones(2),)), "primals"),
        (lambda: myia.jvp(square, (np.ones(2),), np.ones(2)), "tangents"),
        (lambda: myia.check_grads(square, 2.0), "args"),
    ],
    ids=["primals", "tangents", "args"],
)
def test_arguments_that_are_no_tuple(run, name):
    with pytest.raises(TypeError, match=rf"^`{name}` is a tuple.* positional argument"):
        run()


@pytest.mark.parametrize("kwargs", [{}, {"x": 1.0}], ids=["nothing", "by name"])
def test_hvp_without_a_direction(kwargs):
    for f in (myia.hvp(square), myia.jit(lambda **given: myia.hvp(square)(**given))):
        with pytest.raises(TypeError, match="takes the arguments of f, then a direction"):
            f(**kwargs)


@pytest.mark.parametrize("modes", ["forward", ("forward",), ("fwd", "reverse"), ()])
def test_check_grads_in_no_mode(modes):
    with pytest.raises(ValueError, match=r"^modes=.*: \"fwd\", \"rev\" or both"):
        myia.check_grads(square, (2.0,), modes=modes)


def test_check_grads_in_one_mode():
    for modes in ("fwd", ("rev",), ["fwd", "rev"]):
        myia.check_grads(square, (2.0,), modes=modes)
        with pytest.raises(AssertionError):
            myia.check_grads(WRONG, (2.0,), modes=modes)


WRONG = myia.custom_jvp(square)
WRONG.defjvp(lambda primals, tangents: (square(*primals), 7.0 * tangents[0]))


@pytest.mark.parametrize("order", [0, -1])
def test_check_grads_of_no_order(order):
    with pytest.raises(ValueError, match=f"^order={order}: .* from the order 1 on"):
        myia.check_grads(square, (2.0,), order=order)


@pytest.mark.parametrize("memory", [1e16, "1e16", "1e10MB", 1e17, np.float64(2e16), 3e15])
def test_memory_with_an_exponent(memory):
    assert myia.jit(square, memory=memory)(2.0) == 4.0


@pytest.mark.parametrize("memory", ["1e400", "e3", "1e", float("inf"), float("nan"), -1e16])
def test_memory_that_is_no_number_of_bytes(memory):
    with pytest.raises(ValueError, match="is not a number of bytes"):
        myia.jit(square, memory=memory)


def total(x, *ns):
    return x * len(ns)


@pytest.mark.parametrize("option", ["static_argnums", "donate_argnums"])
def test_negative_numbers_of_any_number_of_arguments(option):
    for given in (-1, (0, -2)):
        with pytest.raises(ValueError, match="`total` may take any number: count from 0"):
            myia.jit(total, **{option: given})
    assert myia.jit(total, static_argnums=(1,))(2.0, 3) == 2.0
    assert myia.grad(total, argnums=-2)(2.0, 3) == 1.0
