"""Meshes with explicit axes, the default of `jax.make_mesh`: programs run on them as on automatic
ones.

On explicit axes JAX asks of each op which sharding its result has, and refuses what is ambiguous.
In ours XLA decides. So an array on such a mesh is passed as one on the same devices with automatic
axes, and results are given back on the mesh of the arguments: nothing is moved.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
from jax.sharding import AxisType, Mesh, NamedSharding

from myia.backends.xla.devices import has_several_devices

UNDER_JAX = (
    "inside of `jax.jit`, an array on a mesh with explicit axes is given with the sharding of the "
    "results: jax.sharding.auto_axes(f, out_sharding=...); or make the mesh with axis_types="
    "(jax.sharding.AxisType.Auto,)"
)


@functools.cache
def _automatic_mesh(mesh: Any) -> Mesh | None:
    """The same mesh with automatic axes; None: it is one."""
    if not isinstance(mesh, Mesh) or AxisType.Explicit not in mesh.axis_types:
        return None
    automatic = [AxisType.Auto if t == AxisType.Explicit else t for t in mesh.axis_types]
    return Mesh(mesh.devices, mesh.axis_names, axis_types=tuple(automatic))


def automatic(sharding: Any) -> Any:
    """The same sharding on automatic axes."""
    mesh = _automatic_mesh(getattr(sharding, "mesh", None))
    return sharding if mesh is None else _on_mesh(sharding, mesh)


def _on_mesh(sharding: Any, mesh: Mesh) -> NamedSharding:
    return NamedSharding(mesh, sharding.spec, memory_kind=sharding.memory_kind)


class ExplicitAxes(TypeError):
    """A traced array has a sharding on explicit axes as a part of its type."""


def refuse_explicit_axes(arrays: Iterable[Any]) -> None:
    """`ExplicitAxes`: the program is traced for such an array."""
    for x in arrays:
        if AxisType.Explicit in jax.typeof(x).sharding.mesh.axis_types:
            raise ExplicitAxes(UNDER_JAX)


def on_any_axes(call: Callable[..., Any], shardings: Iterable[Any] = ()) -> Callable[..., Any]:
    """A call of a compiled function for arrays on any mesh; `shardings`: what it was given.

    Where there is only one device, an array on a mesh is told by `ExplicitAxes`.
    """
    given = {mesh for s in shardings if _automatic_mesh(mesh := getattr(s, "mesh", None))}
    if not (given or has_several_devices()):
        return call
    return functools.partial(call_on_automatic_axes, call, given)


def call_on_automatic_axes(call: Callable[..., Any], given: Iterable[Any], *arrays: Any) -> Any:
    """`call(*arrays)`; `given`: meshes of the results beside those of the arrays."""
    if any(isinstance(x, jax.core.Tracer) for x in arrays):
        return call(*arrays)
    context = jax.sharding.get_mesh()
    found = {*given, context, *(x.sharding.mesh for x in arrays if _is_named(x))}
    pairs = [(_automatic_mesh(mesh), mesh) for mesh in found]
    meshes: dict[Any, Any] = {new: mesh for new, mesh in pairs if new is not None}
    if not meshes:
        return call(*arrays)
    mesh = _automatic_mesh(context)
    with contextlib.nullcontext() if mesh is None else jax.set_mesh(mesh):
        results = call(*map(_on_automatic_axes, arrays))
    if not isinstance(results, Sequence):
        return _back(results, meshes)
    return [_back(x, meshes) for x in results]


def _is_named(x: Any) -> bool:
    return isinstance(x, jax.Array) and isinstance(x.sharding, NamedSharding)


def _on_automatic_axes(x: Any) -> Any:
    return _moved(x, automatic(x.sharding)) if _is_named(x) else x


def _back(x: Any, meshes: dict[Any, Any]) -> Any:
    mesh = meshes.get(x.sharding.mesh) if _is_named(x) else None
    return x if mesh is None else _moved(x, _on_mesh(x.sharding, mesh))


def _moved(x: jax.Array, sharding: Any) -> jax.Array:
    """The same array with another sharding, which leaves each part on its device."""
    if sharding is x.sharding:
        return x
    parts = [shard.data for shard in x.addressable_shards]
    return jax.make_array_from_single_device_arrays(x.shape, sharding, parts)
