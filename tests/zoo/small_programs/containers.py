"""Tuples, lists, dicts, named tuples; unpacking, comprehensions, built-in functions on them."""

from __future__ import annotations

from collections import Counter, defaultdict, namedtuple
from typing import NamedTuple

import numpy as np

from tests.zoo.small_programs.registry import program

A = np.array
Point = namedtuple("Point", "x y")


class Layer(NamedTuple):
    w: np.ndarray
    b: float = 0.5


@program((1.5, 2.0), (-0.5, 3.0))
def tuple_unpacking(x, y):
    (a, b), c = (x, y), x * y
    a, b = b, a
    return a * c - b


@program((1.5, 2.0), (-0.5, 3.0))
def starred_unpacking(x, y):
    first, *middle, last = [x, y, x * y, 2.0]
    return first * middle[0] + middle[1] * last + len(middle)


@program((A([1.0, 2.0, 3.0]),), (A([0.5, 0.1, 0.2]),))
def unpacking_an_array(a):
    x, y, z = a
    return x * y + z


@program((A([1.0, 2.0, 3.0]),), (A([0.5, 0.1]),))
def starred_unpacking_of_an_array(a):
    x, *rest = a
    return x * rest[0] + len(rest)


@program((1.5, 2.0), (-0.5, 3.0))
def list_index_and_slice(x, y):
    xs = [x, y, x + y, x * y]
    return xs[0] * xs[-1] + xs[1:3][1] + sum(xs[::2])


@program((1.5, 2.0), (-0.5, 3.0))
def list_assigned(x, y):
    xs = [x, y, 0.0]
    xs[2] = x * y
    xs[0] += y
    xs[-1] *= 2
    return xs[0] * xs[2]


@program((1.5, 2.0), (-0.5, 3.0))
def list_methods(x, y):
    xs = [x]
    xs.append(y)
    xs.extend([x * y, 3.0])
    xs.insert(0, 1.0)
    last = xs.pop()
    xs.reverse()
    return xs[0] * xs[1] + last * xs.pop(0) + len(xs)


@program((1.5, 2.0), (-0.5, 3.0))
def lists_added_and_repeated(x, y):
    xs = [x] * 3 + [y]
    s = 1.0
    for v in xs:
        s = s * v + 1
    return s


@program((1.5, 2.0), (-0.5, 3.0))
def list_aliases(x, y):
    xs = [x, y]
    ys = xs
    ys[0] = x * y
    zs = xs.copy()
    zs[1] = 0.0
    return xs[0] * xs[1] + zs[0]


@program((1.5, 2.0), (-0.5, 3.0))
def dict_basics(x, y):
    d = {"a": x}
    d["b"] = y * x
    d["a"] += 1
    d.update(c=x, b=d["b"] * 2)
    return d["a"] * d["b"] + d.get("c", 0.0) + d.get("z", 5.0) + len(d)


@program((1.5, 2.0), (-0.5, 3.0))
def dict_methods(x, y):
    d = dict(a=x, b=y)
    p = d.pop("a")
    q = d.setdefault("c", x * 3)
    inside = "b" in d and "a" not in d
    return p * q * d["b"] * (2.0 if inside else 1.0)


@program((1.5, 2.0), (-0.5, 3.0))
def dict_of_tuples(x, y):
    d = {("a", 1): x, ("a", 2): y}
    return d["a", 1] * d[("a", 2)] + sum(d.values())


@program((1.5, 2.0), (-0.5, 3.0))
def dict_merge(x, y):
    d = {**{"a": x, "b": y}, "b": x * y}
    e = {k: v * 2 for k, v in d.items()}
    return e["a"] * d["b"]


@program((1.5, 2.0), (-0.5, 3.0))
def formatted_keys(x, y):
    d = {}
    for i in range(3):
        d[f"w{i}"] = x * i + y
    return d["w0"] * d["w1"] + d["w" + str(2)]


@program((Point(1.5, 2.0),), (Point(-0.5, 3.0),))
def namedtuple_argument(p):
    return p.x * p.y + p[0]


