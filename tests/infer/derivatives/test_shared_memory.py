"""A function under a derivative changes copies: refused where Python would see the change."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import myia
from tests.infer.derivatives import globals_of_tests as outside


def write_first(a, b):
    a[1] = 100.0
    return b.sum()


def write_first_of(pair):
    pair[0][1] = 100.0
    return pair[1].sum()


def write_transposed(m, n):
    m[0, 1] = 100.0
    return n.sum()


def write_corner(m):
    m[0, 1] = 100.0
    return m.sum()


def views():
    x = np.arange(1.0, 5.0)
    return x[:2], x[1:]


def scaled_total(a):
    a[1] = 100.0
    return outside.CAP.sum() * a[0]


M = np.arange(4.0).reshape(2, 2)
X = np.arange(1.0, 5.0)
REFUSED = {
    "value_and_grad": lambda: myia.value_and_grad(write_first, argnums=1)(*views()),
    "grad by the first": lambda: myia.grad(write_first)(*views()),
    "a view of all": lambda: myia.value_and_grad(write_first, argnums=1)(X, X[:]),
    "a transpose": lambda: myia.grad(write_transposed, argnums=1)(M, M.T),
    "in a tuple": lambda: myia.grad(write_first_of)(views()),
    "by keyword": lambda: myia.grad(write_first, argnames="b")(a=X, b=X[1:]),
    "jvp": lambda: myia.jvp(write_first, views(), (np.ones(2), np.ones(3))),
    "vjp": lambda: myia.vjp(write_first, *views()),
    "jacrev": lambda: myia.jacrev(write_first)(*views()),
    "jacfwd": lambda: myia.jacfwd(write_first)(*views()),
    "hessian": lambda: myia.hessian(write_first)(*views()),
    "hvp": lambda: myia.hvp(write_first)(*views(), np.ones(2)),
    "in compiled code": lambda: myia.jit(lambda a, b: myia.grad(write_first)(a, b))(*views()),
    "a derivative of a derivative": lambda: myia.grad(
        lambda a, b: myia.grad(write_first, argnums=1)(a, b).sum()
    )(*views()),
    "a global": lambda: myia.value_and_grad(scaled_total)(outside.CAP[:]),
    "an array that overlaps itself": lambda: myia.grad(write_corner)(
        as_strided(np.zeros(3), (2, 2), (8, 8))
    ),
}


@pytest.mark.filterwarnings("ignore::myia.StateWarning")
@pytest.mark.parametrize("name", REFUSED)
def test_arrays_that_share_memory_are_refused(name):
    with pytest.raises(ValueError, match=r"share memory, and .* written to"):
        REFUSED[name]()


def test_parts_of_a_batch_that_share_memory_are_refused():
    x = np.arange(8.0).reshape(4, 2)
    f = myia.vmap(myia.value_and_grad(write_first, argnums=1))
    with pytest.raises(ValueError, match="share memory"):
        f(x[:3], x[1:])
    values, _ = f(x.copy(), x)
    np.testing.assert_array_equal(values, x.sum(1))


def test_the_array_of_an_argument_under_another_name():
    """By identity it is known while compiling."""
    for run in (myia.value_and_grad(scaled_total), lambda x: myia.vjp(scaled_total, x)):
        with pytest.raises(myia.MyiaError, match="may have been changed through another name"):
            run(outside.CAP)
        run(outside.CAP.copy())
    with pytest.raises(myia.MyiaError, match="may have been changed through another name"):
        myia.jvp(scaled_total, (outside.CAP,), (np.ones(4),))
    np.testing.assert_array_equal(outside.CAP, np.arange(1.0, 5.0))

    def closed(x):
        def inner(a):
            a[0] = 7.0
            return np.sum(a * x)

        return myia.value_and_grad(inner)(x)

    with pytest.raises(myia.MyiaError, match="may have been changed through another name"):
        myia.jit(closed)(np.ones(3))


def test_a_copy_that_is_read_after_a_change_of_its_original():
    def f(x):
        def inner(a):
            x[0] = 7.0
            return np.sum(a**2)

        return myia.grad(inner)(x)

    with pytest.raises(myia.MyiaError, match="may have been changed through another name"):
        myia.jit(f)(np.ones(3))


def test_the_shape_under_another_name_is_known():
    def f(x):
        def inner(a):
            a[0] = 7.0
            return np.sum(a) * len(x) / x.size

        return myia.value_and_grad(inner)(x)

    value, gradient = myia.jit(f)(np.ones(3))
    assert value == 9.0
    np.testing.assert_array_equal(gradient, [0.0, 1.0, 1.0])


def test_the_caller_goes_on_with_its_arrays():
    """After the derivative nothing is out of date: it worked on copies."""

    def inner(a, b):
        a[0] = b[0] * 2.0
        return np.sum(a**2)

    def f(x, y):
        g = myia.grad(inner, argnums=(0, 1))(x, y)
        y[0] = x[0] + 1.0
        return g, x.sum(), y.sum(), x[1:].sum()

    x, y = np.arange(3.0), np.arange(3.0) + 1.0
    (ga, gb), sx, sy, sv = myia.jit(f)(x, y)
    np.testing.assert_array_equal(ga, [0.0, 2.0, 4.0])
    np.testing.assert_array_equal(gb, [8.0, 0.0, 0.0])
    assert (sx, sy, sv) == (3.0, 6.0, 3.0)
    np.testing.assert_array_equal(y, [1.0, 2.0, 3.0])


def test_training_in_a_loop_goes_on_with_its_arrays():
    def loss(w, x):
        h = x * w
        w[0] = 0.0
        return np.sum(h**2)

    def train(w, x):
        view = w[1:]
        for _ in range(3):
            w -= 0.1 * myia.grad(loss)(w, x)
        return view.sum()

    w, want, x = np.ones(3), np.ones(3), np.arange(3.0)
    for _ in range(3):
        want -= 0.2 * want * x**2
    assert myia.jit(train)(w, x) == pytest.approx(want[1:].sum())
    np.testing.assert_allclose(w, want)


def test_arrays_that_share_no_memory_may_be_changed():
    x = np.arange(1.0, 9.0)
    value, gradient = myia.value_and_grad(write_first, argnums=1)(x[::2], x[1::2])
    assert value == 20.0
    np.testing.assert_array_equal(gradient, np.ones(4))


def test_nothing_is_compared_where_nothing_is_changed(monkeypatch):
    def fail(*args):
        raise AssertionError

    monkeypatch.setattr("myia.artifacts.written_arrays.overlapping_pairs", fail)
    f = myia.value_and_grad(lambda a, b: a.sum() * b.sum())
    assert f(*views())[0] == 27.0
    alone = myia.grad(lambda a: write_first(a, a * 1))
    np.testing.assert_array_equal(alone(np.ones(3)), np.ones(3))


def test_a_program_of_a_file_refuses_them_too(tmp_path):
    f = myia.jit(lambda a, b: myia.grad(write_first, argnums=1)(a, b))
    a, b = np.ones(2), np.ones(3)
    myia.save(tmp_path / "f.myia", f.lower(a, b).compile())
    loaded = myia.load(tmp_path / "f.myia")
    np.testing.assert_array_equal(loaded(a, b), np.ones(3))
    with pytest.raises(ValueError, match="share memory"):
        loaded(*views())


def write_and_multiply(a, b):
    a[0] = 5.0
    return np.sum(a * b)


def chosen(a, b, c):
    p = a if c > 0 else b
    return myia.value_and_grad(write_and_multiply)(p, a)


def view_of_the_chosen(a, b, c):
    p = a
    if c > 0:
        p = b
    return myia.value_and_grad(write_and_multiply)(p[1:], a[1:])


@pytest.mark.parametrize("f", [chosen, view_of_the_chosen])
def test_names_that_are_one_array_on_some_path(f):
    with pytest.raises(myia.MyiaError, match="may have been changed through another name"):
        myia.jit(f)(np.ones(3), np.full(3, 2.0), 1.0)


class Net:
    def __init__(self):
        self.scale = 1.0


def scaled_twice(net, x):
    net.scale = net.scale + 1.0
    return net.scale * x * NET.scale


def total_of(items, x):
    items[0] = 7.0
    return sum(ITEMS) * x + items[0]


NET, ITEMS = Net(), [1.0, 2.0]


@pytest.mark.filterwarnings("ignore::myia.StateWarning")
@pytest.mark.parametrize("f, given", [(scaled_twice, NET), (total_of, ITEMS)])
def test_objects_and_lists_under_another_name(f, given):
    with pytest.raises(myia.MyiaError, match="may have been changed through another name"):
        myia.value_and_grad(f, argnums=1)(given, 2.0)
