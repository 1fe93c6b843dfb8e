"""Names that only some paths bind, in tuples and dicts that only those paths make."""

import numpy as np
import pytest

import myia


def first_below(x, t):
    for i in range(len(x)):
        if x[i] < t:
            break
    else:
        return None
    return i, x[i]


def in_a_while(x, t):
    i = 0
    while True:
        if i >= len(x):
            return None
        v = x[i]
        if v < t:
            break
        i += 1
    return v, i


def of_other_length(x, t):
    for i in range(len(x)):
        if x[i] < t:
            break
    else:
        return t, -1
    return t, i, 7


def dicts(x, t):
    for i in range(len(x)):
        if x[i] < t:
            break
    else:
        return {"t": t}
    return {"t": t, "i": i}


def number_or_tuple(x, t):
    for i in range(len(x)):
        w = x[i] * 2
        if w < t:
            break
    else:
        return t * t
    return w, i


def continued(x, t):
    out = 0.0
    for _ in range(3):
        for i in range(len(x)):
            if x[i] < t:
                break
        else:
            r = (t, 1.0)
            out += r[1]
            continue
        r = (t, i, 2.0)
        out += r[2] * i
        t -= 1.0
    return out, r


def lists(x, t):
    for i in range(len(x)):
        if x[i] < t:
            break
    else:
        return [t]
    return (t, i)


@pytest.mark.parametrize(
    "f",
    [first_below, in_a_while, of_other_length, dicts, number_or_tuple, continued, lists],
)
def test_results(f):
    x = np.array([3.0, 1.0, 2.0, 1.2, -0.5])
    for t in (-9.0, 0.5, 1.5, 2.5, 9.0):
        assert myia.jit(f)(x, t) == f(x, t), t


def test_taken_apart():
    def f(x, t):
        r = number_or_tuple(x, t)
        if isinstance(r, tuple):
            return r[0] * t
        return r

    x = np.array([3.0, 1.0, 2.0])
    for t in (2.5, 0.5):
        assert myia.jit(f)(x, t) == f(x, t)


@pytest.mark.parametrize(
    "use",
    [
        lambda v, d: (v, 1.0),
        lambda v, d: d.append(v),
        lambda v, d: d.__setitem__(0, v),
        lambda v, d: [v],
        lambda v, d: {"v": v},
        lambda v, d: -v,
        lambda v, d: v == v,
    ],
)
def test_python_raises_where_it_is_read(use):
    def f(x):
        found = [x]
        if x > 0:
            v = x
        try:
            use(v, found)
        except UnboundLocalError:
            return -1.0
        return 1.0

    def stored(x):
        found = [0.0]
        if x > 0:
            v = x
        found[0] = v
        return x

    for x in (1.5, -1.5):
        assert myia.jit(f)(x) == f(x)
    with pytest.raises(UnboundLocalError):
        myia.jit(stored)(-1.5)
