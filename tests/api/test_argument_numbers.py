"""Options that name arguments: what names none, or one twice, is refused."""

import numpy as np
import pytest

import myia


def power(x, y):
    return x**2 * y


def any_number(*xs):
    return xs[0] ** 2 * xs[1]


class Bound:
    def power(self, x, y):
        return x**2 * y


DERIVATIVES = [myia.grad, myia.value_and_grad, myia.jacrev, myia.jacfwd, myia.hessian, myia.hvp]
CALLABLES = [power, Bound().power, lambda x, y=2.0: x * y]


@pytest.mark.parametrize("transform", [*DERIVATIVES, myia.elementwise_grad])
def test_numbers_that_name_no_argument(transform):
    for f in CALLABLES:
        with pytest.raises(
            ValueError, match=r"has 2 positional parameters, and none number -?[23]"
        ):
            transform(f, argnums=2)
        with pytest.raises(ValueError, match="none number -3"):
            transform(f, argnums=(0, -3))
        for twice in ((0, 0), (0, -2), [1, 0, -1]):
            with pytest.raises(ValueError, match=r"names argument [01] twice"):
                transform(f, argnums=twice)
    for wrong in ("x", 1.0, True, (0, "y"), None):
        with pytest.raises(TypeError, match=r"argnums=.* is neither an int nor a tuple of ints"):
            transform(power, argnums=wrong)


def test_numbers_that_only_a_call_can_tell():
    for argnums in (2, (0, -3), (0, 5)):
        F = myia.grad(any_number, argnums=argnums)
        with pytest.raises(ValueError, match="the call has 2 positional arguments, and none"):
            F(1.0, 5.0)
    with pytest.raises(ValueError, match="names argument 0 twice"):
        myia.grad(any_number, argnums=(0, -2))(1.0, 5.0)
    with pytest.raises(ValueError, match="the call has 1 positional argument, and none number 1"):
        myia.grad(power, argnums=1)(1.0, y=5.0)
    assert myia.grad(any_number, argnums=(1, -2))(1.0, 5.0) == (1.0, 10.0)


def test_in_compiled_code():
    for argnums, message in (((0, 0), "twice"), (2, "none number 2"), ("x", "neither an int")):

        def inner(x, argnums=argnums):
            return myia.grad(power, argnums=argnums)(x, 5.0)

        with pytest.raises((ValueError, TypeError), match=message):
            myia.jit(inner)(1.0)


@pytest.mark.parametrize("option", ["donate_argnums", "static_argnums"])
def test_numbers_of_jit(option):
    for wrong, message in ((4, "none number 4"), ((0, -3), "none number -3"), ((0, -2), "twice")):
        with pytest.raises(ValueError, match=message):
            myia.jit(power, **{option: wrong})
    with pytest.raises(TypeError, match="neither an int nor a tuple of ints"):
        myia.jit(power, **{option: "x"})


def test_donated_arguments_of_a_call():
    F = myia.jit(any_number, donate_argnums=(0, 2))
    with pytest.raises(ValueError, match="the call has 2 positional arguments, and none number 2"):
        F(1.0, 5.0)
    assert F(3.0, 2.0, np.ones(3)) == 18.0


def test_static_arguments_are_counted_from_the_end():
    F = myia.jit(lambda x, n: x * n, static_argnums=-1)
    for n in range(6):
        assert F(2.0, n) == 2.0 * n
    assert F.compiles == 6


def test_rules():
    for twice in ((0, 0), "x"):
        with pytest.raises((ValueError, TypeError), match="nondiff_argnums="):
            myia.custom_vjp(power, nondiff_argnums=twice)
