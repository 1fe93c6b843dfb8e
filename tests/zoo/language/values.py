"""Programs of Python's values: strings, numbers, containers, iterators, calls."""

from __future__ import annotations

import functools
import itertools

import numpy as np

from tests.zoo.language.registry import program

A = np.array


def deco(f):
    @functools.wraps(f)
    def inner(*a, **k):
        return f(*a, **k) * 2

    return inner


@deco
def dbl(x):
    return x * x


@program(2.0)
def wraps_(x):
    return dbl(x)


@program(2.0)
def wraps_inner(x):
    def d(f):
        @functools.wraps(f)
        def inner(y):
            return f(y) + 1

        return inner

    @d
    def g(y):
        return y * x

    return g(x)


@program(2.0)
def strs(x):
    s = "relu,tanh"
    n = 0.0
    for a in s.split(","):
        if a.startswith("re"):
            n += x
        if a.endswith("nh"):
            n += x * x
    k = "-".join(["a", "b"]).upper()
    t = "%s_%d" % ("w", 3)  # noqa: UP031
    u = "{}_{x}".format("w", x=1)
    d = {k: x, t: 2 * x, u: 3 * x}
    return (
        n
        + d["A-B"]
        + d["w_3"]
        + d["w_1"]
        + len(s.strip())
        + ("a" in s)
        + s.count("e")
        + s.find("t")
        + s.replace("relu", "r").index(",")
        + s[0].isalpha()
        + (s + "x").lower().title().isdigit()
    )


@program(2.0)
def iters(x):
    s = 0.0
    for a, b in itertools.product([x, 2 * x], [1.0, 3.0]):
        s += a * b
    for a in itertools.chain([x], (2 * x, 3 * x)):
        s += a
    for a in itertools.accumulate([x, x * x, 3.0]):
        s += a
    for a, b in itertools.pairwise([x, x * x, 3.0]):
        s += a * b
    for a in itertools.chain.from_iterable([[x], [x, 1.0]]):
        s += a
    for a in itertools.islice([x, 2 * x, 3 * x], 2):
        s += a
    for a, b in itertools.combinations([x, x * x, 3.0], 2):
        s += a * b
    for a, b in itertools.permutations([x, x * x, 3.0], 2):
        s += a / b
    for a, b in itertools.zip_longest([x, x * x], [1.0], fillvalue=2.0):
        s += a * b
    for a in itertools.repeat(x, 3):
        s += a
    for a in itertools.accumulate([x, 2.0, 3.0], lambda u, v: u * v):
        s += a
    for a in itertools.starmap(lambda u, v: u * v, [(x, 1.0), (x, x)]):
        s += a
    return s


@program(A([1.0, 2, 3]))
def iters_arr(x):
    s = 0.0
    for a, b in itertools.product(x, x):
        s += a * b
    for a, b in itertools.pairwise(x):
        s += a * b
    for a in itertools.accumulate(x):
        s += a
    for a in itertools.chain(x, x):
        s += a
    return s


@program(2.0)
def walrus(x):
    s = 0.0
    if (y := x * x) > 1:
        s += y
    i = 3
    while (i := i - 1) > 0:
        s += i * x
    z = [q for v in [1.0, 2.0, 3.0] if (q := v * 2) > 2.0]
    return s + sum(z) * x


GLOB = 3.0
GA = A([1.0, 2.0])


@program(2.0)
def globs(x):
    return x * GLOB + GA.sum()


@program(2.0)
def dels(x):
    y = x
    l = [x, 2 * x, 3 * x]
    d = {"a": x, "b": x}
    del l[0]
    del d["a"]
    z = y
    del y
    del l[-1:]
    return z + len(l) + sum(l) + len(d)


@program(2.0)
def comps(x):
    d = {k: x * i for i, k in enumerate(["a", "b", "c"])}
    s = {i % 2 for i in range(5)}
    e = {k: v for k, v in d.items() if k != "a"}
    return d["b"] + sum(e.values()) + len(s) + sum(s)


@program(2.0)
def dict_methods(x):
    d = {"a": x}
    s = d.get("a") + d.get("q", 3.0) + d.setdefault("z", x * x)
    d.update({"b": 2 * x})
    d.update(c=x)
    s += d.pop("b") + d.pop("nope", 1.0)
    for k, v in d.items():
        s += len(k) * v
    for v in d.values():
        s += v
    e = d | {"t": x}
    f = dict(a=x, b=1.0)
    g = dict([("a", x), ("b", 2.0)])
    h = {**f, "q": x}
    c = d.copy()
    c["a"] = 100.0
    k, v = d.popitem()
    return (
        s
        + e["t"]
        + f["a"]
        + g["b"]
        + h["q"]
        + d["a"]
        + v
        + len(list(d.keys()))
        + ("a" in d)
        + (f == g)
        + dict.fromkeys(["a", "b"], x)["b"]
        + dict(zip(["u", "v"], [x, x]))["v"]
    )


