"""Platforms: which one a program is for, and the predicate of the one that JAX lowers it for.

Platforms have the names by which JAX lowers: "cpu", "cuda", "rocm", "tpu". A program that is part
of a function of the user's is for `ANY`: JAX tells the platform only when it lowers that function,
which may be for several.

    %p = is_platform {names=("cuda", "rocm")}      true where the program runs on one of them
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import jax
import numpy as np
from jax import lax
from jax.extend.backend import backends
from jax.sharding import Sharding, SingleDeviceSharding

from myia.ir.avals import BOOL, Aval
from myia.ir.builder import emit1
from myia.ir.core import Value
from myia.ir.primitive import NONDIFFERENTIABLE, Primitive
from myia.source.process import process_of_xla

PLATFORMS = ("cpu", "cuda", "rocm", "tpu")
ANY = "any"
OTHERS = "others"  # all but those that the compiler knows

_target: ContextVar[str | None] = ContextVar("platform", default=None)


@contextmanager
def inferring_for(platform: str | None) -> Iterator[None]:
    """Programs inferred meanwhile are for this platform; None: that of JAX's default device."""
    token = _target.set(platform)
    try:
        yield
    finally:
        _target.reset(token)


def inferred_for() -> str:
    return _target.get() or default_platform()


# ----- Devices


def default_platform() -> str:
    """The platform of the device that JAX uses where no argument is bound to another."""
    process_of_xla()
    config: Any = jax.config  # its options are not declared
    default = config.jax_default_device
    if default is None:
        return platform_of(jax.local_devices()[0])
    return platform_of(jax.devices(default)[0] if isinstance(default, str) else default)


def platform_of(device: Any) -> str:
    """The platform of a device, whose own attribute has one name for those of two vendors."""
    client = device.client
    name: str = getattr(client, "_raw_platform", client.platform)
    return name


@functools.cache
def has_several_platforms() -> bool:
    """Has this process devices of several platforms? Starts JAX's backends."""
    process_of_xla()
    return len(backends()) > 1


def devices_of(platform: str) -> Sequence[Any]:
    """The devices of a platform; none where this process has none."""
    try:
        return jax.local_devices(backend=platform)
    except RuntimeError:
        return ()


def target_of(leaves: Iterable[Any]) -> str:
    """The platform of a call with these arguments."""
    device = None
    for x in leaves:
        if isinstance(x, jax.core.Tracer):
            return ANY
        if device is None:
            device = bound_device(x)
    return default_platform() if device is None else platform_of(device)


def bound_device(x: Any) -> Any:
    """The device to which an array is bound, or the first of several; None: to none."""
    if not isinstance(x, jax.Array) or not x.committed:
        return None
    return min(x.devices(), key=lambda device: device.id)


def places_of(leaves: Sequence[Any]) -> tuple[Sharding | None, Sequence[Sharding | None]]:
    """Where the arguments of a call are: the sharding of all of them, and that of each.

    The device of those that are bound to one is that of all; where some are on several devices,
    JAX chooses for those that are not bound.
    """
    bound = [x.sharding if bound_device(x) is not None else None for x in leaves]
    if any(s is not None and s.num_devices > 1 for s in bound):
        return None, bound
    device = next((bound_device(x) for x in leaves if bound_device(x) is not None), None)
    return None if device is None else SingleDeviceSharding(device), ()


# ----- The predicate


def _avals(*, names: tuple[str, ...]) -> tuple[Aval]:
    return (BOOL,)


def _lower(*, names: tuple[str, ...]) -> Any:
    true = dict.fromkeys(names, lambda: np.asarray(True))
    return lax.platform_dependent(default=lambda: np.asarray(False), **true)


is_platform_p = Primitive(
    name="is_platform",
    avals=_avals,
    lower=_lower,
    evaluate=lambda *, names: np.asarray("cpu" in names),  # where NumPy runs
    derivative=NONDIFFERENTIABLE,
)


def is_platform(names: Sequence[str]) -> Value:
    return emit1(is_platform_p, names=tuple(names))
