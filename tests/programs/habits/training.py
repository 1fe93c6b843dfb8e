"""Training loops: parameters in dicts, optimizers as closures, batches by a generator."""

import numpy as np


def init_params(sizes, seed=0):
    rng = np.random.default_rng(seed)
    return {
        f"layer{i}": {"W": rng.normal(size=(m, n)) / np.sqrt(m), "b": np.zeros(n)}
        for i, (m, n) in enumerate(zip(sizes[:-1], sizes[1:]))
    }


def relu(x):
    return np.maximum(0, x)


def predict(params, x, activation=np.tanh):
    *hidden, last = params.values()
    for layer in hidden:
        x = activation(x @ layer["W"] + layer["b"])
    return x @ last["W"] + last["b"]


def l2(params):
    return sum(
        np.sum(p**2) for layer in params.values() for name, p in layer.items() if name != "b"
    )


def loss_fn(params, batch, weight_decay=1e-3):
    x, y = batch
    logits = predict(params, x)
    logits = logits - logits.max(axis=1, keepdims=True)
    log_probs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return -log_probs[np.arange(len(y)), y].mean() + weight_decay * l2(params)


def accuracy(params, batch):
    x, y = batch
    return (predict(params, x).argmax(axis=1) == y).mean()


def tree_map(f, tree, *rest):
    if isinstance(tree, dict):
        return {k: tree_map(f, v, *(r[k] for r in rest)) for k, v in tree.items()}
    return f(tree, *rest)


def adam(lr=0.05, b1=0.9, b2=0.999, eps=1e-8):
    def init(params):
        zeros = lambda p: np.zeros_like(p)
        return {"m": tree_map(zeros, params), "v": tree_map(zeros, params), "t": 0}

    def update(grads, state, params):
        t = state["t"] + 1
        m = tree_map(lambda m, g: b1 * m + (1 - b1) * g, state["m"], grads)
        v = tree_map(lambda v, g: b2 * v + (1 - b2) * g**2, state["v"], grads)
        params = tree_map(
            lambda p, m, v: p - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps),
            params,
            m,
            v,
        )
        return params, {"m": m, "v": v, "t": t}

    return init, update


def batches(x, y, size):
    for start in range(0, len(x), size):
        yield x[start : start + size], y[start : start + size]


def backward(params, batch):
    """The gradient of a network with one hidden layer, by hand."""
    x, y = batch
    W1, b1 = params["layer0"]["W"], params["layer0"]["b"]
    W2, b2 = params["layer1"]["W"], params["layer1"]["b"]
    h = np.tanh(x @ W1 + b1)
    logits = h @ W2 + b2
    p = np.exp(logits - logits.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    p[np.arange(len(y)), y] -= 1
    p /= len(y)
    dh = (p @ W2.T) * (1 - h**2)
    return {
        "layer0": {"W": x.T @ dh + 2e-3 * W1, "b": dh.sum(0)},
        "layer1": {"W": h.T @ p + 2e-3 * W2, "b": p.sum(0)},
    }


def fit(params, x, y, epochs=3, batch_size=8, optimizer=None, patience=2):
    init, update = optimizer or adam()
    state = init(params)
    best, waited = np.inf, 0
    losses = []
    for epoch in range(epochs):
        epoch_loss, count = 0.0, 0
        for batch in batches(x, y, batch_size):
            params, state = update(backward(params, batch), state, params)
            epoch_loss += loss_fn(params, batch)
            count += 1
        losses.append(epoch_loss / count)
        if losses[-1] < best - 1e-4:
            best, waited = losses[-1], 0
        else:
            waited += 1
            if waited >= patience:
                break
    return params, losses, accuracy(params, (x, y))


def last_loss(params, x, y):
    _, losses, _ = fit(params, x, y, epochs=2)
    return losses[-1]
