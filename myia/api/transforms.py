"""The transforms that users call: `jit`, `grad` and their relatives, with JAX's names."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any

from myia.api.ahead_of_time import Lowered
from myia.api.dispatch import CompileOptions, Dispatcher
from myia.api.options import compile_options
from myia.frontend.source_text.texts import take
from myia.infer.boundary.arguments import root
from myia.infer.boundary.instances import copied, is_state
from myia.infer.boundary.signature import Identity
from myia.infer.derivatives import derivatives, jacobians
from myia.infer.derivatives.derivatives import Argnums, GradOptions
from myia.infer.domain.values import Static
from myia.infer.eval.calls import CALLABLE_TYPES
from myia.pipeline import Plan, describe
from myia.source.diagnostics import MyiaError


class Transformed:
    """A compiled function. Called with NumPy it returns NumPy, with `jax.Array`s these.

    `ir(*args)` is the text of every stage, `lower(*args).compile()` compiles ahead of time.
    """

    __myia__ = True  # a callable of ours, which binds like a function; not an object with state

    def __init__(self, f: Callable, options: CompileOptions):
        functools.update_wrapper(self, f, updated=())
        take(f)
        self.f = f
        self.options = options
        self._dispatcher = Dispatcher(self.target(), options)

    def target(self) -> Any:
        """What the inferer calls: the function itself, or this transform of it."""
        return self

    def __call__(self, *args, **kwargs):
        try:
            return self._dispatcher.run(args, kwargs)
        except MyiaError as error:  # the compiler's own frames are of no use to the user
            raise error.with_traceback(None) from None

    def __get__(self, instance, owner=None):
        """A decorated method is bound like any function."""
        return self if instance is None else functools.partial(self, instance)

    def ir(self, *args, **kwargs) -> dict[str, str]:
        """The program at these arguments as text, after every stage, by the stage's name:

        core        desugared Python: no `break`, no `continue`, one `return` at the end
        py          SSA of Python's operations on dynamic values
        typed       dtypes and shapes inferred, derivatives still ops
        prepare     optimized where that makes the adjoint cheaper
        expand      derivatives expanded; loops and their adjoint loops stay ops
        optimize    optimized while every value can still be recomputed
        storage     residuals on tapes or checkpoints: only ordinary loops are left
        finish      what XLA is given

        A `core` text is Python but for names with `%`, which are states of the control flow, and
        `for x in xs, while test:`, a loop that tests before each iteration. Functions known by
        name, whose source is not read, have neither `core` nor `py`.
        """
        call = self._dispatcher.flatten(args, kwargs)
        program = self._dispatcher.program(call)
        return describe(self.f, program, self.options.pipeline)

    def plan(self, *args, **kwargs) -> Plan:
        """What reversed loops store at these arguments; printed, a table."""
        return self._dispatcher.plan(self._dispatcher.flatten(args, kwargs))

    def lower(self, *args, **kwargs) -> Lowered:
        """The program at these arguments, to be compiled ahead of time."""
        return Lowered(self._dispatcher, args, kwargs)

    @property
    def compiles(self) -> int:
        """How many programs have been compiled so far."""
        return self._dispatcher.recompilation.count


class Jit(Transformed):
    """`jit(f)`"""

    def target(self) -> Any:
        bound = isinstance(self.f, (MethodType, functools.partial)) or is_state(self.f)
        return self if bound else self.f  # an instance in it is read at every call


class Grad(Transformed):
    """`grad(f)` and `value_and_grad(f)`"""

    def __init__(self, f: Callable, grad_options: GradOptions, options: CompileOptions):
        self.grad_options = grad_options
        super().__init__(f, options)


class Jacobian(Transformed):
    """`jacfwd(f)`, `jacrev(f)`, `hvp(f)`: `rule` is the inferer's."""

    def __init__(
        self, f: Callable, rule: Callable, grad_options: GradOptions, options: CompileOptions
    ):
        self.rule, self.grad_options = rule, grad_options
        super().__init__(f, options)


def _inner(ctx, transformed: Transformed):
    """The function under a transform, as a value of the inferer."""
    f = transformed.f
    return Static(f) if isinstance(f, Transformed) else root(ctx, lambda: f, "f", ("f", id(f)))


def _infer_jit(ctx, f: Jit, args, kwargs):
    return ctx.call(_inner(ctx, f), args, kwargs)


def _infer_grad(ctx, f: Grad, args, kwargs):
    return derivatives.gradient(ctx, _inner(ctx, f), f.grad_options, args, kwargs)


def _infer_jacobian(ctx, f: Jacobian, args, kwargs):
    return f.rule(ctx, _inner(ctx, f), f.grad_options, args, kwargs)


CALLABLE_TYPES.update({Jit: _infer_jit, Grad: _infer_grad, Jacobian: _infer_jacobian})


# ----- The public functions


def _decorator(make: Callable[[Callable], Any], f: Callable | None):
    """Bare or with arguments: `@grad` and `@grad(argnums=1)`."""
    return make if f is None else make(f)


def jit(f: Callable | None = None, **options) -> Any:
    """`f` compiled for each signature of its arguments.

    Options: `donate_argnums` (positions whose memory the results may take over), `static_argnums`
    (ints that never become arguments of the program), `check` (with `jax.Array`s: wait, and raise
    run-time errors), `debug` (the same, and a FloatingPointError, with its line, where the first
    infinity or NaN is made), and for reversed loops `checkpoint` ("auto"; "tape" records all
    iterations of a loop, "trail" is online checkpointing, which records some and replays the
    others, "recompute" records only what an iteration starts with) and `memory` (bytes, or "64MB":
    the temporaries that the program may use; MyiaError says what it takes if that is too little).
    """
    return _decorator(lambda f: Jit(f, compile_options(options)), f)


