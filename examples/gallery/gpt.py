"""A small GPT on the text that ships with Python: the topics of `help()`.

A transformer on characters, in plain NumPy: attention in a loop over heads, layers as rows of
arrays. Training compiles a block of steps, which draw their own batches, into one program. The text
is then continued by a compiled loop that writes each drawn character into its array.

What makes it hard elsewhere: the generation. Each character depends on a draw: tracers want a scan
and keys; here it is the loop one would write.

Checked: a later character does not change an earlier prediction, to the bit; on text that was held
out the cross-entropy is below that of a table of pairs of characters, which counts all of the text.
"""

from pathlib import Path
from pydoc_data.topics import topics

import numpy as np
from matplotlib.figure import Figure

import myia

WIDTH, HEADS, LAYERS, CONTEXT, BATCH = 64, 4, 2, 48, 16


def normalized(x):
    x = x - np.mean(x, axis=-1, keepdims=True)
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + 1e-5)


def softmax(x):
    x = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return x / np.sum(x, axis=-1, keepdims=True)


def attention(x, w):
    """Each position looks at itself and those before: (..., t, WIDTH); w (4, WIDTH, WIDTH)."""
    q, k, v = x @ w[0], x @ w[1], x @ w[2]
    later = np.triu(np.full((x.shape[-2], x.shape[-2]), -1e9, np.float32), 1)
    parts, size = [], WIDTH // HEADS
    for h in range(HEADS):
        part = slice(h * size, (h + 1) * size)
        scores = q[..., part] @ np.swapaxes(k[..., part], -1, -2) / np.float32(np.sqrt(size))
        parts.append(softmax(scores + later) @ v[..., part])
    return np.concatenate(parts, axis=-1) @ w[3]


def transformer(p, tokens):
    """Scores of the next character (..., t, characters)."""
    x = p["characters"][tokens] + p["places"][: tokens.shape[-1]]
    for layer in range(LAYERS):
        x = x + attention(normalized(x), p["attention"][layer])
        hidden = np.maximum(normalized(x) @ p["up"][layer], 0)
        x = x + hidden @ p["down"][layer]
    return normalized(x) @ p["head"]


def loss(p, tokens):
    """The cross-entropy of the characters (n, t + 1) after the first ones."""
    scores = transformer(p, tokens[:, :-1])
    scores = scores - np.max(scores, axis=-1, keepdims=True)
    log_p = scores - np.log(np.sum(np.exp(scores), axis=-1, keepdims=True))
    return -np.mean(np.take_along_axis(log_p, tokens[:, 1:, None], axis=-1))


def train(p, mean, square, start, text, rng, losses, rate):
    """As many steps of Adam as `losses` has room for, from batches drawn from the text."""
    for i in range(len(losses)):
        places = rng.integers(len(text) - CONTEXT, size=BATCH)
        batch = text[places[:, None] + np.arange(CONTEXT + 1)]
        losses[i], slopes = myia.value_and_grad(loss)(p, batch)
        t = start + i + 1
        step = rate * min(1.0, t / 20) * np.sqrt(1 - 0.99**t) / (1 - 0.9**t)
        for k, g in slopes.items():
            mean[k] += 0.1 * (g - mean[k])
            square[k] += 0.01 * (g * g - square[k])
            p[k] -= step * mean[k] / (np.sqrt(square[k]) + 1e-6)


def continued(p, tokens, start, rng):
    """Fill the tokens from `start` on with drawn ones, in place."""
    for i in range(start, len(tokens)):
        before = tokens[i - CONTEXT : i]
        share = softmax(transformer(p, before)[-1].astype(float))
        draw = rng.random()
        tokens[i] = min(np.searchsorted(np.cumsum(share), draw), len(share) - 1)


def load():
    """The text as numbers: to train with, and to test with; and its alphabet."""
    text = "\n".join(topics[key] for key in sorted(topics))
    alphabet = sorted(set(text))
    numbers = {c: i for i, c in enumerate(alphabet)}
    tokens = np.array([numbers[c] for c in text])
    cut = len(tokens) * 9 // 10
    return tokens[:cut], tokens[cut:], alphabet


def make_weights(rng, count):
    shapes = {"characters": (count, WIDTH), "places": (CONTEXT, WIDTH), "head": (WIDTH, count)}
    shapes |= {"attention": (LAYERS, 4, WIDTH, WIDTH)}
    shapes |= {"up": (LAYERS, WIDTH, 4 * WIDTH), "down": (LAYERS, 4 * WIDTH, WIDTH)}
    return {k: (0.7 * rng.normal(size=s) / 8).astype(np.float32) for k, s in shapes.items()}


def table_entropy(text, test, count):
    """The cross-entropy of the test's characters, from counts of pairs in the text."""
    pairs = np.full((count, count), 0.1)
    np.add.at(pairs, (text[:-1], text[1:]), 1)
    return -np.mean(np.log(pairs / pairs.sum(axis=1, keepdims=True))[test[:-1], test[1:]])


def main(folder: str = ".", quick: bool = False) -> dict[str, float]:
    """The effect of later characters; cross-entropies of the transformer and of the table."""
    rng = np.random.default_rng(0)
    text, test, alphabet = load()
    p, losses = make_weights(rng, len(alphabet)), []
    mean, square = ({k: np.zeros_like(w) for k, w in p.items()} for _ in range(2))
    run, blocks, size = myia.jit(train), *((2, 30) if quick else (10, 50))
    for k in range(blocks):
        found = np.zeros(size)
        run(p, mean, square, float(k * size), text, rng, found, 0.004 if k < blocks - 3 else 0.002)
        losses += found.tolist()
        print(f"step {len(losses):4}   cross-entropy {found.mean():.3f}")

    rows = test[: len(test) // (CONTEXT + 1) * (CONTEXT + 1)].reshape(-1, CONTEXT + 1)[::8]
    held_out, table = myia.jit(loss)(p, rows), table_entropy(text, test, len(alphabet))
    changed = rows[0, :-1].copy()
    changed[20:] = 0
    later = np.abs(transformer(p, changed) - transformer(p, rows[0, :-1]))[:20].max()
    print(f"of new text: {held_out:.3f}; of a table of pairs {table:.3f}")
    tokens = np.zeros(CONTEXT + (40 if quick else 400), np.int64)
    tokens[:CONTEXT] = test[:CONTEXT]
    myia.jit(continued)(p, tokens, CONTEXT, rng)
    written = "".join(alphabet[i] for i in tokens)
    print(f"{written[:CONTEXT]}|{written[CONTEXT:]}")

    figure = Figure(figsize=(7, 3.5), layout="tight")
    axes = figure.subplots()
    axes.plot(losses, label="training")
    axes.axhline(table, color="grey", linestyle=":", label="table of pairs, new text")
    axes.axhline(held_out, color="tab:orange", label="transformer, new text")
    axes.set(xlabel="step", ylabel="nats a character", title="A small GPT on Python's help")
    axes.legend()
    figure.savefig(Path(folder, "gpt.png"), dpi=120)
    assert later == 0 and held_out < (3.2 if quick else table)
    return {"later": later, "held_out": held_out, "table": table}


if __name__ == "__main__":
    main()
