"""Rows of the sampled table: reductions, running reductions, sorting and products of tensors."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tests.lax.sampled_case import INEXACT, at, row, whole, within

X, CUBE = (2, 3), (2, 3, 4)
NONZERO = within(0.4, 1.6, CUBE)


def reduced(operator, init, axes):
    return lambda x: lax.reduce(x, x.dtype.type(init), operator, axes)


def at_position(position):
    """The element at the position that a reduction finds, which has no derivative itself."""
    return lambda x: x * position(x).sum().astype(x.dtype)


REDUCTIONS = [
    *row("reduce_sum", lambda x: jnp.sum(x, (0, 2)), CUBE, dtypes=INEXACT),
    *row("reduce_sum", lambda x: jnp.sum(x, 0), (0, 3)),
    *row("reduce_prod", lambda x: jnp.prod(x, (0, 2)), NONZERO, dtypes=INEXACT),
    *row("reduce_prod", lambda x: jnp.prod(x, 1), X),
    *row("reduce_prod", lambda x: jnp.prod(x, 0), (0, 3)),
    *row("reduce_prod", lambda x: jnp.prod(x, 0), np.array([1.5, 0.0, -2.0])),
    *row("reduce_max", lambda x: jnp.max(x, (0, 2)), CUBE),
    *row("reduce_max", lambda x: jnp.max(x, 1), X),
    *row("reduce_min", lambda x: jnp.min(x, (0, 2)), CUBE),
    *row("reduce_min", lambda x: jnp.min(x, 1), X),
    *row("argmax", at_position(lambda x: lax.argmax(x, 1, jnp.int32)), X),
    *row("argmin", at_position(lambda x: lax.argmin(x, 0, jnp.int32)), X),
    *row("reduce", reduced(lambda x, y: x * y, 1, (1,)), X),
    *row("reduce", reduced(lambda x, y: y + x, 0, (0, 2)), CUBE),
    *row("reduce", reduced(lambda x, y: x + y + x * y, 0, (1, 0)), within(0.1, 0.5, CUBE)),
]


def mapped(f: Callable) -> Callable:
    return jax.vmap(f, axis_name="rows")


COLLECTIVES = [
    *row("psum", mapped(lambda x: x * lax.psum(x * x, "rows")), X, dtypes=INEXACT),
    *row("psum", mapped(lambda x: x - lax.pmean(x, "rows")), CUBE),
]

RUNNING = [
    *row("cumsum", lambda x: lax.cumsum(x, 1), X, dtypes=INEXACT),
    *row("cumsum", lambda x: lax.cumsum(x, 0, reverse=True), X),
    *row("cumprod", lambda x: lax.cumprod(x, 2), NONZERO, dtypes=INEXACT),
    *row("cumprod", lambda x: lax.cumprod(x, 0, reverse=True), within(0.4, 1.6, (5, 2))),
    *row("cummax", lambda x: lax.cummax(x, 1), (2, 5)),
    *row("cummax", lambda x: lax.cummax(x, 0, reverse=True), (5, 2)),
    *row("cummin", lambda x: lax.cummin(x, 1), (2, 5)),
    *row("cummin", lambda x: lax.cummin(x, 0, reverse=True), (5, 2)),
    *row("cumlogsumexp", lambda x: lax.cumlogsumexp(x, 1), X),
    *row("cumlogsumexp", lambda x: lax.cumlogsumexp(x, 0, reverse=True), X),
]

ORDERING = [
    *row("sort", lambda x: lax.sort(x, 1), (2, 5)),
    *row("sort", lambda x, y: lax.sort((x, y), 0), (4, 2), (4, 2)),
    *row(
        "sort",
        lambda n, x, y: lax.sort((n, x, y), 0, num_keys=2)[1:],
        whole(0, 3, (6,)),
        (6,),
        (6,),
    ),
    *row("top_k", lambda x: lax.top_k(x, 3), (2, 5)),
    *row("top_k", lambda x: lax.top_k(x, 2, axis=0), (4, 2)),
    *row("approx_top_k", lambda x: lax.approx_max_k(x, 3), (2, 5)),
    *row("approx_top_k", lambda x: lax.approx_min_k(x, 2, 0), (4, 2)),
]


def product(contract, batch=((), ()), **options):
    return lambda x, y: lax.dot_general(x, y, (contract, batch), **options)


PRODUCTS = [
    *row("dot_general", product(((1,), (0,))), X, (3, 4), dtypes=INEXACT),
    *row("dot_general", product(((0,), (0,))), (3,), (3,)),
    *row("dot_general", product(((), ())), (), (2,)),
    *row("dot_general", product(((), ())), X, (2,)),
    *row("dot_general", product(((0,), (0,))), (0, 2), (0, 3)),
    *row("dot_general", product(((2,), (0,)), ((0,), (2,))), (5, 2, 3), (3, 4, 5), dtypes=INEXACT),
    *row("dot_general", product(((1, 2), (2, 0)), ((0,), (3,))), CUBE, (4, 5, 3, 2)),
    *row("dot_general", product(((), ()), ((0,), (0,))), X, (2, 4)),
    *row(
        "dot_general",
        product(((1,), (0,)), preferred_element_type=np.float64),
        X,
        (3, 4),
        dtypes=("f4",),
    ),
    *row(
        "dot_general",
        lambda x, n: lax.dot_general(x, n.astype(x.dtype), (((1,), (0,)), ((), ()))),
        X,
        whole(-2, 3, (3, 2)),
    ),
    *row(
        "ragged_dot_general",
        lax.ragged_dot,
        (5, 2),
        (3, 2, 4),
        at(2, 0, 3),
        dtypes=INEXACT,
        batched=False,
    ),
    *row(
        "ragged_dot_general",
        jax.vmap(lax.ragged_dot),
        (2, 5, 2),
        (2, 3, 2, 4),
        at([2, 0, 3], [1, 1, 2]),
        batched=False,
    ),
]

TABLE = [*REDUCTIONS, *COLLECTIVES, *RUNNING, *ORDERING, *PRODUCTS]
