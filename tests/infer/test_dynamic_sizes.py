"""Arrays whose size is known only at run time, against NumPy: what is taken, stored, refused."""

import math

import numpy as np
import pytest

import myia
from tests.infer.driver import assert_same, inferred, run

A = np.array([1.0, -2.0, 3.0, 4.0])
M = np.arange(12.0).reshape(3, 4) - 4.5
ENDS = (-6, -2, 0, 1, 3, 4, 7)


def both(f, *args, rtol=None):
    """The same from Python and from us, and the same done to the arguments."""
    ours = [np.copy(x) if isinstance(x, np.ndarray) else x for x in args]
    theirs = [np.copy(x) if isinstance(x, np.ndarray) else x for x in args]
    with np.errstate(all="ignore"):
        wanted = f(*theirs)
    assert_same(run(f, *ours), wanted, rtol)
    assert_same(ours, theirs)


# ----- Slices: all ends


def all_slices(a, x, y):
    i, j = int(x), int(y)
    w = a * 10
    return (
        (np.sum(w[i:j]), len(w[i:j])),
        (np.sum(w[i:]), len(w[:j])),
        (np.sum(w[j:i:-1]), len(w[i:j:-1])),
        (np.sum(w[i::-1]), np.sum(w[:j:-1])),
        (np.sum(w[i:j:2]), len(w[j:i:-2])),
        (np.sum(w[1:i]), np.sum(w[i:-1])),
        (np.sum(w[i:][:j]), np.sum(w[:i][j:])),
        (np.sum(w[:i][::-1][:j]), np.sum(np.flip(w[i:j])[1:])),
        (np.cumsum(w[i:j]).sum(), np.sort(w[i:]).size),
        (w[i:j].any(), w[i:j].all(), np.count_nonzero(w[:i] > 0)),
    )


def slices_written(a, b, x, y):
    i, j = int(x), int(y)
    a[i:j] = 5.0
    b[j:i:-1] += a[j:i:-1]
    a[i::2] *= 2.0
    v = b[:i]
    v[1:] -= 1.0
    v *= 3.0
    return np.sum(v), len(v)


def blocks(m, x, y):
    i, j = int(x), int(y)
    p = m[:i, j:]
    return p.sum(), p.shape, p.size, p.T.sum(), (p * p).mean(axis=0).sum(), np.prod(p)


def beside_other_subscripts(m, rows, x):
    i = int(x)
    taken = [m[rows, i::2], m[rows, :i:-2], m[m[:, 0] > -3, i::-2], m[:i][rows[:1] * 0, 1::2]]
    m[rows, i::-2] = 7.0
    m[m[:, 1] > 0, :i:3] *= 2.0
    return [t.sum() for t in taken]


@pytest.mark.parametrize("i", (1, 2, 3))
def test_slices_with_steps_beside_masks_and_arrays_of_integers(i):
    both(beside_other_subscripts, M, np.array([2, 0]), float(i))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # means of nothing
@pytest.mark.parametrize("i", ENDS)
def test_slices_with_all_ends(i):
    for j in ENDS:
        both(all_slices, A, float(i), float(j))
        both(slices_written, A, A[::-1].copy(), float(i), float(j))
        both(blocks, M, float(i), float(j), rtol=1e-14)


# ----- Functions


def joined(a, x):
    i = int(x)
    return np.concatenate([a[:i], [7.0], a[i:]]) * 2, np.concatenate((a[i:], a))[-1]


def without_one(a, x):
    s = x
    for i in range(len(a)):
        y = np.concatenate([a[:i], a[i + 1 :]])
        s = s * 0.5 + y @ y - y[0]
    return s


def python_functions(a, x):
    y = a[: int(x)]
    return max(y), min(y), sum(y), all(y), isinstance(y, np.ndarray), y.dtype == float, y.ndim


def masks(a, x):
    y = a[a > 0]
    z = y[::-1][: int(x)]
    y[0] += 1.0
    for v in y:
        x = x * 0.5 + v
    return y.sum(), z.size, x, y[y > 3].prod(), np.argsort(y)[0], np.diff(y).sum()


def empty(a, x):
    y = a[:0] if x > 100 else a[len(a) :]
    z = a[: int(0 * x)]
    return np.sum(z), np.prod(z), len(z), np.mean(z), np.median(z), y.size, np.var(z), z.any()


def closeness(a, x):
    y = a[: int(x)]
    return np.allclose(y, y + 1e-12), np.isclose(y, 1.0).sum(), np.clip(y, -1, x).max()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("f", [joined, without_one, python_functions, masks, empty, closeness])
def test_functions(f):
    for x in (2.5, 1.5, 3.5):
        both(f, A, x, rtol=1e-14)


# ----- Control flow


def changed_in_a_branch(a, x):
    y = a[: int(x)].copy()
    if x > 2:
        y[0] = 7.0
    return y.sum()


def chosen_in_a_branch(a, x):
    i = int(x)
    y = a[:i] if x > 2 else a[1:i]
    z = a if x > 3 else a[a > 0]
    return y.sum(), len(y), z[-1], z.mean()


def packed_in_a_branch(a, x):
    y = a[a > 0]
    s = y[0] if x > 2 else y.sum()
    return s + y[-1]


def carried_by_a_loop(a, x):
    y = a[: int(x)] * 1.0
    for k in range(4):
        y += a[k]
        y[0] *= 0.5
    return y.sum()


def shrinks_in_a_loop(a, x):
    y = a[: int(x)] * 1.0
    n = 0.0
    while len(y) > 1 and n < x:
        y = y[1:] * 2.0
        n += 1
    return y.sum() + n


