"""Goes on with a training step that another process has saved; `digits.py` runs it.

    python resume.py STEP.myia NUMBERS.npz STARTED

Neither the source of the step nor the compiler is needed. The numbers are the parameters, the
state and the batches, by paths (`state/mean/w`). Printed: the seconds from `STARTED`, a time, to
the first step; those without the start of Python and the imports of NumPy and JAX; the first and
the last loss.
"""

import sys
import time

import jax
import numpy as np

import myia


def nested(numbers):
    """{"a/b": 1, "a/c": 2}   ->   {"a": {"b": 1, "c": 2}}"""
    tree = {}
    for path, x in numbers.items():
        *folders, name = path.split("/")
        place = tree
        for folder in folders:
            place = place.setdefault(folder, {})
        place[name] = x
    return tree


def main(path: str, numbers_path: str, started: float) -> None:
    imported = time.time()
    step = myia.load(path)
    with np.load(numbers_path) as file:
        numbers = nested(dict(file))
    params, state = jax.device_put((numbers["params"], numbers["state"]))
    losses, first = [], 0.0
    for images, targets in zip(numbers["images"], numbers["targets"]):
        params, state, loss = step(params, state, images, targets)
        losses.append(float(loss))
        first = first or time.time()
    print(f"{first - started:.2f} {first - imported:.2f} {losses[0]:.6f} {losses[-1]:.6f}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
