"""Writing back: overlapping and read-only arrays, and the memory that it takes."""

import os
import subprocess
import sys
import textwrap
import tracemalloc
import types

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import myia
from myia.artifacts.written_arrays import overlapping_pairs, overlaps_itself

BUFFER = np.arange(8.0)
GLOBAL = BUFFER[:4]


# ----- Two arrays


def running_sum(s, x, y):
    s[:] = s + x.mean(0)
    return np.sum(x[:, 0] - y)


def test_arrays_that_are_only_read_may_overlap():
    x, s = np.arange(6.0).reshape(3, 2), np.zeros(2)
    F = myia.jit(running_sum)
    assert F(s, x, x[:, 0]) == 0.0
    np.testing.assert_array_equal(s, x.mean(0))
    assert F(s, x, x[::-1, 0]) == 0.0  # also after compiling
    mask = {"a": x[1:], "b": [x[:2]]}
    assert myia.jit(lambda s, m: s.fill(m["a"][0, 0]) or m["b"][0].sum())(s, mask) == 6.0
    np.testing.assert_array_equal(s, [2.0, 2.0])


def write_first(a, b):
    a[0] = b[1]
    return b.sum()


def write_state(state, x):
    state.w["a"][0] = x[0]
    return x.sum()


def write_global(x):
    GLOBAL[0] = x[1]
    return x.sum()


def read_global(x):
    x[0] = GLOBAL[1]
    return x.sum()


@pytest.mark.parametrize(
    "f, args, names",
    [
        (write_first, (BUFFER[:4], BUFFER[3:]), ("`a`", "`b`")),
        (write_first, (BUFFER[::3], BUFFER[1::2]), ("`a`", "`b`")),  # 3 is in both
        (running_sum, (BUFFER[:2], BUFFER.reshape(4, 2), np.ones(4)), ("`s`", "`x`")),
        (
            write_state,
            (types.SimpleNamespace(w={"a": BUFFER[2:4]}), BUFFER[3:]),
            ("`state.w['a']`", "`x`"),
        ),
        (write_global, (BUFFER[3:],), ("`GLOBAL`", "`x`")),
        (read_global, (BUFFER[3:],), ("`x`", "`GLOBAL`")),
    ],
)
def test_an_array_that_is_written_to_must_not_overlap_another(f, args, names):
    before = BUFFER.copy()
    with pytest.raises(ValueError, match="share memory") as info:
        myia.jit(f)(*args)
    written, other = names
    assert f"{written} and {other} share memory, and {written} is written to" in str(info.value)
    np.testing.assert_array_equal(BUFFER, before)


def test_arrays_that_interleave_do_not_overlap():
    x, want = np.arange(8.0), np.arange(8.0)
    F = myia.jit(write_first)
    assert F(x[::2], x[1::2]) == write_first(want[::2], want[1::2])
    np.testing.assert_array_equal(x, want)
    with pytest.raises(ValueError, match="share memory"):
        F(x[::2], x[2:6])


def test_the_overlap_of_many_arrays():
    arrays = [BUFFER[i : i + 1] for i in range(8)] * 4
    distinct = [np.zeros(3) for _ in range(40)]
    assert not list(overlapping_pairs(distinct, [*distinct, *arrays]))
    part = distinct[7][1:2]
    (pair,) = overlapping_pairs([*distinct[5:9]], [*distinct, *arrays, part])
    assert pair[0] is distinct[7] and pair[1] is part


# ----- One array


def write_corner(x):
    x[0, 1] = 50.0
    return x * 1


def windows(n):
    return sliding_window_view(np.zeros(n), 3, writeable=True)


def repeated(n):
    return as_strided(np.zeros(n), (n, n), (0, 8))


@pytest.mark.parametrize(
    "x",
    [
        as_strided(np.arange(5.0), (3, 3), (8, 8)),
        as_strided(np.arange(9.0), (3, 3), (8, 16)),
        windows(5),
        windows(6).T,
        repeated(3),
        as_strided(np.zeros(9), (2, 2), (8, 4)),  # elements overlap in part
    ],
)
def test_an_array_that_overlaps_itself_is_not_written_to(x):
    before = x.copy()
    F = myia.jit(write_corner)
    for argument in (x, {"a": [x]}):
        with pytest.raises(ValueError, match="has elements that share memory, and is written to"):
            (F if argument is x else myia.jit(lambda d: write_corner(d["a"][0])))(argument)
    np.testing.assert_array_equal(x, before)
    assert myia.jit(lambda x: x.sum())(x) == pytest.approx(x.sum())  # reading is fine
    want = before.copy()
    np.testing.assert_array_equal(F(before), write_corner(want))


