"""Bytes and strings that are known: their items, also at run-time indices."""

import numpy as np
import pytest

import myia


def enumerated(x):
    total = 0.0
    for i, a in enumerate(b"kitten"):
        total += a * x * i
    return total


def item_and_length(x):
    word = b"kitten"
    return x * word[2] + len(word) * word[-1]


def mismatches(x):
    n = 0
    for a, b in zip(b"kitten", b"sitting", strict=False):
        if a != b:
            n += 1
    return n * x


def sums_and_lists(x):
    a, b, c = b"abc"
    return sum(b"ab") * x + max(b"abc") + list(b"abc")[1] * x + a * x + b * c


def at_a_run_time_index(x):
    total = 0.0
    for i in range(3):
        total += b"kitten"[-1 - int(x) - i] * x
    return total


def character(x):
    return x if "kitten"[int(x)] == "t" else 2 * x


def caught_in_bytes(x):
    try:
        return b"kitten"[int(x) * 7] * x
    except IndexError as e:
        return -x * len(e.args)


def caught_in_a_string(x):
    try:
        return x if "kitten"[int(x) * 7] == "t" else 0.0
    except IndexError as e:
        return -x * len(e.args)


PROGRAMS = [enumerated, item_and_length, mismatches, sums_and_lists, at_a_run_time_index]
PROGRAMS += [character, caught_in_bytes, caught_in_a_string]


@pytest.mark.parametrize("x", [0.4, 2.3])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f, x):
    assert myia.jit(f)(x) == f(x)
    assert myia.grad(f)(x) == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6)


def edit_distance(word, x):
    """Between bytes that are known and an array of letters."""
    known = b"sitting"
    d = np.zeros((len(word) + 1, len(known) + 1))
    d[:, 0], d[0, :] = np.arange(len(word) + 1), np.arange(len(known) + 1)
    for i in range(1, len(word) + 1):
        for j in range(1, len(known) + 1):
            other = d[i - 1, j - 1] + x * (word[i - 1] != known[j - 1])
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, other)
    return d[-1, -1]


@pytest.mark.parametrize("word", [b"kitten", b"sitting", b"a"])
def test_an_edit_distance(word):
    letters = np.frombuffer(word, np.uint8)
    assert myia.jit(edit_distance)(letters, 1.5) == edit_distance(letters, 1.5)
    slope = edit_distance(letters, 1.5 + 1e-6) - edit_distance(letters, 1.5 - 1e-6)
    gradient = myia.grad(edit_distance, argnums=1)(letters, 1.5)
    assert gradient == pytest.approx(slope / 2e-6, abs=1e-6)


@pytest.mark.parametrize("text", ["index out of range", "string index out of range"])
def test_what_is_out_of_range(text):
    letters = "kitten" if text.startswith("string") else b"kitten"

    def f(x):
        return x if letters[int(x)] == letters[0] else -x

    with pytest.raises(IndexError, match=f"^{text}$"):
        f(9.0)
    with pytest.raises(IndexError, match=text):
        myia.jit(f)(9.0)
