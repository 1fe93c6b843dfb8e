"""`host`: a Python function that compiled code calls as it is, while it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from myia.api.pickling import P, R, Wrapper
from myia.infer.boundary.host_calls import (
    Results,
    emit_host_call,
    structure_of,
    structure_of_abstract,
)
from myia.infer.domain.values import Abstract, Partial, PyFunction, Static
from myia.infer.eval.calls import CALLABLE_TYPES, Args, Kwargs
from myia.infer.eval.interpreter import Interpreter
from myia.infer.registry import function
from myia.infer.unsupported import UnsupportedHostCall
from myia.source.value_texts import callable_name

_MISSING = object()
MAKE_OUTSIDE = "make it outside of compiled code: `h = myia.host(f, like=...)`"


class Host(Wrapper[P, R]):
    """A function that runs in Python. Called outside of compiled code it only checks its result."""

    def __init__(self, f: Callable[P, R], results: Results):
        super().__init__(f)
        self.results = results

    def parts(self) -> tuple[Any, ...]:
        return self.f, self.results

    def __repr__(self) -> str:
        return f"myia.host({getattr(self.f, '__qualname__', repr(self.f))})"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        result: R = self.results.checked(self.f(*args, **kwargs), _name(self.f))
        return result


@overload
def host(f: Callable[P, R], *, like: Any) -> Host[P, R]: ...
@overload
def host(f: None = None, *, like: Any) -> Callable[[Callable[P, R]], Host[P, R]]: ...
def host(f: Callable[..., Any] | None = None, *, like: Any = _MISSING) -> Any:
    """`f` as a function that compiled code calls in Python, each time that it comes there.

        now = myia.host(time.perf_counter, like=0.0)

        @myia.host(like=None)
        def log(step, loss): ...

        @myia.host(like=jax.ShapeDtypeStruct((3,), np.float64))
        def draw(): return rng.normal(size=3)

    `like` is an example of the result: its structure (tuples, lists, dicts, dataclasses, None), and
    the type, dtype and shape of each number in it. `f` gets NumPy arrays, which are copies and
    read-only, and Python's numbers; compile-time values and containers as they are.

    Calls run in program order, among themselves and with `print`, in loops and branches; never
    again for a derivative, which reads their results from a record. They cost about 0.1 ms each.
    A derivative through a call is refused: give it a rule (`custom_jvp`, `custom_vjp`), or cut it
    (`stop_gradient`).

    TypeError if `like` is no such example, or if a result is not like it. An exception that `f`
    raises ends the program, and reaches the caller.

    Example:
        >>> import myia
        >>> table = {0: 0.5, 1: 2.0}
        >>> rate = myia.host(lambda i: table[i], like=0.0)
        >>> def total(x, n):
        ...     for i in range(n):
        ...         x = rate(i) * x
        ...     return x
        >>> myia.jit(total)(3.0, 2)
        3.0
    """
    if like is _MISSING:
        raise TypeError("host() needs `like`, an example of what the function returns")
    results = Results(structure_of(like))
    return (lambda f: Host(f, results)) if f is None else Host(f, results)


def _name(f: Any) -> str:
    return callable_name(f)


def _infer_call(ctx: Interpreter, h: Host[..., Any], args: Args, kwargs: Kwargs) -> Abstract:
    def f(*args: Any, **kwargs: Any) -> Any:
        return h.f(*args, **kwargs)  # the present one, whatever `h` was given meanwhile

    return emit_host_call(ctx, f, _name(h.f), h.results, args, kwargs)


CALLABLE_TYPES[Host] = _infer_call


# ----- Inside compiled code


@function(host)
def _host_inside(
    ctx: Interpreter, f: Abstract | None = None, *, like: Abstract | None = None
) -> Abstract:
    if like is None:
        ctx.fail(
            UnsupportedHostCall,
            what="`myia.host` without `like`",
            help_text="`like=None`: no result",
        )
    results = Results(structure_of_abstract(ctx, like))
    if f is None:
        return Partial(_decorate, (), (results,))
    return _made(ctx, f, results)


def _decorate(ctx: Interpreter, partial: Partial, args: Args, kwargs: Kwargs) -> Abstract:
    return _made(ctx, args[0], *partial.meta)


def _made(ctx: Interpreter, f: Abstract, results: Results) -> Abstract:
    # The object is part of the program, so nothing in it may differ at the next call.
    if isinstance(f, PyFunction) and not f.parts:
        return Static(Host(f.function, results))
    if isinstance(f, Static) and callable(f.value):
        return Static(Host(f.value, results))
    what = (
        f"`myia.host`, in compiled code, of {ctx.describe(f)} that is made there or has a closure,"
    )
    return ctx.fail(UnsupportedHostCall, what=what, help_text=MAKE_OUTSIDE)