def grad(
    f: Callable | None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    **options,
) -> Any:
    """The gradient of a function that returns one float (or, with `has_aux`, it and a rest).

    The gradient has the structure, shapes and dtypes of the argument (a tuple of such for a tuple
    of `argnums`). Options as for `jit`.
    """
    grad_options = GradOptions(argnums, has_aux)
    return _decorator(lambda f: Grad(f, grad_options, compile_options(options)), f)


def value_and_grad(
    f: Callable | None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    **options,
) -> Any:
    """As `grad`, but returns `(f(*args), gradient)`."""
    grad_options = GradOptions(argnums, has_aux, value=True)
    return _decorator(lambda f: Grad(f, grad_options, compile_options(options)), f)


def _jacobian(rule: Callable, f: Callable | None, grad_options: GradOptions, options: dict) -> Any:
    return _decorator(lambda f: Jacobian(f, rule, grad_options, compile_options(options)), f)


def jacfwd(
    f: Callable | None = None, argnums: Argnums = 0, has_aux: bool = False, **options
) -> Any:
    """The Jacobian by forward mode: shapes `result.shape + argument.shape`.

    In place of each array or number of the result there is one block for each of the argument, in
    its structure (a tuple of such for a tuple of `argnums`). Options as for `grad`.
    """
    return _jacobian(jacobians.jacfwd, f, GradOptions(argnums, has_aux), options)


def jacrev(
    f: Callable | None = None, argnums: Argnums = 0, has_aux: bool = False, **options
) -> Any:
    """The Jacobian by reverse mode: shapes and structure as of `jacfwd`."""
    return _jacobian(jacobians.jacrev, f, GradOptions(argnums, has_aux), options)


def hessian(
    f: Callable | None = None, argnums: Argnums = 0, has_aux: bool = False, **options
) -> Any:
    """The matrix of second derivatives, forward over reverse; structure as of `jacfwd`."""

    def make(f: Callable) -> Jacobian:
        return jacfwd(jacrev(f, argnums, has_aux), argnums, has_aux, **options)

    return _decorator(make, f)


def hvp(f: Callable | None = None, argnums: Argnums = 0, **options) -> Any:
    """`hvp(f)(*args, v)`: the Hessian of f times v, at the cost of a few gradients.

    For a tuple of `argnums`, v and the result are tuples.
    """
    return _jacobian(jacobians.hvp, f, GradOptions(argnums), options)


def elementwise_grad(f: Callable | None = None, argnums: Argnums = 0, **options) -> Any:
    """The derivative of each element of f's result by the same element of its argument."""
    return _jacobian(jacobians.elementwise, f, GradOptions(argnums), options)


# ----- vjp and jvp: calls, not decorators


def jvp(f: Callable, primals: tuple, tangents: tuple, has_aux: bool = False) -> tuple:
    """`(f(*primals), derivative of f at primals in the direction of tangents)`

    With `has_aux`, f returns `(value, aux)`, and aux is returned third.
    """
    return _program(_jvp, f, has_aux)(primals, tangents)


def vjp(f: Callable, *primals, has_aux: bool = False) -> tuple:
    """`(f(*primals), pullback)`; `pullback(ct)` gives the cotangents of the primals.

    With `has_aux`, f returns `(value, aux)`, and aux is returned third. Called from Python, the
    pullback runs f again; inside compiled code nothing is run twice.
    """
    kept = copied(primals)  # the caller may change them before it calls the pullback
    result = _program(_call, f, has_aux)(*primals)
    pull = _program(_pullback, f, has_aux)
    value, *aux = result if has_aux else (result,)
    return (value, lambda ct: pull(kept, ct), *aux)


class _Rule(Transformed):
    """A rule of the inferer, applied to a function, as a compiled function."""

    def __init__(self, rule: Callable, f: Callable, has_aux: bool):
        self.rule, self.has_aux = rule, has_aux
        super().__init__(f, CompileOptions())


def _jvp(ctx, f, has_aux, primals, tangents):
    return derivatives.jvp(ctx, f, primals, tangents, has_aux)


def _call(ctx, f, has_aux, *primals):
    result = derivatives.call_with_copies(ctx, f, primals, {}, {})
    derivatives.without_aux(ctx, result, has_aux)
    return result


def _pullback(ctx, f, has_aux, primals, ct):
    out = derivatives.vjp(ctx, f, ctx.list_items(primals), has_aux)
    return ctx.call(out.items[1], (ct,), {})


CALLABLE_TYPES[_Rule] = lambda ctx, f, args, kwargs: f.rule(ctx, _inner(ctx, f), f.has_aux, *args)


def _program(rule: Callable, f: Callable, has_aux: bool) -> _Rule:
    return _kept_program(rule, Identity(f) if is_state(f) else f, has_aux)


@functools.lru_cache(maxsize=256)
def _kept_program(rule: Callable, f: Callable | Identity, has_aux: bool) -> _Rule:
    """Instances are compared by identity: their class may compare arrays, or have no hash."""
    return _Rule(rule, f.object if isinstance(f, Identity) else f, has_aux)


def stop_gradient(x: Any) -> Any:
    """`x`, without a derivative: its gradient is zero."""
    return x
