"""`stop_gradient` is its argument itself, in the same memory, without a derivative."""

import numpy as np
import pytest

import myia

CHANGED = "may have been changed through another name"


def written(x):
    y = myia.stop_gradient(x)
    y[0] = 5.0
    return x.sum()


def original_written(x):
    y = x[1:]
    z = myia.stop_gradient(y)
    x[1] = 9.0
    return np.sum(z * x[1:])


def container_written(x):
    pair = {"a": [x * 2.0], "b": 1.0}
    same = myia.stop_gradient(pair)
    pair["a"].append(x)
    pair["b"] = 3.0
    return len(same["a"]) * same["b"], same is pair, same["a"] is pair["a"]


def holds_itself(x):
    items = [x]
    items.append(items)
    return myia.stop_gradient(items)[1][1][0]


def test_the_memory_is_the_same():
    for f in (written, original_written):
        x, want = np.arange(1.0, 5.0), np.arange(1.0, 5.0)
        assert myia.jit(f)(x) == f(want)
        np.testing.assert_array_equal(x, want)


def test_objects_are_the_same():
    assert myia.jit(container_written)(2.0) == container_written(2.0) == (6.0, True, True)
    assert myia.jit(holds_itself)(2.0) == 2.0


@pytest.mark.parametrize("f", [written, original_written])
def test_under_a_derivative_a_change_of_the_other_is_refused(f):
    with pytest.raises(myia.MyiaError, match=CHANGED):
        myia.grad(f)(np.arange(1.0, 5.0))


def test_a_changed_list_is_refused_under_a_derivative():
    def f(x):
        items = [x]
        same = myia.stop_gradient(items)
        items.append(x)
        return x * len(same)

    assert myia.jit(f)(2.0) == f(2.0) == 4.0
    with pytest.raises(myia.MyiaError, match=CHANGED):
        myia.grad(f)(2.0)


def test_what_nobody_reads_again_may_be_changed():
    def f(x):
        y = myia.stop_gradient(x * 2.0)
        y[0] = 7.0
        return np.sum(y * x)

    np.testing.assert_array_equal(myia.grad(f)(np.ones(3)), [7.0, 2.0, 2.0])


def test_derivatives_are_cut_in_containers():
    def f(x):
        held = {"a": [x, x[1:]], "b": (x.sum(), [np.sum(x**2)])}
        held["c"] = held["a"]
        still = myia.stop_gradient(held)
        assert still["c"] is still["a"]
        total = still["a"][0].sum() + still["a"][1].sum() + still["b"][0] + still["b"][1][0]
        return total * x[0]

    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(myia.grad(f)(x), [31.0, 0.0, 0.0])
    np.testing.assert_array_equal(myia.grad(lambda x: holds_itself(x.sum()) * x[0])(x), [6.0, 0, 0])


def test_derivatives_are_cut_in_lists_that_grow():
    def f(x):
        items = []
        for v in x:
            items.append(v * v)
        still = myia.stop_gradient(items)
        total = 0.0
        for v in still:
            total += v
        return total * x[0]

    np.testing.assert_array_equal(myia.grad(f)(np.array([1.0, 2.0])), [5.0, 0.0])


def test_derivatives_of_derivatives_are_cut():
    def f(x):
        return myia.grad(lambda y: y * myia.stop_gradient(y) * x)(x)

    assert myia.jit(f)(3.0) == 9.0
    assert myia.grad(f)(3.0) == 3.0  # of sg(x) * x
