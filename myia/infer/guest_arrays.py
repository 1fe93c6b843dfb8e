"""Arrays of other libraries as arguments: NumPy's view of their memory, and results like them.

    a tensor of torch, ...       its memory as an array, by the library's own protocol: no copy
    a `np.memmap`                the mapped memory
    another byte order           a copy in that of the machine; what is written is converted back
    bfloat16, float8_e4m3, ...   a copy in float32, which holds them all; what is written is rounded

Compiled code sees an ndarray. What it writes is written into the memory of the argument. Where an
argument is an array of a library that can make one of NumPy's, results are such arrays.
No library is imported for that: a class is known by its names.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class GuestClass:
    """A class of arrays. `view`: the memory of one of them, as NumPy sees it.

    `wrap`: an array of NumPy, which nobody else has, as one of them; None: results are NumPy's.
    `written`: is told of an array that has been written into.
    """

    cls: type
    view: Callable[[Any], np.ndarray]
    wrap: Callable[[Any], Any] | None = None
    written: Callable[[Any], None] | None = None


_KNOWN: dict[type, GuestClass] = {}


def guest_class(cls: type) -> GuestClass | None:
    """How arrays of a class are seen; None: they are not of another library."""
    found = _KNOWN.get(cls)
    if found is None and is_guest_array(cls):
        found = _KNOWN[cls] = _of_class(cls)
    return found


def is_guest_array(cls: type) -> bool:
    if issubclass(cls, np.ndarray):
        return cls is np.memmap
    return hasattr(cls, "__dlpack__") and hasattr(cls, "__dlpack_device__")


def _of_class(cls: type) -> GuestClass:
    if cls is np.memmap:
        return GuestClass(cls, np.asarray)
    torch: Any = sys.modules.get("torch")
    if torch is not None and issubclass(cls, torch.Tensor):
        written = torch.autograd.graph.increment_version
        return GuestClass(cls, _memory_of_tensor, _tensor, written)
    return GuestClass(cls, functools.partial(_imported, np.from_dlpack), _maker_of(cls))


def _imported(view: Callable[[Any], np.ndarray], x: Any) -> np.ndarray:
    """The view of an array, or a TypeError where NumPy cannot see its memory."""
    try:
        return view(x)
    except (BufferError, RuntimeError, TypeError) as error:
        name = f"{type(x).__module__}.{type(x).__qualname__}"
        raise TypeError(f"NumPy cannot use the memory of a {name}: {error}") from error


def _memory_of_tensor(x: Any) -> np.ndarray:
    """Its data; read-only where torch records what is done with it."""
    found = _imported(_data_of_tensor, x)
    if x.requires_grad:
        found.flags.writeable = False
    return found


def _data_of_tensor(x: Any) -> np.ndarray:
    torch, data = sys.modules["torch"], x.detach()
    if x.dtype == torch.bfloat16:  # NumPy knows it of another library
        return data.view(torch.int16).numpy().view("bfloat16")
    return data.numpy()


def _tensor(x: Any) -> Any:
    return sys.modules["torch"].from_numpy(np.asarray(x))


def _maker_of(cls: type) -> Callable[[Any], Any] | None:
    """What makes an array of a class that has the Array API of Python."""
    namespace = getattr(sys.modules.get(cls.__module__.partition(".")[0]), "from_dlpack", None)
    if namespace is None or not hasattr(cls, "__array_namespace__"):
        return None
    return lambda x: namespace(np.asarray(x))


# ----- Other numbers


def is_short_float(dtype: np.dtype) -> bool:
    """Is it a float of `ml_dtypes`? All of these are numbers of float32, too."""
    return dtype.type.__module__ == "ml_dtypes" and "float" in dtype.name


def is_converted(dtype: np.dtype) -> bool:
    return not dtype.isnative or is_short_float(dtype)


def native(x: np.ndarray) -> np.ndarray:
    """The same numbers in a dtype of NumPy and the byte order of the machine."""
    if is_short_float(x.dtype):
        return x.astype(np.float32)
    return x.astype(x.dtype.newbyteorder("="), copy=False)


@functools.cache
def converted(guest: GuestClass) -> GuestClass:
    """The same arrays, seen as copies of these numbers."""
    return replace(guest, view=lambda x: native(guest.view(x)))


CONVERTED = converted(GuestClass(np.ndarray, np.asarray))


# ----- Writing


def memory_of(x: Any) -> np.ndarray | None:
    """The memory of an array, of NumPy or of another library; None: `x` is something else."""
    if isinstance(x, np.ndarray):
        return x
    guest = _KNOWN.get(type(x))
    return None if guest is None else guest.view(x)


def copied_guest(x: Any) -> Any:
    """A copy of an array of another library that can be made of NumPy's; None: `x` is none."""
    guest = _KNOWN.get(type(x))
    return None if guest is None or guest.wrap is None else guest.wrap(guest.view(x).copy())


def is_array(x: Any) -> bool:
    return isinstance(x, np.ndarray) or type(x) in _KNOWN


def are_of_one_file(x: np.ndarray, y: np.ndarray) -> bool:
    """Are these two mappings of a file, at addresses that tell nothing?"""
    if not (isinstance(x, np.memmap) and isinstance(y, np.memmap)):
        return False
    one_mapping = getattr(x, "_mmap", x) is getattr(y, "_mmap", y)
    return not one_mapping and x.filename is not None and x.filename == y.filename


def write(target: Any, value: Any) -> None:
    """Write new elements into an array."""
    memory = memory_of(target)
    assert memory is not None
    if not memory.flags.writeable:  # its elements are these already
        return
    memory[...] = value
    guest = _KNOWN.get(type(target))
    if guest is not None and guest.written is not None:
        guest.written(target)
