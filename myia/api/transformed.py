"""Compiled functions: the objects that `jit`, `grad` and their relatives return."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import MethodType
from typing import Any, Generic, ParamSpec, TypeVar

from myia.api.ahead_of_time import Lowered
from myia.api.dispatch import CompileOptions, Dispatcher
from myia.api.options import positions_in
from myia.api.pickling import Portable
from myia.api.stage_texts import StageTexts
from myia.frontend.source_text.texts import take
from myia.infer.boundary.instances import is_state
from myia.infer.derivatives import derivatives, jacobians
from myia.infer.derivatives.derivatives import GradOptions
from myia.infer.domain.errors import NeedsStatic, NotDifferentiable
from myia.infer.domain.facts import Held
from myia.infer.domain.values import Abstract, Partial, Static
from myia.infer.eval.calls import CALLABLE_TYPES
from myia.pipeline import Plan, describe, describe_pass
from myia.source.diagnostics import MyiaError

PASS_IT = "pass it: a derivative by a default value is not taken"

ArgNames = str | tuple[str, ...]
P = ParamSpec("P")
R = TypeVar("R")


def _public(error: MyiaError) -> MyiaError:
    """The error as users see it: without the compiler's frames and its own classes of errors."""
    shown = MyiaError(error.diagnostic, error.calls) if isinstance(error, NeedsStatic) else error
    return shown.with_traceback(None)


@contextmanager
def _public_errors() -> Iterator[None]:
    try:
        yield
    except MyiaError as error:
        raise _public(error) from None


class Transformed(Portable, Generic[P, R]):
    """A compiled function. Called with NumPy it returns NumPy, with `jax.Array`s these.

    `F.ir(*args)` is the text of every stage, `F.plan(*args)` what reversed loops store,
    `F.lower(*args).compile()` compiles ahead of time, `F.compiles` counts the programs so far.
    """

    __myia__ = True  # a callable of ours, which binds like a function; not an object with state

    def __init__(self, f: Callable[..., Any], options: CompileOptions, name: str) -> None:
        if not callable(f):
            raise TypeError(f"myia.{name} takes a function, not {f!r}")
        functools.update_wrapper(self, f, updated=())
        take(f)
        self.f = f
        self.options = options
        self.name = name
        self._dispatcher = Dispatcher(self.target(), options, repr(self))

    def __repr__(self) -> str:
        of_gradient = self.name == "hessian" and isinstance(self.f, Transformed)
        f = self.f.f if of_gradient else self.f
        if isinstance(f, Transformed):
            inner = repr(f)
        else:  # of an instance only its class: its own text may be long
            inner = type(f).__qualname__ if is_state(f) else getattr(f, "__qualname__", repr(f))
        more = "".join(f", {name}={x!r}" for name, x in self.shown_options().items())
        return f"myia.{self.name}({inner}{more})"

    def shown_options(self) -> dict[str, Any]:
        """The options that the text of the object shows."""
        return {}

    def target(self) -> Any:
        """What the inferer calls: the function itself, or this transform of it."""
        return self

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return self._dispatcher.run(args, kwargs)
        except MyiaError as error:
            raise _public(error) from None

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """A decorated method is bound like any function."""
        return self if instance is None else functools.partial(self, instance)

    def ir(self, *args: P.args, **kwargs: P.kwargs) -> StageTexts:
        """The program at these arguments as text, after every stage, by the stage's name.

            core        desugared Python: no `break`, no `continue`, one `return` at the end
            py          SSA of Python's operations on dynamic values
            typed       dtypes and shapes inferred, derivatives still ops
            prepare     optimized where that makes the adjoint cheaper
            expand      derivatives expanded; loops and their adjoint loops stay ops
            optimize    optimized while every value can still be recomputed
            storage     residuals on tapes or checkpoints: only ordinary loops are left
            finish      what XLA is given

        The result is a dict that prints as all of them; `F.ir(*args)["optimize"]` is one. Nothing
        is run or given to XLA. `F.ir(*args)["load_hoisting"]` is the program after a pass, when
        that runs for the first time; `["finish.cse"]`, after its first run in that stage, and
        `["finish.cse.2"]`, after its second one. `docs/architecture.md` lists the passes.

        A `core` text is Python but for names with `%`, which are states of the control flow, and
        `for x in xs, while test:`, a loop that tests before each iteration. Functions known by
        name, whose source is not read, have neither `core` nor `py`.
        """
        with _public_errors():
            call = self._dispatcher.flatten(args, kwargs)
            program, options = self._dispatcher.program(call), self.options.pipeline
            texts = describe(self.f, program, options)
            after_pass = functools.partial(
                describe_pass, function=program.function, options=options
            )
            return StageTexts(texts, after_pass)

    def plan(self, *args: P.args, **kwargs: P.kwargs) -> Plan:
        """What reversed loops store at these arguments; it prints as a table, bytes in its last
        columns."""
        with _public_errors():
            return self._dispatcher.plan(self._dispatcher.flatten(args, kwargs))

    def lower(self, *args: P.args, **kwargs: P.kwargs) -> Lowered:
        """The program at these arguments, to be compiled ahead of time."""
        with _public_errors():
            return Lowered(self._dispatcher, args, kwargs)

    @property
    def compiles(self) -> int:
        """How many programs have been compiled so far."""
        return self._dispatcher.recompilation.count


