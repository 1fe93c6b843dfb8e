"""Options of the transforms, checked where a function is decorated."""

from __future__ import annotations

import difflib
import inspect
import math
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from inspect import Parameter
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

from myia.api.programs.shardings import Shardings
from myia.infer.domain.errors import BadValue, OptionInside
from myia.infer.domain.values import Abstract, Static
from myia.infer.eval.interpreter import Interpreter
from myia.ir.builder import current_span
from myia.pipeline import STRATEGIES, Options
from myia.source.value_texts import callable_name
from myia.source.warning import CompileWarning, warn

T = TypeVar("T")


@dataclass(frozen=True)
class CompileOptions:
    """The options of `jit`, `grad` and the other entries of the API."""

    donate_argnums: tuple[int, ...] = ()
    static_argnums: tuple[int | str, ...] = ()  # with names
    check: bool = False
    in_shardings: Shardings | None = None
    out_shardings: Shardings | None = None
    pipeline: Options = field(default_factory=Options)

    @property
    def has_shardings(self) -> bool:
        return bool(self.in_shardings or self.out_shardings)

    def without_shardings(self) -> CompileOptions:
        return replace(self, in_shardings=None, out_shardings=None)

    def of_a_program(self, other: CompileOptions | None = None) -> list[str]:
        """The names of the options that hold for a whole program, not for a part of it, and are not
        those of `other`, or of the default."""
        usual, other = CompileOptions(), other or CompileOptions()
        mine = self.pipeline

        def own(x: Any, known: Sequence[Any], names: Sequence[str]) -> list[str]:
            return [n for n in names if getattr(x, n) not in [getattr(y, n) for y in known]]

        names = own(self, (usual, other), OF_DEVICES)
        names += own(mine, (usual.pipeline, other.pipeline), OF_THE_PIPELINE)
        checks = self.check and not (mine.debug or other.check)
        return [*names, "check"] if checks else names


OF_THE_PIPELINE = ("checkpoint", "memory", "debug", "exact")
OF_DEVICES = ("in_shardings", "out_shardings")
OF_CALLS = ("donate_argnums", "static_argnums", "static_argnames")  # mean nothing inside a program
NAMES = tuple(
    sorted(
        {f.name for f in fields(CompileOptions)} - {"pipeline"}
        | {*OF_THE_PIPELINE, "static_argnames"}
    )
)


def compile_options(
    f: Callable[..., Any], options: dict[str, Any], others: tuple[str, ...] = ()
) -> CompileOptions:
    """The options of a transform of `f`, which has `others` beside.

    TypeError: an unknown option, or a number of an argument that is none. ValueError: a value that
    the option does not have.
    """
    if not options:
        return CompileOptions()
    options = dict(options)
    pipeline = options.pop("pipeline", Options())  # for those who work on the compiler
    for name in options:
        if name not in NAMES:
            raise TypeError(_unknown_option(name, others))
    pipeline = replace(
        pipeline,
        checkpoint=_strategy(options.get("checkpoint", "auto")),
        memory=_bytes(options.get("memory")),
        debug=bool(options.get("debug", False)),
        exact=bool(options.get("exact", False)),
    )
    static = positions_in("static_argnums", f, options.get("static_argnums", ()))
    names = argument_names("static_argnames", options.get("static_argnames", ()))
    by_position = [i for i in positions_of(f, names).values() if i is not None]
    return CompileOptions(
        donate_argnums=positions_in("donate_argnums", f, options.get("donate_argnums", ())),
        static_argnums=(*static, *names, *by_position),
        check=bool(options.get("check")) or pipeline.debug,
        **{name: Shardings(name, x) for name in OF_DEVICES if (x := options.get(name)) is not None},
        pipeline=pipeline,
    )


def _unknown_option(name: str, others: tuple[str, ...]) -> str:
    """The text of the error: the nearest option, and all of them, with `others`."""
    known = sorted({*NAMES, *others})
    nearest = difflib.get_close_matches(name, known, n=1)
    guess = f": did you mean {nearest[0]!r}?" if nearest else "."
    return f"unknown option {name!r}{guess} The options are {', '.join(known)}"


def refuse_inside(ctx: Interpreter, options: Iterable[str], others: tuple[str, ...] = ()) -> None:
    """Refuse options that are given in compiled code to a transform, which has `others` beside."""
    for name in options:
        if name not in NAMES:
            message = _unknown_option(name, others)
            ctx.fail(BadValue, message=message, exception="TypeError")
        ctx.fail(OptionInside, name=name)