@pytest.mark.parametrize(
    "x",
    [
        np.zeros((3, 4)),
        np.zeros((3, 4)).T,
        np.zeros((6, 4))[::2, ::-1],
        np.zeros((3, 1, 4)).transpose(2, 1, 0)[::2],
        as_strided(np.zeros(8), (3, 2), (16, 24)),  # 0 2 4, 3 5 7: they interleave
        as_strided(np.zeros(1), (1, 1), (0, 0)),
        np.zeros((0, 3)),
    ],
)
def test_arrays_that_do_not_overlap_themselves(x):
    assert not overlaps_itself(x)


# ----- Read-only arrays


def write_both(a, b, c):
    a[0] = 1.0
    if c > 0:
        b["x"][1] = 2.0
    return a.sum() + b["x"].sum()


def test_a_read_only_array_is_found_before_anything_is_written():
    a, b = np.zeros(3), {"x": np.zeros(2)}
    b["x"].flags.writeable = False
    F = myia.jit(write_both)
    with pytest.raises(ValueError, match=r"assignment destination is read-only: `b\['x'\]`"):
        F(a, b, 1.0)
    np.testing.assert_array_equal(a, np.zeros(3))
    assert F(a, b, -1.0) == 1.0  # the path that writes is not taken
    np.testing.assert_array_equal(a, [1.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="read-only: `x`"):
        myia.jit(write_corner)(np.broadcast_to(1.0, (2, 2)))


# ----- Memory


def write_three(x):
    x[3] = 5.0
    x[x.shape[0] // 2] = 6.0
    x[-1] = 7.0


def scale_in_place(x):
    x *= 2.0


def write_buffer(v):
    LARGE[2] = v
    return LARGE[1]


LARGE = np.zeros(1_000_000)


@pytest.mark.parametrize(
    "f, args",
    [
        (write_three, (np.ones(1_000_000),)),
        (scale_in_place, (np.ones(1_000_000),)),
        (lambda d: write_three(d["x"]), ({"x": np.ones(1_000_000)},)),
        (lambda s, x: write_three(x) or s * x[3], (2.0, np.ones(1_000_000))),
        (write_buffer, (2.0,)),
    ],
    ids=["elements", "whole", "in_dict", "with_numbers", "global"],
)
def test_a_write_costs_one_copy_of_the_array(f, args):
    size = 8 * 1_000_000
    F = myia.jit(f)
    for _ in range(2):  # compiles, then makes the shortcut
        F(*args)
    used = F.lower(*args).compile().memory_analysis()
    buffers = used.argument_size_in_bytes + used.output_size_in_bytes + used.temp_size_in_bytes
    assert buffers - used.alias_size_in_bytes < 1.01 * size
    tracemalloc.start()  # NumPy's memory
    F(*args)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.01 * size


def test_a_call_that_raises_leaves_the_array_as_it_was():
    def f(x, n):
        x[0] = 5.0
        x[n] = 1.0

    for x in (np.zeros(10_000), np.zeros(10_000)[:9_000]):
        F = myia.jit(f)
        with pytest.raises(IndexError):
            F(x, 20_000)
        assert not x.any()
        F(x, 3)
        assert x[0] == 5.0 and x[3] == 1.0


@pytest.mark.slow
def test_the_memory_of_a_process(tmp_path):
    """The peak above an array of 400 MB, three elements of which are written."""
    program = """
        import numpy as np, myia

        def peak():
            lines = open("/proc/self/status").read().splitlines()
            return next(int(x.split()[1]) / 1024 for x in lines if x.startswith("VmHWM"))

        def f(x):
            x[3] = 5.0
            x[-1] = 7.0

        x = np.ones(50_000_000)
        F = myia.jit(f)
        F.lower(x).compile()
        open("/proc/self/clear_refs", "w").write("5")
        before = peak()
        F(x)
        assert x[3] == 5.0
        print((peak() - before) / 400)
    """
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(program))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    found = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, check=True, env=environment
    )
    assert float(found.stdout) < 1.1
