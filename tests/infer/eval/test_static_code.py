"""Static loops and calls are run by Python itself: exact values, no ops, no other effects."""

import functools
import math

import numpy as np
import pytest

import myia
from myia.api import sharing
from myia.infer.eval import static_code
from myia.infer.loops import unrolling


def sieve(x):
    primes, k = [], 2
    while len(primes) < 12:
        for p in primes:
            if p * p > k or k % p == 0:
                break
        else:
            p = k
        if p * p > k or p == k:
            primes.append(k)
        k += 1
    return x**3 * sum(primes) + primes[-1]


def fibonacci(x):
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    return x * fib(12)


@functools.cache
def catalan(n):
    return 1 if n < 2 else sum(catalan(i) * catalan(n - 1 - i) for i in range(n))


def global_recursion(x):
    return x * catalan(9)


def beyond_64_bits(x):
    a, b, digits = 3**70, 3**40 * 7, []
    while b:
        a, b = b, a % b
    while a:
        digits.append(a % 10)
        a //= 10
    return x * sum(digits) + len(digits)


def known_floats(x):
    r = 1.0
    while abs(r * r - 2.0) > 1e-15:
        r = 0.5 * (r + 2.0 / r)
    return x * r


def division(x):
    total = 0
    for a in (-7, 7, True):
        for b in (2, -2, 3.5):
            total += a // b * 10 + a % b
    return x * total


def bools_are_ints(x):
    flags = [i % 3 == 0 for i in range(10)]
    return x * sum(flags) + (flags[0] + flags[3]) * 10


def texts(x):
    text = ""
    for i in range(12):
        text += f"{i / 7:.3f}|{i!r:>4}|{0.1 * i};"
    return x * len(text) + text.count("0")


def counts(x):
    found = {}
    for c in "the quick brown fox jumps over the lazy dog":
        found[c] = found.get(c, 0) + 1
    return x * sum(v * v for v in found.values()) + list(found).index("z")


def aliased_lists(x):
    row = [0] * 4
    rows = [row, row, [9]]
    for i in range(4):
        rows[i % 2][i] = i + 1
    rows[2] = rows[0]
    rows[2][0] = 10
    return x * row[0] + sum(rows[1]) + (rows[0] is row)


def shared_variables(x):
    count = 0

    def bump(by=2):
        nonlocal count
        count += by
        return count

    for _ in range(5):
        bump()
    return x * count + bump(by=1)


def functions_made(x):
    powers = [lambda t, k=k: t**k for k in range(4)]
    return sum(p(x) for p in powers)


def iterators_are_used(x):
    pairs = zip([1, 2, 3], (4, 5, 6))
    total = 0
    for a, b in pairs:
        total += a * b
    rest = iter([1, 2, 3, 4])
    for a in rest:
        if a == 2:
            break
    return x * total + sum(a for a, _ in pairs)


def changed_while_iterated(x):
    items = [1]
    for i in items:
        if i < 20:
            items.append(i * 2)
    return x * sum(items)


def no_iterations(x):
    last = 5
    for last in []:  # noqa: B007
        pass
    while last < 0:
        last = None
    return x * last


def unpacked(x):
    total = 0
    for first, *rest, last in [(1, 2, 3), (4, 5), ["6", "8", 9]]:
        total += int(first) * 10 + len(rest) + int(last)
    return x * total


def searched(x):
    def reached(limit):
        seen, stack = set(), [(0, 0)]
        while stack:
            here = stack.pop()
            if here in seen or max(here) > limit:
                continue
            seen.add(here)
            stack += [(here[0] + 1, here[1]), (here[0], here[1] + 2)]
        return len(seen)

    return x * reached(4)


def in_a_loop_at_run_time(x):
    total = 0.0
    for k in range(6):
        steps, n = 0, 27
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        total += x * steps + k
    return total


def on_one_path(x):
    c = []
    if x > 0.0:
        for i in range(5):
            c.append(i * i)
        return x * sum(c)
    return x - len(c)


PROGRAMS = [
    *(sieve, fibonacci, global_recursion, beyond_64_bits, known_floats),
    *(division, bools_are_ints, texts, counts, aliased_lists, shared_variables, functions_made),
    *(iterators_are_used, changed_while_iterated, no_iterations, unpacked, searched),
    *(in_a_loop_at_run_time, on_one_path),
]


@pytest.fixture
def runs(monkeypatch):
    """How often static code was run to its end, and in vain."""
    found = {"done": 0, "in vain": 0}
    attempt = static_code._attempt

    def counted(*args):
        result = attempt(*args)
        found["in vain" if result is None else "done"] += 1
        return result

    monkeypatch.setattr(static_code, "_attempt", counted)
    return found


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_derivatives_are_pythons(f, runs):
    x, h = 0.75, 1e-6
    np.testing.assert_allclose(myia.jit(f)(x), f(x), rtol=1e-14)
    slope = (f(x + h) - f(x - h)) / (2 * h)
    np.testing.assert_allclose(myia.grad(f)(x), slope, rtol=1e-7)
    assert runs["done"]


@pytest.mark.parametrize(
    "f", [sieve, fibonacci, beyond_64_bits, texts, counts], ids=lambda f: f.__name__
)
def test_no_op_is_left(f):
    text = str(myia.jit(f).ir(0.75)["typed"])
    assert not any(word in text for word in ("while", "for ", "if ", "floordiv")), text


