"""A scientific script: a configuration in a dict, f-strings in a log, results in a dict."""

import logging
from collections import defaultdict

import numpy as np

log = logging.getLogger(__name__)

CONFIG = {
    "n_lat": 18,
    "dt": 0.05,
    "t_max": 3.0,
    "diffusion": 0.44,
    "insolation": {"S0": 340.0, "s2": -0.48},
    "albedo": {"ice": 0.62, "land": 0.3, "threshold": -2.0},
    "olr": {"A": 203.3, "B": 2.09},
    "log_every": 20,
    "scheme": "rk4",
}


def merged(config, overrides):
    result = dict(config)
    for key, value in overrides.items():
        result[key] = {**config[key], **value} if isinstance(value, dict) else value
    return result


def legendre2(x):
    return 0.5 * (3 * x**2 - 1)


def albedo(T, p):
    return np.where(T < p["threshold"], p["ice"], p["land"])


def tendency(T, x, cfg):
    S = cfg["insolation"]["S0"] * (1 + cfg["insolation"]["s2"] * legendre2(x))
    absorbed = S * (1 - albedo(T, cfg["albedo"]))
    emitted = cfg["olr"]["A"] + cfg["olr"]["B"] * T
    edges = 0.5 * (x[1:] + x[:-1])
    flux = np.zeros(len(x) + 1)
    flux[1:-1] = cfg["diffusion"] * (1 - edges**2) * np.diff(T) / np.diff(x)
    return (absorbed - emitted + np.diff(flux) / (x[1] - x[0])) / 10.0


def euler(f, T, dt):
    return T + dt * f(T)


def rk4(f, T, dt):
    k1 = f(T)
    k2 = f(T + 0.5 * dt * k1)
    k3 = f(T + 0.5 * dt * k2)
    k4 = f(T + dt * k3)
    return T + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


SCHEMES = {"euler": euler, "rk4": rk4}


def run(T0, overrides):
    cfg = merged(CONFIG, overrides)
    try:
        step = SCHEMES[cfg["scheme"]]
    except KeyError as e:
        raise ValueError(f"unknown scheme {cfg['scheme']!r}") from e
    x = np.linspace(-1, 1, cfg["n_lat"])
    T = T0 + 25.0 * (1 - x**2) - 10.0
    history = defaultdict(list)
    n_steps = int(round(cfg["t_max"] / cfg["dt"]))
    for n in range(n_steps):
        T = step(lambda T: tendency(T, x, cfg), T, cfg["dt"])
        if n % cfg["log_every"] == 0:
            history["mean"].append(T.mean())
            history["range"].append(np.ptp(T))
            log.info(f"step {n:4d}: mean {T.mean():7.3f}, ice {np.mean(T < -2.0):.1%}")
        if not np.all(np.isfinite(T)):
            raise FloatingPointError(f"diverged at step {n} with dt={cfg['dt']}")
    log.warning("done: %d steps, T between %.2f and %.2f", n_steps, T.min(), T.max())
    return {
        "T": T,
        "mean": np.array(history["mean"]),
        "contrast": float(np.mean(history["range"])),
        "config": cfg,
    }


def mean_temperature(T0, diffusion, olr_b):
    out = run(T0, {"diffusion": diffusion, "olr": {"B": olr_b}, "t_max": 0.5})
    return out["mean"][-1] + out["contrast"]
