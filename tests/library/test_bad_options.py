"""Bad options, shapes and types: where NumPy raises, compiled code raises the same."""

import linecache
import warnings

import numpy as np
import pytest

from myia.source.diagnostics import MyiaError
from tests.infer.driver import run

# Calls that NumPy refuses (a few it does not); x is a vector, A is 2 by 3, S is the unit matrix.
CALLS = """
searchsorted(x, 2.0, side="middle")
searchsorted(x, 2.0, side=3)
meshgrid(x, x, indexing="zz")
sort(x, kind="foo")
argsort(x, kind="foo")
quantile(x, 2.0)
quantile(x, -0.1)
percentile(x, 101.0)
nanquantile(x, 2.0)
quantile(x, 0.5, method="foo")
histogram(x, bins=0)
histogram(x, bins=-1)
histogram(x, bins=[3,2,1])
histogram(x, bins="foo")
histogram(x, range=(2,1))
histogram_bin_edges(x, bins=0)
histogram2d(x, x, bins=0)
digitize(x, [1,3,2])
bincount(np.array([1,2]), minlength=-1)
bincount(np.array([-1,2]))
bincount(x)
piecewise(x, [x>0], [])
piecewise(x, [x>0], [1,2,3])
select([x>0], [x,x])
select([], [])
linalg.solve(A, x)
linalg.inv(A)
linalg.det(A)
linalg.cholesky(A)
linalg.eigh(A)
linalg.eigh(S, UPLO="Q")
linalg.matrix_power(A, 2)
linalg.norm(x, ord="foo")
linalg.norm(A, ord=5)
linalg.norm(A, ord="fro", axis=0)
linalg.qr(S, mode="foo")
linalg.lstsq(x, x)
vander(A)
maximum(x)
fft.fft(x, -1)
fft.fft(x, 0)
fft.fft(x, norm="foo")
concatenate(x, x)
concatenate([])
concatenate((x, A))
stack([])
stack([x, A])
stack([x,x], axis=5)
vstack([x, A[0,:2]])
hstack([A, x])
split(x, 2)
split(x, 0)
array_split(x, 0)
pad(x, 1, mode="foo")
pad(x, -1)
pad(x, (1,2,3))
clip(x)
take(x, [5])
take(x, [0], mode="foo")
take(x, 0, axis=2)
reshape(x, (2,2))
reshape(x, (2,-1))
reshape(x, (-1,-1))
reshape(x, (3,), order="Q")
ravel(x, order="Q")
transpose(A, (0,0))
transpose(A, (0,))
swapaxes(A, 0, 3)
moveaxis(A, 0, 3)
moveaxis(A, (0,1), (0,))
rollaxis(A, 5)
expand_dims(x, 4)
squeeze(A, axis=0)
broadcast_to(x, (2,))
broadcast_to(x, (2,-1))
tile(x, -1)
repeat(x, -1)
repeat(x, [1,2])
diff(x, n=-1)
diff(x, axis=2)
gradient(np.array([1.0]))
gradient(x, edge_order=3)
gradient(x, axis=3)
trapezoid(x, axis=2)
interp(1.0, [], [])
interp(1.0, [1.,2.], [1.])
linspace(0, 1, -1)
linspace(0, 1, 2.5)
logspace(0, 1, -1)
geomspace(0, 1, 3)
arange(0, 1, 0)
zeros(-1)
zeros((2,-1))
zeros(2.5)
zeros("a")
eye(-1)
eye(2.5)
full((2,), [1,2,3])
diag(np.ones((2,2,2)))
diagonal(x)
trace(x)
tril(1.0)
kron(x, "a")
cross(np.ones(4), np.ones(4))
dot(A, A)
matmul(A, A)
inner(A, x[:2])
outer(x)
tensordot(A, A, axes=1)
tensordot(A, A, axes=([0],[0,1]))
einsum("ij,jk", A, A)
einsum("ij->k", A)
einsum("i", A)
sum(x, axis=1)
sum(x, axis=(0,0))
sum(x, axis=1.0)
mean(x, axis="a")
cumsum(A, axis=2)
average(x, weights=[1,2])
average(x, weights=[0.,0.,0.])
argmax(np.array([]))
max(np.array([]))
min(np.zeros((0,2)), axis=0)
median(x, axis=3)
ptp(np.array([]))
round(x, "a")
where(x>0, x)
insert(x, 5, 1.0)
delete(x, 5)
partition(x, 5)
argpartition(x, 5)
unravel_index(7, (2,3))
ravel_multi_index((3,0), (2,3))
ravel_multi_index((1,0), (2,3), mode="foo")
convolve(x, [])
convolve(x, x, mode="foo")
correlate(x, x, mode="foo")
polyfit(x, x, -1)
polyval([], 1.0)
roots(A)
poly(A)
cov(x, ddof=1.5)
corrcoef(x, rowvar="a")
rot90(x)
rot90(A, axes=(0,0))
flip(x, 2)
apply_along_axis(np.sum, 3, x)
lexsort(())
logical_and(x)
ldexp(x, 1.5)
left_shift(x, 1)
bitwise_and(x, 1)
gcd(x, 2)
power(np.array([2]), -1)
fmod(1j, 2)
floor(1j)
array([[1,2],[3]])
array([1,2], dtype="foo")
array("a", dtype=float)
asarray(x, dtype="zz")
astype(x, "zz")
hanning(-1)
kaiser(3, "a")
i0("a")
unwrap(x, axis=3)
ediff1d(x, to_end="a")
trim_zeros(x, "q")
block([[A],[x]])
column_stack((x, A))
dstack((x, A))
nansum(x, axis=4)
std(x, ddof="a")
var(x, axis=9)
count_nonzero(x, axis=3)
packbits(np.array([1,0]), bitorder="foo")
trim_zeros(x, trim="fz")
cbrt(1j)
""".strip().splitlines()

