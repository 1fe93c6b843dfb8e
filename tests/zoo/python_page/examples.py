"""The examples of the table in `docs/python.md`: functions of a float, each of one construct.

Only modules, classes and functions stand outside of them, so that other compilers can run this file
with their own `numpy` in place of NumPy.
"""

# ruff: noqa: PLC0415, B028 - what these forbid is what is shown

from __future__ import annotations

import bisect
import contextlib
import functools
import heapq
import itertools
import logging
import math
import socket
import statistics
import subprocess
import threading
import warnings
from collections import Counter, defaultdict, deque
from dataclasses import dataclass

import numpy as np

EXAMPLES = {}  # by topic: functions, and the line of each that is shown
REFUSED = {}  # functions that are refused, and the line of each that is shown
LOG = logging.getLogger("tests.python_page")
total = 0.5


def example(topic, line):
    def register(f):
        EXAMPLES.setdefault(topic, []).append((line, f))
        return f

    return register


def refused(line):
    def register(f):
        REFUSED[line] = f
        return f

    return register


# ----- Control flow


@example("control flow", "while y < 10.0:")
def while_on_data(x):
    y = x
    while y < 10.0:
        y = y * y + 0.6
    return y


@example("control flow", "break")
def break_and_else(x):
    y = 0.0
    for k in range(5):
        y += x**k
        if y > 2.0:
            break
    else:
        y = y * 0.5
    return y


@example("control flow", "return y * x")
def early_return(x):
    y = x
    for _ in range(9):
        y = y * 1.5
        if y > 3.0:
            return y * x
    return y


@example("control flow", "case (0, v) | (v, 3):")
def match_tuples(x):
    y = 0.0
    for k in range(4):
        pair = (x, k) if k > 2 else (k, x)
        match pair:
            case (0, v) | (v, 3):
                y += v * v
            case (1, v):
                y += v**3
            case _:
                y -= x
    return y


@example("control flow", "o = x * x if x > 0.5 else None")
def number_or_none(x):
    o = x * x if x > 0.5 else None
    if o is not None:
        x = x + o
    return x


# ----- Lists and collections


@example("lists", "xs.append(x)")
def list_without_a_bound(x):
    xs = []
    while x < 5.0:
        xs.append(x)
        x = x * 1.25
    return sum(v * v for v in xs)


@example("lists", "counts[int(4 * v)] += v * v")
def histogram(x):
    counts = [0.0] * 8
    for k in range(8):
        v = x * math.sin(k) ** 2
        counts[int(4 * v)] += v * v
    return counts[0] - counts[2]


@example("lists", "table[i][j] = table[i - 1][j] + table[i][j - 1] * x")
def list_of_lists(x):
    table = [[1.0] * 4 for _ in range(4)]
    for i in range(1, 4):
        for j in range(1, 4):
            table[i][j] = table[i - 1][j] + table[i][j - 1] * x
    return table[3][3]


@example("lists", "xs[j], xs[j - 1] = xs[j - 1], xs[j]")
def insertion_sort(x):
    xs = [x * math.cos(k) for k in range(6)]
    for i in range(1, 6):
        j = i
        while j > 0 and xs[j] < xs[j - 1]:
            xs[j], xs[j - 1] = xs[j - 1], xs[j]
            j -= 1
    return xs[0] * xs[1]


@example("lists", "sorted(xs, key=lambda v: abs(v - 0.5))")
def sorted_by_key(x):
    xs = [x**k for k in range(5)]
    return sum(v * k for k, v in enumerate(sorted(xs, key=lambda v: abs(v - 0.5))))


@example("lists", "key=functools.cmp_to_key(lambda a, b: abs(a - x) - abs(b - x))")
def sorted_by_comparison(x):
    xs = [x**k for k in range(5)]
    xs.sort(key=functools.cmp_to_key(lambda a, b: abs(a - x) - abs(b - x)))
    return sum(v * k for k, v in enumerate(xs))


@example("lists", "time = heapq.heappop(queue)")
def events(x):
    queue = [x, 2.0 * x, 0.3]
    heapq.heapify(queue)
    time = 0.0
    for _ in range(5):
        time = heapq.heappop(queue)
        heapq.heappush(queue, time + x * x)
    return time


@example("lists", "bisect.bisect(xs, x)")
def search(x):
    xs = [0.1, 0.4, 0.8, 1.6]
    k = bisect.bisect(xs, x)
    return (x - xs[k - 1]) ** 2 / (xs[k] - xs[k - 1])


@example("collections", "sums = defaultdict(float)")
def sums_by_key(x):
    sums = defaultdict(float)
    for k in range(5):
        sums["even" if k % 2 == 0 else "odd"] += x**k
    return sums["even"] * sums["odd"]


