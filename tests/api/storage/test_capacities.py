"""Lists without a bound: programs that are compiled again with more room, and only then."""

import logging
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import myia
from myia.api import capacities as limits
from myia.infer import capacities
from tests.default_run import every

LOG = logging.getLogger(__name__)
SIZES = [np.array([n]) for n in (5, 64, 65, 5000, 3000, 20)]


def doublings(x, n):
    xs, i = [], 0
    while i < n[0]:
        xs.append(x * i)
        i += 1
    return xs


def by_range(x, n):
    xs = []
    for i in range(n[0]):
        xs.append((x * i, i))
    return xs


def quadrature(x, tol):
    """Adaptive, with a stack of intervals."""
    stack, total = [(0.0, x)], 0.0
    while stack:
        a, b = stack.pop()
        m = 0.5 * (a + b)
        fa, fm, fb = np.exp(-a * a), np.exp(-m * m), np.exp(-b * b)
        if abs((fa + fb - 2 * fm) * (b - a)) < tol:
            total += (fa + 4 * fm + fb) * (b - a) / 6
        else:
            stack.append((a, m))
            stack.append((m, b))
    return total


def path(x, n):
    """Items that are read again, from the end, the middle and the start."""
    xs, i = [x], 0
    while i < n[0]:
        xs.append(0.9 * np.sin(xs[-1]) + 0.1 * x * xs[i // 2])
        i += 1
    total = 0.0
    for v in xs:
        total += v * v
    return total + xs[0] * xs[-1]


def of_capacity(transformed, args, size):
    """The same transform, whose lists begin with room for `size` items."""
    _, found = transformed._dispatcher.find(args, {})
    new = type(transformed)(*transformed.parts())
    sites = [capacity.site for capacity, _ in found.variant.program.capacities]
    new._dispatcher.capacities.sizes = dict.fromkeys(sites, size)
    return new


@pytest.mark.parametrize("f", [doublings, by_range])
def test_programs_grow_and_are_kept(f):
    compiled, counts = myia.jit(f), []
    for n in SIZES:
        assert compiled(1.5, n) == f(1.5, n)
        counts.append(compiled.compiles)
    assert counts[:2] == [1, 1] and counts[2] == 2
    assert counts[3] <= 4 and counts[3:] == [counts[3]] * 3


def test_a_range_counts_on():
    compiled = myia.jit(by_range)
    compiled(1.5, SIZES[0])
    assert compiled(1.5, np.array([50_000])) == by_range(1.5, np.array([50_000]))
    assert compiled.compiles == 2
    assert "room for 65,536 items in the list `xs`" in str(compiled.plan(1.5, SIZES[0]))


@pytest.mark.parametrize("f", every(2, [path, quadrature]))
def test_the_same_bits_at_every_capacity(f):
    args = (1.3, SIZES[0] if f is path else 1e-3)
    gradient = myia.grad(f)
    second = myia.grad(gradient)
    for transformed in (myia.jit(f), gradient, second):
        want = transformed(*args)
        for size in (16, 64, 1000):
            assert of_capacity(transformed, args, size)(*args) == want
    h, rest = 1e-5, args[1:]
    differences = (f(1.3 + h, *rest) - f(1.3 - h, *rest)) / (2 * h)
    np.testing.assert_allclose(gradient(*args), differences, rtol=1e-7)
    slopes = (gradient(1.3 + h, *rest) - gradient(1.3 - h, *rest)) / (2 * h)
    np.testing.assert_allclose(second(*args), slopes, rtol=1e-6)


def test_a_derivative_beyond_the_first_capacity():
    n, gradient, h = np.array([700]), myia.grad(path), 1e-6
    differences = (path(0.3 + h, n) - path(0.3 - h, n)) / (2 * h)
    np.testing.assert_allclose(gradient(0.3, n), differences, rtol=1e-6)
    _, tangent = myia.jvp(lambda x: path(x, n), (0.3,), (1.0,))
    np.testing.assert_allclose(tangent, differences, rtol=1e-6)


def test_two_lists_grow_separately():
    def f(n):
        many, few, i = [], [], 0
        while i < n[0]:
            many.append(i)
            if i % 100 == 0:
                few.append(i)
            i += 1
        return len(many), len(few), many[-1], few[-1]

    compiled = myia.jit(f)
    assert compiled(np.array([3000])) == f(np.array([3000]))
    assert sorted(compiled._dispatcher.capacities.sizes.values()) == [4096]


def test_what_nothing_may_leave_before_success(capsys):
    def f(x, log, n):
        xs, i = [], 0
        while i < n[0]:
            xs.append(x[0] * i)
            x[0] += 1.0
            i += 1
        print("items", len(xs), end=".\n")
        log.append(xs[-1])
        return sum(xs)

    x, want_x, log, want_log = np.ones(3), np.ones(3), [], []
    n = np.array([700])
    result = myia.jit(f, donate_argnums=0)(x, log, n)
    assert capsys.readouterr().out == "items 700.\n"
    assert result == f(want_x, want_log, n)
    assert log == want_log
    np.testing.assert_array_equal(x, want_x)


def test_logs_and_warnings_are_held_back(caplog, capsys):
    seen = []
    note = myia.host(lambda i, v: seen.append((i, v)), like=None)

    def f(x, n, count):
        xs, i = [], 0
        while i < n[0]:
            xs.append(x * i)
            if i % 100 == 0:
                LOG.warning("at %d: %.1f", i, xs[-1])
                print(i)
                note(i, x)
            i += 1
        count[0] = len(xs)
        if n[0] > 150:
            warnings.warn(f"{len(xs)} items", stacklevel=1)
        return sum(xs)

    compiled, count = myia.jit(f), np.zeros(1, int)
    assert compiled(1.5, np.array([120]), count) == f(1.5, np.array([120]), np.zeros(1, int))
    assert [record.getMessage() for record in caplog.records] == ["at 0: 0.0", "at 100: 150.0"] * 2
    assert capsys.readouterr().out == "0\n100\n" * 2
    assert seen == [(0, 1.5), (100, 1.5)] * 2
    with warnings.catch_warnings(), pytest.raises(UserWarning, match="700 items"):
        warnings.simplefilter("error")
        compiled(1.5, np.array([700]), count)
    assert count == 120  # nothing is written by a call that raises


def test_an_exception_is_that_of_python(capsys):
    def f(n, x):
        xs = []
        for i in range(n[0]):
            xs.append(i)
        print(len(xs))
        return x[len(xs)]

    compiled = myia.jit(f)
    assert compiled(np.array([2]), np.arange(3.0)) == 2.0
    with pytest.raises(IndexError, match="index 500 is out of bounds"):
        compiled(np.array([500]), np.arange(3.0))
    assert capsys.readouterr().out == "2\n500\n"


def test_loops_end_that_depend_on_a_list():
    """A `while` whose end is read from a list that has no room for it."""

    def f(n):
        xs, i, total = [0.0], 0, 0
        while i < n[0]:
            xs.append(xs[-1] + 1.0)
            while total < xs[-1]:
                total += 1
            i += 1
        return total, len(xs)

    assert myia.jit(f)(np.array([600])) == f(np.array([600]))


def test_arrays_of_jax():
    compiled = myia.jit(lambda x, n: sum(doublings(x, n)))
    result = compiled(jnp.asarray(1.5), jnp.array([300]))
    assert isinstance(result, jax.Array) and result == sum(doublings(1.5, [300]))


def joined(x, n):
    xs, ys, i = [], [x], 0
    while i < n[0]:
        xs = xs + [x * i]  # noqa: RUF005
        ys.extend([x, x * i])
        ys += xs[i // 2 :]
        i += 1
    return xs, ys


def inserted(x, n):
    xs = []
    for i in range(n[0]):
        xs.insert(0, x * i)
        xs.insert(i // 2, x)
    return xs, xs[2:], xs[::-1], xs[: n[0] // 2]


def queue(x, n):
    xs, count = [(x, n[0])], 0
    while xs:
        y, k = xs.pop(0)
        count += 1
        if k > 0:
            xs.append((0.5 * y, k - 1))
            xs.append((0.25 * y, k // 2))
    return count, y


def swapped(x, n):
    old, i = [x], 0
    while i < n[0]:
        new = []
        for y in old:
            new.append(0.5 * y)
            if y > 0.1:
                new.append(0.25 * y)
        old = new
        i += 1
    return old


def nested(x, n):
    rows, total = [], []
    for i in range(n[0]):
        row, j = [x], 0
        while j < i:
            row.append(x * j)
            total.append(j)
            j += 1
        rows.append(sum(row) + len(row))
    return rows, total


def new_arrays(x, n):
    zeros, ones = np.zeros(n[0] + 1), np.ones((2, n[0]), bool)
    for i in range(n[0]):
        zeros[i] = x * i
        ones[1, i] = i % 2
    return zeros, ones, np.full(n[0], x), np.arange(n[0]) * x, np.zeros(int(x)), np.nonzero(ones[1])


@pytest.mark.parametrize("f", [joined, inserted, queue, swapped, nested, new_arrays])
def test_growth_from_room_for_three_items(f, monkeypatch):
    monkeypatch.setattr(capacities, "FIRST_CAPACITY", 3)
    compiled = myia.jit(f)
    for n in ([0], [2], [3], [7]):
        got, want = compiled(2.5, np.array(n)), f(2.5, np.array(n))
        jax.tree_util.tree_map(np.testing.assert_array_equal, got, want)


def test_sizes_that_python_refuses():
    with pytest.raises(ValueError, match="negative dimensions are not allowed"):
        myia.jit(lambda n: np.zeros(n[0]))(np.array([-1]))


@pytest.mark.parametrize("transform", [jax.jit, jax.grad, jax.vmap])
def test_refused_under_transforms_of_jax(transform):
    args = (np.ones(2), np.ones((2, 1), int)) if transform is jax.vmap else (1.0, np.array([3]))
    compiled = myia.jit(lambda x, n: doublings(x, n)[-1])
    with pytest.raises(myia.MyiaError) as error:
        transform(compiled)(*args)
    assert "the list `xs` grows without a bound" in str(error.value)
    assert "inside a transform of JAX" in str(error.value)
    assert "`for i in myia.bounded(range(n), most)`" in str(error.value)


def test_refused_ahead_of_time():
    with pytest.raises(myia.MyiaError, match="compiled ahead of time a program is not run again"):
        myia.jit(doublings).lower(1.0, np.array([3]))


def test_refused_with_calls_of_the_host():
    host = myia.host(lambda x: x + 1.0, like=0.0)
    with pytest.raises(myia.MyiaError, match="with a result of a call of the host a program is"):
        myia.jit(lambda x, n: host(sum(doublings(x, n))))(1.0, np.array([3]))


def test_memory():
    def f(x):
        xs = []
        while x > 0.0:
            xs.append(x)
        return len(xs)

    with pytest.raises(MemoryError, match=r"the list `xs` \(.*test_capacities.py:\d+\) needs room"):
        myia.jit(f, memory=10**6)(1.0)


def test_without_a_limit_lists_get_a_quarter_of_the_memory(monkeypatch):
    def f(n):
        many = []
        for i in range(n[0]):
            many.append(i)
        return len(many)

    monkeypatch.setattr(limits, "_machine_memory", lambda: 200_000)
    compiled = myia.jit(f)
    assert compiled(np.array([4000])) == 4000
    with pytest.raises(MemoryError, match="there are 50,000 bytes for all lists"):
        compiled(np.array([8000]))


def test_memory_is_that_of_all_lists():
    def f(n):
        many, more = [], []
        for i in range(n[0]):
            many.append(i)
            more.append(2 * i)
        return len(many), len(more)

    compiled = myia.jit(f, memory=50_000)
    assert compiled(np.array([2000])) == (2000, 2000)
    with pytest.raises(MemoryError, match="there are 50,000 bytes for all lists"):
        compiled(np.array([4000]))


def test_arrays_of_run_time_size_are_cut():
    def f(x, n):
        xs = []
        for i in range(n[0]):
            xs.append(x * i)
        a = np.array(xs)
        return a, {"large": x[x > 0.5], "same": a}, np.stack(xs).sum(axis=0)

    x = np.linspace(0.0, 1.0, 5)
    for n in (np.array([3]), np.array([100])):
        got, want = myia.jit(f)(x, n), f(x, n)
        jax.tree_util.tree_map(np.testing.assert_array_equal, got, want)
        assert got[0] is got[1]["same"] and got[0].base is None and got[0].flags.writeable
    with pytest.raises(myia.MyiaError, match="size is known only at run time is a result"):
        jax.jit(myia.jit(lambda x: x[x > 0.5]))(x)
