"""One of two processes that train together, each with some devices:

    python one_of_two.py PORT RANK NETWORK ...

Each checks the result against training on one device of its own.
"""

import sys

import jax
import numpy as np

import myia
from tests.devices import training

SHIFT = np.arange(4.0)


def shifted(x):
    total = 0.0
    for row in x:
        total += np.sum(row * SHIFT)
    return total


def main(port: str, rank: int, *names: str) -> None:
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(f"127.0.0.1:{port}", 2, rank)
    assert jax.device_count() == 2 * jax.local_device_count()
    for name in names:
        for dtype in (np.float64, np.float32):
            together = training.trained_on_all_devices(name, dtype)
            training.assert_equal(together, training.trained_on_one_device(name, dtype), dtype)
            print(name, dtype.__name__, "equal", flush=True)
    # A program that reads a global, and loops over the sharded axis.
    everywhere, split = training.shardings()
    x = np.arange(32.0).reshape(8, 4)
    with jax.enable_x64(True):
        value, grad = myia.value_and_grad(shifted)(training.placed(x, split))
        assert float(value) == shifted(x)
        for shard in grad.addressable_shards:
            np.testing.assert_array_equal(shard.data, np.broadcast_to(SHIFT, shard.data.shape))
        # JAX takes arrays of NumPy only where each process has all of what it needs.
        assert float(myia.jit(shifted, in_shardings=everywhere)(x)) == shifted(x)
        try:
            myia.jit(shifted, in_shardings=split)(x)
        except ValueError as error:
            assert "jax.make_array_from_callback" in str(error)
        else:
            raise AssertionError("not refused")
    print("globals equal", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
