"""Strings, functions, and tuples with some, in the order of run-time keys."""

import contextlib
import io
import typing

import numpy as np
import pytest

import myia


class Level(typing.NamedTuple):
    energy: float
    name: str


def keys_of_a_dict(x):
    params = {"w": np.array([x, 2.0]), "b": np.array([0.5]), "c": np.array([x * x, x])}
    total = 0.0
    for i, k in enumerate(sorted(params, key=lambda k: -float(np.abs(params[k]).sum()))):
        total += (i + 1) * params[k].sum()
    return total


def named_tuples(x):
    levels = [Level(x, "a"), Level(0.4, "b"), Level(x * x, "c")]
    levels.sort(key=lambda level: -level.energy)
    total = 0.0
    for i, level in enumerate(levels):
        print(level.name)
        total += (i + 1) * level.energy
    return total


def ties_by_strings(x):
    pairs = [(x, "q"), (0.4, "a"), (0.4, "z"), (x, "b"), (1.0, "k")]
    total = 0.0
    for i, (d, name) in enumerate(sorted(pairs)):
        print(name)
        total += i * d
    return total


def backwards_and_stable(x):
    pairs = [(x, "q"), (0.4, "a"), (0.4, "z"), (x, "b"), (1.0, "k")]
    for _, name in sorted(pairs, key=lambda pair: pair[0], reverse=True):
        print(name)
    return sorted(pairs, key=lambda pair: (pair[1] < "c", pair[0]))[0][0]


def nested_tuples(x):
    pairs = [(("b", x), 1.0), (("a", x), 2.0), (("a", 0.4), 3.0)]
    return sum((i + 1) * b * key[1] for i, (key, b) in enumerate(sorted(pairs)))


def items_of_a_dict(x):
    scores = {"u": x, "v": x * x, "w": 0.3}
    best = sorted(scores.items(), key=lambda item: item[1])
    print(best[0][0])
    return best[0][1] + 2 * best[1][1]


def names_by_a_score(x):
    names = ["a", "b", "c"]
    score = {"a": x, "b": 0.1, "c": -x}
    names.sort(key=score.get)
    for name in names:
        print(name)
    return score[names[0]] * x


def functions(x):
    fs = [np.sin, np.cos, np.tanh]
    fs.sort(key=lambda f: f(x))
    return fs[0](x) + 2 * fs[1](x)


def one_string_in_all(x):
    pairs = sorted([(x, "a"), (0.4, "a"), (x * x, "a")])
    return pairs[0][0] * (2.0 if pairs[0][1] == "a" else 100.0) + pairs[2][0]


PROGRAMS = [keys_of_a_dict, one_string_in_all, named_tuples, ties_by_strings]
PROGRAMS += [backwards_and_stable, nested_tuples, items_of_a_dict, names_by_a_score, functions]


def printed(f, x):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        return f(x), out.getvalue()


@pytest.mark.parametrize("x", [0.37, -1.5, 2.0])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f, x):
    (value, out), (wanted, text) = printed(myia.jit(f), x), printed(f, x)
    assert value == pytest.approx(wanted, rel=1e-12)
    assert out == text
    slope = (printed(f, x + 1e-6)[0] - printed(f, x - 1e-6)[0]) / 2e-6
    assert printed(myia.grad(f), x)[0] == pytest.approx(slope, abs=1e-5)


def test_equal_keys():
    x = 0.4
    assert printed(myia.jit(ties_by_strings), x) == printed(ties_by_strings, x)
    assert printed(myia.jit(backwards_and_stable), x) == printed(backwards_and_stable, x)


def test_nan_has_no_order():
    def f(x):
        return sorted([(x, "q"), (1.0, "a")])[0][0]

    with pytest.raises(ValueError, match="order of NaN"):
        myia.jit(f)(np.nan)


def test_strings_and_numbers_have_no_order():
    def f(x):
        return sorted([(x, "q"), (x, 1.0)])[0][0]

    with pytest.raises((TypeError, myia.errors.MyiaError)):
        myia.jit(f)(1.0)
