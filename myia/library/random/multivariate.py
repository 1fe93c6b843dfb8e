"""Multivariate normal samples: normal numbers times a factor of the covariance.

NumPy's default factor is that of the singular value decomposition, of which the signs, and the
vectors of equal values, are LAPACK's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

INVALID = "covariance is not symmetric positive-semidefinite."


def draw_multivariate_normal(rng: Any, mean: Any, factor: Any, size: Any) -> Any:
    mean = np.asarray(mean, np.float64)
    if mean.ndim != 1:
        raise ValueError("mean must be 1 dimensional")
    if len(mean) != len(factor):
        raise ValueError("mean and cov must have same length")
    given = () if size is None else size if isinstance(size, (tuple, list)) else (size,)
    z = rng.standard_normal((*given, len(mean)))
    return mean + z @ factor.T


def covariance(cov: Any) -> Any:
    cov = np.asarray(cov, np.float64)
    if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
        raise ValueError("cov must be 2 dimensional and square")
    return cov


def factor_of(cov: Any, method: Any, check_valid: Any, tol: Any) -> Any:
    """What standard normal numbers are multiplied by, as a `Generator` makes it."""
    if method not in ("eigh", "svd", "cholesky"):
        raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
    cov = covariance(cov)
    check_name(check_valid)
    if method == "cholesky":
        return np.linalg.cholesky(cov)
    if method == "eigh":
        values, u = np.linalg.eigh(cov)
        if check_valid == "raise" and np.any(values < -tol):
            raise ValueError(INVALID)
        return u * np.sqrt(np.abs(values))
    u, values, v = np.linalg.svd(cov)
    check_svd(cov, values, v, check_valid, tol)
    return u * np.sqrt(values)


def legacy_factor_of(cov: Any, check_valid: Any, tol: Any) -> Any:
    """The same for a `RandomState`."""
    cov = covariance(cov)
    check_name(check_valid)
    _, values, v = np.linalg.svd(cov)
    check_svd(cov, values, v, check_valid, tol)
    return v.T * np.sqrt(values)


def check_name(check_valid: Any) -> None:
    if check_valid not in ("warn", "raise", "ignore"):
        raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")


def check_svd(cov: Any, values: Any, v: Any, check_valid: Any, tol: Any) -> None:
    if check_valid == "raise" and not np.allclose((v.T * values) @ v, cov, rtol=tol, atol=tol):
        raise ValueError(INVALID)
