"""The XLA backend: typed IR to an executable. docs/emission.md has its rules and measurements.

In: a lowered `Function`. Out: an `Executable`, called with arrays. Read `emit.py` (ops to `jax.lax`
calls), `executable.py` (one `jax.jit`, calls, ahead-of-time compilation; `_emitted` chooses the
rules of a platform), `packing.py` (few arrays per call), then `cpu/` (what only works around XLA's
CPU backend). No rule is for GPUs or TPUs: they get what all platforms get.
"""