@program((1.5, 2.0), (-0.5, 3.0))
def namedtuple_made(x, y):
    p = Point(x, y=y)
    q = p._replace(x=p.x * p.y)
    a, b = q
    return Point(a + b, q.x)


@program((Layer(A([1.0, 2.0])), 2.0), (Layer(A([0.1, 0.3]), 1.5), 0.5))
def typed_namedtuple(layer, x):
    return np.sum(layer.w * x) + layer.b


@program((1.5, 4), (-0.5, 0))
def comprehension_summed(x, n):
    return sum([x**i for i in range(n)]) * x


@program((1.5, 4), (-0.5, 0))
def generator_summed(x, n):
    return sum(x * i for i in range(n)) + x


@program((A([1.0, -2.0, 3.0]),), (A([-1.0, 2.0]),))
def comprehension_with_a_condition(a):
    return sum([v * v for v in a if v > 0])


@program((1.5, 5), (-0.5, 3))
def comprehension_with_a_static_condition(x, n):
    odd = [x * i for i in range(n) if i % 2]
    return sum(odd) * len(odd)


@program((A([[1.0, 2.0], [3.0, 4.0]]),), (A([[0.5, 0.1]]),))
def nested_comprehension(m):
    return sum([v * v * i for i, row in enumerate(m, 1) for v in row])


@program((A([[1.0, 2.0], [3.0, 4.0]]),), (A([[0.5, 0.1], [0.2, 3.0], [1.0, 1.0]]),))
def comprehension_of_comprehensions(m):
    rows = [[v * 2 for v in row] for row in m]
    return np.array(rows) * m


@program((A([0.1, 0.2]), 4), (A([0.1, 0.2]), 1))
def stacked_history(h, n):
    hs = []
    for i in range(n):
        h = np.tanh(h * 1.5 + i)
        hs.append(h)
    return np.stack(hs)


@program((0.3, 5), (0.3, 1))
def last_of_a_history(x, n):
    xs = [x]
    for _ in range(n):
        xs.append(np.sin(xs[-1]) + x)
    return xs[-1] * xs[0]


@program((0.3, 5), (0.3, 2))
def fibonacci_in_a_list(x, n):
    xs = [x, 1.0]
    for i in range(n):
        xs.append(xs[i] + xs[i + 1] * x)
    return xs[n] + len(xs)


@program((A([1.0, -2.0, 3.0, -4.0]),), (A([-1.0, -2.0]),))
def appended_on_a_condition(a):
    positive = []
    for v in a:
        if v > 0:
            positive.append(v * v)
    s = 0.0
    for v in positive:
        s = s + v
    return s * len(positive)


@program((0.3, 4), (0.3, 0))
def sum_of_a_history(x, n):
    xs = []
    for i in range(n):
        x = x * 1.2 + i
        xs.append(x)
    return sum(xs)


@program((A([0.3, 0.4]), 3), (A([0.3, 0.4]), 1))
def history_of_tuples(a, n):
    trace = []
    for i in range(n):
        a = np.cos(a)
        trace.append((a, a[0] * i))
    s = 0.0
    for b, c in trace:
        s = s + np.sum(b) * c
    return s


@program((A([0.3, 0.4, 0.9]),), (A([0.3]),))
def history_as_an_array(a):
    out = []
    s = 0.0
    for v in a:
        s = s + v * v
        out.append(s)
    return np.array(out)


@program((0.5, 4), (0.5, 1))
def backwards_over_a_history(x, n):
    xs = []
    for i in range(n):
        x = np.sin(x + i)
        xs.append(x)
    s = 1.0
    for v in reversed(xs):
        s = s * v + 0.1
    return s


@program((1.5, 2.0), (-0.5, 3.0))
def built_in_functions(x, y):
    xs = [x, y, x * y]
    return max(xs) * min(xs) + sum(xs, 1.0) + abs(x) + len(xs)


@program((1.5, 2.0), (3.5, 3.0))
def max_with_a_key(x, y):
    far = max([x, y, 0.3], key=lambda v: abs(v - 2.2))
    near = min(x, y, key=lambda v: -v)
    return far * near


