"""Rows of the sampled table: branches, loops, calls, and marks without a meaning here."""

from __future__ import annotations

import functools
import importlib

import jax
import jax.numpy as jnp
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax.custom_batching import custom_vmap
from jax.experimental.layout import Layout, with_layout_constraint
from jax.experimental.scheduling_groups import scheduling_group

from tests.lax.sampled_case import INEXACT, flags, row, whole

X, V = (2, 3), (3,)


def chosen(x):
    return lax.cond(x.real.sum() > 0, lambda x: x**2, jnp.sin, x)


def switched(k, x):
    return lax.switch(k, [jnp.sin, lambda x: x**2, jnp.exp], x)


def scanned(init, xs, **options):
    return lax.scan(lambda c, x: (c * x / 2 + x, c + x), init, xs, **options)


def nested(init, xs):
    def outer(c, row):
        return lax.scan(lambda d, v: (jnp.tanh(d * v + c), d), c, row)

    return lax.scan(outer, init, xs)


def counted(x):
    return lax.fori_loop(0, 3, lambda k, c: jnp.sin(c) * (k + 1), x)


@jax.jit
def called(x):
    return x * jnp.sin(x)


@functools.partial(jax.checkpoint, policy=jax.checkpoint_policies.nothing_saveable)
def rematerialized(x):
    return jnp.sin(jnp.cos(x)) * x


@custom_vmap
def with_batching(x):
    return x * jnp.sin(x)


@with_batching.def_vmap
def _(_, batched, x):
    return x * jnp.sin(x), batched[0]


def pulled_back(x):
    """A traced pullback: where two of its paths are merged there is an `add_any`."""
    return jax.vjp(lambda x: x * jnp.sin(x), x)[1](x)[0]


def until(x):
    return lax.while_loop(lambda s: jnp.sum(s**2) < 50, lambda s: s * 1.5 + x, x)


def counted_by_value(n, x):
    return lax.fori_loop(0, n, lambda k, c: jnp.sin(c) + c * x, x)


def constrained(x):
    device = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    return lax.with_sharding_constraint(jnp.sin(x), device) * x


def laid_out(x):
    return with_layout_constraint(jnp.sin(x), Layout(tuple(range(x.ndim)))) * x


def sunk(x):
    lax.dce_sink(x)
    return x * x


CONTROL = [
    *row(
        "cond", lambda p, x: lax.cond(p, jnp.sin, lambda x: x**2, x), flags(()), X, dtypes=INEXACT
    ),
    *row("cond", chosen, V),
    *row("cond", switched, whole(0, 3), V),
    *row("scan", scanned, V, (4, 3), dtypes=INEXACT),
    *row("scan", functools.partial(scanned, reverse=True), V, (4, 3)),
    *row("scan", scanned, V, (0, 3)),
    *row("scan", nested, (), X),
    *row("scan", counted, V),
    *row("while", until, V, forward=True),
    *row("while", counted_by_value, whole(2, 5), V, forward=True),
]

CALLS = [
    *row("jit", called, X, dtypes=INEXACT),
    *row("remat2", rematerialized, X),
    *row("custom_vmap_call", with_batching, X, forward=True),
    *row("xla_metadata_call", scheduling_group("a")(lambda x: x * jnp.sin(x)), X, dtypes=INEXACT),
    *row("add_any", pulled_back, X, dtypes=INEXACT),
]

if jax.__version_info__ >= (0, 11, 2):
    ordered = importlib.import_module("jax.experimental.overlap").program_order
    CALLS += row("program_order", ordered(lambda x: x * jnp.sin(x), enforce=False), X)

MARKS = [
    *row("name", lambda x: jnp.sin(checkpoint_name(x, "x")) * x, X),
    *row("optimization_barrier", lambda x: lax.optimization_barrier(x) * x, X, dtypes=INEXACT),
    *row("stop_gradient", lambda x: x * lax.stop_gradient(x), X, dtypes=INEXACT),
    *row("copy", jnp.copy, X, dtypes=INEXACT),
    *row("copy", jnp.copy, (0, 3)),
    *row("sharding_constraint", constrained, X),
    *row("layout_constraint", laid_out, X, batched=False),
    *row("dce_sink", sunk, X),
    *row("device_put", lambda x: jax.device_put(x) * x, X, dtypes=INEXACT),
]

TABLE = [*CONTROL, *CALLS, *MARKS]
