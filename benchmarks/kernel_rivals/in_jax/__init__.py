"""The kernels as an ordinary user of JAX writes them: `VERSIONS`, by name.

Each takes the arguments of the kernel of its name and returns what that writes and returns. Where
whole arrays say it at once, they do; where places wait for each other, `fori_loop` and `.at[].set`
or `scan`, with static counts, since reverse mode needs them; where a size is known at run time
only, a mask. The algorithm stays the kernel's.
"""

from benchmarks.kernel_programs import KERNELS
from benchmarks.kernel_rivals.in_jax import (
    dynamic_programming,
    filters,
    matrices,
    networks,
    simulations,
    solvers,
    statistics,
    stencils,
)

FAMILIES = (
    stencils,
    solvers,
    matrices,
    statistics,
    dynamic_programming,
    filters,
    simulations,
    networks,
)
VERSIONS = {
    name: found for family in FAMILIES for name, found in vars(family).items() if name in KERNELS
}

__all__ = ["VERSIONS"]
