"""A program of a file: which arguments it is for, how it runs, what it returns and writes.

No stage of the compiler is needed: its module is compiled by XLA when it is called first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.export
import numpy as np

from myia.artifacts.consistency import (
    OTHER_RESULTS,
    OTHER_SHAPES,
    check_packing,
    check_places,
    check_results,
)
from myia.artifacts.constants import Json, version_of
from myia.artifacts.errors import ArtifactError
from myia.artifacts.exceptions import exception_of
from myia.artifacts.patterns import Arguments, Flat, class_text
from myia.artifacts.recipe_forms import aval_shape, kind_of, recipe_of
from myia.artifacts.under_jax import call_under_jax
from myia.artifacts.written_arrays import READ_ONLY, refuse_overlaps, would_change_read_only
from myia.backends.xla.devices import by_devices, has_several_devices
from myia.backends.xla.packing import Packing, Vector, Vectors
from myia.infer.boundary.instances import set_contents
from myia.infer.boundary.recipes import TO_PYTHON, Numbers, shares
from myia.ir.avals import Aval

config: Any = jax.config  # its options are not declared
# The functions of the machine that JAX's own lowering calls; a callback of Python is none of them.
CALLS = re.compile(
    r"lapack_\w+|(?:cu|hip)(?:blas|fft|solver|sparse|_prng|_threefry2x32|_lu_pivots)\w*|mhlo\.\w+|chlo\.\w+|stablehlo\.\w+|Sharding|TopK"
    r"|ApproxTopK|Qr|Eigh|LuDecomposition|ProductOfElementaryHouseholderReflectors"
)
CALL = re.compile(r'custom_call(?:\s+@"?|[^@]*?call_target_name = ")([\w.$]+)')

OPTION = re.compile("No such compile option|While setting option")

OTHER_OPTIONS = "its manifest has other options than this compiler: {}"
NO_PLAIN_MODULE = "it has no module for plain JAX"
NOT_MADE = "its results cannot be made: {}: {}"
NO_MODULE = "the file has no module for the platform {0!r}, only for {1}"
UNDER_JAX = "a saved program with {} cannot be called inside a transform of JAX"
FOREIGN_CALL = "its module calls {0!r}, which no program of `myia.save` does"


class Module(NamedTuple):
    """One StableHLO module. `options`, `donated`: how the text was made to be compiled; `jaxlib`:
    the version whose compiler the text is for; None: that of any."""

    platforms: tuple[str, ...]
    blob: bytes
    options: dict[str, bool | str]
    donated: tuple[int, ...]
    jaxlib: str | None

    def fits(self, platform: str) -> bool:
        return platform in self.platforms and self.jaxlib in (None, version_of("jaxlib"))


class SavedProgram:
    """One of the programs of a file. `told`: its part of the manifest."""

    def __init__(self, told: dict[str, Json], blobs: Sequence[bytes]):
        self.name = str(told["name"])
        self.arguments = Arguments(told["positional"], told["keywords"], told["names"])
        given, hidden, results = (vectors_of(told[k]) for k in ("given", "hidden", "results"))
        self._packing = Packing(given, hidden, results)
        self._constants = [_constant(told, blobs) for told in told["constants"]]
        self._avals = [aval_shape(x) for x in told["shapes"]]
        self._modules = [_module(x, blobs) for x in told["modules"]]
        self._device, self._waits = bool(told["device"]), bool(told["waits"])
        self._recipe = recipe_of(told["recipe"])
        self._updates = [int(i) for i, _ in told["updates"]]
        self._copied = [int(i) for i in told.get("changed_in_copies", ())]  # under a derivative
        self._changes = [recipe_of(x) for _, x in told["updates"]]
        self._checks = [(list(map(str, c)), str(m), p) for c, m, p in told["checks"]]
        self._exceptions = [*told.get("exceptions", [None] * len(self._checks))]
        self._cuts = [(int(i), list(lengths)) for i, lengths in told["cuts"]]
        check_places(told, self.arguments, results)
        check_packing(self.arguments, self._packing, self._constants, self._avals)
        self._told = told
        self._alone, packed = bool(told["alone"]), self._packing.results.numbers
        kinds = [*map(kind_of, told["kinds"])]
        numbers = () if self._device else enumerate(kinds)
        self._to_python = [(i, TO_PYTHON[kind]) for i, kind in numbers if i not in packed]
        self._pack = self._packing.given.pack() if self._packing.given.vectors else None
        self._unpack = self._packing.results.unpack() if self._packing.results.vectors else None

    # ----- Its modules

    def module(self, platform: str) -> Module:
        """The module for a platform, with the options that belong to it."""
        found = next((m for m in self._modules if m.fits(platform)), None)
        if found is None:
            known = sorted({p for m in self._modules for p in m.platforms})
            raise ArtifactError(NO_MODULE.format(platform, ", ".join(known)))
        return found

    @property
    def plain(self) -> Module:
        return next(m for m in self._modules if m.jaxlib is None)

    def check(self) -> None:
        """Are the modules those of the manifest, and call nothing but what JAX calls?"""
        for module in self._modules:
            exported = deserialized(module.blob)
            found = [(x.dtype, x.shape) for x in exported.in_avals]
            if found != self._avals or {*exported.platforms} != {*module.platforms}:
                raise ArtifactError(OTHER_SHAPES)
            check_results(self._told, self._packing.results, exported)
            check_calls(exported)
        if all(m.jaxlib is not None for m in self._modules):
            raise ArtifactError(NO_PLAIN_MODULE)

    @cached_property
    def _hidden(self) -> Sequence[Any]:
        hidden = self._packing.hidden
        packed = hidden.pack()(self._constants) if hidden.vectors else self._constants
        return tuple(jax.device_put(list(packed)))

    @cached_property
    def _executable(self) -> Any:
        module = self.module(_platform())
        program = callable_of(deserialized(module.blob))
        if module is not self.plain and has_several_devices():
            program = by_devices(program, callable_of(deserialized(self.plain.blob)))
        return jax.jit(
            program,
            donate_argnums=module.donated,
            compiler_options=module.options or None,
        )

    def compile(self) -> None:
        """Let XLA compile it now."""
        with jax.enable_x64(True), jax.disable_jit(False):
            shapes = [jax.ShapeDtypeStruct(shape, dtype) for dtype, shape in self._avals]
            self._executable = self._executable.lower(*shapes).compile()

    # ----- Calls

    def run(self, flat: Flat) -> Any:
        """The result of a call."""
        self._check_memory(flat)
        results = self._results(flat)
        if self._checks:
            *results, code = results
            if code := int(np.asarray(code)):
                raise self._error(code)
        if self._waits and not flat.traced:
            jax.block_until_ready(results)
        results = list(results)
        for i, convert in self._to_python:
            results[i] = convert(results[i])
        for i, lengths in self._cuts:
            sizes = [None if k is None else int(np.asarray(results[k])) for k in lengths]
            results[i] = results[i][tuple(map(slice, sizes))].copy()
        made, *changes = self._made(results, flat.objects)  # their classes may not be there
        self._write([*zip((flat.objects[i] for i in self._updates), changes)], flat.objects)
        return made

    def _made(self, results: Sequence[Any], objects: Sequence[Any]) -> list[Any]:
        """The result, and the new contents of objects."""
        try:
            if shares(self._recipe):
                results = Numbers(results)
            return [make(results, objects) for make in (self._recipe, *self._changes)]
        except (ArtifactError, MemoryError):
            raise
        except Exception as error:  # of a manifest that somebody altered, or of another class
            raise ArtifactError(NOT_MADE.format(type(error).__name__, error)) from None

    def _results(self, flat: Flat) -> Sequence[Any]:
        given = flat.leaves if self._pack is None else self._pack(flat.leaves)
        with jax.enable_x64(True):
            if flat.traced:
                return self._results_under_jax(given)
            if config.jax_disable_jit:
                with jax.disable_jit(False):
                    found = self._found(*given, *self._hidden)
            else:
                found = self._found(*given, *self._hidden)
            results: Sequence[Any] = [found] if self._alone else found
            return results if self._unpack is None else self._unpack(results)

    def _found(self, *arrays: Any) -> Any:
        try:
            return self._executable(*arrays)
        except jax.errors.JaxRuntimeError as error:
            if OPTION.search(str(error)):
                raise ArtifactError(OTHER_OPTIONS.format(error)) from None
            raise

    def _results_under_jax(self, given: Sequence[Any]) -> Sequence[Any]:
        """Inside of `jax.jit`: the module for plain JAX, whose options are those of the caller."""
        for found, what in (
            (self._checks, "run-time checks"),
            (self._updates, "arguments that it changes"),
        ):
            if found:
                raise TypeError(UNDER_JAX.format(what))
        return call_under_jax(deserialized(self.plain.blob), (*given, *self._hidden))

    def _error(self, code: int) -> BaseException:
        name, message, place = self._checks[code - 1]
        error = exception_of(self._exceptions[code - 1], name, message)
        note = f"at {place}"
        if place is not None and note not in getattr(error, "__notes__", ()):
            error.add_note(note)
        return error

    # ----- Objects of the caller that the program changes

    def _check_memory(self, flat: Flat) -> None:
        """Refuse a call whose written arrays overlap others, or themselves."""
        objects = flat.objects
        places = (objects[i] for i in (*self._updates, *self._copied))
        written = [x for x in places if type(x) is np.ndarray]
        if not written:
            return
        arrays = [x for x in flat.leaves if type(x) is np.ndarray]
        refuse_overlaps(written, arrays, lambda x: self._name(x, objects))

    def _write(self, changes: Sequence[tuple[Any, Any]], objects: Sequence[Any]) -> None:
        for target, value in changes:
            if not _has_form_of(target, value):
                raise ArtifactError(OTHER_RESULTS)
            if type(target) is np.ndarray and would_change_read_only(target, value):
                raise ValueError(READ_ONLY.format(self._name(target, objects)))
        for target, value in changes:
            _assign(target, value)

    def _name(self, x: Any, objects: Sequence[Any]) -> str:
        paths = zip(objects, self.arguments.object_paths)
        return next((f"`{path}`" for y, path in paths if y is x), "an array")


def _has_form_of(target: Any, value: Any) -> bool:
    """Is it what the program makes for this object?"""
    if isinstance(target, np.ndarray):
        return bool(np.shape(value) == target.shape)
    return class_text(type(value)) == class_text(type(target))


def _assign(target: Any, value: Any) -> None:
    if type(target) is np.ndarray:
        if target.flags.writeable:
            target[...] = value
    else:
        set_contents(target, value)


def _platform() -> str:
    """That of JAX's default device, by the name by which JAX lowers."""
    default = config.jax_default_device
    device = jax.local_devices()[0] if default is None or isinstance(default, str) else default
    client = device.client
    return str(getattr(client, "_raw_platform", client.platform))


