"""Lists of numbers that enter a program, and leave it, as one vector."""

import numpy as np
import pytest

import myia

N = 40
XS = [0.5 + 0.25 * i for i in range(N)]
YS = [1.5 - 0.125 * i for i in range(N)]


def squares(xs):
    total = 0.0
    for x in xs:
        total = total + x * x
    return total


def indexed(xs):
    total = 0.0
    for i in range(len(xs)):
        total = total + xs[i] * xs[i] * (i + 1)
    return total


def products(xs, ys):
    total = 0.0
    for x, y in zip(xs, ys):
        total = total + x * x * y
    return total


def first_and_all(xs):
    total = xs[0] * xs[-1]
    for x in xs:
        total = total + xs[3] * x * x
    return total


def rest(xs):
    total = xs[0]
    for x in xs[1:]:
        total = total * 0.9 + x * x
    return total


def both_and_rest(xs):
    total = 0.0
    for x in xs:
        total = total + x * x
    for x in xs[5:]:
        total = total * 0.9 + x
    return total


def replaced(xs):
    xs = list(xs)
    xs[7] = 2.0
    total = 0.0
    for x in xs:
        total = total + x**3
    return total


def in_a_nest(xs):
    total = 0.0
    for k in range(20):
        for x in xs:
            total = total + k * x * x
    return total


def conditional(xs):
    total = xs[2] * 3.0
    if total > 1.0:
        for x in xs:
            total = total + x * x
    return total


def array_of(xs):
    return float(np.sum(np.array(xs) ** 2))


def grown(xs):
    xs.append(2.0)
    total = 0.0
    for x in xs:
        total = total + x * x
    return total


ONE = [squares, indexed, first_and_all, rest, both_and_rest, replaced, in_a_nest, conditional]
ONE += [array_of, grown]


def differences(f, *args, h=1e-5):
    """Central differences with respect to the items of the first argument."""
    xs, *others = args
    found = []
    for i in range(len(xs)):
        high, low = list(xs), list(xs)
        high[i] += h
        low[i] -= h
        found.append((f(high, *others) - f(low, *others)) / (2 * h))
    return found


@pytest.mark.parametrize("f", ONE, ids=lambda f: f.__name__)
def test_values_and_gradients(f):
    wanted = f(list(XS))
    assert myia.jit(f)(list(XS)) == pytest.approx(wanted, rel=1e-14)
    value, gradient = myia.value_and_grad(f)(list(XS))
    assert value == pytest.approx(wanted, rel=1e-14)
    assert type(gradient) is list
    assert {type(x) for x in gradient} == {float}
    np.testing.assert_allclose(gradient, differences(f, XS), rtol=1e-6)


@pytest.mark.parametrize("argnums", [0, 1, (0, 1), (1, 0)])
def test_two_lists(argnums):
    by_first = differences(products, XS, YS)
    by_second = differences(lambda ys, xs: products(xs, ys), YS, XS)
    wanted = [(by_first, by_second)[i] for i in np.atleast_1d(argnums)]
    found = myia.grad(products, argnums=argnums)(list(XS), list(YS))
    np.testing.assert_allclose(found if isinstance(argnums, tuple) else [found], wanted, rtol=1e-6)


def test_one_list_passed_twice():
    xs = list(XS)
    wanted = np.array([2 * x * x for x in xs]), np.array([x * x for x in xs])
    found = myia.grad(products, argnums=(0, 1))(xs, xs)
    np.testing.assert_allclose(np.sum(found, axis=0), np.sum(wanted, axis=0), rtol=1e-14)


def test_a_tuple_and_a_dict():
    def f(p):
        return squares(p["a"]) * p["c"] + squares(p["b"])

    p = {"a": tuple(XS), "c": 3.0, "b": list(YS)}
    value, found = myia.value_and_grad(f)(p)
    assert value == pytest.approx(f(p), rel=1e-14)
    assert type(found["a"]) is tuple
    np.testing.assert_allclose(found["a"], 6 * np.array(XS), rtol=1e-14)
    np.testing.assert_allclose(found["b"], 2 * np.array(YS), rtol=1e-14)
    assert found["c"] == pytest.approx(squares(XS), rel=1e-14)


@pytest.mark.parametrize("other", [True, 2, np.float64(2.5), np.float32(2.5), 1 + 2j])
def test_mixed_lists(other):
    xs = [*XS[:25], other, *XS[25:]]
    found, wanted = myia.jit(squares)(xs), squares(xs)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    assert type(found) is type(wanted)