def warn_of_options_inside(f: Callable[..., Any], names: Sequence[str]) -> None:
    """A function with these options is called by compiled code, whose own options hold."""
    if not names:
        return
    name = getattr(f, "__qualname__", type(f).__name__)
    given = " and ".join(f"`{option}`" for option in names)
    message = (
        f"inside compiled code `{name}` does not use its {given}: the options of the outermost "
        "function hold\n  help: give it to the outermost `myia.jit` or `myia.grad`"
    )
    warn(CompileWarning, message, current_span())


def argument_numbers(option: str, given: Any) -> tuple[int, ...]:
    """The ints of an option such as `argnums`.

    TypeError: it is neither an int nor a tuple of ints. ValueError: it names one twice.
    """
    numbers = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    try:
        found = tuple(map(operator.index, numbers))
    except TypeError:
        found = None
    if found is None or any(isinstance(number, (bool, np.bool_)) for number in numbers):
        raise TypeError(f"{option}={given!r} is neither an int nor a tuple of ints")
    return _distinct(option, given, found)


def numbers_inside(ctx: Interpreter, option: str, given: Abstract) -> Any:
    """The ints of an option in compiled code."""
    if isinstance(given, Static):
        return given.value
    return tuple(ctx.int_of(x, option) for x in ctx.list_items(given))


def positions_in(option: str, f: Callable[..., Any], given: Any) -> tuple[int, ...]:
    """The positions that `argument_numbers` names, counted from the first parameter of `f`.

    ValueError: `f` has no such parameter, or it is named twice. What the signature of `f` does not
    tell is not checked.
    """
    numbers = argument_numbers(option, given)
    count = _positional_count(f) if numbers else None
    if count is None:
        if option != "argnums" and min(numbers, default=0) < 0:  # no call would be asked
            name = callable_name(f)
            raise ValueError(f"{option}={given!r}: `{name}` may take any number: count from 0")
        return numbers
    for number in numbers:
        if not -count <= number < count:
            name = callable_name(f)
            takes = f"{count} positional parameter{'' if count == 1 else 's'}"
            raise ValueError(f"{option}={given!r}: `{name}` has {takes}, and none number {number}")
    return _distinct(option, given, tuple(number % count for number in numbers))


def _distinct(option: str, given: Any, numbers: tuple[T, ...]) -> tuple[T, ...]:
    for i, number in enumerate(numbers):
        if number in numbers[:i]:
            raise ValueError(f"{option}={given!r} names argument {number} twice")
    return numbers


def _positional_count(f: Callable[..., Any]) -> int | None:
    """How many positional parameters `f` has; None if it takes any number, or does not tell."""
    if isinstance(f, FunctionType) and not f.__dict__:  # `signature` takes as long as a call
        code = f.__code__
        return None if code.co_flags & inspect.CO_VARARGS else code.co_argcount
    try:
        parameters = inspect.signature(f, follow_wrapped=False).parameters.values()
    except (TypeError, ValueError):
        return None
    kinds = [p.kind for p in parameters]
    if Parameter.VAR_POSITIONAL in kinds:
        return None
    positional = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return sum(kind in positional for kind in kinds)


def argument_names(option: str, given: str | Sequence[str]) -> tuple[str, ...]:
    """The names of an option such as `argnames`.

    TypeError: it is neither a string nor a tuple of strings. ValueError: it names one twice.
    """
    names = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"{option}={given!r} is neither a string nor a tuple of strings")
    return _distinct(option, given, names)


def positions_of(f: Callable[..., Any], names: Sequence[str]) -> dict[str, int | None]:
    """The position of each of these parameters; None: it is passed by keyword only."""
    parameters = inspect.signature(f).parameters if names else {}
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    found: dict[str, int | None] = {}
    for name in names:
        if name not in parameters and not takes_any:
            raise TypeError(f"{getattr(f, '__name__', f)} has no parameter {name!r}")
        by_keyword = name not in parameters or parameters[name].kind is Parameter.KEYWORD_ONLY
        found[name] = None if by_keyword else list(parameters).index(name)
    return found


def _strategy(checkpoint: str) -> str:
    if checkpoint not in STRATEGIES:
        raise ValueError(f"checkpoint={checkpoint!r} is none of {', '.join(STRATEGIES)}")
    return checkpoint


UNITS = {"": 1, "B": 1} | {
    f"{prefix}{unit}": base**i
    for i, prefix in enumerate("KMGT", 1)
    for unit, base in (("B", 1000), ("IB", 1024))
}


BYTES = r"\s*((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-z]*)\s*"


def _bytes(memory: float | str | None) -> int | None:
    """`64_000_000`, "64MB" or "64MiB" as a number of bytes."""
    if memory is None:
        return None
    found = re.fullmatch(BYTES, str(memory))
    if found is None or found[2].upper() not in UNITS or math.isinf(float(found[1])):
        raise ValueError(f"memory={memory!r} is not a number of bytes such as '64MB' or '64MiB'")
    return int(float(found[1]) * UNITS[found[2].upper()])