def test_values_are_exact():
    """Results that are no numbers for XLA are Python's own objects."""

    def f():
        n, text, items = 1, "", []
        for i in range(1, 31):
            n *= i
            text += f"{1 / i!r},"
            items.append((i % 4 == 0, -i // 7, math.sqrt(i)))
        return n, text, items

    found, expected = myia.jit(lambda x: (x, f()))(1.0)[1], f()
    assert found == expected
    assert [list(map(type, item)) for item in found[2]] == [[bool, int, float]] * 30


# ----- What is not static


def reads_an_argument(x):
    def step(i):
        return i * 2 if i < 5 else i * x

    total = 0.0
    for i in range(8):
        total += step(i)
    return total


def prints(x):
    for i in range(3):
        print("step", i)
    return x


def writes_a_list_of_the_caller(x, log):
    for i in range(3):
        log.append(i)
    return x * len(log)


def takes_long(x):
    n = 0
    for i in range(400_000):
        n += i % 3
    return x * n


def never_ends_by_itself(x):
    n = 0
    while n < 1_000_000:
        n += 3
    return x * n


def raises(x):
    total = 0
    for i in range(3):
        total += 10 // (2 - i)
    return x * total


@pytest.mark.parametrize("f", [reads_an_argument, takes_long, never_ends_by_itself])
def test_other_code_is_inferred_as_usual(f, runs):
    assert myia.jit(f)(0.5) == pytest.approx(f(0.5), rel=1e-15)
    assert runs["in vain"] and not runs["done"]


def test_what_is_printed_is_printed_at_each_call(capfd):
    f = myia.jit(prints)
    for _ in range(2):
        f(1.0)
    assert capfd.readouterr().out == "step 0\nstep 1\nstep 2\n" * 2


def test_lists_of_the_caller_change_at_each_call():
    f, log = myia.jit(writes_a_list_of_the_caller), []
    assert f(2.0, log) == 6.0 and log == [0, 1, 2]
    assert f(2.0, log) == 12.0 and log == [0, 1, 2] * 2


def test_errors_are_those_of_the_program():
    with pytest.raises(ZeroDivisionError, match=r"total \+= 10 // \(2 - i\)"):
        myia.jit(raises)(1.0)

    def on_one_path(x):
        return raises(x) if x > 0.0 else x

    f = myia.jit(on_one_path)
    assert f(-1.0) == -1.0
    with pytest.raises(ZeroDivisionError):
        f(1.0)


scale = 3


def test_globals_are_read_again():
    global scale

    table = ("a", "bb", "ccc", "")

    def g(x):
        n = 0
        for text in table:
            n += len(text) * scale
        return x * n

    jitted = myia.jit(g)
    assert jitted(1.0) == 18.0
    scale = 5
    assert jitted(1.0) == 30.0
    table = ("a",)
    assert jitted(1.0) == 5.0
    scale = 3


def test_a_failed_run_changes_nothing(runs):
    """It has appended to a list, and counted, before it meets a number of run time."""

    def f(x):
        items, count = [], 0

        def note(i):
            nonlocal count
            count += 1
            items.append(i)
            return x if i == 3 else i

        def all_notes(n):
            last = 0
            for i in range(n):
                last = note(i)
            return last

        last = all_notes(4)
        return last * count + len(items) * 100 + sum(items)

    assert myia.jit(f)(0.5) == f(0.5)
    assert runs["in vain"]


def test_debug_mode_infers_everything(runs):
    assert myia.jit(known_floats, debug=True)(1.0) == pytest.approx(math.sqrt(2))
    assert not runs["done"]


def test_the_length_of_a_list_is_no_array():
    """It was: of its items, stacked. And a list with a copy as an array is static all the same."""

    def f(x):
        marks = [True] * 40
        rows = np.array(marks)
        for i in range(2, len(marks)):
            marks[i] = i % 2 == 0
        return x * sum(marks) + rows[3]

    assert myia.jit(f)(0.5) == f(0.5)
    assert str(myia.jit(lambda x: x * len([x] * 40)).ir(0.5)["typed"]).count(" = ") <= 3


# ----- Limits


def halves(x):
    def sum_of(n, y):
        return y if n == 0 else sum_of(n - 1, y * 0.5) + sum_of(n - 1, y * 2.0)

    return sum_of(6, x)


@pytest.mark.parametrize("f", [fibonacci, halves])
def test_a_long_recursion_is_refused_by_name(f, monkeypatch):
    monkeypatch.setattr(static_code, "MAX_RECURSIVE_CALLS", 50)
    monkeypatch.setattr(static_code, "MAX_STEPS_OF_CALL", 2_000)
    with pytest.raises(myia.MyiaError, match=r"(?s)more than 50 calls.*`(fib|sum_of)` .*outside"):
        myia.jit(f)(1.0)


def grown(x):
    nest, total = (), x
    for _ in range(200):
        nest = (nest, total)  # of another type in each iteration
        total += nest[1] * 0.5
    return nest[1]


def test_a_long_unrolled_loop_is_refused_by_name(monkeypatch):
    assert myia.jit(grown)(1.0) == pytest.approx(grown(1.0), rel=1e-13)
    monkeypatch.setattr(unrolling, "MAX_UNROLLED_OPS", 300)
    sharing.forget()
    with pytest.raises(myia.MyiaError, match=r"(?s)unrolled, .* more than 300 operations.*for "):
        myia.jit(grown)(1.0)