@program((A([1.0, 5.0, 3.0]),), (A([-1.0, -5.0, 2.0]),))
def max_of_an_array(a):
    return max(a) * min(a)


@program((A([1.0, 5.0, 3.0]),), (A([-1.0, -5.0, 2.0]),))
def any_and_all(a):
    s = np.sum(a)
    if any(v < 0 for v in a):
        s = s * 2
    if all([v != 0 for v in a]):
        s = s * a[0]
    return s


@program((1.5, 2.0), (-0.5, 3.0))
def sorted_by_static_keys(x, y):
    d = {"b": x, "a": y, "c": x * y}
    s = 0.0
    for k in sorted(d):
        s = s * 2 + d[k]
    for k, _ in sorted([("z", 1), ("w", 3)], key=lambda p: p[1]):
        s = s * (2 if k == "z" else 3)
    return s


@program((1.5, 2), (2.5, 2.5), (A([1.0, 2.0]), "s"))
def isinstance_chooses(x, k):
    if isinstance(k, str):
        return np.sum(x) * 2
    if isinstance(k, (int, bool)):
        return x * k
    if isinstance(x, float) and not isinstance(x, np.ndarray):
        return x * k * k
    return x


@program((1.5, 2.0), (-0.5, 3.0))
def nested_dicts(x, y):
    params = {"layer": {"w": x, "b": y}, "out": [x, {"z": y}]}
    params["layer"]["w"] = params["layer"]["w"] * 2
    return params["layer"]["w"] * params["out"][1]["z"] + params["out"][0]


@program(
    ({"w": A([1.0, 2.0]), "b": 0.5}, A([0.3, 0.4])), ({"w": A([0.1, 0.2]), "b": 1.5}, A([1.0, 2.0]))
)
def dict_argument(params, x):
    return np.tanh(params["w"] @ x + params["b"])


@program(
    ([(A([[1.0, 2.0], [0.1, 0.2]]), A([0.5, 0.1])), (A([[1.0, -1.0]]), A([0.3]))], A([0.3, 0.4])),
    ([(A([[1.0, 2.0], [0.1, 0.2]]), A([0.5, 0.1]))] * 1, A([0.3, 0.4])),
)
def layers_of_a_network(layers, x):
    for w, b in layers:
        x = np.tanh(w @ x + b)
    return x


@program((1.5, 2.0), (-0.5, 3.0))
def tuple_arithmetic(x, y):
    t = (x,) + (y, x * y) * 2
    return t[0] * t[-1] + ("a", 3).index(3) + len(t) if len(t) > 3 else x


@program((1.5, 2.0), (-0.5, 3.0))
def equality_of_structures(x, y):
    same = (1, "a") == (1, "a") and [1, 2] != [1, 3]
    return x * y if same and () == () else x


@program((1.5, 2.0), (-0.5, 3.0))
def zip_of_lists(x, y):
    d = dict(zip(("a", "b"), (x, y)))
    pairs = list(zip([x, y], [y, x]))
    return d["a"] * pairs[1][0] + d["b"]


@program((1.5, 2.0), (-0.5, 3.0))
def transposed_pairs(x, y):
    first, second = zip(*[(x, 1.0), (y, 2.0)])
    return first[1] * second[1] + first[0]


@program((1.5, 2.0), (-0.5, 3.0))
def swap_items(x, y):
    xs = [x, y, 3.0]
    xs[0], xs[2] = xs[2] * x, xs[0]
    return xs[0] * xs[1] - xs[2]


@program((1.5, 2.0), (-0.5, 3.0))
def delete_items(x, y):
    xs = [x, y, x * y]
    del xs[0]
    d = {"a": x, "b": y}
    del d["a"]
    return xs[1] * len(xs) + d["b"] * len(d)


@program((1.5, {2, 3}), (0.5, {1}))
def sets_of_constants(x, k):
    return x * (2 in k) + x * x * ("a" in {"a", "b"}) + len(k)


