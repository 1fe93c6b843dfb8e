"""Functions, strings and enum members selected at run time.

After `f = a if c else b` a call of `f` is a chain of branches, and so is `s == "on"` of a string.

    if c: f = math.sin          f: Choice(index, (math.sin, g))
    else: f = g          ->     f(x): if index == 0: math.sin(x)
    f(x)                              else: g(x)

Merged with another function a choice gets another option. Two closures of the same code are one
option: the values that they capture are merged.

*When it gives up*: a loop that makes a new function of a choice in every iteration
(`f = grad(f)`) raises Mismatch; its options would never end.
"""

from __future__ import annotations

import enum

from myia.infer.domain.dtypes import number_value
from myia.infer.domain.values import FUNCTION_VALUES, Abstract, Choice, Scalar, Static, same_static
from myia.infer.paths.merge_result import Merging
from myia.ir.avals import I64
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic


def kind_of_option(x: Abstract) -> str | None:
    """What the options of a choice with `x` are: functions, strings, or members of an enumeration.

    None: `x` is no option.
    """
    if isinstance(x, Choice):
        return kind_of_option(x.options[0])
    if isinstance(x, Static) and isinstance(x.value, (str, enum.Enum)):
        return "member" if isinstance(x.value, enum.Enum) else "string"
    is_function = callable(x.value) if isinstance(x, Static) else isinstance(x, FUNCTION_VALUES)
    return "function" if is_function else None


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


def matching_option(option: Abstract, x: Abstract) -> Abstract | None:
    """The option of `x` that is the same function."""
    return next((o for o in options_of(x) if same_function(o, option)), None)


def adds_nested_choice(a: Abstract, b: Abstract) -> bool:
    """Does `b` wrap a choice in an option that `a` lacks? (`f = grad(f)` in a loop.)"""
    options = [(matching_option(o, a), o) for o in options_of(b)]
    return any(_holds_choice(o) and (x is None or not _holds_choice(x)) for x, o in options)


def _holds_choice(x: Abstract) -> bool:
    return isinstance(x, Choice) or any(map(_holds_choice, x.children()))


def merged_choice(merging: Merging, a: Abstract, b: Abstract) -> Choice:
    """The template of two functions: the options of `a`, then those that only `b` has."""
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


def option_index(x: Abstract, template: Choice) -> Value:
    """Which option of the template `x` is."""

    def option_number(option: Abstract) -> Value:
        number = next(i for i, o in enumerate(template.options) if same_function(o, option))
        return constant(number, I64.dtype)

    if not isinstance(x, Choice):
        return option_number(x)
    index = option_number(x.options[0])
    for i, option in enumerate(x.options[1:], 1):
        chosen = logic.eq(number_value(x.index, I64.dtype), constant(i, I64.dtype))
        index = logic.select(chosen, option_number(option), index)
    return index
