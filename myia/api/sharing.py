"""Programs that the transforms of functions of one code share: `grad(f)` written anew at each use.

A function that holds nothing, as those of a module, is the same wherever its code is: all use the
programs of the first, as long as both are as they were. Else the function is an argument of the
programs, which hold none. What is made anew may be a lambda, a `functools.partial`, a method bound
to an instance, an instance that can be called, and a transform of one of these.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from types import FunctionType, MethodType
from typing import Any, NoReturn, Protocol

from myia.api.dispatch import Dispatcher
from myia.api.options import CompileOptions
from myia.api.pickling import Wrapper
from myia.api.programs.recompilation import parameter_names
from myia.infer.batching.vmap import MapOptions
from myia.infer.boundary.instances import is_state
from myia.infer.boundary.signature import variables
from myia.infer.derivatives import jacobians
from myia.infer.derivatives.derivatives import GradOptions
from myia.infer.domain.errors import NotDifferentiable
from myia.infer.domain.facts import Place, are_unchanged, places_of_function
from myia.infer.domain.values import Abstract, Partial
from myia.infer.eval.calls import CALLABLE_TYPES, Args, Kwargs
from myia.infer.eval.interpreter import Interpreter
from myia.infer.registry import is_traced

PASS_IT = "pass it: a derivative by a default value is not taken"
OWN_PROGRAMS = 1  # objects made of one code that compile on their own, before others share
MOST_PROGRAMS = 64  # that are kept for one code: they may hold what cannot be taken apart

ArgNames = str | tuple[str, ...]
Rule = Callable[..., Abstract]  # (context, function, options, arguments, keywords)


# ----- Transforms without their functions


@dataclass(frozen=True)
class Transform:
    """What a transform makes of a function: called in compiled code with the function, and with the
    arguments of what it makes of it.

    `rule` is the inferer's (None: that of `jit`); `positions`: of the arguments that `argnames`
    names.
    """

    __myia__ = True  # not an object with state

    rule: Rule | None
    options: GradOptions | MapOptions
    argnames: ArgNames | None
    positions: tuple[tuple[str, int | None], ...]

    def __call__(self, f: Callable[..., Any], *args: Any) -> NoReturn:
        raise TypeError("called by the inferer only")


@functools.cache
def transform_of(
    rule: Rule | None,
    options: GradOptions | MapOptions,
    argnames: ArgNames | None = None,
    positions: tuple[tuple[str, int | None], ...] = (),
) -> Transform:
    """Equal ones are one object."""
    return Transform(rule, options, argnames, positions)


JIT = transform_of(None, GradOptions(0))


def call_transform(ctx: Interpreter, how: Transform, args: Args, kwargs: Kwargs) -> Abstract:
    """The first of the arguments is the function."""
    f, *rest = args
    if how.rule is None:
        return ctx.call(f, rest, kwargs)
    return how.rule(ctx, *_by_position(ctx, how, f, tuple(rest), kwargs))


CALLABLE_TYPES[Transform] = call_transform

Call = tuple[Abstract, GradOptions | MapOptions, tuple[Abstract, ...], dict[str, Abstract]]


def _by_position(ctx: Interpreter, how: Transform, f: Abstract, args: Args, kwargs: Kwargs) -> Call:
    """Function, options and arguments with each named argument that was passed by keyword made
    positional; the vector of `hvp` stays the last."""
    if how.argnames is None or isinstance(how.options, MapOptions):
        return f, how.options, args, kwargs
    last = 1 if how.rule is jacobians.hvp else 0
    own, rest = args[: len(args) - last], args[len(args) - last :]
    positions = dict(how.positions)
    moved = tuple(name for name in positions if name in kwargs)
    numbers = {name: len(own) + i for i, name in enumerate(moved)}
    for name, position in positions.items():
        if name not in moved:
            if position is None or position >= len(own):
                what = f"the argument `{name}`"
                ctx.fail(NotDifferentiable, what=what, kind="missing", help_text=PASS_IT)
            numbers[name] = position
    argnums = tuple(numbers[name] for name in positions)
    by_one = argnums[0] if isinstance(how.argnames, str) else argnums
    call = Partial(_call_by_name, (f,), (len(own), moved))
    given = (*own, *(kwargs[name] for name in moved), *rest)
    others = {name: x for name, x in kwargs.items() if name not in moved}
    return call, replace(how.options, argnums=by_one), given, others


def _call_by_name(ctx: Interpreter, partial: Partial, args: Args, kwargs: Kwargs) -> Abstract:
    """A call whose last positional arguments are passed by these names."""
    n, names = partial.meta
    return ctx.call(partial.items[0], tuple(args[:n]), {**dict(zip(names, args[n:])), **kwargs})


# ----- Programs that they share


class Transformed(Protocol):
    """A compiled function."""

    f: Any
    name: str
    options: CompileOptions
    transform: Transform | None  # None: it has programs of its own


@dataclass
class Sharing:
    """How often a transform of one code has been made, and the programs of all later ones."""

    count: int = 0
    programs: Dispatcher | None = None
    takes_function: bool = True  # these are called with the function before the arguments
    first: Any = None  # the function whose programs they are, if it holds nothing
    places: list[Place] = field(default_factory=list)  # what it was when they became shared
    of_first: Sharing | None = None  # of functions that hold nothing, while the first is as it was

    def places_with(self, f: Any) -> list[Place]:
        """What must be as it is for the programs to be those of `f`, taken apart."""
        free = None if self.takes_function else _free_function(f)
        if free is None or free is self.first:  # its programs know it
            return []
        return [*self.places, *places_of_function(free)]


@functools.lru_cache(maxsize=256)
def _sharing(key: Hashable) -> Sharing:
    return Sharing()


def forget() -> None:
    """Transforms made from now on share no programs with earlier ones."""
    _sharing.cache_clear()


def taken_apart(f: Any) -> Any:
    """`f` with the transforms in it as `functools.partial`s, which have their functions in them."""
    if isinstance(f, functools.partial) and (func := taken_apart(f.func)) is not f.func:
        return functools.partial(func, *f.args, **f.keywords)
    transform = getattr(f, "transform", None) if isinstance(f, Wrapper) else None
    return f if transform is None else functools.partial(transform, taken_apart(f.f))


def shared_code(f: Any) -> Any:
    """What the functions have in common that share programs with `f`; None: there are none."""
    if isinstance(f, functools.partial):
        if isinstance(f.func, Transform):  # `taken_apart`
            inner = shared_code(f.args[0])
            return None if inner is None else (f.func, inner)
        return shared_code(f.func)
    if isinstance(f, MethodType):
        held = isinstance(f.__self__, type) or is_state(f.__self__)
        return shared_code(f.__func__) if held else None
    if isinstance(f, FunctionType):
        holds_itself = any(x is f for x in variables(f))
        # Codes of two files are equal where their bytes are: errors would name the wrong file.
        return None if holds_itself or is_traced(f) else (f.__code__, id(f.__code__))
    return type(f) if is_state(f) else None


def _free_function(f: Any) -> FunctionType | None:
    """The function in `f`, taken apart, if that is its code and the globals it reads, no more."""
    while isinstance(f, functools.partial) and isinstance(f.func, Transform):
        if len(f.args) > 1 or f.keywords:
            return None  # arguments are bound
        (f,) = f.args
    if not isinstance(f, FunctionType):
        return None
    held = f.__closure__ or f.__defaults__ or f.__kwdefaults__ or f.__dict__
    return None if held else f


def sharing_of(transformed: Transformed, f: Any, own: Dispatcher) -> Sharing:
    """The programs that `transformed` shares; `f`: its function, taken apart; `own`: its own."""
    transform, options = transformed.transform, transformed.options
    alone = options.donate_argnums or options.static_argnums or options.has_shardings
    code = None if alone else shared_code(f)
    if code is None or transform is None:
        return Sharing()
    free = _free_function(f)
    module = None if free is None else id(free.__globals__)
    found = _sharing((code, transform, transformed.name, options, module))
    if free is not None:
        if found.of_first is None or not are_unchanged(found.of_first.places):
            found.of_first = Sharing(0, own, False, free, [*places_of_function(free)])
        return found.of_first
    found.count += 1
    known = found.programs
    if known is not None and known.recompilation.count >= MOST_PROGRAMS:
        known = None
    if found.count > OWN_PROGRAMS and known is None:
        every = OfFunctions(transform, transformed.f)
        found.programs = Dispatcher(every, options, repr(transformed))
    return found


class OfFunctions:
    """A transform as a function of the function, and of its arguments."""

    __myia__ = True  # not an object with state
    takes_function = True

    def __init__(self, transform: Transform, f: Any):
        self.transform = transform
        self.__name__ = getattr(f, "__name__", type(f).__name__)
        self.__myia_parameters__ = ("f", *parameter_names(f))

    def __call__(self, f: Callable[..., Any], *args: Any) -> NoReturn:
        raise TypeError("called by the inferer only")


CALLABLE_TYPES[OfFunctions] = lambda ctx, of, *call: call_transform(ctx, of.transform, *call)