@program((1.5, 4), (1.5, 0))
def list_of_lists(x, n):
    table = [[x * (i + j) for j in range(2)] for i in range(2)]
    table[0][1] = table[1][0] * x
    for i in range(n):
        table[1][1] = table[1][1] * x + i
    return table[0][1] * table[1][1]


@program((1.5, 3), (1.5, 0))
def dict_carried_by_a_loop(x, n):
    state = {"m": 0.0, "v": x}
    for i in range(n):
        state["m"] = 0.9 * state["m"] + 0.1 * x
        state = {"m": state["m"] * state["v"], "v": state["v"] + state["m"]}
    return state["m"] + state["v"]


@program((1.5, 3), (1.5, 0))
def tuple_carried_by_a_loop(x, n):
    s = (x, (0.0, 1))
    for i in range(n):
        a, (b, k) = s
        s = (a * 0.5 + b, (a * k, k + 1))
    return s[0] + s[1][0] * s[1][1]


SCORES = [2.5, 0.5, 1.75, 3.25, 1.0, 0.25, 4.5, 2.0, 3.75, 1.5]


@program((SCORES, 2.0), (SCORES[::-1], 0.5))
def insertion_sort_of_a_list(xs, x):
    ys = [v * x for v in xs]
    for i in range(1, len(ys)):
        v, j = ys[i], i - 1
        while j >= 0 and ys[j] > v:
            ys[j + 1] = ys[j]
            j -= 1
        ys[j + 1] = v
    return sum(i * v * v for i, v in enumerate(ys))


@program((SCORES, 2.0), (SCORES[::-1], 0.75))
def histogram_in_lists(xs, x):
    counts, sums = [0] * 12, [0.0] * 12
    for v in xs:
        counts[int(v + 0.125)] += 1
        sums[int(v + 0.125)] += v * x
    return sum(n * s * s for n, s in zip(counts, sums))


@program((SCORES, 2.25), ([1.0, 2.0, 3.0], 1.5))
def list_edited_at_run_time(xs, x):
    ys = list(xs)
    i = int(x)
    ys.insert(i, x * x)
    a = ys.pop(-i)
    del ys[i - 1]
    ys[i:] = [a, x * a]
    ys[0], ys[i] = ys[i], ys[0]
    return sum(k * v for k, v in enumerate(ys, 1)) * sum(ys[i:])


MATRIX = [
    [0.25 * ((3 * i + 5 * j) % 7) + (4.0 if i == j else 0.5) for j in range(9)] for i in range(9)
]


@program((MATRIX, 2.0), (MATRIX[:3], 0.5))
def product_of_lists_of_lists(rows, x):
    n, m = len(rows), len(rows[0])
    out = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            for k in range(m):
                out[i][j] += rows[i][k] * rows[j][k] * x
    return sum(v * v for row in out for v in row) * 1e-4


@program((MATRIX, 2.0), (MATRIX[::-1], 0.5))
def elimination_of_a_list_of_lists(rows, x):
    a = [list(row) for row in rows]
    n = len(a)
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i][k]) > abs(a[p][k]):
                p = i
        a[k], a[p] = a[p], a[k]
        for i in range(k + 1, n):
            f = a[i][k] / a[k][k] * x
            row = a[i]
            for j in range(k, n):
                row[j] -= f * a[k][j]
    return sum(a[i][i] for i in range(n))


@program((SCORES, 2.0), (SCORES[::-1], 0.8))
def sorted_by_a_key_of_run_time(xs, x):
    near = sorted(xs, key=lambda v: abs(v - x * 1.3), reverse=True)
    pairs = sorted([(int(v + 0.125), v * x) for v in xs], key=lambda p: p[0])
    best = max(near, key=lambda v: -abs(v - x))
    return sum(i * v * v for i, v in enumerate(near)) + pairs[2][1] * best


@program((1.5, 2.0), (0.5, 3.0))
def sums_by_key(x, y):
    sums, seen = defaultdict(float), set()
    for i, key in enumerate(("a", "b", "a", "c", "b")):
        sums[key] += x * i + y
        seen.add(key)
    return sums["a"] * sums["b"] * len(seen) + Counter(sums)["c"]