def deserialized(blob: bytes) -> jax.export.Exported:
    return jax.export.deserialize(bytearray(blob))


def callable_of(exported: jax.export.Exported) -> Callable[..., Any]:
    """The function of arrays that was exported, for the platform where it is called.

    JAX imports SciPy's linear algebra for each program for a CPU, which takes longer than all else.
    One that calls no function of the machine does not need it, and names no platform.
    """
    if b"custom_call" not in exported.mlir_module_serialized and len(exported.platforms) == 1:
        unchecked = (*exported.disabled_safety_checks, jax.export.DisabledSafetyCheck.platform())
        exported = replace(exported, platforms=("any",), disabled_safety_checks=unchecked)
    return exported.call


def check_calls(exported: jax.export.Exported) -> None:
    if b"custom_call" not in exported.mlir_module_serialized:
        return
    text = exported.mlir_module()
    found = CALL.findall(text)
    if len(found) != text.count("custom_call"):
        raise ArtifactError(FOREIGN_CALL.format("a function that has no name"))
    for name in found:
        if CALLS.fullmatch(name) is None or "callback" in name:
            raise ArtifactError(FOREIGN_CALL.format(name))


# ----- From JSON


def vectors_of(told: Json) -> Vectors:
    count, vectors = told
    return Vectors(int(count), tuple(map(_vector, vectors)))


def _vector(told: Json) -> Vector:
    positions, avals, numbers = told
    return Vector(tuple(positions), tuple(Aval(*aval_shape(a)) for a in avals), frozenset(numbers))


def _constant(told: Json, blobs: Sequence[bytes]) -> np.ndarray:
    aval, member = told
    dtype, shape = aval_shape(aval)
    return np.frombuffer(blobs[member], dtype).reshape(shape)


def _module(told: Json, blobs: Sequence[bytes]) -> Module:
    return Module(
        tuple(map(str, told["platforms"])),
        blobs[told["member"]],
        {str(k): v if isinstance(v, bool) else str(v) for k, v in told["options"].items()},
        tuple(map(int, told["donated"])),
        None if told["jaxlib"] is None else str(told["jaxlib"]),
    )
