"""An actor and a critic learn to balance gymnasium's CartPole.

The compiled program plays: `while` the pole stands it draws an action and calls the environment,
which is Python, through `myia.host`. What was seen is kept in arrays that are cut to the length of
the episode; advantages are summed backwards in place (Schulman and others, ICLR 2016); actor and
critic take a step of Adam. Episodes, gradient and optimizer are one program.

What makes it hard elsewhere: episodes of a length that nobody knows. Elsewhere they are padded and
masked, or played by Python with compiled steps between.

Checked: advantages against their defining sum; the trained actor, without drawing, balances for 20
new episodes 475 steps on average, where CartPole-v1 counts as solved.
"""

from pathlib import Path

import gymnasium
import numpy as np
from matplotlib.figure import Figure

import myia

WIDTH, LONGEST, DISCOUNT, TRACE = 32, 500, 0.99, 0.95
ENVIRONMENT = gymnasium.make("CartPole-v1").unwrapped


@myia.host(like=np.zeros(4))
def reset(seed):
    return ENVIRONMENT.reset(seed=int(seed))[0].astype(float)


@myia.host(like=(np.zeros(4), False))
def step(action):
    state, _, fallen, _, _ = ENVIRONMENT.step(int(action))
    return state.astype(float), bool(fallen)


# ----- The compiled functions


def actor(p, states):
    """The log-odds of pushing to the right."""
    return np.tanh(states @ p["a1"] + p["a1_shift"]) @ p["a2"]


def critic(p, states):
    """The sum of discounted rewards to come, in hundreds."""
    return np.tanh(states @ p["c1"] + p["c1_shift"]) @ p["c2"] + p["c2_shift"]


def play(p, rng, draws):
    """An episode: states (with the last), actions, the number of steps, whether the pole fell."""
    states, actions = np.zeros((LONGEST + 1, 4)), np.zeros(LONGEST)
    states[0] = reset(rng.integers(2**31))
    n, fallen = 0, False
    while n < LONGEST and not fallen:
        odds = actor(p, states[n])
        threshold = rng.random() if draws else 0.5
        actions[n] = 1.0 if threshold < 1 / (1 + np.exp(-odds)) else 0.0
        states[n + 1], fallen = step(actions[n])
        n += 1
    return states, actions, n, fallen


def advantages_of(values, n, fallen):
    """How much better than expected each of n steps was; a step is worth 1."""
    advantages = np.zeros(LONGEST)
    after = 0.0
    for t in range(n - 1, -1, -1):
        ahead = 0.0 if t == n - 1 and fallen else values[t + 1]
        after = 0.01 + DISCOUNT * ahead - values[t] + DISCOUNT * TRACE * after
        advantages[t] = after
    return advantages


def loss(p, states, actions, advantages, targets):
    odds = actor(p, states)
    log_p = actions * odds - np.logaddexp(0.0, odds)
    share = 1 / (1 + np.exp(-odds))
    entropy = np.mean(np.logaddexp(0.0, odds) - share * odds)
    error = np.mean((critic(p, states) - targets) ** 2)
    return -np.mean(log_p * advantages) + 0.5 * error - 0.005 * entropy


def improve(p, mean, square, time, rng, rate, episodes):
    """Play, and take a step of Adam after each episode; the lengths of the episodes."""
    lengths = np.zeros(episodes, np.int64)
    for k in range(episodes):
        states, actions, n, fallen = play(p, rng, True)
        values = critic(p, states)
        advantages = advantages_of(values, n, fallen)[:n]
        targets = values[:n] + advantages
        scaled = (advantages - np.mean(advantages)) / (np.std(advantages) + 1e-3)
        slopes = myia.grad(loss)(p, states[:n], actions[:n], scaled, targets)
        time += 1.0
        for name, g in slopes.items():
            mean[name] = 0.9 * mean[name] + 0.1 * g
            square[name] = 0.99 * square[name] + 0.01 * g * g
            scale = np.sqrt(square[name] / (1 - 0.99**time)) + 1e-8
            p[name] = p[name] - rate * mean[name] / (1 - 0.9**time) / scale
        lengths[k] = n
    return p, mean, square, time, lengths


def make_weights(rng):
    shapes = {"a1": (4, WIDTH), "a2": (WIDTH,), "c1": (4, WIDTH), "c2": (WIDTH,)}
    scales = {"a1": 0.5, "a2": 0.01, "c1": 0.5, "c2": 0.01}
    p = {k: scales[k] * rng.normal(size=s) for k, s in shapes.items()}
    return p | {k: np.zeros(WIDTH) for k in ("a1_shift", "c1_shift")} | {"c2_shift": np.zeros(1)}


def plot(lengths, states, path):
    figure = Figure(figsize=(9, 3.5), layout="tight")
    left, right = figure.subplots(1, 2)
    left.plot(lengths, ".", markersize=3)
    left.set(title="steps balanced", xlabel="episode of training")
    right.plot(states[:, 0], label="position")
    right.plot(np.degrees(states[:, 2]), label="angle in degrees")
    right.set(title="an episode after training", xlabel="step")
    right.legend()
    figure.savefig(path, dpi=120)


def main(folder: str = ".", quick: bool = False) -> dict[str, float]:
    """The error of advantages; the mean length of episodes before and after training."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=LONGEST + 1)
    errors = [0.01 + DISCOUNT * values[t + 1] * (t < 9) - values[t] for t in range(10)]
    sums = [sum((DISCOUNT * TRACE) ** (i - t) * errors[i] for i in range(t, 10)) for t in range(10)]
    error = np.max(np.abs(myia.jit(advantages_of)(values, 10, True)[:10] - sums))

    p, lengths, time = make_weights(rng), [], np.float64(0)
    mean, square = ({k: np.zeros_like(w) for k, w in p.items()} for _ in range(2))
    run, test = myia.jit(improve), myia.jit(play)
    for _ in range(4 if quick else 40):
        p, mean, square, time, found = run(p, mean, square, time, rng, 0.01, 25)
        lengths += found.tolist()
        print(f"episodes {len(lengths):3}   mean length {found.mean():5.1f}")
        if found.mean() > 475:
            break
    tests = [test(p, rng, False) for _ in range(20)]
    after = np.mean([n for _, _, n, _ in tests])
    print(f"advantages against their sum {error:.1e}; 20 new episodes: {after:.1f} steps")
    plot(lengths, tests[0][0][: tests[0][2]], Path(folder, "actor_critic.png"))
    assert error < 1e-12 and after > (60 if quick else 475)
    return {"error": error, "before": np.mean(lengths[:25]), "after": after}


if __name__ == "__main__":
    main()
