"""What crosses between a program and a Python function that it calls (`myia.host`).

The arguments go out like the results of a program. What comes back is told by an example, `like`:

    like           a number, an array, `jax.ShapeDtypeStruct`, None, or a tuple, list, dict,
                   dataclass or instance of these
    Results        its signature, with the type, dtype and shape of each of its numbers
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from myia.infer.boundary.arguments import ResultLeaves, abstract
from myia.infer.boundary.recipes import TO_PYTHON, WRITTEN
from myia.infer.boundary.results import HostArguments
from myia.infer.boundary.signature import Leaf, Node, leaf, leaves_of
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import PYTHON_DTYPES, PYTHON_TYPES
from myia.infer.domain.errors import BadType
from myia.infer.domain.facts import Constant
from myia.infer.domain.heap import DictObject, InstanceObject, ListObject
from myia.infer.domain.heap_arrays import array_aval
from myia.infer.domain.values import Abstract, Ref, Scalar, Static, Tuple
from myia.infer.tuple_classes import new_tuple
from myia.infer.unsupported import UnsupportedHostCall
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.core.host_calls import HostCall, host_call
from myia.source.value_texts import value_text

NOTHING = Constant(None, type(None))
Structure = Leaf | Node | Constant  # numbers; tuples, lists, dicts and instances; `NOTHING`


class Results:
    """The results of a host function, as `like` tells them."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.avals = tuple(Aval(x.dtype, x.shape) for x in leaves_of(structure))

    def received(self, x: Any, name: str) -> list[np.ndarray]:
        """The arrays of the result `x`; TypeError if it is not like the example."""
        return [found for _, found in self._numbers(x, name)]

    def checked(self, x: Any, name: str) -> Any:
        """The result `x` itself, with its numbers converted as compiled code has them."""
        return _with_numbers(self.structure, x, iter(self._numbers(x, name)))

    def _numbers(self, x: Any, name: str) -> list[tuple[Leaf, np.ndarray]]:
        return list(_numbers(self.structure, x, f"the result of `{name}`"))

    def abstract(self, ctx: Context, values: Sequence[Value]) -> Abstract:
        return abstract(ctx, self.structure, ResultLeaves(values), None)


def _numbers(wanted: Structure, x: Any, path: str) -> Iterator[tuple[Leaf, np.ndarray]]:
    """The numbers of `x` as arrays, each with its leaf."""
    if isinstance(wanted, Leaf):
        yield wanted, _array(wanted, x, path)
    elif isinstance(wanted, Constant):
        if x is not None:
            raise _unlike(path, wanted, x)
    else:
        if type(x) is not wanted.cls or (given := _parts(wanted.kind, x)).keys() != {*wanted.keys}:
            raise _unlike(path, wanted, x)
        for key, part in zip(wanted.keys, wanted.parts):
            yield from _numbers(part, given[key], _path(path, wanted.kind, key))


def _array(wanted: Leaf, x: Any, path: str) -> np.ndarray:
    """`x`, checked and as an array of the dtype and shape of `wanted`."""
    if type(x) is int and wanted.dtype.kind in "fc":
        x = float(x)  # as Python converts it; NumPy's int64 may be too small
    if isinstance(x, (list, tuple, dict, set, str, bytes, type(None))):
        raise _unlike(path, wanted, x)
    try:
        found = np.asarray(x)
    except Exception as error:
        raise _unlike(path, wanted, x) from error
    if found.shape != wanted.shape or not _holds(wanted.dtype, found.dtype, x):
        raise _unlike(path, wanted, x)
    return found.astype(wanted.dtype)


def _holds(dtype: np.dtype, given: np.dtype, x: Any) -> bool:
    """Whether every number of the given dtype, or the Python int `x`, is one of `dtype`."""
    if given.kind not in "biufc":
        return False
    if type(x) is int and dtype.kind in "iu":
        return bool(np.iinfo(dtype).min <= x <= np.iinfo(dtype).max)
    return np.can_cast(given, dtype, "safe")


def _with_numbers(structure: Structure, x: Any, numbers: Iterator[tuple[Leaf, np.ndarray]]) -> Any:
    """`x` with these numbers; an instance stays as it is."""
    if isinstance(structure, Leaf):
        leaf, found = next(numbers)
        return TO_PYTHON[WRITTEN if leaf.kind == "array" else leaf.kind](found)
    if isinstance(structure, Constant):
        return None
    given = _parts(structure.kind, x)
    pairs = zip(structure.keys, structure.parts)
    parts = [_with_numbers(part, given[key], numbers) for key, part in pairs]
    if structure.kind == "instance":
        return x
    if structure.kind == "dict":
        return dict(zip(structure.keys, parts))
    return new_tuple(structure.cls, parts) if structure.kind == "tuple" else structure.cls(parts)


def _unlike(path: str, wanted: Structure, given: Any) -> TypeError:
    if isinstance(given, np.ndarray):
        found = _described(leaf("array", given.dtype, given.shape))
    else:
        found = f"{given!r:.60}, of type {type(given).__name__}"
    return TypeError(f"{path} is {found}, where `like` is {_described(wanted)}")


def _described(x: Structure) -> str:
    if isinstance(x, Constant):
        return "None"
    if isinstance(x, Leaf):
        if isinstance(x.kind, type):
            return f"a {x.kind.__name__}"
        if x.kind == "generic":
            return f"a np.{x.dtype}"
        return f"an array of dtype {x.dtype} and shape {x.shape}"
    if x.kind == "dict":
        return f"a dict with the keys {list(x.keys)}"
    what = f"a {x.cls.__name__}"
    return what if x.kind == "instance" else f"{what} of {len(x.parts)}"