KINDS = (TypeError, ZeroDivisionError, np.linalg.LinAlgError, IndexError, ValueError)


def called(call):
    name = f"<bad option: {call}>"
    text = f"f = lambda x, A, S: np.{call}\n"
    linecache.cache[name] = (len(text), None, [text], name)
    space = {"np": np}
    exec(compile(text, name, "exec"), space)
    return space["f"]


def outcome(evaluate, f):
    x, A, S = np.array([1.0, 3.0, 2.0]), np.arange(6.0).reshape(2, 3), np.eye(3)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return evaluate(f, x, A, S)
    except Exception as e:
        return e


@pytest.mark.parametrize("call", CALLS)
def test_as_numpy_raises(call):
    f = called(call)
    want = outcome(lambda f, *args: f(*args), f)
    got = outcome(run, f)
    if not isinstance(want, Exception):
        assert not isinstance(got, Exception), got
        return
    kind = next(kind for kind in KINDS if isinstance(want, kind))
    refused = isinstance(got, MyiaError) and "not supported" in str(got)
    assert isinstance(got, kind) or refused, f"{got!r} for {want!r}"


SILENT_ONCE = (
    "searchsorted(x, 2.0, side='middle')",
    "meshgrid(x, x, indexing='zz')",
    "sort(x, kind='foo')",
    "quantile(x, 2.0)",
    "percentile(x, -1.0)",
    "histogram(x, bins=0)",
    "histogram(x, bins=[3, 2, 1])",
    "piecewise(x, [x > 0], [])",
    "partition(x, 5)",
    "gradient(x, axis=3)",
    "linalg.matrix_power(A, 2)",
)


@pytest.mark.parametrize("call", SILENT_ONCE)
def test_no_result(call):
    want, got = outcome(lambda f, *args: f(*args), called(call)), outcome(run, called(call))
    assert isinstance(got, MyiaError | RuntimeError | ValueError)
    assert isinstance(got, next(kind for kind in KINDS if isinstance(want, kind)))


def test_numpys_text():
    def f(a, b):
        return np.linalg.solve(a, b)

    with pytest.raises(np.linalg.LinAlgError, match="must be square"):
        run(f, np.ones((2, 3)), np.ones(2))
    with pytest.raises(ValueError, match="FFT data points"):
        run(lambda x: np.fft.fft(x, -1), np.ones(3))
    with pytest.raises(ValueError, match="one-dimensional"):
        run(lambda x: np.vander(x), np.ones((2, 2)))


def test_the_order_of_the_norm_of_a_matrix_is_a_compile_time_value():
    with pytest.raises(MyiaError, match="the order of the norm of a matrix must be known"):
        run(lambda a, x: np.linalg.norm(a, x.sum()), np.ones((2, 3)), np.ones(2))


def test_run_time_options_are_not_asked():
    def f(x, q, k):
        return np.quantile(x, q), np.searchsorted(x, q), np.percentile(x, 50 * q)

    x = np.array([1.0, 2.0, 5.0])
    np.testing.assert_allclose(run(f, x, 0.5, 1), f(x, 0.5, 1), rtol=1e-12)
