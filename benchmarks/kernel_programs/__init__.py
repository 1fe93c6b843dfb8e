"""Kernels that write into arrays, as plain Python and NumPy: `KERNELS`, by name."""

from benchmarks.kernel_programs import (
    dynamic_programming,
    filters,
    matrices,
    networks,
    simulations,
    solvers,
    statistics,
    stencils,
)
from benchmarks.kernel_programs.define import KERNELS, LOOPS, SLICES, Kernel

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

__all__ = ["FAMILIES", "KERNELS", "LOOPS", "SLICES", "Kernel"]