# ----- `like`


def structure_of(like: Any, path: str = "like") -> Structure:
    """The structure of an example; TypeError if a result cannot have it."""
    if like is None:
        return NOTHING
    kind = _kind_of(like)
    if kind is not None:
        given = _parts(kind, like)
        parts = tuple(structure_of(x, _path(path, kind, key)) for key, x in given.items())
        return Node(kind, type(like), tuple(given), parts)
    if type(like) in PYTHON_DTYPES:
        return leaf(type(like), PYTHON_DTYPES[type(like)])
    dtype, shape = getattr(like, "dtype", None), getattr(like, "shape", None)
    if isinstance(like, type) or shape is None or not _is_number(dtype):
        message = f"{path} is {like!r}: it must be made of numbers, arrays, jax.ShapeDtypeStruct"
        raise TypeError(f"{message}, None, tuples, lists, dicts and dataclasses")
    kind = "generic" if isinstance(like, np.generic) else "array"
    return leaf(kind, np.dtype(dtype), tuple(shape))


def _kind_of(like: Any) -> str | None:
    if isinstance(like, tuple):
        return "tuple"
    if type(like) in (list, dict):
        return type(like).__name__
    is_instance = dataclasses.is_dataclass(like) and not isinstance(like, type)
    return "instance" if is_instance else None


def _parts(kind: str, x: Any) -> dict[Any, Any]:
    """The parts of a container, by attribute, key or index."""
    if kind == "instance":
        return {field.name: getattr(x, field.name) for field in dataclasses.fields(x)}
    return x if kind == "dict" else dict(enumerate(x))


def _path(path: str, kind: str, key: Any) -> str:
    return f"{path}.{key}" if kind == "instance" else f"{path}[{value_text(key)}]"


def _is_number(dtype: Any) -> bool:
    try:
        dtype = np.dtype(dtype)
    except TypeError:
        return False
    width = dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize
    return dtype.kind in "biufc" and dtype.isnative and width <= 8


def structure_of_abstract(ctx: Context, like: Abstract) -> Structure:
    """The structure of an example that exists only during inference."""
    if isinstance(like, Static):
        try:
            return structure_of(like.value)
        except TypeError as error:
            ctx.fail(BadType, message=str(error))
    if isinstance(like, Scalar):
        kind = PYTHON_TYPES[like.dtype.kind] if like.weak else "generic"
        return leaf("array" if like.boxed else kind, like.dtype)
    if isinstance(like, Ref) and ctx.is_array(like):
        aval = array_aval(ctx.heap, like.id)
        return leaf("array", aval.dtype, aval.shape)
    x = ctx.contents(like) if isinstance(like, Ref) else like
    if not isinstance(x, (Tuple, ListObject, DictObject, InstanceObject)):
        what = f"{ctx.describe(like)} as `like` of `myia.host`"
        ctx.fail(UnsupportedHostCall, what=what, help_text=MAKE_IT)
    parts = tuple(structure_of_abstract(ctx, part) for part in x.children())
    if isinstance(x, Tuple):
        return Node("tuple", x.cls or tuple, tuple(range(len(parts))), parts)
    if isinstance(x, DictObject):
        return Node("dict", dict, x.keys, parts)
    if isinstance(x, InstanceObject):
        return Node("instance", x.cls, x.names, parts)
    return Node("list", list, tuple(range(len(parts))), parts)


MAKE_IT = "give numbers, arrays, tuples, lists, dicts or dataclasses of them"


# ----- The call

WITHOUT_IT = "use `grad`, `value_and_grad` or `jvp`, or pass what the host gives as an argument"


@contextmanager
def no_host_calls(ctx: Context, what: str) -> Iterator[None]:
    """Refuse host calls in code that `what` runs more than once."""
    before = ctx.host_calls
    yield
    if ctx.host_calls != before:
        refuse_host_calls(ctx, what)


def refuse_host_calls(ctx: Context, what: str) -> NoReturn:
    """Refuse `what`, which runs a function more than once, of one that calls the host."""
    what = f"{what} of a function that calls the host"
    ctx.fail(UnsupportedHostCall, what=what, help_text=WITHOUT_IT)


def emit_host_call(
    ctx: Context, f: Callable, name: str, results: Results, args: tuple, kwargs: dict
) -> Abstract:
    """Emit a call of the Python function `f`; returns its result.

    One without numbers in its result is an effect only, as a print: nothing needs a record of it.
    """
    if ctx.report is not None and results.avals:
        ctx.fail(UnsupportedHostCall, what="a call of the host in a second run")
    outputs = HostArguments(ctx, {}, role="an argument of a host function")
    recipe = outputs.recipe_of_all(Tuple((Tuple(tuple(args)), *kwargs.values())))
    kinds = [WRITTEN if kind == "array" else kind for kind in outputs.kinds]
    names = tuple(kwargs)

    def run(*arrays: np.ndarray) -> list[np.ndarray]:
        numbers = [TO_PYTHON[kind](x) for kind, x in zip(kinds, arrays)]
        positional, *rest = recipe(numbers, ())
        return results.received(f(*positional, **dict(zip(names, rest))), name)

    ctx.host_calls += bool(results.avals)
    code = ctx.whole_error_code()
    code = constant(0, np.int32) if code is None else code
    call = HostCall(name, run, results.avals)
    return results.abstract(ctx, host_call(call, code, *outputs.values))