@pytest.mark.parametrize(
    "f",
    [
        changed_in_a_branch,
        chosen_in_a_branch,
        packed_in_a_branch,
        carried_by_a_loop,
        shrinks_in_a_loop,
    ],
)
def test_control_flow(f):
    for x in (1.5, 2.5, 3.5):
        both(f, A, x)


def sizes_known_when_unrolled(a, x):
    parts = []
    for k in range(3):
        y = a[: k + 1] * x
        parts.append(y)
    return y, parts[1], np.fft.fft(a[: k + 1]).real


def test_a_loop_is_unrolled_where_a_size_must_be_known():
    both(sizes_known_when_unrolled, A, 2.0, rtol=1e-14)


def triangle(m):
    s = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            s += m[i, :j] @ m[i, :j]
    return s


def test_a_loop_over_heads_stays_a_loop():
    def size(n):
        program, _ = inferred(triangle, np.ones((n, n)))
        return len(str(program.function))

    assert size(4) == pytest.approx(size(30), rel=0.1)
    both(triangle, M)


# ----- Errors at run time


def differing(a, x):
    return np.sum(a[: int(x)] + a[1 : int(x)])


def products_differ(a, x):
    return a[: int(x)] @ a


def stored_differs(a, x):
    a[: int(x)] = a[:2]
    return a


def masks_differ(a, x):
    a[a > 0] = a[: int(x)]
    return a


def beyond(a, x):
    return a[: int(x)][3]


def before(a, x):
    return a[: int(x)][-4]


def greatest_of_none(a, x):
    return a[: int(x)].max()


def index_in_none(a, x):
    return np.argmin(a[a > x * 100])


@pytest.mark.parametrize(
    ("f", "x", "error"),
    [
        (differing, 3.0, ValueError),
        (products_differ, 3.0, ValueError),
        (stored_differs, 3.0, ValueError),
        (masks_differ, 2.0, ValueError),
        (beyond, 3.0, IndexError),
        (before, 3.0, IndexError),
        (greatest_of_none, 0.0, ValueError),
        (index_in_none, 3.0, ValueError),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_errors_are_those_of_numpy(f, x, error):
    for call in (f, lambda *args: run(f, *args)):
        with pytest.raises(error):
            call(A.copy(), x)


def test_sizes_that_agree_are_no_errors():
    both(products_differ, A, 4.0)
    both(stored_differs, A, 2.0)
    both(masks_differ, A, 3.0)
    both(beyond, A, 4.0)


# ----- Derivatives: nothing comes from what is not there


def test_a_gradient_inside():
    def inner(a, x):
        y = a[: int(x)]

        def loss(w, s):
            return np.sum(w[: int(x)] ** 2) + np.sum(y * s)

        return myia.grad(loss, argnums=(0, 1))(a, 2.0)

    got = myia.jit(inner)(A, 2.5)
    np.testing.assert_allclose(got[0], [2.0, -4.0, 0.0, 0.0])
    assert got[1] == -1.0


def test_masked_elements_poison_nothing():
    """Where nothing is there the padding is 1: 1 / (1 - s) and log(1 - s) have no derivatives."""

    def loss(a, s, x):
        i = int(x)
        y = 1.0 / (a[:i] - s) + np.log(a[:i] - s) + np.sqrt(np.outer(a[:i], a) - s).sum(axis=1)
        return np.sum(y) + np.linalg.norm(a[:i]) + s * np.prod(a[:i])

    grad = myia.grad(loss, argnums=(0, 1))
    a = np.ones(3)
    got = grad(a, 1.0, 0.5)
    np.testing.assert_array_equal(got[0], np.zeros(3))
    assert got[1] == 1.0
    tail = np.array([4.0, math.nan, 0.0])

    def logs(a, x):
        return np.sum(np.log(a[: int(x)])) + np.sum(a[: int(x)] / a[: int(x)])

    np.testing.assert_array_equal(myia.grad(logs)(tail, 1.5), [0.25, 0.0, 0.0])


# ----- Searching in what is sorted


def searched(a, v, x, y):
    w = a[int(x) : int(y)]
    return np.searchsorted(w, v), np.searchsorted(w, v, side="right"), w.searchsorted(v)


SORTED = (
    np.array([-np.inf, 1.0, 2.0, 2.0, 3.0, np.inf, np.nan]),
    np.array([0, 1, 5, 5, 2**62]),
    np.array([0, 1, 255, 255], np.uint8),
    np.array([False, True, True]),
)


@pytest.mark.parametrize("a", SORTED, ids=lambda a: a.dtype.name)
@pytest.mark.parametrize(
    "v", [2, np.inf, np.nan, 300, True, np.arange(3), np.array([[1.0, np.nan], [5.0, np.inf]])]
)
def test_insertion_points_in_a_slice(a, v):
    for i, j in ((0, 0), (0, 2), (1, 3), (0, 9), (3, 2)):
        both(searched, a, v, float(i), float(j))


def inserted(x):
    """Sorted by insertion."""
    y = np.zeros(len(x))
    for i in range(len(x)):
        p = np.searchsorted(y[:i], x[i])
        y[p + 1 : i + 1] = y[p:i]
        y[p] = x[i]
    return y


def test_a_loop_that_searches_in_a_growing_slice_stays_a_loop():
    both(inserted, np.random.default_rng(0).normal(size=20))
    few, many = (len(str(inferred(inserted, np.ones(n))).splitlines()) for n in (20, 80))
    assert few == many


def test_a_search_for_the_numbers_of_a_slice():
    def places(a, v, n):
        return np.sum(np.searchsorted(a, v[: int(n)]) * v[: int(n)])

    for n in (0.0, 2.0, 9.0):
        both(places, SORTED[0], A, n)
