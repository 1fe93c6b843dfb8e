"""Compiled functions: the objects that `jit`, `grad` and their relatives return."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MethodType
from typing import TYPE_CHECKING, Any

from myia.api.ahead_of_time import Lowered, Traced
from myia.api.calls.shortcuts import Entry, Owner, types_of
from myia.api.capacities import Outgrown
from myia.api.dispatch import Dispatcher
from myia.api.failed_checks import BeyondInt64
from myia.api.options import (
    OF_DEVICES,
    CompileOptions,
    argument_names,
    positions_in,
    positions_of,
    warn_of_options_inside,
)
from myia.api.pickling import P, R, Wrapper
from myia.api.sharing import (
    JIT,
    ArgNames,
    Sharing,
    Transform,
    call_transform,
    sharing_of,
    taken_apart,
    transform_of,
)
from myia.api.stage_texts import StageTexts
from myia.api.variant import Layout, Variant
from myia.infer.batching.vmap import MapOptions, vmap
from myia.infer.boundary.instances import is_state
from myia.infer.derivatives import jacobians
from myia.infer.derivatives.derivatives import GradOptions
from myia.infer.domain.errors import OptionInside
from myia.infer.domain.facts import Held, Place, are_unchanged
from myia.infer.domain.values import Abstract, Static
from myia.infer.eval.calls import CALLABLE_TYPES, Args, Kwargs
from myia.infer.eval.interpreter import Interpreter
from myia.infer.registry import TRANSPARENT_TYPES
from myia.pipeline import OtherAvals, Plan, describe, describe_pass
from myia.source.diagnostics import MyiaError
from myia.source.tracebacks import edge
from myia.source.value_texts import short_text

OTHERWISE = (BeyondInt64, Outgrown, MyiaError)  # raised by calls that are made in another way then
CALLS_BEFORE_BINDING = 3  # of shared programs by one object, for arguments of the same types


def _text_of(f: Any) -> str:
    """What is called. The text of an instance, or of what is bound, may be long, or fail."""
    if isinstance(f, functools.partial):
        return f"partial({_text_of(f.func)}, ...)"
    name = type(f).__qualname__ if is_state(f) else getattr(f, "__qualname__", None)
    return name if isinstance(name, str) else short_text(f)


class Transformed(Entry, Wrapper[P, R]):
    """A compiled function. Called with NumPy it returns NumPy, with `jax.Array`s these.

    `F.ir(*args)` is the text of every stage, `F.plan(*args)` what reversed loops store,
    `F.lower(*args).compile()` compiles ahead of time,
    `F.trace(*args).lower(lowering_platforms=...)` is for other platforms,
    `F.compiles` counts the programs so far.
    """

    options: CompileOptions
    transform: Transform | None = None  # where functions of one code share programs

    def __init__(self, f: Callable[..., Any], options: CompileOptions, name: str) -> None:
        if not callable(f):
            raise TypeError(f"myia.{name} takes a function, not {f!r}")
        super().__init__(f)
        if isinstance(f, Transformed):
            warn_of_options_inside(f.f, f.options.of_a_program(options))
        self.options = options
        self.name = name
        self._dispatcher = Dispatcher(self.target(), options, repr(self))
        own = self._dispatcher.shortcuts
        own.owner = Owner(self._call, self.install, (OtherAvals, *OTHERWISE), self._failed)
        self.install(own.first)
        self._sharing: Sharing | None = None
        self._given: tuple[Any, ...] = ()  # before the arguments of programs that it shares
        self._same: list[Place] = []  # what must be as it is for it to share them
        self._shared_calls: dict[Any, int] = {}
        self._shared: set[Variant] = set()  # the programs that calls have used

    def __repr__(self) -> str:
        f: Any = self.f
        if self.name == "hessian" and isinstance(f, Transformed):
            f = f.f  # not the gradient
        if isinstance(f, Transformed):
            inner = repr(f)
        else:
            inner = _text_of(f)
        more = "".join(f", {name}={x!r}" for name, x in self.shown_options().items())
        return f"myia.{self.name}({inner}{more})"

    def shown_options(self) -> dict[str, Any]:
        """The options that the text of the object shows."""
        return {}

    def target(self) -> Any:
        """What the inferer calls: the function itself, or this transform of it."""
        if not self.options.has_shardings:
            return self
        make: Any = type(self)
        bare = self.options.without_shardings()
        return make(*(bare if x is self.options else x for x in self.parts()))

    if TYPE_CHECKING:

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call that has no shortcut: by the programs of this object, or those of its code."""
        if self._sharing is None and not self._dispatcher.programs:
            f = taken_apart(self.f)
            self._sharing = sharing_of(self, f, self._dispatcher)
            self._given = (f,) if self._sharing.takes_function else ()
            self._same = self._sharing.places_with(f)
        shared = None if self._sharing is None else self._sharing.programs
        own = self._dispatcher
        is_shared = shared is not own and not own.programs
        if shared is not None and is_shared and are_unchanged(self._same):
            try:
                result = shared.run((*self._given, *args), kwargs, self._shared)
            except MyiaError:  # told of this function alone
                pass
            else:
                self._count_call(shared, args, kwargs)
                return result
        return self._dispatcher.run(args, kwargs)

    def _failed(self, error: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call where a shortcut has raised an error."""
        if isinstance(error, OtherAvals):
            self._dispatcher.shortcuts.other_avals(args, kwargs)
            self._shared_calls.pop(types_of(args, kwargs), None)
        elif isinstance(error, MyiaError) and not self._shared:
            raise error
        return self._call(args, kwargs)  # an error of a shared program is told of that alone

    def _count_call(
        self, shared: Dispatcher, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """One more call of shared programs: this object seems to be kept, not made anew."""
        types = types_of(args, kwargs)
        self._shared_calls[types] = calls = self._shared_calls.get(types, 0) + 1
        if calls == CALLS_BEFORE_BINDING:
            shared.bind(self._given, args, kwargs, self._dispatcher.shortcuts, self._same)

    @edge
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
        `["finish.cse.2"]`, after its second one. 'How myia works' in the documentation
        lists the passes.

        A `core` text is Python but for names with `%`, which are states of the control flow, and
        `for x in xs, while test:`, a loop that tests before each iteration. Functions known by
        name, whose source is not read, have neither `core` nor `py`.
        """
        dispatcher = self._dispatcher.of_call(args, kwargs)
        call, options = dispatcher.flatten(args, kwargs), dispatcher.options.pipeline
        program = dispatcher.program(call)
        function = Layout(call, program).function
        texts = describe(self.f, function, options)
        after_pass = functools.partial(describe_pass, function=function, options=options)
        return StageTexts(texts, after_pass)

    @edge
    def plan(self, *args: P.args, **kwargs: P.kwargs) -> Plan:
        """What reversed loops store at these arguments; it prints as a table, bytes in its last
        columns."""
        dispatcher = self._dispatcher.of_call(args, kwargs)
        return dispatcher.plan(dispatcher.flatten(args, kwargs))

    @edge
    def lower(self, *args: P.args, **kwargs: P.kwargs) -> Lowered:
        """The program at these arguments, to be compiled ahead of time."""
        return Lowered(self._dispatcher, args, kwargs)

    def trace(self, *args: P.args, **kwargs: P.kwargs) -> Traced:
        """The function at these arguments, to be lowered for platforms that may not be here.

        `F.trace(*args).lower(lowering_platforms=("cuda",)).as_text()` is the program for a GPU.
        """
        return Traced(self._dispatcher, args, kwargs)

    @property
    def compiles(self) -> int:
        """How many programs have been compiled so far."""
        return self._dispatcher.recompilation.count + len(self._shared)


class Jit(Transformed[P, R]):
    """`jit(f)`"""

    transform = JIT

    def __init__(self, f: Callable[..., Any], options: CompileOptions) -> None:
        super().__init__(f, options, "jit")

    def parts(self) -> tuple[Any, ...]:
        return self.f, self.options

    def target(self) -> Any:
        bound = isinstance(self.f, (MethodType, functools.partial)) or is_state(self.f)
        return super().target() if bound else self.f  # an instance in it is read at every call


class Derived(Transformed[P, R]):
    """`grad(f)`, `jacfwd(f)`, ...: derivatives by some arguments, which `argnames` may name.

    `rule` is the inferer's.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        rule: Callable[..., Abstract],
        name: str,
        grad_options: GradOptions,
        options: CompileOptions,
        argnames: ArgNames | None = None,
    ):
        self.rule, self.grad_options, self.argnames = rule, grad_options, argnames
        positions_in("argnums", f, grad_options.argnums)  # or a ValueError
        if grad_options.has_aux and rule in (jacobians.hvp, jacobians.elementwise):
            raise TypeError(f"myia.{name} has no option 'has_aux'")
        super().__init__(f, options, name)
        names = () if argnames is None else argument_names("argnames", argnames)
        by_name = tuple(positions_of(f, names).items())
        self.transform = transform_of(rule, grad_options, argnames, by_name)

    def parts(self) -> tuple[Any, ...]:
        return self.f, self.rule, self.name, self.grad_options, self.options, self.argnames

    def shown_options(self) -> dict[str, Any]:
        if self.argnames is not None:
            return {"argnames": self.argnames}
        return {} if self.grad_options.argnums == 0 else {"argnums": self.grad_options.argnums}


class Mapped(Transformed[P, R]):
    """`vmap(f)`: `f` for all examples of its arguments."""

    def __init__(self, f: Callable[..., Any], map_options: MapOptions, options: CompileOptions):
        self.map_options = map_options
        super().__init__(f, options, "vmap")
        self.transform = transform_of(vmap, map_options)

    def parts(self) -> tuple[Any, ...]:
        return self.f, self.map_options, self.options

    def shown_options(self) -> dict[str, Any]:
        found = {"in_axes": self.map_options.in_axes, "out_axes": self.map_options.out_axes}
        return {name: axes for name, axes in found.items() if axes != 0}


# ----- What the inferer makes of calls


def _infer_call(
    ctx: Interpreter, transformed: Transformed[..., Any], args: Args, kwargs: Kwargs
) -> Abstract:
    for name in OF_DEVICES:
        if getattr(transformed.options, name) is not None:
            ctx.fail(OptionInside, name=name)
    f = transformed.f
    if ctx.frames:  # else it is what the user has called
        used = ("check", "debug") if ctx.debug else ()
        warn_of_options_inside(f, [n for n in transformed.options.of_a_program() if n not in used])
    inner = Static(f) if isinstance(f, Transformed) else ctx.root(Held(f), "f")
    how = transformed.transform or JIT
    return call_transform(ctx, how, (inner, *args), kwargs)


CALLABLE_TYPES.update(dict.fromkeys((Jit, Derived, Mapped), _infer_call))
TRANSPARENT_TYPES.add(Jit)
