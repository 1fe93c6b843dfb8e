"""Functions of one code that hold nothing share programs while each of them is as it was."""

import pytest

import myia


def made():
    def square(x):
        return x * x

    return square


def cube(x):
    return x * x * x


def with_default(x, y=2.0):
    return x * y


CALLS = range(5)  # after some of them a shared program is bound to the function


@pytest.mark.parametrize(
    "transform, of_square, of_cube", [(myia.grad, 4.0, 12.0), (myia.jit, 4, 8)]
)
@pytest.mark.parametrize("before", [0, 1, 5])
@pytest.mark.parametrize("changed", ["first", "second"])
def test_one_of_two_functions_changes(transform, of_square, of_cube, before, changed):
    first, second = made(), made()
    one, two = transform(first), transform(second)
    for F in (one, two):
        assert all(F(2.0) == of_square for _ in range(before))
    (first if changed == "first" else second).__code__ = cube.__code__
    of_first, of_second = (of_cube, of_square) if changed == "first" else (of_square, of_cube)
    for F, want in ((one, of_first), (two, of_second), (transform(first), of_first)):
        assert all(F(2.0) == want for _ in CALLS)
    assert all(transform(second)(2.0) == of_second for _ in CALLS)
    assert transform(made())(2.0) == of_square


def test_both_change():
    first, second = made(), made()
    one, two = myia.grad(first), myia.grad(second)
    assert [one(2.0), *(two(2.0) for _ in CALLS)] == [4.0] * 6
    first.__code__ = second.__code__ = cube.__code__
    assert one(2.0) == two(2.0) == myia.grad(first)(2.0) == myia.grad(second)(2.0) == 12.0


def test_a_transform_of_the_first_that_is_kept():
    """Others may share with another function once the first has changed; it does not."""
    first = made()
    kept = [myia.grad(first) for _ in range(3)]
    assert [F(2.0) for F in kept[:2] * 3] == [4.0] * 6
    first.__code__ = cube.__code__
    assert myia.grad(made())(2.0) == myia.grad(made())(2.0) == 4.0
    assert [F(2.0) for F in kept * 3] == [12.0] * 9


def test_a_function_that_is_given_a_default():
    first, second = made(), made()
    one, two = myia.grad(first), myia.grad(second)
    assert [one(2.0), *(two(2.0) for _ in CALLS)] == [4.0] * 6
    second.__code__, second.__defaults__ = with_default.__code__, (3.0,)
    assert (one(2.0), two(2.0), second(2.0)) == (4.0, 3.0, 6.0)
    second.__defaults__ = (5.0,)
    assert (one(2.0), two(2.0)) == (4.0, 5.0)


def test_transforms_of_transforms():
    first, second = made(), made()
    one, two = myia.grad(myia.jit(first)), myia.grad(myia.jit(second))
    assert [one(2.0), *(two(2.0) for _ in CALLS)] == [4.0] * 6
    first.__code__ = cube.__code__
    assert (one(2.0), two(2.0)) == (12.0, 4.0)
