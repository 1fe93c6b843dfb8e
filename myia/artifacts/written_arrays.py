"""Arrays that a program writes to: they share no memory, with others or within themselves."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

# Of NumPy's search for a shared element; where it finds no answer, there may be one. (NumPy's own
# types know no other limits than 0 and -1.)
MAX_WORK: Any = 10**6
FEW_PAIRS = 64

READ_ONLY = "assignment destination is read-only: {}"

Pairs = Iterable[tuple[np.ndarray, np.ndarray]]


def refuse_overlaps(
    written: Sequence[np.ndarray],
    arrays: Sequence[np.ndarray],
    name_of: Callable[[np.ndarray], str],
    others: Pairs = (),
) -> None:
    """ValueError if one that is written to overlaps itself or another of `arrays`.

    `others`: further pairs that share memory, which their addresses do not tell.
    """
    for x in written:
        if x.flags.writeable and overlaps_itself(x):
            raise ValueError(
                f"{name_of(x)} has elements that share memory, and is written to: pass a copy"
            )
    for x, y in itertools.chain(overlapping_pairs(written, arrays), others):
        a, b = name_of(x), name_of(y)
        raise ValueError(f"{a} and {b} share memory, and {a} is written to: pass copies")


def would_change_read_only(x: np.ndarray, new: Any) -> bool:
    """Would these elements change a read-only array? It may be written to on another path."""
    return not x.flags.writeable and not np.array_equal(x, np.asarray(new), equal_nan=True)


def overlapping_pairs(
    written: Sequence[np.ndarray], arrays: Sequence[np.ndarray]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """An array that is written to and another of `arrays` that has an element of it."""
    few = len(written) * len(arrays) <= FEW_PAIRS
    for x, y in itertools.product(written, arrays) if few else _near_pairs(written, arrays):
        if x is not y and np.may_share_memory(x, y) and _share_memory(x, y):
            yield x, y


def _near_pairs(
    written: Sequence[np.ndarray], arrays: Sequence[np.ndarray]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The pairs whose ranges of addresses overlap."""
    is_written = {id(x) for x in written}
    spans = sorted(((*np.lib.array_utils.byte_bounds(x), i) for i, x in enumerate(arrays)))
    for k, (_, end, i) in enumerate(spans):
        for start, _, j in itertools.islice(spans, k + 1, None):
            if start >= end:
                break
            if id(arrays[i]) in is_written:
                yield arrays[i], arrays[j]
            elif id(arrays[j]) in is_written:
                yield arrays[j], arrays[i]


def _share_memory(x: np.ndarray, y: np.ndarray) -> bool:
    try:
        return np.shares_memory(x, y, max_work=MAX_WORK)
    except np.exceptions.TooHardError:
        return True


def overlaps_itself(x: np.ndarray) -> bool:
    """Do two elements of an array share memory, as windows and broadcast axes do?"""
    if x.flags.c_contiguous or x.flags.f_contiguous or not x.size:
        return False
    axes = sorted((abs(stride), n) for stride, n in zip(x.strides, x.shape) if n > 1)
    length = x.itemsize  # of the axes so far
    for stride, n in axes:
        if stride < length:
            break
        length += stride * (n - 1)
    else:
        return False  # each axis steps over all elements of those before it
    starts = np.zeros(1, np.int64)
    for stride, n in axes:
        starts = np.add.outer(starts, stride * np.arange(n)).ravel()
    return bool(np.any(np.diff(np.sort(starts)) < x.itemsize))
