"""`numpy.linalg` and `numpy.fft`: see `numpy_samples`."""

from __future__ import annotations

import numpy as np

from tests.library.samples.numpy_cases import sample
from tests.library.samples.numpy_samples import V, W, X, value

LINALG = "f8 f4 i8 c16"


def matrices(dtypes: str = LINALG, shape: tuple[int, ...] = (3, 3)) -> list[np.ndarray]:
    """Well-conditioned matrices, one of each dtype, and a stack of them."""
    one = np.eye(shape[-1], dtype=int)[: shape[-2]] * 4
    found = [sample(shape, d) + one.astype(d) for d in dtypes.split()]
    return [*found, np.stack([found[0], 2 * found[0]])]


def positive(dtypes: str = LINALG) -> list[np.ndarray]:
    return [m @ np.swapaxes(m, -1, -2).conj() for m in matrices(dtypes)]


for _m in matrices():
    _rtol = 1e-4 if _m.dtype == np.float32 else 1e-9
    for _name in ("inv", "det", "pinv", "slogdet", "svdvals", "cond", "matrix_rank"):
        value(f"linalg.{_name}", _m, rtol=_rtol)
    value("linalg.inv", _m[..., :2])
    value("linalg.det", _m[..., :2])
    for _n in (0, 1, 3, -1, -2):
        value("linalg.matrix_power", _m, _n, rtol=_rtol)
    value("linalg.solve", _m, V, rtol=_rtol) if _m.ndim == 2 else None
    value("linalg.solve", _m, X.T, rtol=_rtol)
    for _order in (None, 1, -1, "fro", 2, -2, "nuc"):
        # NumPy 2.2 gives a complex number for a complex matrix.
        value("linalg.cond", _m, _order, by=lambda m, p: np.linalg.cond(m, p).real, rtol=_rtol)
    for _order in (1, -1, "fro", 2, -2, "nuc"):
        value("linalg.matrix_norm", _m, ord=_order, rtol=_rtol)
        value("linalg.norm", _m, _order, (-2, -1), rtol=_rtol)
        value("linalg.norm", _m, _order, (-2, -1), True, rtol=_rtol)
    value("linalg.norm", _m, by=lambda m: np.linalg.norm(m, np.inf, (0, -1)), rtol=_rtol)
    value("linalg.cond", _m, by=lambda m: np.linalg.cond(m, -np.inf).real, rtol=_rtol)
    value("linalg.matrix_norm", _m, by=lambda m: np.linalg.matrix_norm(m, ord=-np.inf), rtol=_rtol)
    value("linalg.vector_norm", _m, by=lambda m: np.linalg.vector_norm(m, ord=np.inf), rtol=_rtol)
    value("linalg.vector_norm", _m, by=lambda m: np.linalg.vector_norm(m, ord=2.5), rtol=_rtol)
    for _order in (0, 1, -1, 2, 3):
        value("linalg.vector_norm", _m, ord=_order, axis=-1, keepdims=True, rtol=_rtol)
        value("linalg.vector_norm", _m, ord=_order, rtol=_rtol)
    value("linalg.diagonal", _m, offset=1)
    value("linalg.trace", _m, offset=-1, rtol=1e-6)
    value("linalg.matrix_transpose", _m)
    value("linalg.matmul", _m, V, rtol=1e-6)
    value("linalg.tensordot", _m, _m.copy(), axes=1, rtol=1e-6)
    for _mode in ("reduced", "complete", "r"):
        value("linalg.qr", _m, _mode, rtol=_rtol)
        value("linalg.qr", _m[..., :2], _mode, rtol=_rtol)
value("linalg.pinv", X, rtol=1e-9)
value("linalg.pinv", X.T, 0.3, rtol=1e-9)
value("linalg.matrix_rank", np.ones((3, 4)))
value("linalg.slogdet", -np.eye(3))
for _m in positive():
    _rtol = 1e-4 if _m.dtype == np.float32 else 1e-9
    for _options in ({}, {"upper": True}):
        value("linalg.cholesky", _m, rtol=_rtol, **_options)
    value("linalg.eigvalsh", _m, rtol=_rtol)
    value("linalg.eigvalsh", _m, "U", rtol=_rtol)
# One triangle is read, whatever the other holds.
for _m in (m + np.triu(np.ones((3, 3)), 1) for m in positive("f8 c16")):
    value("linalg.cholesky", _m, rtol=1e-9)
    value("linalg.cholesky", _m, upper=True, rtol=1e-9)
    value("linalg.eigh", _m, rtol=1e-9, by=lambda m: np.linalg.eigh(m).eigenvalues)
    value("linalg.eigvalsh", _m, rtol=1e-9)
    value("linalg.eigvalsh", _m, "u", rtol=1e-9)
    value("linalg.svd", _m, rtol=1e-9, by=lambda m: np.linalg.svd(m, hermitian=True).S)
    value("linalg.pinv", _m, hermitian=True, rtol=1e-9)
    value("linalg.matrix_rank", _m, hermitian=True)
value("linalg.eigvals", np.array([[1.0, -2], [3, 1]]), rtol=1e-9)
for _a, _b in ((X.T, V), (X.T, X.T), (X, V[:2]), (X.T.astype("f4"), V.astype("f4"))):
    value("linalg.lstsq", _a, _b, rtol=1e-4 if _a.dtype == np.float32 else 1e-9)
value("linalg.lstsq", X.T, V, -1, rtol=1e-9)
value("linalg.multi_dot", [X, X.T, X], rtol=1e-9)
value("linalg.multi_dot", [V, X.T, X, V], rtol=1e-9)
value("linalg.outer", V, W)
value("linalg.vecdot", X, V)
value("linalg.cross", X, V)
_t = sample((2, 3, 6)) + np.eye(6).reshape(2, 3, 6)
value("linalg.tensorsolve", _t, X, rtol=1e-9)
value("linalg.tensorinv", _t.reshape(2, 3, 3, 2), rtol=1e-9)
value("linalg.tensorinv", _t.reshape(6, 3, 2), ind=1, rtol=1e-9)

# ----- Fourier transforms

for _x in (sample((6,)), sample((2, 5)), sample((6,), "c16"), np.arange(6), sample((6,), "f4")):
    _rtol = 1e-5 if _x.dtype == np.float32 else 1e-11
    _names = ["fft", "ifft", "irfft", "hfft"] + ["rfft", "ihfft"] * (_x.dtype.kind != "c")
    for _name in _names:
        for _args in ((), (4,), (9,)):
            value(f"fft.{_name}", _x, *_args, rtol=_rtol)
        for _norm in ("ortho", "forward", "backward"):
            value(f"fft.{_name}", _x, norm=_norm, rtol=_rtol)
        value(f"fft.{_name}", _x, axis=0, rtol=_rtol)
for _x in (sample((4, 6)), sample((4, 6), "c16"), sample((2, 4, 3), "f4")):
    _rtol = 1e-5 if _x.dtype == np.float32 else 1e-11
    for _name in ["fft", "ifft", "irfft"] + ["rfft"] * (_x.dtype.kind != "c"):
        for _options in ({}, {"s": (3, 5)}, {"axes": (1, 0)}, {"norm": "ortho"}):
            value(f"fft.{_name}2", _x, rtol=_rtol, **_options)
            value(f"fft.{_name}n", _x, rtol=_rtol, **{"axes": (0, 1), **_options})
for _x in (np.arange(5), X):
    for _name in ("fftshift", "ifftshift"):
        value(f"fft.{_name}", _x)
        value(f"fft.{_name}", _x, axes=0)
