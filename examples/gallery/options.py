"""Prices and Greeks of options: an American put on a tree, its Greeks, its implied volatility.

A binomial tree (Cox, Ross, Rubinstein: J. Financial Economics 7, 1979) is walked backwards in one
array, in place; on 50 days of the year the holder may exercise. Delta, vega and rho are the
gradient of the loop; the implied volatility is the root that a `while` of Newton steps finds, each
of which takes the vega. The share whose put is priced is Google's, of the daily prices that
Matplotlib ships: its volatility is that of the year to 14 October 2008.

What makes it hard elsewhere: the array is overwritten at each level, which array libraries without
in-place writes turn into a copy a level; and each `if` of a node must be differentiated on the side
that was taken. Here it is the textbook's loop.

Checked: prices of American puts of Longstaff and Schwartz (Rev. Financial Studies 14, 2001, table
1), and the European put's price and Greeks, by the same tree, against the closed form.
"""

from __future__ import annotations

from math import exp, log, sqrt
from pathlib import Path

import numpy as np
from matplotlib.cbook import get_sample_data
from matplotlib.figure import Figure
from scipy.special import ndtr

import myia

NAMES = ("price", "delta", "vega", "rho")
STRIKE, YEARS, EXERCISES = 40.0, 1.0, 50
MARKET = {"spot": 36.0, "volatility": 0.2, "rate": 0.06}
PUBLISHED = {(36.0, 0.2): 4.478, (40.0, 0.2): 2.314, (44.0, 0.2): 1.110, (36.0, 0.4): 7.101}


def share() -> tuple[float, float]:
    """A share's last price, and its volatility over the last year."""
    prices = get_sample_data("goog.npz")["price_data"]["adj_close"][-253:]
    return prices[-1], np.std(np.diff(np.log(prices))) * sqrt(252)


# ----- The compiled functions


def black_scholes(market, american, steps, years=YEARS):
    """The closed form of the European put."""
    spot, volatility, rate = market["spot"], market["volatility"], market["rate"]
    deviation = volatility * sqrt(years)
    d = (log(spot / STRIKE) + rate * years) / deviation + 0.5 * deviation
    return STRIKE * exp(-rate * years) * ndtr(deviation - d) - spot * ndtr(-d)


def tree_price(market, american, steps):
    """The price of a put on a tree whose last level is the closed form, which has no kink."""
    dt = YEARS / steps
    up = exp(market["volatility"] * sqrt(dt))
    discount = exp(-market["rate"] * dt)
    p = (exp(market["rate"] * dt) - 1 / up) / (up - 1 / up)
    value = np.zeros(steps)
    for i in range(steps - 1, -1, -1):
        for j in range(i + 1):
            spot = market["spot"] * up ** (2 * j - i)
            if i == steps - 1:
                value[j] = black_scholes({**market, "spot": spot}, american, steps, dt)
            else:
                value[j] = discount * (p * value[j + 1] + (1 - p) * value[j])
            if american and i % (steps // EXERCISES) == 0:
                value[j] = max(value[j], STRIKE - spot)
    return value[0]


def greeks(price, market, american, steps):
    """Price, delta, vega, rho."""
    value, slopes = myia.value_and_grad(price)(market, american, steps)
    return value, slopes["spot"], slopes["volatility"], slopes["rate"]


def implied_volatility(target, market, american, steps):
    """The volatility at which the tree gives this price, and the number of Newton steps."""
    volatility, count = 0.5, 0
    while count < 50:
        at = {**market, "volatility": volatility}
        value, slopes = myia.value_and_grad(tree_price)(at, american, steps)
        if abs(value - target) < 1e-10:
            break
        volatility -= (value - target) / slopes["volatility"]
        count += 1
    return volatility, count


# ----- Checks and the picture


def plot(spots, rows, path):
    figure = Figure(figsize=(10, 3), layout="tight")
    for k, axes in enumerate(figure.subplots(1, 4)):
        for label, values in rows.items():
            axes.plot(spots, values[:, k], label=label)
        axes.set(title=NAMES[k], xlabel="spot")
    axes.legend()
    figure.savefig(path, dpi=120)


def main(folder: str = ".", quick: bool = False) -> dict[str, float]:
    """The largest errors: of American prices, of European Greeks, of the implied volatility."""
    steps, tolerance = (50, 0.02) if quick else (500, 0.005)
    run = myia.jit(greeks)
    american, european = np.bool_(True), np.bool_(False)
    prices = {}
    for (spot, volatility), published in PUBLISHED.items():
        at = {"spot": spot, "volatility": volatility, "rate": 0.06}
        prices[spot, volatility] = run(tree_price, at, american, steps)[0]
        print(f"American put at {spot}, {volatility}: {prices[spot, volatility]:.3f}", end="   ")
        print(f"published {published:.3f}")
    worst = max(abs(prices[key] - PUBLISHED[key]) for key in PUBLISHED)

    ours = np.array(run(tree_price, MARKET, european, steps))
    exact = np.array(run(black_scholes, MARKET, european, steps))
    for name, x, y in zip(NAMES, ours, exact):
        print(f"European put, {name:<6} tree {x:9.4f}   closed form {y:9.4f}")
    error = np.max(np.abs(ours - exact) / np.maximum(np.abs(exact), 1.0))

    target = prices[36.0, 0.2]
    volatility, count = myia.jit(implied_volatility)(target, MARKET, american, steps)
    print(f"implied volatility {volatility:.6f} after {count} Newton steps, true 0.200000")

    last, spread = share()
    at, scale = {"spot": STRIKE, "volatility": spread, "rate": 0.06}, last / STRIKE
    value, delta, vega, _ = run(tree_price, at, american, steps)  # in proportion to the strike
    print(f"a share of {last:.2f} with volatility {spread:.3f}: put at the money", end=" ")
    print(f"{value * scale:.2f}, delta {delta:.3f}, vega {vega * scale:.1f}")

    spots, rows = np.linspace(15.0, 80.0, 10 if quick else 60), {}
    for label, kind in (("European", european), ("American", american)):
        rows[label] = np.array([run(tree_price, {**at, "spot": s}, kind, steps) for s in spots])
        rows[label] *= (scale, 1.0, scale, scale)
    plot(spots * scale, rows, Path(folder, "options.png"))
    assert worst < tolerance and error < tolerance and abs(volatility - 0.2) < 1e-8
    return {"American": worst, "European": error, "implied": abs(volatility - 0.2)}


if __name__ == "__main__":
    main()