def test_writes_reach_the_list():
    def f(xs):
        xs[3] = xs[4] * 2.0
        total = squares(xs)
        xs[5] = total
        return total, xs

    found, wanted = list(XS), list(XS)
    total, same = myia.jit(f)(found)
    assert total == pytest.approx(f(wanted)[0], rel=1e-14)
    assert same is found
    np.testing.assert_allclose(found, wanted, rtol=1e-14)


def test_items_returned():
    def f(xs):
        return [x for x in xs], squares(xs), xs[2:30]

    np.testing.assert_equal(myia.jit(f)(list(XS))[0], XS)
    np.testing.assert_equal(myia.jit(f)(list(XS))[2], XS[2:30])
    assert {type(x) for x in myia.jit(f)(list(XS))[0]} == {float}


WEIGHTS = [0.5 * i for i in range(N)]


def weighted(xs):
    total = 0.0
    for x, w in zip(xs, WEIGHTS):
        total = total + x * w
    return total


def test_a_global_list():
    f = myia.value_and_grad(weighted)
    np.testing.assert_allclose(f(list(XS))[1], WEIGHTS, rtol=1e-14)
    WEIGHTS[3] = 100.0
    try:
        np.testing.assert_allclose(f(list(XS))[1], WEIGHTS, rtol=1e-14)
    finally:
        WEIGHTS[3] = 1.5


def test_checks():
    def f(xs):
        total = 0.0
        for x in xs:
            if x < 0:
                raise ValueError(f"negative: {x}")
            total = total + x**0.5
        return total

    for g in (myia.jit(f), myia.value_and_grad(f)):
        with pytest.raises(ValueError, match=r"negative: -3\.5"):
            g([*XS[:30], -3.5, *XS[30:]])
    np.testing.assert_allclose(myia.grad(f)(list(XS)), [0.5 * x**-0.5 for x in XS], rtol=1e-14)


@pytest.mark.slow
def test_second_derivatives():
    np.testing.assert_allclose(
        myia.hessian(rest)(list(XS)), np.diag([0, *(2 * 0.9 ** (N - 1 - i) for i in range(1, N))])
    )
    found = myia.hvp(squares)(list(XS), list(YS))
    np.testing.assert_allclose(found, 2 * np.array(YS), rtol=1e-14)

    def penalty(xs):
        return squares(myia.grad(in_a_nest)(xs))

    wanted = 2 * (2 * 190) ** 2 * np.array(XS)
    np.testing.assert_allclose(myia.grad(penalty)(list(XS)), wanted, rtol=1e-13)


def test_forward_against_reverse():
    _, tangent = myia.jvp(first_and_all, (list(XS),), (list(YS),))
    gradient = myia.grad(first_and_all)(list(XS))
    assert tangent == pytest.approx(np.dot(gradient, YS), rel=1e-13)


def test_donated_arrays_beside_a_list():
    def f(xs, a):
        return a * squares(xs)

    a = np.arange(3000.0)
    found = myia.jit(f, donate_argnums=1)(list(XS), a.copy())
    np.testing.assert_allclose(found, a * squares(XS), rtol=1e-14)


@pytest.mark.parametrize("f", [squares, indexed, in_a_nest, array_of, both_and_rest])
def test_programs_take_and_return_one_vector(f):
    text = myia.grad(f).ir(list(XS))["finish"]
    assert text.startswith(f"func @{f.__name__}(%xs: f64[{N}]) -> f64[{N}] {{"), text
    assert "concatenate" not in text


def test_a_single_item_is_a_slice():
    text = myia.jit(first_and_all).ir(list(XS))["typed"]
    assert text.startswith(f"func @first_and_all(%xs: f64[{N}])")
    assert text.count("= slice") == 3


def test_scalars_read_one_by_one_stay():
    def f(xs):
        return (
            squares(xs)
            + xs[0] * xs[1] * xs[2] * xs[3]
            + xs[4] * xs[5] * xs[6] * xs[7] * (xs[8] * xs[9] * xs[10])
        )

    assert "slice" not in myia.jit(f).ir(list(XS))["typed"].partition("for ")[0]
    assert myia.jit(f)(list(XS)) == pytest.approx(f(XS), rel=1e-14)


def test_length_of_the_program():
    """The number of ops does not depend on the length of the list (8 iterations are one)."""
    counts = set()
    for n in (200, 400):
        text = myia.value_and_grad(products, argnums=(0, 1)).ir([1.0] * n, [2.0] * n)["finish"]
        counts.add(text.count("\n"))
    assert len(counts) == 1