class Jit(Transformed[P, R]):
    """`jit(f)`"""

    def __init__(self, f: Callable[..., Any], options: CompileOptions) -> None:
        super().__init__(f, options, "jit")

    def parts(self) -> tuple[Any, ...]:
        return self.f, self.options

    def target(self) -> Any:
        bound = isinstance(self.f, (MethodType, functools.partial)) or is_state(self.f)
        return self if bound else self.f  # an instance in it is read at every call


class Derived(Transformed[P, R]):
    """`grad(f)`, `jacfwd(f)`, ...: derivatives by some arguments, which `argnames` may name."""

    def __init__(
        self,
        f: Callable,
        grad_options: GradOptions,
        options: CompileOptions,
        name: str,
        argnames: ArgNames | None = None,
    ):
        self.grad_options, self.argnames = grad_options, argnames
        positions_in("argnums", f, grad_options.argnums)  # or a ValueError
        super().__init__(f, options, name)
        self.positions = {} if argnames is None else _positions(f, _names(argnames))

    def parts(self) -> tuple[Any, ...]:
        return self.f, self.grad_options, self.options, self.name, self.argnames

    def shown_options(self) -> dict[str, Any]:
        if self.argnames is not None:
            return {"argnames": self.argnames}
        return {} if self.grad_options.argnums == 0 else {"argnums": self.grad_options.argnums}


class Grad(Derived[P, R]):
    """`grad(f)` and `value_and_grad(f)`"""


class Jacobian(Derived[P, R]):
    """`jacfwd(f)`, `jacrev(f)`, `hvp(f)`, `elementwise_grad(f)`: `rule` is the inferer's."""

    def __init__(self, f, rule: Callable, grad_options, options, name: str, argnames=None):
        self.rule = rule
        super().__init__(f, grad_options, options, name, argnames)

    def parts(self) -> tuple[Any, ...]:
        return self.f, self.rule, self.grad_options, self.options, self.name, self.argnames


# ----- Arguments by name


def _names(argnames: ArgNames) -> tuple[str, ...]:
    return (argnames,) if isinstance(argnames, str) else tuple(argnames)


def _positions(f: Callable, names: tuple[str, ...]) -> dict[str, int | None]:
    """The position of each of these parameters; None: it is passed by keyword only."""
    parameters = inspect.signature(f).parameters
    if len(set(names)) < len(names):
        raise ValueError(f"argnames has a name twice: {names}")
    found: dict[str, int | None] = {}
    for name in names:
        takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        if name not in parameters and not takes_any:
            raise TypeError(f"{getattr(f, '__name__', f)} has no parameter {name!r}")
        by_keyword = (
            name not in parameters or parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
        )
        found[name] = None if by_keyword else list(parameters).index(name)
    return found


def _by_position(ctx, f: Derived, inner: Abstract, args: tuple, kwargs: dict, last: int = 0):
    """Function, options and arguments with each named argument that was passed by keyword made
    positional; the `last` positional arguments stay the last."""
    if f.argnames is None:
        return inner, f.grad_options, args, kwargs
    own, rest = args[: len(args) - last], args[len(args) - last :]
    moved = tuple(name for name in f.positions if name in kwargs)
    numbers = {name: len(own) + i for i, name in enumerate(moved)}
    for name, position in f.positions.items():
        if name not in moved and (position is None or position >= len(own)):
            help_text = "pass it: a derivative by a default value is not taken"
            ctx.fail(
                NotDifferentiable,
                what=f"the argument `{name}`",
                kind="missing",
                help_text=help_text,
            )
        numbers.setdefault(name, position)
    argnums = tuple(numbers[name] for name in f.positions)
    argnums = argnums[0] if isinstance(f.argnames, str) else argnums
    call = Partial(_call_by_name, (inner,), (len(own), moved))
    given = (*own, *(kwargs[name] for name in moved), *rest)
    others = {name: x for name, x in kwargs.items() if name not in moved}
    return call, replace(f.grad_options, argnums=argnums), given, others


def _call_by_name(ctx, partial: Partial, args: tuple, kwargs: dict) -> Abstract:
    """A call whose last positional arguments are passed by these names."""
    n, names = partial.meta
    return ctx.call(partial.items[0], tuple(args[:n]), {**dict(zip(names, args[n:])), **kwargs})


# ----- What the inferer makes of calls


def inner_function(ctx, transformed: Transformed) -> Abstract:
    """The function under a transform, as a value of the inferer."""
    f = transformed.f
    return Static(f) if isinstance(f, Transformed) else ctx.root(Held(f), "f")


def _infer_jit(ctx, f: Jit, args, kwargs):
    return ctx.call(inner_function(ctx, f), args, kwargs)


def _infer_grad(ctx, f: Grad, args, kwargs):
    return derivatives.gradient(ctx, *_by_position(ctx, f, inner_function(ctx, f), args, kwargs))


def _infer_jacobian(ctx, f: Jacobian, args, kwargs):
    last = 1 if f.rule is jacobians.hvp else 0
    return f.rule(ctx, *_by_position(ctx, f, inner_function(ctx, f), args, kwargs, last))


CALLABLE_TYPES.update({Jit: _infer_jit, Grad: _infer_grad, Jacobian: _infer_jacobian})
