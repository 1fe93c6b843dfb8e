"""`defaultdict`, `Counter` and sets that a program makes and changes, with static keys."""

from collections import Counter, defaultdict

import numpy as np
import pytest

import myia


def sums(x):
    found = defaultdict(float)
    for key, v in (("a", x), ("b", 2.0 * x), ("a", x * x)):
        found[key] += v
    return found["a"] * found["b"], found, "c" in found, len(found)


def lists(x):
    found = defaultdict(list)
    for i in range(6):
        found[i % 2].append(x * i)
    return sum(found[0]) * sum(found[1]), sorted(found.items())


def by_lambda(x):
    found = defaultdict(lambda: [0.0] * 3)
    for i in range(12):
        found["k"][i % 3] += x * i
    return found["k"], found.get("other"), dict(found)


def with_items(x):
    found = defaultdict(int, {"a": x}, b=2.0)
    found["b"] *= x
    found["c"] += 1
    del found["a"]
    return found, found["d"]


def counts(x):
    found = Counter()
    for word in ("u", "v", "u"):
        found[word] += 1
    letters = Counter("hello")
    letters["l"] += x
    given = Counter("aab", b=x, c=2)
    given["c"] += 1
    return found, found["u"] * x, letters, letters["missing"], given


def counters(x):
    found = Counter("abca", b=x)
    found.update({"a": x, "z": 2})
    found.update("aab", c=x)
    found.subtract({"b": x}, z=1)
    known, other = Counter("abca"), Counter("abbb")
    known += other
    parts = known & other, known | other, known - other, other <= known, other == known
    most = known.most_common(1), list(other.elements())
    return found, found.total() * x, *parts, *most


def filled(x):
    found = Counter()
    found.update({"a": x})
    found.update("ab")
    del found["a"], found["none"]
    return found, found["b"] * x


def changed_sets(x):
    seen = set()
    for k in (1, 2, 1, 3):
        if k not in seen:
            x = x * k
        seen.add(k)
    seen.discard(2)
    seen.discard(7)
    seen.update([5, 6], {7})
    seen.remove(5)
    return x, len(seen), 3 in seen, 2 in seen, sorted(seen), seen


def in_a_loop(x):
    weights = defaultdict(float)
    weights["w"] = x
    for v in np.arange(20.0):
        weights["w"] += v * x
    return weights["w"] ** 2


PROGRAMS = [sums, lists, by_lambda, with_items, counts, counters, filled, changed_sets, in_a_loop]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(f):
    got, want = myia.jit(f)(1.5), f(1.5)
    assert got == want
    if isinstance(want, tuple):
        assert list(map(type, got)) == list(map(type, want))


def test_derivatives():
    for f in (lambda x: sums(x)[0], lambda x: lists(x)[0], lambda x: by_lambda(x)[0][1], in_a_loop):
        myia.check_grads(lambda x, f=f: f(x) * 0.1, (1.5,), order=2)


def test_missing_keys_and_items():
    def deleted(x):
        found = defaultdict(float)
        del found["a"]
        return x

    def removed(x):
        seen = {1, 2}
        seen.remove(3)
        return x

    def without_factory(x):
        return defaultdict(None)["a"] + x

    for f in (deleted, removed, without_factory):
        with pytest.raises(KeyError):
            myia.jit(f)(1.5)


def test_a_set_of_the_caller_is_not_changed():
    def program(seen, x):
        seen.add(4)
        return x * len(seen)

    def of_a_copy(seen, x):
        seen = set(seen)
        seen.add(4)
        return x * len(seen)

    with pytest.raises(myia.errors.MyiaError, match="set of the caller"):
        myia.jit(program)({1, 2}, 1.5)
    assert myia.jit(of_a_copy)({1, 2}, 1.5) == 4.5


def test_the_order_of_a_changed_set_is_not_known():
    def program(x):
        seen = {1, 2}
        seen.add(3)
        return [k * x for k in seen]

    with pytest.raises(myia.errors.MyiaError, match="order of a set"):
        myia.jit(program)(1.5)


def test_a_key_of_one_branch_is_refused():
    def program(x):
        found = defaultdict(float)
        if x > 1.0:
            found["a"] += x
        return found["b"]

    with pytest.raises(myia.errors.MyiaError):
        myia.jit(program)(1.5)
