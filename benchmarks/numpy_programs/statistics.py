"""Statistics and special functions of samples."""

import numpy as np
from scipy import special, stats


def arguments(rng):
    """float64[200], float64[200] of positive numbers."""
    return rng.standard_normal(200), rng.uniform(0.5, 2.0, 200)


def program(x, y):
    a = np.cov(x, y)[0, 1] + np.corrcoef(x, y)[0, 1] + np.average(x, weights=y)
    b = np.median(x) + np.percentile(y, 30.0) + np.quantile(x, 0.8) + np.ptp(y)
    c = np.nanmean(x) + np.nanstd(y) + np.nansum(x) + np.nanmax(y)
    d = np.interp(x, np.sort(y), y) + np.gradient(y)
    e = np.convolve(x, y[:9], "same") + np.correlate(y, x[:9], "same")
    f = np.cumprod(1 + 0.001 * x) + np.trapezoid(y) + np.unwrap(x)
    g = special.erf(x) + special.gammaln(y) + special.digamma(y) + special.expit(x)
    h = special.xlogy(y, y) + special.entr(y) + special.ndtr(x) + special.log_ndtr(x)
    i = special.betainc(2.0, 3.0, special.expit(d)) + special.gammainc(y, y + 1)
    j = special.logsumexp(x) + np.sum(stats.norm.logpdf(x) + special.i0(y))
    spectrum = np.fft.rfft(e + f + g + h + i)
    return a + b + c + j + np.sum(np.real(spectrum * np.conj(spectrum)))
