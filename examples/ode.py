"""A differentiable solver of ordinary differential equations, with steps of adaptive size.

The Runge-Kutta method of Bogacki and Shampine (Appl. Math. Lett. 2, 1989) of order 3, whose
embedded method of order 2 estimates the error of a step: a step with too large an error is rejected
and tried again with a smaller one. The number of steps is unknown in advance; the gradient runs the
solver backwards, rejected steps included, in a fixed amount of memory.

The parameters of predators and prey (Lotka and Volterra) are fitted to noisy observations.
Writes `ode.png`.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import myia

TRUE = {"birth": 1.1, "hunt": 0.4, "feed": 0.1, "death": 0.4}
START = np.array([10.0, 5.0])
TOLERANCE = 1e-5
MEMORY = "100kB"


# ----- The compiled functions


def lotka_volterra(p, y):
    prey, predators = y[0], y[1]
    return np.array(
        [
            p["birth"] * prey - p["hunt"] * prey * predators,
            p["feed"] * prey * predators - p["death"] * predators,
        ]
    )


def step(p, y, h):
    """The state after a step of size h, by order 3, and the estimate of its error."""
    k1 = lotka_volterra(p, y)
    k2 = lotka_volterra(p, y + h / 2 * k1)
    k3 = lotka_volterra(p, y + 3 * h / 4 * k2)
    after = y + h / 9 * (2 * k1 + 3 * k2 + 4 * k3)
    k4 = lotka_volterra(p, after)
    error = h / 72 * (-5 * k1 + 6 * k2 + 8 * k3 - 9 * k4)
    return after, np.sqrt(np.mean((error / (1 + np.abs(y))) ** 2)) / TOLERANCE


def solve(p, y, t, end, h):
    """From time t to end; the state there, the last size of a step, the numbers of steps."""
    taken, rejected = 0, 0
    while t < end:
        size = min(h, end - t)
        after, error = step(p, y, size)
        if error <= 1.0:
            y, t, taken = after, t + size, taken + 1
        else:
            rejected += 1
        h = size * min(5.0, max(0.2, 0.95 / (error + 1e-10) ** (1 / 3)))
    return y, h, taken, rejected


def trajectory(p, times):
    """The states at `times`, (n, 2), and the numbers of steps taken and rejected."""
    states = np.zeros((len(times), 2))
    y, t, h = START, 0.0, 0.1
    taken, rejected = 0, 0
    for i in range(len(times)):
        y, h, more, again = solve(p, y, t, times[i], h)
        t = times[i]
        states[i] = y
        taken, rejected = taken + more, rejected + again
    return states, taken, rejected


def misfit(log_p, times, observed):
    p = {name: np.exp(x) for name, x in log_p.items()}
    return np.mean((np.log(trajectory(p, times)[0]) - np.log(observed)) ** 2)


# ----- The fit


def observe(rng, n: int, end: float):
    """Times and noisy states of the true system."""
    times = np.linspace(end / n, end, n)
    states, _, _ = myia.jit(trajectory)(TRUE, times)
    return times, states * np.exp(0.05 * rng.normal(size=states.shape))


def fit(log_p, times, observed, rounds: int):
    """Adam; the parameters, and the misfit before each round."""
    gradient = myia.value_and_grad(misfit, memory=MEMORY)
    for line in str(gradient.plan(log_p, times, observed)).splitlines():
        print(line[:100])
    memory = gradient.lower(log_p, times, observed).compile().memory_analysis()
    print(f"temporaries {memory.temp_size_in_bytes:,} bytes of {MEMORY}\n")
    mean, square, losses = dict.fromkeys(log_p, 0.0), dict.fromkeys(log_p, 0.0), []
    for i in range(1, rounds + 1):
        value, slopes = gradient(log_p, times, observed)
        losses.append(value)
        for name, g in slopes.items():
            mean[name] = 0.9 * mean[name] + 0.1 * g
            square[name] = 0.99 * square[name] + 0.01 * g * g
        log_p = {
            name: x
            - 0.02 * mean[name] / (1 - 0.9**i) / (np.sqrt(square[name] / (1 - 0.99**i)) + 1e-8)
            for name, x in log_p.items()
        }
    return {name: float(np.exp(x)) for name, x in log_p.items()}, losses


# ----- Pictures


def plot(p, guess, times, observed, losses, path: str) -> None:
    figure = Figure(figsize=(9, 3.5), layout="tight")
    left, right = figure.subplots(1, 2, width_ratios=(2, 1))
    grid = np.linspace(0.01, times[-1], 400)
    for parameters, line in ((guess, ":"), (p, "-")):
        states, _, _ = myia.jit(trajectory)(parameters, grid)
        left.plot(grid, states[:, 0], line, color="tab:blue")
        left.plot(grid, states[:, 1], line, color="tab:red")
    left.plot(times, observed[:, 0], ".", color="tab:blue", label="prey")
    left.plot(times, observed[:, 1], ".", color="tab:red", label="predators")
    left.set(xlabel="time", title="observed; first guess (dotted) and fit")
    left.legend()
    right.semilogy(losses)
    right.set(xlabel="round", ylabel="misfit", title="Adam, through the solver")
    figure.savefig(path, dpi=150)


def main(rounds: int = 200, n: int = 25, end: float = 25.0, path: str = "ode.png") -> dict:
    times, observed = observe(np.random.default_rng(0), n, end)
    guess = {"birth": 1.0, "hunt": 0.35, "feed": 0.11, "death": 0.45}
    p, losses = fit({name: np.log(x) for name, x in guess.items()}, times, observed, rounds)
    _, taken, rejected = myia.jit(trajectory)(p, times)
    print(f"{taken} steps taken and {rejected} rejected by the last solve")
    for name, x in p.items():
        print(f"  {name:<6} guessed {guess[name]:.3f}  fitted {x:.3f}  true {TRUE[name]:.3f}")
    plot(p, guess, times, observed, losses, path)
    print(f"misfit {losses[0]:.4f} -> {losses[-1]:.4f}; pictures: {path}")
    return p


if __name__ == "__main__":
    main()
