"""Python objects as abstract values: arguments, and answers to questions (`domain/facts.py`).

The numbers and arrays in them become arguments of the program. The answer to a question, such as a
global or a closure variable, is a hidden argument (a *root*) or, where it has no numbers, a fact
only. It is read again at every call. The program is used only as long as the signature of each
answer is the same.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from myia.infer.boundary.inner_classes import Member, from_outside, is_about_inner, value_of
from myia.infer.boundary.instances import has_own_operators
from myia.infer.boundary.integers import IntegerSplit
from myia.infer.boundary.signature import (
    ConstantSet,
    FunctionSignature,
    Leaf,
    Node,
    SeenObject,
)
from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadValue, UnsupportedDtype
from myia.infer.domain.facts import (
    ABSENT,
    Answer,
    Constant,
    Identity,
    Question,
    Raised,
    exact,
    is_fixed,
)
from myia.infer.domain.heap import (
    ArrayObject,
    Contents,
    DictObject,
    InstanceObject,
    ListObject,
    SetObject,
)
from myia.infer.domain.values import (
    Abstract,
    Method,
    Opaque,
    Outside,
    Partial,
    PyFunction,
    Ref,
    Scalar,
    Static,
    Tuple,
)
from myia.infer.guests import attributes_of
from myia.infer.numeric.settings import settings_of
from myia.infer.registry import LIBRARIES
from myia.infer.stand_ins import in_program
from myia.infer.unsupported import UnsupportedBoundary
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.core.define import array_constant
from myia.source.value_texts import value_text

MAX_DIMENSIONS = 32  # of an array that goes to XLA
UNNAMED = "an answer"
DEVICE_ARRAY = "a jax.Array, which is immutable"


@dataclass(eq=False)
class Fact:
    """A question and its answer: the signature of an object, with values for the numbers in it.

    `split`: which ints in the answer are compile-time values; None if there are no ints.
    """

    question: Question
    by_identity: bool  # the answer is an object as it is, not taken apart
    answer: Any
    values: list[Value]
    name: str  # for messages
    split: IntegerSplit | None = None
    integers: tuple[int, ...] = ()  # those that are compile-time values

    @property
    def key(self) -> Any:
        return (self.question, self.by_identity)

    @property
    def branch(self) -> Any:
        """The answer as calls find it: a signature in which ints are leaves, and some of these."""
        return self.answer if self.split is None else (self.split.signatures[0], self.integers)


@dataclass
class Arguments:
    """The inputs of a program, in order, and the mutable objects among them."""

    values: list[Value] = field(default_factory=list)
    objects: list[Abstract] = field(default_factory=list)

    def value(self, aval: Aval, name: str | None) -> Value:
        """The value of the next leaf."""
        value = Value(aval, name)
        self.values.append(value)
        return value

    def leaf(self, ctx: Context, leaf: Leaf, name: str | None) -> Abstract:
        """The next leaf."""
        _check_dtype(ctx, leaf.dtype, name)
        if len(leaf.shape) > MAX_DIMENSIONS:
            what = f"an argument of {len(leaf.shape)} dimensions"
            help_text = f"XLA takes {MAX_DIMENSIONS}: reshape it before the call"
            ctx.fail(UnsupportedBoundary, what=what, help_text=help_text)
        value = self.value(Aval(leaf.dtype, leaf.shape), name)
        is_array = leaf.kind == "array"
        if leaf.shape == ():
            x: Abstract = Scalar(value, weak=isinstance(leaf.kind, type), boxed=is_array)
        else:
            readonly = DEVICE_ARRAY if leaf.is_jax else None
            x = self.new(ctx, ArrayObject(value, readonly, leaf.contiguous))
        if is_array:
            self.objects.append(x)
        return x

    def new(self, ctx: Context, contents: Contents) -> Ref:
        """A new object; `fill` sets its contents, once its parts have been made."""
        return Ref(ctx.heap.new_root(contents))

    def fill(self, ctx: Context, ref: Ref, contents: Contents) -> None:
        ctx.heap.roots[ref.id] = contents


class ResultLeaves(Arguments):
    """The leaves of the result of a call, in order, where arguments would make new leaves."""

    def __init__(self, leaves: Sequence[Any]) -> None:
        super().__init__()
        self.rest = iter(leaves)
        self.current: Any = None

    def leaf(self, ctx: Context, leaf: Leaf, name: str | None) -> Abstract:
        self.current = next(self.rest)
        if isinstance(self.current, Abstract):
            return self.current
        return super().leaf(ctx, leaf, name)

    def value(self, aval: Aval, name: str | None) -> Value:
        x = self.current
        return x if isinstance(x, Value) else array_constant(np.asarray(x, aval.dtype))

    def new(self, ctx: Context, contents: Contents) -> Ref:
        return ctx.new(contents)

    def fill(self, ctx: Context, ref: Ref, contents: Contents) -> None:
        ctx.heap.objects[ref.id] = contents


def abstract(ctx: Context, signature: Any, inputs: Arguments, name: str | None) -> Abstract:
    """The abstract value of an object with this signature; its leaves are new `inputs`."""
    if isinstance(signature, Leaf):
        return inputs.leaf(ctx, signature, name)
    if isinstance(signature, Constant):
        if isinstance(signature.value, ConstantSet):
            contents = SetObject(signature.value.cls, tuple(map(Static, signature.value.items)))
            return Ref(ctx.heap.new_root(contents))
        return Static(signature.value)
    if isinstance(signature, Identity):
        x = signature.object
        return Static(x) if is_settled(x) else Outside(x)
    if isinstance(signature, SeenObject):
        return inputs.objects[signature.index]
    if isinstance(signature, FunctionSignature):
        parts = tuple(abstract(ctx, p, inputs, None) for p in signature.parts)
        return PyFunction(signature.function, parts)
    return _node(ctx, signature, inputs, name)


SETTLED = (
    *(type, types.ModuleType, types.FunctionType, types.MethodType, enum.Enum),
    *(property, staticmethod, classmethod, str, int),
)
WITH_SETTLED_OBJECTS = (LIBRARIES | {"myia"}) - {"builtins", "itertools"}


def is_settled(x: Any) -> bool:
    """Is an object what it is by its identity: a module, a class, a function, an immutable value?

    All that it can be asked besides are attributes. Objects of libraries are assumed to be so.
    """
    if isinstance(x, np.ndarray) or has_own_operators(type(x)):
        return False
    if is_fixed(x) or x is ABSENT or isinstance(x, SETTLED) or hasattr(type(x), "__myia__"):
        return True
    in_c = callable(x) and not isinstance(type(x).__call__, types.FunctionType)
    return in_c or type(x).__module__.partition(".")[0] in WITH_SETTLED_OBJECTS


def _check_dtype(ctx: Context, dtype: np.dtype, name: str | None) -> None:
    """An error for numbers of more than 64 bits, or that are none of NumPy's (`bfloat16`)."""
    width = dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize
    of_numpy = dtype.kind in "biufc"
    if of_numpy and dtype.isnative and width <= 8:
        return
    native = {"f": "np.float64", "c": "np.complex128"} if width > 8 else {"V": "np.float32"}
    ctx.fail(
        UnsupportedDtype,
        what="an argument" if name is None else f"`{name}`",
        name=name or "x",
        dtype=repr(dtype)[len("dtype(") : -1].strip("'") if of_numpy else dtype.name,
        native=native.get(dtype.kind, f"np.{dtype.newbyteorder('=').name}"),
    )