@example("collections", "sums[int(4 * v)] += v * v")
def keys_of_run_time(x):
    sums = dict.fromkeys(range(4), 0.0)
    for k in range(8):
        v = x * math.sin(k) ** 2
        sums[int(4 * v)] += v * v
    return sums[0] - sums[2]


@example("collections", "rows[int(4 * v)].append(v)")
def rows_by_key(x):
    rows = {k: [] for k in range(4)}
    for k in range(8):
        v = x * math.sin(k) ** 2
        rows[int(4 * v)].append(v)
    return sum(len(row) * sum(row) ** 2 for row in rows.values())


@example("collections", "y, n = queue.popleft()")
def queue_of_pairs(x):
    queue, total = deque([(x, 0)]), 0.0
    while queue:
        y, n = queue.popleft()
        total += y
        if n < 3 and y > 0.1:
            queue.extend([(y * y, n + 1), (0.5 * y, n + 1)])
    return total


@example("collections", 'counts = Counter("abca")')
def counted(x):
    counts = Counter("abca")
    return sum(x**n for n in counts.values()) + counts["z"]


@example("collections", "seen.add(k)")
def set_of_keys(x):
    seen = set()
    for k in (1, 2, 1, 3):
        if k not in seen:
            seen.add(k)
            x = x * (k + x)
    return x


# ----- Functions


@example("functions", "return area(a, m, tol / 2) + area(m, b, tol / 2)")
def adaptive_quadrature(x):
    def area(a, b, tol):
        m = 0.5 * (a + b)
        coarse = (b - a) * math.exp(m)
        fine = 0.5 * (b - a) * (math.exp(0.5 * (a + m)) + math.exp(0.5 * (m + b)))
        if abs(fine - coarse) < tol:
            return fine
        return area(a, m, tol / 2) + area(m, b, tol / 2)

    return area(0.0, x, 1e-3)


@example("functions", "return odd(n - 1, x + 0.5) * x")
def mutual_recursion(x):
    def even(n, x):
        if n == 0:
            return x
        return odd(n - 1, x + 0.5) * x

    def odd(n, x):
        return even(n - 1, x) + x * x

    return even(4, x)


@example("functions", "@functools.cache")
def cached_recursion(x):
    @functools.cache
    def ways(n):
        return x if n < 2 else ways(n - 1) * x + ways(n - 2)

    return ways(12)


@example("functions", "nonlocal count")
def closure_that_counts(x):
    count = 1.0

    def step(v):
        nonlocal count
        count = count * v
        return count

    return step(x) + step(x * 2.0) + count


@example("functions", "def scaled(*args, k=2.0, **rest):")
def parameters(x):
    def scaled(*args, k=2.0, **rest):
        return sum(args) * k + rest["shift"] ** 2

    return scaled(x, x * x, shift=x)


# ----- Iteration


@example("iteration", "yield x")
def generator(x):
    def powers(x):
        while True:
            yield x
            x = x * x + 0.25

    y = 0.0
    for v in powers(x):
        y += v
        if y > 3.0:
            break
    return y


@example("iteration", "yield from (x, x * x)")
def delegation(x):
    def numbers():
        yield 1.0
        yield from (x, x * x)

    return sum(k * v for k, v in enumerate(numbers()))


@example("iteration", "yield 1.0 / v")
def yield_in_a_try(x):
    def inverses(xs):
        for v in xs:
            try:
                yield 1.0 / v
            except ZeroDivisionError:
                yield 3.0

    return sum(k * v**2 for k, v in enumerate(inverses([x, 0.0, x * x])))


@example("iteration", "next((v for v in (x, x * x, 0.1) if v < 0.5), 0.0)")
def next_of_an_expression(x):
    return next((v for v in (x, x * x, 0.1) if v < 0.5), 0.0)


@example("iteration", "y = next(steps)")
def next_until_it_converges(x):
    def newton(y):
        while True:
            y = 0.5 * (y + x / y)
            yield y

    steps = newton(1.0)
    before, y = 1.0, next(steps)
    while abs(y - before) > 1e-12:
        before = y
        y = next(steps)
    return y


@example("iteration", "zip(powers(x), powers(x + 0.5))")
def two_generators(x):
    def powers(x):
        y = x
        while y < 4.0:
            yield y
            y = y * (1.0 + x)

    return sum(a * b for a, b in zip(powers(x), powers(x + 0.5)))


@example("iteration", "mean = means.send(v)")
def value_sent(x):
    def running_means():
        total, n, mean = 0.0, 0, 0.0
        while True:
            total += yield mean
            n += 1
            mean = total / n

    means, y = running_means(), 0.0
    next(means)
    for v in (x, x * x, 2.0):
        mean = means.send(v)
        y += mean * mean
    return y


