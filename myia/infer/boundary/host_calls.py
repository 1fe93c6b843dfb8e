"""What crosses between a program and a Python function that it calls (`myia.host`).

The arguments go out like the results of a program. What comes back is told by an example, `like`:

    like           a number, an array, `jax.ShapeDtypeStruct`, None, or a tuple, list, dict,
                   dataclass or instance of these
    Results        its structure, and the type, dtype and shape of each of its numbers
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from myia.infer.boundary.results import Outputs, Recipe
from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType, Unsupported
from myia.infer.domain.heap import DictObject, InstanceObject, ListObject
from myia.infer.domain.values import NONE, Abstract, Ref, Scalar, Static, Tuple
from myia.infer.dynamic.access import is_dynamic, read
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.core.host_calls import HostCall, host_call
from myia.source.diagnostics import InternalError

PYTHON_NUMBERS = {bool: np.bool_, int: np.int64, float: np.float64, complex: np.complex128}
DTYPES = "a number of at most 64 bits"


@dataclass(frozen=True)
class Number:
    """One number or array of a result. `kind`: its Python type, "generic" or "array"."""

    kind: Any
    aval: Aval

    def __str__(self) -> str:
        if isinstance(self.kind, type):
            return f"a {self.kind.__name__}"
        if self.kind == "generic":
            return f"a np.{self.aval.dtype}"
        return f"an array of dtype {self.aval.dtype} and shape {self.aval.shape}"

    def received(self, x: Any, path: str) -> np.ndarray:
        """`x`, checked and as an array of this aval."""
        if type(x) is int and self.aval.dtype.kind in "fc":
            x = float(x)  # as Python converts it; NumPy's int64 may be too small
        if isinstance(x, (list, tuple, dict, set, str, bytes, type(None))):
            raise _unlike(path, self, x)
        try:
            found = np.asarray(x)
        except Exception as error:
            raise _unlike(path, self, x) from error
        fits = found.shape == self.aval.shape and _holds(self.aval.dtype, found.dtype, x)
        if not fits:
            raise _unlike(path, self, x)
        return found.astype(self.aval.dtype)

    def python(self, x: np.ndarray) -> Any:
        """The Python object of an array of this aval."""
        if self.kind == "array":
            return x
        return x.item() if isinstance(self.kind, type) else x[()]

    def abstract(self, ctx: Context, value: Value) -> Abstract:
        if value.shape:
            return ctx.array(value)
        return Scalar(value, weak=isinstance(self.kind, type), boxed=self.kind == "array")


def _holds(dtype: np.dtype, given: np.dtype, x: Any) -> bool:
    """Whether every number of the given dtype, or the Python int `x`, is one of `dtype`."""
    if given.kind not in "biufc":
        return False
    if type(x) is int and dtype.kind in "iu":
        return np.iinfo(dtype).min <= x <= np.iinfo(dtype).max
    return np.can_cast(given, dtype, "safe")


@dataclass(frozen=True)
class Node:
    """A container of a result. `kind`: "none", "tuple", "list", "dict" or "instance"."""

    kind: str
    cls: type
    keys: tuple[Any, ...] = ()
    parts: tuple[Any, ...] = ()

    def __str__(self) -> str:
        if self.kind == "none":
            return "None"
        if self.kind == "dict":
            return f"a dict with the keys {list(self.keys)}"
        what = f"a {self.cls.__name__}"
        return what if self.kind == "instance" else f"{what} of {len(self.parts)}"

    def children(self, x: Any, path: str) -> Iterator[tuple[Any, str]]:
        """The parts of `x`, which must have this structure, and how each is written."""
        same = x is None if self.kind == "none" else type(x) is self.cls
        if not same or (tuple(_keys(self.kind, x)) != self.keys and not self._same_keys(x)):
            raise _unlike(path, self, x)
        for key in self.keys:
            if self.kind == "instance":
                yield getattr(x, key), f"{path}.{key}"
            else:
                yield x[key], f"{path}[{key!r}]"

    def _same_keys(self, x: Any) -> bool:
        return self.kind == "dict" and x.keys() == set(self.keys)

    def rebuilt(self, parts: Sequence[Any]) -> Any:
        if self.kind == "none":
            return None
        if self.kind == "tuple":
            return self.cls(parts) if self.cls is tuple else self.cls(*parts)
        if self.kind == "list":
            return list(parts)
        if self.kind == "dict":
            return dict(zip(self.keys, parts))
        raise InternalError("instances are not rebuilt")

    def abstract(self, ctx: Context, parts: tuple[Abstract, ...]) -> Abstract:
        if self.kind == "none":
            return NONE
        if self.kind == "tuple":
            return Tuple(parts, None if self.cls is tuple else self.cls)
        contents = {
            "list": lambda: ListObject(parts),
            "dict": lambda: DictObject(self.keys, parts),
            "instance": lambda: InstanceObject(self.cls, self.keys, parts),
        }[self.kind]()
        return ctx.new(contents)


def _keys(kind: str, x: Any) -> Sequence[Any]:
    if kind in ("tuple", "list"):
        return range(len(x))
    if kind == "instance":
        return [field.name for field in dataclasses.fields(x)]
    return tuple(x) if kind == "dict" else ()


def _unlike(path: str, wanted: Any, given: Any) -> TypeError:
    if isinstance(given, np.ndarray):
        found = str(Number("array", Aval(given.dtype, given.shape)))
    else:
        found = f"{given!r:.60}, of type {type(given).__name__}"
    return TypeError(f"{path} is {found}, where `like` is {wanted}")


# ----- `like`


def structure_of(like: Any, path: str = "like") -> Number | Node:
    """The structure of an example; TypeError if a result cannot have it."""
    kind = _kind_of(like)
    if kind is not None:
        keys = tuple(_keys(kind, like))
        get = getattr if kind == "instance" else lambda x, key: x[key]
        parts = tuple(structure_of(get(like, key), f"{path}[{key!r}]") for key in keys)
        return Node(kind, type(like), keys, parts)
    if type(like) in PYTHON_NUMBERS:
        return Number(type(like), Aval(np.dtype(PYTHON_NUMBERS[type(like)])))
    dtype, shape = getattr(like, "dtype", None), getattr(like, "shape", None)
    if isinstance(like, type) or shape is None or not _is_number(dtype):
        message = f"{path} is {like!r}: it must be made of numbers, arrays, jax.ShapeDtypeStruct"
        raise TypeError(f"{message}, None, tuples, lists, dicts and dataclasses")
    dtype = np.dtype(dtype)
    return Number("generic" if isinstance(like, np.generic) else "array", Aval(dtype, tuple(shape)))


def _kind_of(like: Any) -> str | None:
    if like is None:
        return "none"
    if isinstance(like, tuple):
        return "tuple"
    if type(like) in (list, dict):
        return type(like).__name__
    is_instance = dataclasses.is_dataclass(like) and not isinstance(like, type)
    return "instance" if is_instance else None


def _is_number(dtype: Any) -> bool:
    try:
        dtype = np.dtype(dtype)
    except TypeError:
        return False
    width = dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize
    return dtype.kind in "biufc" and dtype.isnative and width <= 8


def structure_of_abstract(ctx: Context, like: Abstract) -> Number | Node:
    """The structure of an example that exists only during inference."""
    if isinstance(like, Static):
        try:
            return structure_of(like.value)
        except TypeError as error:
            ctx.fail(BadType, message=str(error))
    if isinstance(like, Scalar):
        kind = like.dtype.type(0).item().__class__ if like.weak else "generic"
        return Number("array" if like.boxed else kind, like.value.aval)
    if ctx.is_array(like):
        return Number("array", ctx.read(like).aval)
    contents = ctx.contents(like) if isinstance(like, Ref) else like
    kinds = {Tuple: "tuple", ListObject: "list", DictObject: "dict", InstanceObject: "instance"}
    if type(contents) not in kinds:
        ctx.fail(
            Unsupported, what=f"{ctx.describe(like)} as `like` of `myia.host`", help_text=MAKE_IT
        )
    parts = tuple(structure_of_abstract(ctx, x) for x in contents.children())
    kind = kinds[type(contents)]
    keys = {"dict": "keys", "instance": "names"}.get(kind)
    keys = tuple(range(len(parts))) if keys is None else getattr(contents, keys)
    cls = {"list": list, "dict": dict}.get(kind) or contents.cls or tuple
    return Node(kind, cls, tuple(keys), parts)


MAKE_IT = "give numbers, arrays, tuples, lists, dicts or dataclasses of them"


class Results:
    """The results of a host function, as `like` tells them."""

    def __init__(self, structure: Number | Node) -> None:
        self.structure = structure
        self.numbers = list(_numbers(structure))

    def received(self, x: Any, name: str) -> list[np.ndarray]:
        """The arrays of the result `x`; TypeError if it is not like the example."""
        return list(_received(self.structure, x, f"the result of `{name}`"))

    def checked(self, x: Any, name: str) -> Any:
        """The result `x` itself, with its numbers converted as compiled code has them."""
        return _checked(self.structure, x, f"the result of `{name}`")

    def abstract(self, ctx: Context, values: Sequence[Value]) -> Abstract:
        return _abstract(ctx, self.structure, iter(values))


def _numbers(structure: Number | Node) -> Iterator[Number]:
    if isinstance(structure, Number):
        yield structure
    else:
        for part in structure.parts:
            yield from _numbers(part)


def _received(structure: Number | Node, x: Any, path: str) -> Iterator[np.ndarray]:
    if isinstance(structure, Number):
        yield structure.received(x, path)
        return
    for part, (child, where) in zip(structure.parts, list(structure.children(x, path))):
        yield from _received(part, child, where)


def _checked(structure: Number | Node, x: Any, path: str) -> Any:
    if isinstance(structure, Number):
        return structure.python(structure.received(x, path))
    children = list(structure.children(x, path))
    pairs = zip(structure.parts, children)
    parts = [_checked(part, child, where) for part, (child, where) in pairs]
    return x if structure.kind == "instance" else structure.rebuilt(parts)


def _abstract(ctx: Context, structure: Number | Node, values: Iterator[Value]) -> Abstract:
    if isinstance(structure, Number):
        return structure.abstract(ctx, next(values))
    parts = tuple(_abstract(ctx, part, values) for part in structure.parts)
    return structure.abstract(ctx, parts)


# ----- The call

WITHOUT_IT = "use `grad`, `value_and_grad` or `jvp`, or pass what the host gives as an argument"


@contextmanager
def no_host_calls(ctx: Context, what: str) -> Iterator[None]:
    """Refuse host calls in code that `what` runs more than once."""
    before = ctx.host_calls
    yield
    if ctx.host_calls != before:
        what = f"{what} of a function that calls the host"
        ctx.fail(Unsupported, what=what, help_text=WITHOUT_IT)


def emit_host_call(
    ctx: Context, f: Callable, name: str, results: Results, args: tuple, kwargs: dict
) -> Abstract:
    """Emit a call of the Python function `f`; returns its result."""
    if ctx.report is not None:  # the program runs again for the numbers of a failed check
        ctx.fail(Unsupported, what="a call of the host in a second run")
    outputs = _Arguments(ctx, {}, role="an argument of a host function")
    recipe = outputs.recipe(Tuple((Tuple(tuple(args)), *kwargs.values())))
    names, kinds = tuple(kwargs), tuple(outputs.kinds)

    def run(*arrays: np.ndarray) -> list[np.ndarray]:
        numbers = [_python(kind, x) for kind, x in zip(kinds, arrays)]
        positional, *rest = recipe(numbers, ())
        return results.received(f(*positional, **dict(zip(names, rest))), name)

    ctx.host_calls += 1
    code = ctx.error_code()
    code = constant(0, np.int32) if code is None else code
    call = HostCall(name, run, tuple(number.aval for number in results.numbers))
    return results.abstract(ctx, host_call(call, code, *outputs.values))


class _Arguments(Outputs):
    """The arguments of a call: arrays of any size, which are cut to it on the host."""

    def object(self, x: Ref) -> Recipe:
        if not is_dynamic(self.ctx, x):
            return super().object(x)
        found = read(self.ctx, x).packed()
        array = self.leaf(found.value, "array")
        lengths = [self.leaf(length.value, int) for length in found.lengths]
        return lambda n, o: n[array][tuple(slice(n[i]) for i in lengths)]


def _python(kind: Any, x: np.ndarray) -> Any:
    """The Python object of an argument; `kind`: see `Outputs`."""
    return Number(kind, Aval(x.dtype, x.shape)).python(x)
