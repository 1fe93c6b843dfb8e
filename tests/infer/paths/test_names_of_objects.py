"""A name of one object or another of one kind, which is changed: the others see the change."""

from collections import defaultdict

import numpy as np
import pytest

import myia
from tests.infer.driver import assert_value_and_gradient


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.log = [balance]

    def deposit(self, v):
        self.balance += v
        self.log.append(v)

    def worth(self):
        return self.balance * self.log[-1]


class transaction:
    def __init__(self, *accounts):
        self.accounts = accounts

    def __enter__(self):
        self.saved = [a.balance for a in self.accounts]
        return self

    def __exit__(self, kind, error, traceback):
        if kind is not None:
            for a, saved in zip(self.accounts, self.saved):
                a.balance = saved
        return kind is ValueError


def one_name(k, v):
    a, b = Account(3.0), Account(v[0])
    src = a if v[k] > 0.5 else b
    src.deposit(v[1])
    return a.balance * b.balance + len(a.log) + src.worth()


def two_names(k, v):
    a, b = Account(3.0), Account(v[0])
    for i in range(k + 1):
        src, dst = (a, b) if v[i] > 0.5 else (b, a)
        src.balance -= v[i] * v[2]
        dst.deposit(v[i])
    return a.balance * b.balance + sum(b.log)


def names_swapped(k, v):
    a, b = Account(3.0), Account(v[0])
    for i in range(3):
        src, dst = a, b
        if v[i] * k > 0.5:
            src, dst = dst, src
        src.deposit(v[i] ** 2)
        dst.balance *= 0.5
    return a.balance - b.balance * a.log[-1]


def rolled_back(k, v):
    a, b = Account(3.0), Account(v[0])
    for i in range(3):
        src, dst = (a, b) if i % 2 == 0 else (b, a)
        with transaction(a, b):
            dst.deposit(v[i])
            if v[i] > k:
                raise ValueError
            src.balance -= v[i] ** 2
    return a.balance * b.balance + len(a.log)


def lists(k, v):
    small, large = [v[0]], [2.0]
    for x in v:
        bucket = small if x < 0.5 * k else large
        bucket.append(x * x)
        bucket[0] += x
    return sum(small) * large[-1] + small[0] ** 2 + len(large)


def dicts(k, v):
    left, right = {"n": 1.0}, {"n": v[0]}
    for x in v:
        side = left if x < 0.5 * k else right
        side["n"] = side["n"] * (1.0 + x)
    return left["n"] - right["n"] ** 2


def parts_of_objects(k, v):
    a, b = Account(3.0), Account(v[0])
    log = (a if v[k] > 0.5 else b).log
    log.append(v[1] * v[2])
    return sum(a.log) - sum(b.log) ** 2


def a_new_one_or_an_old_one(k, v):
    a = Account(v[0])
    b = a if v[k] > 0.5 else Account(v[1])
    b.deposit(v[2])
    return a.balance + b.balance**2


def one_of_three(k, v):
    a, b, c = Account(1.0), Account(v[0]), Account(2.0)
    p = a if v[k] > 0.5 else b
    if v[1] > 0.5:
        p = c
    p.deposit(v[2])
    q = p if v[0] > 0.5 else a
    q.deposit(v[1] ** 2)
    return a.balance + 2.0 * b.balance**2 + 3.0 * c.balance * a.balance + q.worth()


def is_it(k, v):
    a, b = Account(1.0), Account(v[0])
    p = a if v[k] > 0.5 else b
    p.balance = v[1]
    return a.balance * v[2] if p is a else b.balance * a.balance


def in_a_helper(k, v):
    def pay(src, dst, x):
        src.balance -= x
        dst.deposit(x * x)

    a, b = Account(1.0), Account(v[0])
    p, q = (a, b) if v[k] > 0.5 else (b, a)
    pay(p, q, v[1])
    pay(q, a, v[2])
    return a.balance * b.balance + sum(a.log)


def new_ones_on_two_paths(k, v):
    a = Account(v[0])
    if v[k] > 0.5:
        p = a if v[1] > 0.5 else Account(4.0)
    else:
        p = Account(v[2])
    p.deposit(1.0)
    return a.balance * 2.0 - 3.0 * p.balance**2 + len(p.log)