@program(2.0)
def list_methods(x):
    l = [x]
    l.extend([2 * x, 3.0])
    l.insert(0, 5.0)
    a = l.pop()
    b = l.pop(0)
    l.reverse()
    l += [1.0]
    l0 = [3, 4]
    l0.remove(4)
    m = [3, 1, 2]
    m.sort()
    m.sort(reverse=True)
    l2 = l[::-1] + l[1:]
    l3 = l * 2
    l[0:1] = [x, x]
    return sum(l) + a * b + m.index(3) + m[0] + m.count(1) + sum(l2) + len(l3) + l.copy()[0]


@program(2.0)
def compare_tuples(x):
    s = 0.0
    if (x, 1.0) < (x, 2.0):
        s += x
    if (1, 2) == (1, 2):
        s += 1
    if [x, 1.0] > [x, 0.5]:
        s += x
    if (1, x) != (1, 2.0):
        s += 1
    if 1 < x < 3:
        s += x
    return s + (x in [1.0, 2.0]) + (3.0 in (x, 1.0)) + max((1, x), (0, x))[1]


@program(2.0)
def in_things(x):
    d = {"a": {"b": {"c": x}}}
    return d["a"]["b"]["c"] * ("a" in d) + ("z" not in d) + (3 in [1, 2, 3]) + ("x" in {"x", "y"})


@program(2.0)
def builtins_(x):
    s = 0.0
    for a, b in zip([x, 1.0], [2.0, 3.0], strict=True):
        s += a * b
    for i, a in enumerate([x, x], start=1):
        s += i * a
    s += sum([x, x], 1.0) + sum([x], start=2.0) + sum((v for v in [x]), 0.0)
    s += (
        min([x, 1.0, -x], key=lambda v: v * v)
        + max([], default=x)
        + max([x, 3.0], key=abs)
        + min(x, 1.0, 5.0)
        + max({"a": 1, "b": 2}.values())
    )
    s += (
        sorted([3, 1, 2], key=lambda v: -v)[0]
        + sorted([3.0, 1.0, 2.0], reverse=True)[0]
        + sorted(["b", "a"])[0].count("a")
    )
    s += any(v > 1 for v in [x, 0.0]) + all(v > 1 for v in [x, 3.0])
    s += sum(sum(a * b for b in [1.0, x]) for a in [x, 2.0])
    a, *b, c = [x, 1.0, 2.0, 3.0]
    s += a + sum(b) + c + len([*b, *[1, 2]]) + {**{"a": x}}["a"] + max(*b)
    return s


@program(2.0)
def fns(x):
    def g(a, *, k=2.0, m):
        return a * k + m

    h = lambda y, z=x: y * z  # noqa: E731

    def v(*a, **kw):
        return sum(a) + sum(kw.values()) + kw["q"]

    ka = {"m": x}
    return (
        g(x, m=1.0)
        + g(x, **ka)
        + h(2.0)
        + h(1.0, 3.0)
        + v(x, 1.0, q=x, r=2.0)
        + (lambda *a: a[-1])(x, 2 * x)
    )


@program(2.0)
def fstr(x):
    d = {f"w{i}": x * i for i in range(3)}
    return sum(d[f"w{i}"] for i in range(3)) + d[f"{'w'}{1:d}"]


@program(2.5)
def nums(x):
    return (
        int(x)
        + float(3)
        + bool(x)
        + abs(-x)
        + divmod(x, 2.0)[0]
        + divmod(7, 2)[1]
        + pow(x, 2)
        + pow(2, 3, 5)
        + complex(x, 1.0).real
        + abs(complex(x, 1.0))
        + round(2.567, 1)
        + int("3")
        + float("2.5")
        + (7).bit_length()
        + x.is_integer()
        + (3).real
    )


@program(2.0)
def reduce_(x):
    return (
        functools.reduce(lambda a, b: a * b, [x, x, 3.0])
        + functools.reduce(lambda a, b: a + b, [x], 1.0)
        + functools.partial(pow, x)(2)
    )


@program(2.0)
def mapfilter(x):
    return (
        sum(map(lambda v: v * x, [1.0, 2.0]))
        + sum(filter(lambda v: v > 1, [1, 2, 3]))
        + sum(map(lambda a, b: a * b, [x], [x]))
        + list(reversed([x, 1.0]))[1]
        + len(list(range(5)))
        + sum(list(map(float, [1, 2])))
        + sum(iter([x, 2.0]))
    )


@program(2.0)
def classes_choice(x):
    f = np.sin if x > 3 else np.cos
    g = f
    if x > 5:
        g = np.tanh
    return g(x)


@program(2.0)
def setc(x):
    s = {c for c in "hello" if c != "l"}
    return len(s) * x + (x if "h" in s else 0.0)


@program(A([1.0, 2.0, 3.0]))
def big_iters(v):
    s = 0.0
    for a, b, c in itertools.product(v, v, [1.0, 2.0]):
        s += a * b * c
    for i, j in itertools.product(range(5), range(4)):
        s += v[i % 3] * j
    for a in itertools.islice(v, 1, 3):
        s += a * a
    for a, b in itertools.pairwise(list(v) * 4):
        s += a * b
    return s
