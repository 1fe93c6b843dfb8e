"""Functions, strings, enum members and objects of several kinds, selected at run time.

After `f = a if c else b` a call of `f` is a chain of branches, and so is `s == "on"` of a string.

    if c: f = math.sin          f: Choice(index, (math.sin, g))
    else: f = g          ->     f(x): if index == 0: math.sin(x)
    f(x)                              else: g(x)

Merged with another function a choice gets another option. Two closures of the same code are one
option: the values that they capture are merged.

So are instances of two classes, tuples of two lengths, a number or a tuple: what is done with them
is done with each (`split`). Objects of one kind are merged, they need no choice.

    o = Circle(r) if c else Square(r)       o: Choice(index, (Circle, Square))
    y = o.area()                      ->    y: if index == 0: Circle's area, else Square's

So are numbers of several dtypes, and a Python number beside one of NumPy, where no type is both
(`infer/domain/dtypes.py`). In a loop, too: there are few kinds of numbers.

Arrays of several shapes or dtypes are options only where that alone helps
(`infer/eval/program.py`): code for each of them is more code.

    v = A[0] if c else A[0, :2]             v: Choice(index, (the view, the shorter view))
    v[0] = 2.0                        ->    if index == 0: A[0][0] = 2.0, else A[0, :2][0] = 2.0

Objects of one kind from before the branch are options where their names are used again
(`infer/eval/program.py`): merged ones are copies, of which a change is lost to the others.

    src = a if c else b             src: Choice(index, (a, b))
    src.balance += 2.0        ->    if index == 0: a.balance += 2.0, else b.balance += 2.0

*When it gives up*: a loop that makes a new function of a choice in every iteration (`f = grad(f)`)
raises Mismatch; its options would never end. In loops objects are chosen only if that is the only
way (`infer/loops/loop_forms.py`).
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from myia.infer.domain.describe import describe
from myia.infer.domain.dtypes import (
    NumberKind,
    are_joined,
    holds,
    is_number,
    is_weak,
    number_value,
)
from myia.infer.domain.heap import (
    AnyList,
    DictObject,
    Heap,
    InstanceObject,
    ListObject,
    ViewObject,
)
from myia.infer.domain.heap_arrays import ARRAYS, type_of_array
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import (
    FUNCTION_VALUES,
    IS_INNER,
    Abstract,
    Choice,
    Iterator,
    Ref,
    Scalar,
    Static,
    Text,
    Tuple,
    same_static,
)
from myia.infer.paths.merge_result import Merging
from myia.infer.paths.points_to import slice_form
from myia.ir.avals import I64
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic

APART = (InstanceObject, AnyList, DictObject)
CALL_IT_THERE = "call it where it is selected: `rows[k].append(x)`"


def kind_of_option(x: Abstract) -> str | None:
    """What the options of a choice with `x` are: functions, strings, or members of an enumeration.

    None: `x` is no option.
    """
    if isinstance(x, Choice):
        return kind_of_option(x.options[0])
    if isinstance(x, Text):
        return "string"
    if isinstance(x, Static) and isinstance(x.value, (str, enum.Enum)):
        return "member" if isinstance(x.value, enum.Enum) else "string"
    if isinstance(x, Static) and isinstance(x.value, type) and IS_INNER in vars(x.value):
        return None  # a class that the program makes: another one in each iteration
    is_function = callable(x.value) if isinstance(x, Static) else isinstance(x, FUNCTION_VALUES)
    return "function" if is_function else None


class ArrayForm(NamedTuple):
    """Of an array of run-time size `shape` is the number of axes; `view`: what is merged as one."""

    dtype: np.dtype
    shape: tuple[int, ...]
    is_dynamic: bool
    view: Any


def form(x: Abstract, heap: Heap) -> Any:
    """The kind of an object that may be an option; None: it is none."""
    if is_number(x):
        return NumberKind.of(x).type
    if isinstance(x, Tuple):
        return (x.cls, len(x.items))
    contents = heap[x.id] if isinstance(x, Ref) else None
    if isinstance(x, Ref) and isinstance(contents, ARRAYS):
        if heap.invalidation(x.id) is not None:
            return None
        aval, axes = type_of_array(heap, x.id)
        view = slice_form(contents) if isinstance(contents, ViewObject) else None
        shape = (aval.ndim,) if any(axes) else aval.shape
        return ArrayForm(aval.dtype, shape, any(axes), view)
    if isinstance(contents, InstanceObject):
        return contents.cls
    if isinstance(contents, ListObject):
        return "list"
    return contents.key() if isinstance(contents, DictObject) else None


def is_of_objects(x: Abstract) -> TypeGuard[Choice]:
    """Is it a choice of objects? (Functions that are bound to one are functions.)"""
    if not isinstance(x, Choice):
        return False
    return all(isinstance(o, (Ref, Tuple, Iterator)) or is_number(o) for o in x.options)


def is_split(x: Abstract) -> TypeGuard[Choice]:
    """Is it a choice of objects or constants, so that what is done with it is done with each?"""
    return is_of_objects(x) or is_of_constants(x)


def is_of_constants(x: Abstract) -> TypeGuard[Choice]:
    """Is it a choice of strings or members of an enumeration?"""
    return isinstance(x, Choice) and kind_of_option(x) in ("string", "member")


def need_choice_of_objects(merging: Merging, a: Abstract, b: Abstract) -> bool:
    """Are they objects of different kinds, or a choice of objects beside another?"""
    if is_of_objects(a) or is_of_objects(b) or (is_number(a) and is_number(b)):
        return True
    apart = [_is_kept_apart(merging, x) for x in (a, b)]
    if all(apart):
        return a != b
    if any(apart) and _are_options(merging, a, b):
        return True
    one, other = (form(x, heap) for x, heap in zip((a, b), merging.merge.sides))
    if one is None or other is None or one == other:
        return False
    return merging.merge.join.takes_arrays or not (_is_array(one) or _is_array(other))


def _is_kept_apart(merging: Merging, x: Abstract) -> bool:
    """Is it an object from outside, that stays itself whichever name it gets?"""
    join = merging.merge.join
    if not (join.keeps_apart and isinstance(x, Ref)):
        return False
    outside = join.outside(merging.merge)
    return x.id in outside and isinstance(outside[x.id], APART)


def _are_options(merging: Merging, a: Abstract, b: Abstract) -> bool:
    keys = map(partial(_option_key, merging), (a, b), merging.merge.sides)
    return all(isinstance(x, Ref) and key is not None for x, key in zip((a, b), keys))


def _option_key(merging: Merging, x: Abstract, heap: Heap) -> Any:
    """What is one option: an object that is kept apart, or else all of one form.

    New lists are none beside objects that are kept apart: a loop may give them room.
    """
    if _is_kept_apart(merging, x):
        return x
    found = form(x, heap)
    return None if found == "list" and merging.merge.join.keeps_apart else found


def _is_array(form: Any) -> bool:
    return isinstance(form, ArrayForm)


def _are_the_same(a: Abstract, b: Abstract) -> bool:
    """Do two choices hold the same objects?"""
    return all(not isinstance(x, Ref) or x == y for x, y in zip(options_of(a), options_of(b)))


def merged_objects(merging: Merging, a: Abstract, b: Abstract) -> Choice | None:
    """The template of two objects; None: they have no common one."""
    left, right = merging.merge.sides
    forms = [_option_key(merging, o, left) for o in options_of(a)]
    others = [_option_key(merging, o, right) for o in options_of(b)]
    if None in forms or None in others:
        return None
    if any(len(set(found)) < len(found) for found in (forms, others)):
        return None  # views of several forms that a merge has made arrays of one form
    same = isinstance(a, Choice) and isinstance(b, Choice) and forms == others
    # A loop would carry new objects in each round, without an end.
    same = same and (merging.merge.join.takes_objects or _are_the_same(a, b))
    if same and isinstance(a, Choice):
        return a.rebuild(tuple(map(merging.merge_values, a.children(), b.children())))
    of_numbers = all(map(is_number, (*options_of(a), *options_of(b))))
    if not (of_numbers or merging.merge.join.takes_objects or merging.merge.join.keeps_apart):
        return None
    beside = _merged_options(options_of(a), options_of(b), forms, others)
    options = [
        merging.merge_values(o, options_of(b)[beside[i]])
        if i in beside
        else merging.one_sided(o, True)
        for i, o in enumerate(options_of(a))
    ]
    others_of_b = (o for j, o in enumerate(options_of(b)) if j not in beside.values())
    new = [merging.one_sided(o, False) for o in others_of_b]
    of = a.index.value if isinstance(a, Choice) else None
    index = Scalar(merging.placeholder(I64, of), True, 0, len(options) + len(new) - 1)
    return Choice(index, (*options, *new))


def _merged_options(
    xs: Sequence[Abstract], ys: Sequence[Abstract], forms: list[Any], others: list[Any]
) -> dict[int, int]:
    """For options of `xs` the option of `ys` that is merged with it: of its form, or joined."""
    found = {i: others.index(f) for i, f in enumerate(forms) if f in others}
    for j, y in enumerate(ys):
        if is_number(y) and j not in found.values():
            free = [i for i, x in enumerate(xs) if i not in found and is_number(x)]
            free.sort(key=lambda i: is_weak(xs[i]) != is_weak(y))  # a number of Python's first
            if (i := next((i for i in free if are_joined(xs[i], y)), None)) is not None:
                found[i] = j
    return found


def is_held(x: Abstract, option: Abstract) -> bool:
    """Is a number of one path merged in this option?"""
    return is_number(option) and holds(NumberKind.of(option), NumberKind.of(x))


def same_function(a: Abstract, b: Abstract) -> bool:
    """The same function, up to the values in it."""
    if isinstance(a, Static) and isinstance(b, Static):
        return same_static(a.value, b.value)
    return a.key() == b.key()


def need_choice(a: Abstract, b: Abstract) -> bool:
    """Is a choice needed to hold either of them?"""
    kind = kind_of_option(a)
    if kind is None or kind is not kind_of_option(b):
        return False
    return isinstance(a, Choice) or isinstance(b, Choice) or not same_function(a, b)


def options_of(x: Abstract) -> tuple[Abstract, ...]:
    return x.options if isinstance(x, Choice) else (x,)


Same = Callable[[Abstract, Abstract], bool]


def matching_option(option: Abstract, x: Abstract, same: Same = same_function) -> Abstract | None:
    """The option of `x` that is the same function."""
    return next((o for o in options_of(x) if same(o, option)), None)


def adds_nested_choice(a: Abstract, b: Abstract) -> bool:
    """Does `b` wrap a choice in an option that `a` lacks? (`f = grad(f)` in a loop.)"""
    options = [(matching_option(o, a), o) for o in options_of(b)]
    return any(_holds_choice(o) and (x is None or not _holds_choice(x)) for x, o in options)


def _holds_choice(x: Abstract) -> bool:
    return isinstance(x, Choice) or any(map(_holds_choice, x.children()))


def has_equal_options(x: Abstract) -> bool:
    """Are two options one function of different objects, as `append` of one of several lists is?"""
    options = options_of(x)
    return any(same_function(a, b) for i, a in enumerate(options) for b in options[:i])


def merged_choice(merging: Merging, a: Abstract, b: Abstract) -> Choice:
    """The template of two functions: the options of `a`, then those that only `b` has."""
    if has_equal_options(a) or has_equal_options(b):
        described = describe(a, merging.merge.left), describe(b, merging.merge.right)
        raise Mismatch(*described, CALL_IT_THERE)
    options = [
        merging.one_sided(o, True)
        if (other := matching_option(o, b)) is None
        else merging.merge_values(o, other)
        for o in options_of(a)
    ]
    new = [o for o in options_of(b) if matching_option(o, a) is None]
    options += [merging.one_sided(o, False) for o in new]
    of = a.index.value if isinstance(a, Choice) else None
    index = Scalar(merging.placeholder(I64, of), True, 0, len(options) - 1)
    return Choice(index, tuple(options))


def places(x: Abstract, template: Choice, same: Same = same_function) -> list[int]:
    """Which option of the template each of `x` is: itself, or else one that is the same.

    Equal ones, which are not merged, keep their order.
    """
    options = options_of(x)
    free = dict(enumerate(template.options))
    found = {}
    for is_it in (_is_itself, same, is_held):
        for k, option in enumerate(options):
            i = None if k in found else next((i for i in free if is_it(option, free[i])), None)
            if i is not None:
                found[k] = i
                del free[i]
    return [found[k] for k in range(len(options))]


def _is_itself(x: Abstract, option: Abstract) -> bool:
    if is_number(x) and isinstance(option, Static):
        return is_held(x, option)
    return isinstance(x, Ref) and x == option


def option_index(x: Abstract, at: list[int]) -> Value:
    """Which option of a template `x` is, whose options have these places there."""
    index = constant(at[0], I64.dtype)
    if isinstance(x, Choice):
        for i, place in enumerate(at[1:], 1):
            chosen = logic.eq(number_value(x.index, I64.dtype), constant(i, I64.dtype))
            index = logic.select(chosen, constant(place, I64.dtype), index)
    return index
