"""Loops whose gradients need storage: plain NumPy, and the same steps by hand for JAX."""

from benchmarks.loop_programs.simulations import PROGRAMS, Program

__all__ = ["PROGRAMS", "Program"]
