"""Compiled functions inside JAX and the libraries made on it, with the real ones."""