def _name_of_key(key: Any) -> str:
    return key if isinstance(key, str) else value_text(key)


def _node(ctx: Context, node: Node, inputs: Arguments, name: str | None) -> Abstract:
    if node.kind == "tuple":
        cls = None if node.cls is tuple else node.cls
        return Tuple(tuple(abstract(ctx, p, inputs, name) for p in node.parts), cls)
    if node.kind == "method":
        return Method(node.keys[0].object, abstract(ctx, node.parts[0], inputs, name))
    if node.kind == "partial":
        parts = tuple(abstract(ctx, p, inputs, name) for p in node.parts)
        return Partial(call_partial, parts, node.keys)
    if node.kind == "vectorized":
        return ctx.call(Static(node.cls), (abstract(ctx, node.parts[0], inputs, name),), {})
    if node.kind == "opaque":
        return Opaque(node.cls, tuple(abstract(ctx, p, inputs, name) for p in node.parts))
    # The object's id comes before those of its parts, as in `Flattener`.
    ref = inputs.new(ctx, ListObject(()))
    inputs.objects.append(ref)
    named = node.kind in ("dict", "instance", "guest")
    names = map(_name_of_key, node.keys) if named else (name,) * len(node.parts)
    parts = tuple(abstract(ctx, p, inputs, n) for p, n in zip(node.parts, names))
    if node.kind == "list":
        contents: Contents = ListObject(parts, node.cls)
    elif node.kind == "dict":
        cls = node.cls[0] if isinstance(node.cls, tuple) else node.cls
        contents = DictObject(node.keys, parts, cls)
    elif node.kind == "set":
        contents = SetObject(node.cls, parts)
    elif node.kind == "guest":
        contents = InstanceObject(node.cls.cls, *attributes_of(node.cls, parts, Static))
    else:
        contents = InstanceObject(in_program(node.cls), node.keys, parts)
    inputs.fill(ctx, ref, contents)
    return ref


