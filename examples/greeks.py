"""Monte-Carlo Greeks: sensitivities of option prices, by differentiating the simulation.

Prices of options are means of payoffs over simulated paths of geometric Brownian motion. One
reverse sweep through the simulation gives their derivatives by spot, volatility and rate: delta,
vega and rho. Gamma, the second derivative by the spot, is no mean of second derivatives, since the
payoffs have a kink; it is a difference quotient of deltas over the same paths.
The European and the geometric Asian call have closed forms, which are differentiated as well: the
estimates must agree with them.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

import myia

MARKET = {"spot": 100.0, "volatility": 0.25, "rate": 0.03}
STRIKE, YEARS = 105.0, 1.0


# ----- The simulation


def european(path):
    return np.maximum(path[-1] - STRIKE, 0.0)


def geometric_asian(path):
    return np.maximum(np.exp(np.mean(np.log(path), axis=0)) - STRIKE, 0.0)


def arithmetic_asian(path):
    return np.maximum(np.mean(path, axis=0) - STRIKE, 0.0)


def paths(market, rng, steps, count):
    """The prices after each step (steps, count): of each path there is the mirror image, too."""
    dt = YEARS / steps
    drift = (market["rate"] - 0.5 * market["volatility"] ** 2) * dt
    log_price = np.full(count, np.log(market["spot"]))
    found = np.empty((steps, count))
    for i in range(steps):
        z = rng.standard_normal(count // 2)
        z = np.concatenate([z, -z])
        log_price += drift + market["volatility"] * np.sqrt(dt) * z
        found[i] = np.exp(log_price)
    return found


def simulated_price(market, payoff, rng, steps, count):
    return np.exp(-market["rate"] * YEARS) * np.mean(payoff(paths(market, rng, steps, count)))


def greeks(market, payoff, rng, steps, count):
    """Price, delta, vega, rho and gamma."""
    seed = rng.integers(2**32)

    def slopes_at(spot):
        moved = {**market, "spot": spot}
        again = np.random.default_rng(seed)
        return myia.value_and_grad(simulated_price)(moved, payoff, again, steps, count)

    value, slopes = slopes_at(market["spot"])
    h = 0.02 * market["spot"]
    up, down = slopes_at(market["spot"] + h)[1], slopes_at(market["spot"] - h)[1]
    gamma = (up["spot"] - down["spot"]) / (2 * h)
    return value, slopes["spot"], slopes["volatility"], slopes["rate"], gamma


def repeated(market, payoff, rng, steps, count, rounds):
    found = np.empty((rounds, 5))
    for i in range(rounds):
        found[i] = greeks(market, payoff, rng, steps, count)
    return found


# ----- Closed forms


def black(forward, deviation, rate):
    """The price of a call on a log-normal price of this mean, discounted."""
    d = np.log(forward / STRIKE) / deviation + 0.5 * deviation
    return np.exp(-rate * YEARS) * (forward * norm.cdf(d) - STRIKE * norm.cdf(d - deviation))


def european_price(market, steps):
    forward = market["spot"] * np.exp(market["rate"] * YEARS)
    return black(forward, market["volatility"] * np.sqrt(YEARS), market["rate"])


def geometric_asian_price(market, steps):
    """The logarithm of the geometric mean is normal."""
    times = YEARS * np.arange(1, steps + 1) / steps
    mean = (market["rate"] - 0.5 * market["volatility"] ** 2) * np.mean(times)
    variance = market["volatility"] ** 2 * np.mean(np.minimum(times[:, None], times))
    forward = market["spot"] * np.exp(mean + 0.5 * variance)
    return black(forward, np.sqrt(variance), market["rate"])


def exact_greeks(price, market, steps):
    value, slopes = myia.value_and_grad(price)(market, steps)
    gamma = myia.hessian(price)(market, steps)["spot"]["spot"]
    return value, slopes["spot"], slopes["volatility"], slopes["rate"], gamma


def main(steps: int = 24, count: int = 10_000, rounds: int = 50) -> dict[str, np.ndarray]:
    """Of each option the estimates, their standard errors and the exact values (3, 5)."""
    rng = np.random.default_rng(0)
    run = myia.jit(repeated)
    closed = {european: european_price, geometric_asian: geometric_asian_price}
    found = {}
    columns = ("price", "delta", "vega", "rho", "gamma")
    print(" " * 18 + "".join(f"{name:>10}" for name in columns))
    for payoff in (european, geometric_asian, arithmetic_asian):
        estimates = run(MARKET, payoff, rng, steps, count, rounds)
        rows = [estimates.mean(axis=0), estimates.std(axis=0, ddof=1) / np.sqrt(rounds)]
        if payoff in closed:
            rows.append(np.array(myia.jit(exact_greeks)(closed[payoff], MARKET, steps)))
            found[payoff.__name__] = np.array(rows)
        for name, row in zip((payoff.__name__, "  standard error", "  exact"), rows):
            print(f"{name:18}" + "".join(f"{x:10.4f}" for x in row))
    return found


if __name__ == "__main__":
    main()
