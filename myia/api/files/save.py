"""Saving: a program that was compiled ahead of time becomes a part of a file (`artifacts/`)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import jax
import numpy as np

from myia.api.variant import Variant
from myia.artifacts import container
from myia.artifacts.constants import (
    Json,
    NotStorable,
    class_name,
    dtype_name,
    encoded,
    version_of,
)
from myia.artifacts.errors import ArtifactError
from myia.artifacts.exceptions import exception_json
from myia.artifacts.load import Loaded
from myia.artifacts.patterns import object_paths
from myia.artifacts.recipe_forms import aval_json, kind_json, recipe_json
from myia.infer.boundary.recipes import Recipe, form_of
from myia.infer.boundary.signature import Constant, Leaf, Node, SeenObject
from myia.infer.domain.values import Abstract
from myia.infer.eval.calls import CALLABLE_TYPES, Args, Kwargs
from myia.infer.eval.interpreter import Interpreter
from myia.infer.eval.program import Program
from myia.infer.stand_ins import STAND_INS
from myia.infer.unsupported import UnsupportedFunction
from myia.ir.core import walk
from myia.pipeline import Executable, Vectors, exported, exported_plain, interface_of
from myia.primitives.core.platforms import PLATFORMS
from myia.source.hidden import Unknown
from myia.source.tracebacks import edge

NOT_SAVED = "{} cannot be saved: {}"
SHARDINGS = (
    "its `in_shardings` or `out_shardings` name devices: save it without them, and pass "
    "sharded arrays"
)
CONSTANT_TYPES = (bool, int, str, bytes, type(None), type(Ellipsis), range)


class Description(NamedTuple):
    """What a saved program tells of itself: its name, its signatures, the names of arguments."""

    name: str
    signatures: tuple[Sequence[Any], dict[str, Any]]
    names: Sequence[str]


class Saveable(Protocol):
    """A program that was compiled ahead of time."""

    variant: Variant
    about: Description

    def hidden(self, count: int) -> list[Any]:
        """What it reads beside its arguments, which are `count` objects."""


@edge
def save(path: str | os.PathLike[str], *programs: Saveable) -> None:
    """Save programs that were compiled ahead of time in one file, for `myia.load`.

        small, large = (step.lower(params, b).compile() for b in (batch_of_8, batch_of_256))
        myia.save("step.myia", small, large)

    They may be one function at several signatures (batch sizes), or several functions; a call of
    what is loaded takes the first that its arguments fit. What the programs read beside their
    arguments (globals, closures) is saved with its present values. The file is replaced as a whole.

    Errors: `ArtifactError`: a program cannot be saved, since it prints or calls the host, changes
    globals, or has arguments or results that have no form in a file: functions, random generators,
    tensors and tables of libraries. TypeError: what is passed is not compiled ahead of time.

    Example:
        >>> import os, tempfile, myia
        >>> path = os.path.join(tempfile.mkdtemp(), "square.myia")
        >>> myia.save(path, myia.jit(lambda x: x * x).lower(2.0).compile())
        >>> myia.load(path)(3.0)
        9.0
    """
    if not programs:
        raise TypeError("myia.save takes programs: F.lower(*args).compile()")
    blobs: list[bytes] = []
    told = []
    for each in programs:
        if not hasattr(each, "about"):
            raise TypeError(f"myia.save takes programs, F.lower(*args).compile(), not {each!r}")
        told.append(_described(each, blobs))
    container.write(path, {"versions": versions(), "programs": told}, blobs)


def versions() -> dict[str, str]:
    return {name: version_of(name) for name in ("myia", "jax", "jaxlib", "numpy")}


# ----- A program


def _described(of: Saveable, blobs: list[bytes]) -> Json:
    """The part of a program in the manifest, whose binary parts are added to `blobs`."""
    variant, (name, signatures, names) = of.variant, of.about
    if variant.anew is not None:
        variant = variant.anew()
    executable = variant.executable
    try:
        told = _interface(variant.program, signatures)
        _refuse_effects(executable)
        if variant.layout.has_shardings:
            raise NotStorable(SHARDINGS)
        given, hidden, results = executable.vectors
        return told | {
            "name": name,
            "names": [*names],
            "given": vectors_json(given),
            "hidden": vectors_json(hidden),
            "results": vectors_json(results),
            "shapes": [aval_json(x) for x in executable.shapes],
            "alone": executable.alone,
            "device": variant.layout.device,
            "waits": variant.must_wait,
            "constants": [_constant_json(x, blobs) for x in of.hidden(_object_count(told))],
            "modules": modules_json(executable, blobs),
        }
    except NotStorable as error:
        raise ArtifactError(NOT_SAVED.format(name, error)) from None


def _object_count(told: dict[str, Json]) -> int:
    """How many mutable objects a call has."""
    patterns = [*told["positional"], *(p for _, p in told["keywords"])]
    return sum(len([*object_paths("", p)]) for p in patterns)


def _interface(
    program: Program, signatures: tuple[Sequence[Any], dict[str, Any]]
) -> dict[str, Any]:
    """What callers see of a program: arguments, results, errors."""
    positional = [pattern(s) for s in signatures[0]]
    keywords = [[k, pattern(s)] for k, s in signatures[1].items()]
    told: dict[str, Any] = {"positional": positional, "keywords": keywords}
    count = _object_count(told)
    recipes = [program.recipe, *(r for _, r in program.updates)]
    if program.assignments or any(i >= count for i, _ in program.updates):
        raise NotStorable("it changes a global, or an object that it reads: pass that")
    if any(i >= count for r in recipes for i in _objects(r)):
        raise NotStorable("it returns an object that it reads beside its arguments: pass that")
    exceptions = [exception_json(check.made(hidden=Unknown)) for check in program.checks]
    # Constants of a file share no memory with arguments.
    copied = [i for i in program.changed_in_copies if i < count]
    results = results_json(program) | {"changed_in_copies": copied}
    return told | results | {"exceptions": exceptions}


def results_json(program: Program) -> dict[str, Any]:
    """The parts of the manifest that rebuild the results of a program, and its errors."""
    return {
        "kinds": [kind_json(kind) for kind in program.kinds],
        "recipe": recipe_json(program.recipe),
        "updates": [[i, recipe_json(r)] for i, r in program.updates],
        "changed_in_copies": [*program.changed_in_copies],
        "checks": [
            [_exception_name(c.exception), c.message, None if c.span is None else str(c.span)]
            for c in program.checks
        ],
        "cuts": [[cut.index, [*cut.lengths]] for cut in program.cuts],
    }


def _exception_name(cls: type[BaseException]) -> list[str]:
    return [cls.__module__, cls.__qualname__]


def _objects(recipe: Recipe) -> Iterator[int]:
    """The objects of the caller that a recipe returns."""
    form = form_of(recipe)
    if form is not None:
        if form.kind == "object":
            yield form.fixed
        for part in form.parts:
            yield from _objects(part)


def _refuse_effects(executable: Executable) -> None:
    for op in walk(executable.function.region):
        if op.primitive.effect:
            raise NotStorable("it prints, or calls a function of the host, which is not in a file")


def vectors_json(vectors: Vectors) -> Json:
    found = [
        [[*v.positions], [*map(aval_json, v.avals)], sorted(v.numbers)] for v in vectors.vectors
    ]
    return [vectors.count, found]


def _constant_json(x: Any, blobs: list[bytes]) -> Json:
    array = np.asarray(x)
    blobs.append(np.ascontiguousarray(array).tobytes())
    return [[dtype_name(array.dtype), [*array.shape]], len(blobs) - 1]


def modules_json(executable: Executable, blobs: list[bytes]) -> Json:
    """The module as it runs here, for this version of the compiler, and one for plain JAX."""
    told = []
    here = exported(executable)
    plain = _for_all_platforms(executable)
    for found, is_plain in ((here, False), (plain, True)):
        blobs.append(bytes(found.serialize()))
        options = interface_of(executable).compiler_options
        told.append(
            {
                "platforms": [*found.platforms],
                "member": len(blobs) - 1,
                "options": {} if is_plain else options,
                "donated": [*executable.donated],
                "jaxlib": None if is_plain else version_of("jaxlib"),
            }
        )
    return told


def _for_all_platforms(executable: Executable) -> jax.export.Exported:
    """For plain JAX; only for the platform here, where JAX has no rule of an op for another."""
    try:
        return exported_plain(executable, PLATFORMS)
    except Exception:  # of several classes
        return exported_plain(executable, [executable.platform])


# ----- Signatures


def pattern(signature: Any) -> Json:
    """The pattern of a signature (`artifacts/patterns.py`)."""
    if isinstance(signature, Leaf):
        return _leaf(signature)
    if isinstance(signature, Constant):
        return _constant(signature)
    if isinstance(signature, SeenObject):
        return ["seen", signature.index]
    if isinstance(signature, Node) and signature.kind in NODES:
        return NODES[signature.kind](signature, [pattern(part) for part in signature.parts])
    raise NotStorable(f"{_text(signature)} is among its arguments")


def _leaf(leaf: Leaf) -> Json:
    if leaf.guest is not None:
        raise NotStorable("an array of another library is among its arguments: pass one of NumPy")
    if leaf.kind == "array":
        return ["array", dtype_name(leaf.dtype), [*leaf.shape], leaf.contiguous]
    if leaf.kind == "device":
        return ["device", dtype_name(leaf.dtype), [*leaf.shape]]
    if leaf.kind == "generic":
        return ["generic", dtype_name(leaf.dtype)]
    return [leaf.kind.__name__]


def _constant(constant: Constant) -> Json:
    if type(constant.value) not in CONSTANT_TYPES:
        raise NotStorable(f"a {type(constant.value).__name__} is among its arguments")
    return ["constant", encoded(constant.value)]


def _tuple(node: Node, parts: list[Json]) -> Json:
    return ["tuple", None if node.cls is tuple else class_name(node.cls), parts]


def _list(node: Node, parts: list[Json]) -> Json:
    if node.cls is not list:
        raise NotStorable(f"a {node.cls.__name__} is among its arguments")
    return ["list", parts]


def _dict(node: Node, parts: list[Json]) -> Json:
    cls = node.cls[0] if isinstance(node.cls, tuple) else node.cls
    if cls is not dict:
        raise NotStorable(f"a {cls.__name__} is among its arguments")
    return ["dict", [encoded(key) for key in node.keys], parts]


def _instance(node: Node, parts: list[Json]) -> Json:
    if node.cls in STAND_INS:
        raise NotStorable("a random generator is among its arguments")
    return ["instance", class_name(node.cls), [*node.keys], parts]


NODES: dict[str, Any] = {"tuple": _tuple, "list": _list, "dict": _dict, "instance": _instance}


def _text(signature: Any) -> str:
    x = getattr(signature, "object", None)
    if callable(x) or hasattr(signature, "code"):
        return "a function"
    kind = getattr(signature, "kind", None)
    return f"a {kind or type(x).__name__}"


# ----- Inside compiled code


def _refuse_call(ctx: Interpreter, f: Loaded, args: Args, kwargs: Kwargs) -> Abstract:
    ctx.fail(
        UnsupportedFunction,
        what="a program of a file in compiled code",
        label_text=f"{f!r}, which XLA has compiled",
        help_text="call the function that was saved; or save the program of its derivative "
        "(`myia.value_and_grad(f)`) or batch (`myia.vmap(f)`) beside it",
    )


CALLABLE_TYPES[Loaded] = _refuse_call