def new_ones_in_a_loop(k, v):
    a, b = Account(v[0]), Account(v[1])
    p = a
    for i in range(3):
        if v[i] > 0.5:
            p = a if v[2 - i] * k > 0.5 else Account(4.0 + i)
        else:
            p = Account(v[2] * p.balance) if v[2] > 0.5 else b
        p.deposit(v[i] ** 2)
        a.deposit(2.0)
    return a.balance * b.balance - p.balance**2


def in_turns(k, v):
    a, b = Account(v[0]), Account(v[1])
    now = a
    for i in range(3):
        now.deposit(v[i] ** 2)
        now = b if now is a else a
    return a.balance * b.balance - len(a.log)


def until_it_is_enough(k, v):
    a, b = Account(v[0]), Account(v[1])
    now, n = a, 0
    while a.balance < 4.0 and n < 6:
        now.deposit(v[k] ** 2 + 0.5)
        now = b if a.balance > 2.0 * b.balance else a
        n += 1
    return a.balance * b.balance


def linked(k, v):
    a, b, c = Account(v[0]), Account(v[1]), Account(v[2])
    a.next, b.next, c.next = b, c, a
    now = a
    for i in range(4):
        now.deposit(1.0 + v[i % 3])
        if v[i % 3] > 0.25 * k:
            now = now.next
    return a.balance * 2.0 - b.balance * c.balance + now.worth()


def the_best_or_none(k, v):
    a, b = Account(v[0]), Account(v[1])
    best = None
    for o in (a, b):
        if o.balance > 0.5 * k and (best is None or o.balance > best.balance):
            best = o
    if best is not None:
        best.deposit(v[2] ** 2)
    return a.balance * 2.0 - b.balance**2


def the_best_of_a_list(k, v):
    pool = [Account(v[0]), Account(v[1]), Account(0.5 * k)]
    best = max(pool, key=lambda o: o.balance)
    best.deposit(v[2])
    return sum((i + 1) * o.balance**2 for i, o in enumerate(pool))


def lists_in_turns(k, v):
    now, other = [v[0]], [v[1]]
    first = now
    for i in range(4):
        now.append(v[i % 3] ** 2)
        if sum(now) > 0.7:
            now, other = other, now
    return sum(first) - 2.0 * sum(other) + len(first) + now[-1] ** 2


PROGRAMS = [
    new_ones_on_two_paths,
    new_ones_in_a_loop,
    in_turns,
    until_it_is_enough,
    linked,
    the_best_or_none,
    the_best_of_a_list,
    lists_in_turns,
    one_name,
    two_names,
    names_swapped,
    rolled_back,
    lists,
    dicts,
    parts_of_objects,
    a_new_one_or_an_old_one,
    one_of_three,
    is_it,
    in_a_helper,
]
VECTORS = ([0.7, 0.3, -0.4], [-0.2, 1.1, 0.9], [0.1, 0.6, 0.2])


@pytest.mark.parametrize("v", VECTORS, ids=str)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_others_see_the_change(f, v):
    assert_value_and_gradient(f, (0, 1, 2), np.array(v), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_order(f):
    v, d, h = np.array([0.7, 0.3, -0.4]), np.array([0.4, -0.3, 0.9]), 1e-6
    gradient = myia.grad(f, argnums=1)
    wanted = (gradient(1, v + h * d) - gradient(1, v - h * d)) / (2 * h)
    np.testing.assert_allclose(myia.hvp(f, argnums=1)(1, v, d), wanted, rtol=1e-6, atol=1e-8)


def test_objects_of_the_caller_are_changed():
    def f(a, b, x):
        p = a if x > 0.0 else b
        p.append(x)
        p[0] = 2.0 * x

    for x in (1.5, -1.5):
        found, wanted = ([1.0], [2.0]), ([1.0], [2.0])
        myia.jit(f)(*found, x)
        f(*wanted, x)
        assert found == wanted


def test_a_dict_that_gets_a_key_on_one_path_is_refused():
    def f(x):
        counts = defaultdict(float)
        counts["u"] += x
        if x > 1.0:
            x = counts["v"]
        elif x > 0.5:
            counts = defaultdict(float)
        return counts["u"] - counts["v"] * x

    with pytest.raises(myia.errors.MyiaError, match="the branches give a dict with the keys"):
        myia.jit(f)(2.0)
