"""Signal processing: filters, spectra, peaks, and a detector with hysteresis."""

import numpy as np


def butter_lowpass(cutoff, fs):
    """Coefficients of a filter of second order."""
    k = np.tan(np.pi * cutoff / fs)
    norm = 1 / (1 + np.sqrt(2) * k + k * k)
    b = np.array([k * k * norm, 2 * k * k * norm, k * k * norm])
    a = np.array([1.0, 2 * (k * k - 1) * norm, (1 - np.sqrt(2) * k + k * k) * norm])
    return b, a


def lfilter(b, a, x):
    y = np.zeros_like(x)
    z = np.zeros(len(b))
    for n, sample in enumerate(x):
        y[n] = b[0] * sample + z[0]
        for k in range(1, len(b)):
            z[k - 1] = b[k] * sample - a[k] * y[n] + z[k]
    return y


def filtfilt(b, a, x):
    return lfilter(b, a, lfilter(b, a, x)[::-1])[::-1]


def stft(x, size=16, hop=8):
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)
    frames = [x[i : i + size] * window for i in range(0, len(x) - size + 1, hop)]
    return np.array([np.fft.rfft(frame) for frame in frames]).T


def spectral_centroid(x, fs):
    power = np.abs(stft(x)) ** 2
    freqs = np.fft.rfftfreq(16, 1 / fs)
    return (freqs[:, None] * power).sum(axis=0) / (power.sum(axis=0) + 1e-12)


def find_peaks(x, height=None, distance=1):
    peaks = [i for i in range(1, len(x) - 1) if x[i - 1] < x[i] >= x[i + 1]]
    if height is not None:
        peaks = [i for i in peaks if x[i] >= height]
    kept = []
    for i in sorted(peaks, key=lambda i: -x[i]):
        if all(abs(i - j) >= distance for j in kept):
            kept.append(i)
    return sorted(kept)


def detect(x, on, off):
    """Where events begin and end."""
    active, start, events = False, 0, []
    for n, level in enumerate(np.abs(x)):
        if not active and level > on:
            active, start = True, n
        elif active and level < off:
            active = False
            events.append((start, n, np.max(x[start:n])))
    if active:
        events.append((start, len(x), np.max(x[start:])))
    return events


class AGC:
    """An automatic gain control that is called sample by sample."""

    def __init__(self, target, rate):
        self.target, self.rate = target, rate
        self.gain = 1.0

    def __call__(self, sample):
        out = self.gain * sample
        self.gain *= 1 + self.rate * (self.target - abs(out))
        self.gain = min(max(self.gain, 0.1), 10.0)
        return out


def level(x, target, rate):
    agc = AGC(target, rate)
    return np.array([agc(sample) for sample in x])


def analyse(x, fs=100.0):
    b, a = butter_lowpass(12.0, fs)
    smooth = filtfilt(b, a, x)
    rms = np.sqrt(np.mean(smooth**2))
    return {
        "smooth": smooth,
        "rms": rms,
        "centroid": spectral_centroid(smooth, fs),
        "peaks": find_peaks(smooth, height=0.5 * rms, distance=3),
        "events": detect(smooth, rms, 0.5 * rms),
        "levelled": level(smooth, 0.5, 0.1),
        "crossings": np.where(np.diff(np.sign(smooth)) != 0)[0],
    }


def brightness(x, fs, cutoff):
    smooth = filtfilt(*butter_lowpass(cutoff, fs), x)
    return np.mean(spectral_centroid(smooth, fs)) + np.sum(level(smooth, 0.5, 0.1) ** 2)