@example("iteration", "itertools.accumulate(xs)")
def accumulated(x):
    xs = [x, x * x, 2.0]
    return sum(a * b for a, b in itertools.pairwise(itertools.accumulate(xs)))


@example("iteration", "iter(step, 0)")
def until_a_value(x):
    y = [x]

    def step():
        y[0] *= 1.5
        return 0 if y[0] > 4.0 else 1

    return sum(k * y[0] for k in iter(step, 0))


@example("iteration", "itertools.pairwise(xs)")
def pairs(x):
    xs = [x * math.sin(k) for k in range(6)]
    return sum((b - a) ** 2 for a, b in itertools.pairwise(xs))


@example("iteration", "for high, group in itertools.groupby(xs, key=lambda v: v > 0.5):")
def groups(x):
    xs = [x, x * x, 2.0, x + 1.0, 0.1 * x]
    y = 0.0
    for high, group in itertools.groupby(xs, key=lambda v: v > 0.5):
        total = sum(group)
        y += total**3 if high else total
    return y


@example("iteration", "for a, b in zip([x, 2.0], xs, strict=True):")
def strict_zip(x):
    y = 0.0
    for xs in ([x, x * x], [x, 1.0, x]):
        try:
            for a, b in zip([x, 2.0], xs, strict=True):
                y += a * b
        except ValueError:
            y = y * x
    return y


# ----- Exceptions and contexts


class Rejected(Exception):
    def __init__(self, value):
        super().__init__("rejected", value)
        self.value = value


@example("exceptions", "except Rejected as e:")
def own_exception(x):
    def step(x, k):
        if k * x > 1.0:
            raise Rejected(x * k)
        return x * x

    y = 0.0
    for k in range(4):
        try:
            y += step(x, k)
        except Rejected as e:
            y -= e.value**2
    return y


@example("exceptions", "except ZeroDivisionError:")
def division_by_zero(x):
    y = 0.0
    for k in range(3):
        try:
            y += x**3 / (k - 1.0)
        except ZeroDivisionError:
            y += x * x
    return y


@example("exceptions", "finally:")
def finally_of_a_loop(x):
    y = 1.0
    for k in range(4):
        try:
            if k == 2:
                continue
            y += x**k
        finally:
            y = y * x
    return y


@example("contexts", 'with np.errstate(divide="raise"):')
def raised_by_errstate(x):
    y = np.array([x, 0.0])
    try:
        with np.errstate(divide="raise"):
            y = x / y
    except FloatingPointError:
        y[1] = x * x
    return np.sum(y * y)


@example("contexts", 'with np.errstate(divide="ignore"):')
def under_errstate(x):
    with np.errstate(divide="ignore"):
        y = x / np.array([0.5, 2.0])
    return np.sum(y**3)


@contextlib.contextmanager
def weighted(xs, w):
    xs[0] *= w
    yield xs[0] ** 2
    xs[0] /= w


@example("contexts", "with weighted(xs, 3.0) as v:")
def context_of_a_generator(x):
    xs = [x, 2.0]
    with weighted(xs, 3.0) as v:
        y = v + xs[0]
    return y + xs[0]


# ----- Numbers


@example("numbers", "term = math.comb(int(9 * x), k) * x**k")
def binomials(x):
    y, k, term = 0.0, 0, 1.0
    while term > 0.0:
        term = math.comb(int(9 * x), k) * x**k
        y += term
        k += 1
    return y


@example("numbers", "y += round(1e3 * x + k, -2) * x**k")
def rounded(x):
    y = 0.0
    for k in range(3):
        y += round(1e3 * x + k, -2) * x**k
    return y


@example("numbers", "statistics.stdev(xs) / statistics.mean(xs)")
def spread(x):
    xs = [x, x * x, 2.0, 1.5]
    return statistics.stdev(xs) / statistics.mean(xs)


@example("numbers", "statistics.NormalDist(x, 2.0)")
def normal_distribution(x):
    noise = statistics.NormalDist(x, 2.0)
    return noise.cdf(1.0) + noise.pdf(x * x) * noise.inv_cdf(0.3)


# ----- Names and effects


@example("names", "global total")
def assigned_global(x):
    global total
    total = 0.5
    for _ in range(3):
        total = total * x + 1.0
    return total


@example("names", "from math import tanh")
def import_in_a_function(x):
    from math import tanh

    return tanh(x)


@example("names", 'del parts["low"]')
def deletion(x):
    parts = {"low": x, "high": x * x, "top": x**3}
    del parts["low"]
    return sum(parts.values())


