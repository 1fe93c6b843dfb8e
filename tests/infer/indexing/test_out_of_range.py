"""Arrays of indices out of range: the error names the first, the axis and its size, as NumPy's."""

import numpy as np
import pytest

import myia

READS = {
    "one array": lambda x, a, i: x[np.array([0, 5, 7]) + i],
    "known": lambda x, a, i: a[[0, 1], [2, -5]],
    "two arrays": lambda x, a, i: a[np.array([0, 1]) + i, np.array([2, -5]) + i],
    "both": lambda x, a, i: a[np.array([0, 3]) + i, np.array([2, -5]) + i],
    "beside a slice": lambda x, a, i: a[:, np.array([0, 7]) + i],
    "beside an int": lambda x, a, i: a[1, np.array([7]) + i],
    "the int": lambda x, a, i: a[np.array([1]), 5 + i],
    "of two dimensions": lambda x, a, i: x[np.array([[0, 1], [-9, 4]]) + i],
    "of a run-time size": lambda x, a, i: x[np.arange(3)[x >= 0] * 2 + i],
    "of what a mask chooses": lambda x, a, i: x[x > 0][np.array([0, 2]) + i],
    "beside a mask": lambda x, a, i: a[x[:2] >= 0, np.array([0, 5]) + i],
    "take": lambda x, a, i: np.take(a, np.array([0, 4]) + i, axis=1),
    "take of all": lambda x, a, i: np.take(a, np.array([0, 40]) + i),
    "take_along_axis": lambda x, a, i: np.take_along_axis(a, np.array([[0, 9], [1, 1]]) + i, 1),
    "put": lambda x, a, i: np.put(x, np.array([1, 9]) + i, 1.0),
    "add.at": lambda x, a, i: np.add.at(x, np.array([1, 9]) + i, 1.0),
    "put_along_axis": lambda x, a, i: np.put_along_axis(a, np.array([[0, 9]]) + i, 1.0, 1),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_names_index_axis_and_size(read):
    args = np.arange(3.0), np.arange(6.0).reshape(2, 3), 0
    with pytest.raises(IndexError) as wanted:
        read(*args)
    with pytest.raises(IndexError) as found:
        myia.jit(read)(*args)
    assert str(found.value).partition("\n")[0] == str(wanted.value)


def test_empty_lists_are_indices():
    def f(x):
        x[[]] = 7.0
        return x[[]], np.sum(x[1:][[]])

    items, total = myia.jit(f)(np.arange(3.0))
    assert items.shape == (0,) and total == 0.0