def call_partial(
    ctx: Context, partial: Partial, args: Sequence[Abstract], kwargs: dict[str, Abstract]
) -> Abstract:
    """`functools.partial(f, *bound, **keywords)(*args, **kwargs)`"""
    n, *names = partial.meta
    f, *bound = partial.items
    keywords = {**dict(zip(names, bound[n:])), **kwargs}
    return ctx.call(f, (*bound[:n], *args), keywords)


# ----- Answers


def root(ctx: Context, question: Question, name: str | None = None) -> Abstract:
    """The abstract value of the answer to a question; the numbers in it are hidden arguments."""
    if is_about_inner(question):
        return _root_of_inner(ctx, question, name)
    if question not in ctx.root_values:
        answer, flat, again = question.ask(), ctx.flat.part(), ctx.flat.copy().part()
        if isinstance(answer, Member):
            return value_of(ctx, answer)
        objects = len(flat.objects)
        signature = flat.add(answer)
        same = again.add(question.ask()) == signature
        split = IntegerSplit([root_of_path(question, name)], [signature], flat.leaves, ctx.choose)
        (resolved,) = split.resolved(flat.leaves)
        integers = split.take(flat)
        if not same or split.take(again) != integers:
            ctx.fail(UnsupportedBoundary, what=f"{question}, which differs each time it is asked,")
        inputs = Arguments(objects=ctx.objects)
        found = Fact(question, False, resolved, inputs.values, name or UNNAMED)
        if split.integers:
            found.split, found.integers = split, integers
        if not question.is_fixed or flat.leaves or len(flat.objects) > objects:
            ctx.facts.append(found)
        _check_raised(ctx, answer)
        ctx.root_values[question] = abstract(ctx, resolved, inputs, name)
    return ctx.root_values[question]


def _root_of_inner(ctx: Context, question: Question, name: str | None) -> Abstract:
    """The same about a class that compiled code defines: only of its bases there are facts."""
    asked, answer = from_outside(question), question.ask()
    if asked and asked[-1].ask() is answer:
        for absent in asked[:-1]:
            fact(ctx, absent)
        return root(ctx, asked[-1], name)
    answer = fact(ctx, question)
    return value_of(ctx, answer) if isinstance(answer, Member) else Static(answer)


def root_of_path(question: Question, name: str | None) -> Any:
    """What is known of an int in the answer is kept under this key, which keeps nothing alive."""
    owner = question.owner
    if isinstance(owner, dict):  # the namespace of a module
        return (type(question), name, owner.get("__name__"))
    return (type(question), name, getattr(owner, "__qualname__", type(owner).__qualname__))


def fact(ctx: Context, question: Question) -> Any:
    """The answer to a question, an object as it is; an error if it would not be seen to change."""
    if is_about_inner(question):
        for asked in from_outside(question):
            fact(ctx, asked)
        _check_raised(ctx, answer := question.ask())
        return answer
    if question not in ctx.answers:
        if isinstance(question, Answer):
            for setting in settings_of(question.owner, question.name):
                fact(ctx, setting)
        answer = question.ask()
        if not question.is_fixed:
            found = Fact(question, True, exact(answer), [], str(question.name))
            if exact(question.ask()) != found.answer:
                ctx.fail(
                    UnsupportedBoundary, what=f"{question}, which differs each time it is asked,"
                )
            ctx.facts.append(found)
        ctx.answers[question] = answer
    _check_raised(ctx, ctx.answers[question])
    return ctx.answers[question]


def _check_raised(ctx: Context, answer: Any) -> None:
    if isinstance(answer, Raised):
        is_type = issubclass(answer.exception, TypeError)
        exception = "TypeError" if is_type else answer.exception.__name__
        ctx.fail(BadValue, message=answer.message, exception=exception)