@example("effects", 'print(f"{k}: {y:.3f}")')
def printed(x):
    y = x
    for k in range(2):
        y = y * y + x
        print(f"{k}: {y:.3f}")
    return y


@example("effects", 'LOG.info("step %d: %.2f", k, x)')
def logged(x):
    for k in range(2):
        LOG.info("step %d: %.2f", k, x)
        x = x * x
    return x


@example("effects", 'warnings.warn(f"{x} is small")')
def warned(x):
    if x < 0.5:
        warnings.warn(f"{x} is small")
    return x**3


# ----- Arrays


@example("arrays", "a[i] += a[i - 1] * x")
def stores(x):
    a = np.ones(5)
    for i in range(1, 5):
        a[i] += a[i - 1] * x
    return a[4]


@example("arrays", "v = a[::-1] if x > 0.5 else a")
def view_of_a_branch(x):
    a = np.arange(3.0)
    v = a[::-1] if x > 0.5 else a
    v[0] = x * x
    return a[2] * x + a[0]


@example("arrays", "a[a[:, 0] > x, 1] = x * x")
def mask_beside_an_index(x):
    a = np.linspace(0.0, 1.0, 8).reshape(4, 2)
    a[a[:, 0] > x, 1] = x * x
    return np.sum(a[:, 1] ** 2)


@example("arrays", "np.sum(a[a < x] * x)")
def run_time_size(x):
    a = np.linspace(0.0, 1.0, 9)
    return np.sum(a[a < x] * x) ** 2


@example("arrays", "y = np.concatenate([y, [y[-1] * x]])")
def array_that_grows(x):
    y = np.array([x])
    for _ in range(3):
        y = np.concatenate([y, [y[-1] * x]])
    return np.sum(y)


@example("arrays", "a = np.zeros(int(4 * x))")
def size_of_run_time(x):
    a = np.zeros(int(4 * x))
    for i in range(len(a)):
        a[i] = x**i
    return np.sum(a * a)


# ----- Objects


@dataclass
class Particle:
    x: float
    v: float

    def step(self, dt):
        self.v -= dt * math.sin(self.x)
        self.x += dt * self.v


@example("objects", "p.step(0.5)")
def dataclass_and_method(x):
    p = Particle(x, 0.0)
    for _ in range(3):
        p.step(0.5)
    return p.x * p.v


@example("objects", "particles[int(4 * v)].step(v)")
def method_at_a_run_time_index(x):
    particles = [Particle(x, k) for k in range(4)]
    for k in range(6):
        v = x * math.sin(k) ** 2
        particles[int(4 * v)].step(v)
    return sum(p.x * p.v for p in particles)


class Dual:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def __mul__(self, other):
        return Dual(self.a * other.a, self.a * other.b + self.b * other.a)


@example("objects", "y = y * Dual(x, 1.0)")
def operators_of_a_class(x):
    y = Dual(1.0, 0.0)
    for _ in range(3):
        y = y * Dual(x, 1.0)
    return y.b


@example("objects", "x.__mul__(x)")
def special_method(x):
    return x.__mul__(x) + float.__add__(x, 1.0)


@example("objects", "class Scaled(Dual):")
def class_in_a_function(x):
    class Scaled(Dual):
        factor = x * x

        def value(self):
            return self.a * self.factor + (self * self).b

    return Scaled(x, 1.0).value()


@example("objects", "shape = Disk(x) if x > 0.5 else Dual(x, 1.0)")
def one_of_two_classes(x):
    class Disk(Dual):
        def __init__(self, r):
            super().__init__(r, 3.0 * r * r)

    shape = Disk(x) if x > 0.5 else Dual(x, 1.0)
    return shape.b + shape.a


# ----- Refused: on the host


@refused("async def read():")
def asynchronous(x):
    async def read():
        return x

    return read()


@refused('eval("2.0")')
def evaluated(x):
    return x * eval("2.0")


@refused('open("numbers.txt")')
def opened(x):
    return x * float(open("numbers.txt").read())


@refused('np.loadtxt("numbers.txt")')
def loaded(x):
    return x * np.loadtxt("numbers.txt").sum()


@refused("socket.socket()")
def connected(x):
    return x * len(socket.socket().recv(8))


@refused("threading.Thread(target=print)")
def threaded(x):
    threading.Thread(target=print).start()
    return x


@refused('subprocess.run(["ls"])')
def processed(x):
    return x * subprocess.run(["ls"]).returncode


@refused("np.random.zipf(2.0)")
def drawn(x):
    return x * np.random.zipf(2.0)


@refused("input()")
def asked(x):
    return x * float(input())
