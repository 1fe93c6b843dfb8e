"""Does a manifest agree with itself and with its modules?

Whoever alters one can make its hash right. What does not fit is found when the file is loaded, and
not as some error of a call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import jax.export
import numpy as np

from myia.artifacts.constants import Json, dtype_of
from myia.artifacts.errors import ArtifactError
from myia.artifacts.patterns import NUMBERS, Arguments, parts_of
from myia.artifacts.recipe_forms import places_in
from myia.backends.xla.packing import Packing, Vectors
from myia.ir.avals import Aval

OTHER_RESULTS = "its manifest names results or objects that there are not"
OTHER_SHAPES = "its module is not the one that its manifest describes"
OTHER_PACKING = "its manifest passes other arrays than those of its arguments"


def check_places(told: dict[str, Json], arguments: Arguments, results: Vectors) -> None:
    """Do recipes name the results and objects that there are?"""
    kinds, objects = len(told["kinds"]), len(arguments.object_paths)
    fits = told["device"] or kinds + bool(told["checks"]) == results.count
    if "exceptions" in told:
        fits &= len(told["exceptions"]) == len(told["checks"])
    recipes = [told["recipe"], *(r for _, r in told["updates"])]
    places = [place for r in recipes for place in places_in(r)]
    places += [("object", i) for i, _ in told["updates"]]
    places += [("object", i) for i in told.get("changed_in_copies", ())]
    places += [("number", k) for i, ks in told["cuts"] for k in (i, *ks) if k is not None]
    if not fits or any(_is_outside(i, objects if k == "object" else kinds) for k, i in places):
        raise ArtifactError(OTHER_RESULTS)


def check_packing(
    arguments: Arguments, packing: Packing, constants: Sequence[np.ndarray], avals: Sequence[Any]
) -> None:
    """Are the arguments and constants, packed, those of the modules?"""
    given = [leaf for pattern in arguments.patterns for leaf in _leaves(pattern)]
    hidden = [Aval(x.dtype, x.shape) for x in constants]
    found: list[Aval] = []
    for leaves, vectors in ((given, packing.given), (hidden, packing.hidden)):
        if not _is_packing(vectors, len(leaves)) or _has_other_shapes(vectors, leaves):
            raise ArtifactError(OTHER_PACKING)
        found += vectors.avals(leaves)
    if [(aval.dtype, aval.shape) for aval in found] != [*avals]:
        raise ArtifactError(OTHER_PACKING)
    if not _is_packing(packing.results, packing.results.count):
        raise ArtifactError(OTHER_RESULTS)


def _has_other_shapes(vectors: Vectors, avals: Sequence[Aval]) -> bool:
    members = [member for v in vectors.vectors for member in zip(v.positions, v.avals)]
    return any(avals[i].shape != aval.shape for i, aval in members)


def check_results(told: dict[str, Json], results: Vectors, exported: jax.export.Exported) -> None:
    """Are the results of a module those that are unpacked and rebuilt?"""
    found = [Aval(x.dtype, x.shape) for x in exported.out_avals]
    count, expected = len(results.vectors), results.packed_count
    if told["device"]:
        expected = len(told["kinds"]) + bool(told["checks"])
    fits = len(found) == expected and found[:count] == [v.aval for v in results.vectors]
    if not fits or told["alone"] != (len(found) == 1):
        raise ArtifactError(OTHER_SHAPES)
    if told["device"]:
        return  # nothing is unpacked
    shapes = [aval.shape for aval in results.unpacked_avals(found)]
    scalars = [shapes[i] for i, kind in enumerate(told["kinds"]) if kind in (*NUMBERS, "bool")]
    scalars += [shapes[k] for _, ks in told["cuts"] for k in ks if k is not None]
    scalars += [shapes[-1]] if told["checks"] else []
    if any(scalars) or any(len(shapes[i]) < len(ks) for i, ks in told["cuts"]):
        raise ArtifactError(OTHER_RESULTS)


def _leaves(pattern: Json) -> Iterator[Aval]:
    """The numbers and arrays of arguments that have a pattern."""
    kind, *rest = pattern
    if kind in ("array", "device"):
        yield Aval(dtype_of(rest[0]), tuple(rest[1]))
    elif kind == "generic":
        yield Aval(dtype_of(rest[0]))
    elif kind in NUMBERS:
        yield Aval(np.dtype(np.int64 if kind == "int" else kind))
    for _, part in parts_of(pattern):
        yield from _leaves(part)


def _is_packing(vectors: Vectors, count: int) -> bool:
    """Has each vector some of `count` arrays, which no other has?"""
    positions = [*vectors.positions]
    return (
        vectors.count == count
        and len({*positions}) == len(positions)
        and not any(_is_outside(i, count) for i in positions)
        and all(len(v.positions) == len(v.avals) > 0 for v in vectors.vectors)
        and all(v.numbers <= {*v.positions} for v in vectors.vectors)
    )


def _is_outside(i: Any, count: int) -> bool:
    return type(i) is not int or not 0 <= i < count
