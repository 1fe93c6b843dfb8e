"""Compiled functions in functions that JAX transforms: `jax.grad`, `jax.vmap`, `jax.jit`, ...

In: a typed program, called with tracers of JAX's. Out: a call that JAX differentiates by our
adjoint, maps by our loop over examples and compiles, to any order. Begin with `programs.py`, what
JAX's transforms make of a program, then `calls.py`, how they call it.
"""
