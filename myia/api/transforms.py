"""The transforms that users call: `jit`, `grad` and their relatives, with JAX's names."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from types import FunctionType, MethodType
from typing import Any

from myia.api.dispatch import CompileOptions
from myia.api.options import argument_numbers, compile_options
from myia.api.programs.recompilation import Recompilation
from myia.api.transformed import (
    ArgNames,
    Grad,
    Jacobian,
    Jit,
    Transformed,
)
from myia.frontend.source_text.texts import take
from myia.infer.boundary.instances import copied, is_state
from myia.infer.boundary.signature import variables
from myia.infer.derivatives import derivatives, jacobians
from myia.infer.derivatives.derivatives import Argnums, GradOptions
from myia.infer.domain.facts import Identity
from myia.infer.eval.calls import CALLABLE_TYPES
from myia.infer.registry import is_traced

OWN = ("argnums", "argnames", "has_aux")  # options of derivatives beside those of `jit`


def _decorator(make: Callable[[Callable], Any], f: Callable | None):
    """Bare or with arguments: `@grad` and `@grad(argnums=1)`."""
    return make if f is None else make(f)


def jit(f: Callable | None = None, **options) -> Any:
    """`f` compiled, once for each signature of its arguments: types, dtypes, shapes, structure.

    Args:
        f: a Python function, method or callable instance. Without it, a decorator is returned.
        donate_argnums: an int or a tuple: positions of arguments whose memory the results may
            take over. The caller must not use them afterwards.
        static_argnums: an int or a tuple: positions of arguments whose ints stay compile-time
            values, however often they change.
        static_argnames: a string or a tuple: the same by the names of parameters.
        check: with `jax.Array`s, wait for the result and raise run-time errors.
        debug: as `check`; and FloatingPointError, with its line, where the first infinity or NaN
            is made of finite numbers, or the first subnormal number is taken for zero.
        exact: each operation is rounded as NumPy does it, so that quotients by constants are to the
            bit. By default they are products with the reciprocal, which is faster.
        checkpoint: what reversed loops record. "tape": all iterations. "trail": online
            checkpointing, some, and the others are replayed. "recompute": only what an iteration
            starts with. "auto" chooses for each loop.
        memory: an int (bytes) or "64MB", "64MiB": the temporaries that the program may use.

    Returns:
        A function object. Called with NumPy arrays and Python numbers it returns these; with
        `jax.Array`s these, asynchronously. Arguments that `f` changes are changed. `F.ir(*args)`,
        `F.plan(*args)` and `F.lower(*args).compile()` show and prepare programs.

    Raises:
        TypeError: `f` is not callable, or an option is unknown.
        MyiaError: at a call: the function uses what is not supported, or its program takes more
            than `memory`. Errors that Python would raise are of Python's types.

    Example:
        >>> import numpy as np, myia
        >>> @myia.jit
        ... def total(x):
        ...     s = 0.0
        ...     for v in x:
        ...         if v > 0:
        ...             s += v
        ...     return s
        >>> total(np.array([1.0, -2.0, 3.0]))
        np.float64(4.0)
    """
    return _decorator(lambda f: Jit(f, compile_options(f, options)), f)


def _grad_options(
    argnums: Argnums, has_aux: bool, argnames: ArgNames | None, value: bool = False
) -> GradOptions:
    if argnames is not None and argnums != 0:
        raise TypeError("give argnums or argnames, not both")
    numbers = argument_numbers("argnums", argnums)
    return GradOptions(
        numbers if isinstance(argnums, (tuple, list)) else numbers[0], has_aux, value
    )


def grad(
    f: Callable | None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    argnames: ArgNames | None = None,
    **options,
) -> Any:
    """The gradient of a function that returns one real float.

    Args:
        f: the function. Without it, a decorator is returned.
        argnums: the position of the argument by which the derivative is taken, or a tuple of them.
        has_aux: `f` returns `(loss, aux)`; aux is returned beside the gradient.
        argnames: instead of `argnums`, the name of a parameter or a tuple of them, passed by
            position or by keyword.
        options: those of `jit`.

    Returns:
        A function that returns the gradient: structure, shapes and dtypes of the argument (a tuple
        of such for a tuple of `argnums`); `(gradient, aux)` with `has_aux`. Ints, bools and strings
        in the argument are returned as they are. It works on copies of its arguments.

    Raises:
        TypeError, MyiaError: as `jit`; MyiaError if the result is no real float, or an argument
            has nothing to differentiate.

    Example:
        >>> import numpy as np, myia
        >>> def loss(w, x):
        ...     return np.sum((x @ w) ** 2)
        >>> myia.grad(loss)(np.array([1.0, 2.0]), np.eye(2))
        array([2., 4.])
        >>> myia.grad(loss, argnames="x")(np.ones(1), x=np.ones((1, 1)))
        array([[2.]])
    """
    chosen = _grad_options(argnums, has_aux, argnames)
    make = lambda f: Grad(f, chosen, compile_options(f, options, OWN), "grad", argnames)  # noqa: E731
    return _decorator(make, f)


def value_and_grad(
    f: Callable | None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    argnames: ArgNames | None = None,
    **options,
) -> Any:
    """As `grad`, but what is returned is `(f(*args), gradient)`.

    Args, Raises: those of `grad`. With `has_aux` the value is `(loss, aux)`.

    Example:
        >>> import myia
        >>> myia.value_and_grad(lambda x: x**3)(2.0)
        (8.0, 12.0)
    """
    chosen = _grad_options(argnums, has_aux, argnames, value=True)

    def make(f: Callable) -> Grad:
        return Grad(f, chosen, compile_options(f, options, OWN), "value_and_grad", argnames)

    return _decorator(make, f)


def _jacobian(rule: Callable, name: str, f, chosen: GradOptions, argnames, options: dict) -> Any:
    def make(f: Callable) -> Jacobian:
        return Jacobian(f, rule, chosen, compile_options(f, options, OWN), name, argnames)

    return _decorator(make, f)


def jacfwd(
    f: Callable | None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    argnames: ArgNames | None = None,
    **options,
) -> Any:
    """The Jacobian by forward mode: cheaper than `jacrev` where results outnumber arguments.

    Args, Raises: those of `grad`; results may have any shape and structure.

    Returns:
        A function that returns, in place of each array or number of the result, one block for each
        of the argument, in its structure; a block has the shape `result.shape + argument.shape`.

    Example:
        >>> import numpy as np, myia
        >>> myia.jacfwd(lambda x: x[1:] * x[0])(np.array([2.0, 3.0, 4.0]))
        array([[3., 2., 0.],
               [4., 0., 2.]])
    """
    chosen = _grad_options(argnums, has_aux, argnames)
    return _jacobian(jacobians.jacfwd, "jacfwd", f, chosen, argnames, options)


def jacrev(
    f: Callable | None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    argnames: ArgNames | None = None,
    **options,
) -> Any:
    """The Jacobian by reverse mode: cheaper than `jacfwd` where arguments outnumber results.

    Args, Returns, Raises: those of `jacfwd`.

    Example:
        >>> import numpy as np, myia
        >>> myia.jacrev(lambda x: np.array([x.sum(), x[0] * x[1]]))(np.array([2.0, 3.0]))
        array([[1., 1.],
               [3., 2.]])
    """
    chosen = _grad_options(argnums, has_aux, argnames)
    return _jacobian(jacobians.jacrev, "jacrev", f, chosen, argnames, options)


def hessian(
    f: Callable | None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    argnames: ArgNames | None = None,
    **options,
) -> Any:
    """The matrix of second derivatives, forward over reverse.

    Args, Raises: those of `grad`.

    Returns:
        A function whose result is the Jacobian (`jacfwd`) of the gradient: for an argument x a
        block of shape `x.shape + x.shape`.

    Example:
        >>> import numpy as np, myia
        >>> myia.hessian(lambda x: x[0] ** 2 * x[1])(np.array([2.0, 3.0]))
        array([[6., 4.],
               [4., 0.]])
    """
    chosen = _grad_options(argnums, has_aux, argnames)

    def make(f: Callable) -> Jacobian:
        found = compile_options(f, options, OWN)
        reverse = Jacobian(f, jacobians.jacrev, chosen, found, "hessian", argnames)
        return Jacobian(reverse, jacobians.jacfwd, chosen, found, "hessian", argnames)

    return _decorator(make, f)


def hvp(
    f: Callable | None = None,
    argnums: Argnums = 0,
    *,
    argnames: ArgNames | None = None,
    **options,
) -> Any:
    """The Hessian of `f` times a vector, at the cost of a few gradients.

    Args, Raises: those of `grad`.

    Returns:
        A function of the arguments of `f` and, last, of the vector v, which has the structure,
        shapes and dtypes of the argument (a tuple of such for a tuple of `argnums`), as the result.

    Example:
        >>> import numpy as np, myia
        >>> myia.hvp(lambda x: x[0] ** 2 * x[1])(np.array([2.0, 3.0]), np.array([1.0, 0.0]))
        array([6., 4.])
    """
    return _jacobian(
        jacobians.hvp, "hvp", f, _grad_options(argnums, False, argnames), argnames, options
    )


def elementwise_grad(
    f: Callable | None = None,
    argnums: Argnums = 0,
    *,
    argnames: ArgNames | None = None,
    **options,
) -> Any:
    """The derivative of each element of the result by the same element of the argument.

    Args, Raises: those of `grad`; the result has the shape of the argument, and each element of it
    depends on that element only. (What is computed is the gradient of the sum of the results.)

    Example:
        >>> import numpy as np, myia
        >>> myia.elementwise_grad(np.square)(np.array([1.0, 2.0]))
        array([2., 4.])
    """
    chosen = _grad_options(argnums, False, argnames)
    return _jacobian(jacobians.elementwise, "elementwise_grad", f, chosen, argnames, options)


# ----- vjp and jvp: calls, not decorators


def jvp(f: Callable, primals: tuple, tangents: tuple, has_aux: bool = False) -> tuple:
    """`f` at `primals`, and its derivative there in the direction `tangents`: `(value, tangent)`.

    Args:
        f: the function.
        primals: a tuple of its positional arguments.
        tangents: a tuple of the same structure, shapes and dtypes.
        has_aux: `f` returns `(value, aux)`; aux is returned third.

    Raises:
        MyiaError: as `grad`; or the tangents do not have the shapes of the primals.

    Example:
        >>> import myia
        >>> myia.jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0))
        (6.0, 3.0)
    """
    return _program(_jvp, f, has_aux)(primals, tangents)


def vjp(f: Callable, *primals, has_aux: bool = False) -> tuple:
    """`f` at `primals`, and the function that pulls cotangents back: `(value, pullback)`.

    Args:
        f: the function.
        primals: its positional arguments.
        has_aux: `f` returns `(value, aux)`; aux is returned third.

    Returns:
        `pullback(ct)`, for a cotangent of the structure and shapes of the value, is the tuple of
        the cotangents of the primals. Called from Python, it runs `f` again; inside compiled code
        nothing is run twice.

    Raises:
        MyiaError: as `grad`; or a cotangent does not have the shape of the value.

    Example:
        >>> import myia
        >>> value, pullback = myia.vjp(lambda x, y: x * y, 2.0, 3.0)
        >>> value, pullback(1.0)
        (6.0, (3.0, 2.0))
    """
    kept = copied(primals)  # the caller may change them before it calls the pullback
    result = _program(_call, f, has_aux)(*primals)
    pull = _program(_pullback, f, has_aux)
    value, *aux = result if has_aux else (result,)
    return (value, functools.partial(pull, kept), *aux)


class _Rule(Transformed):
    """A rule of the inferer as a compiled function of a function, and of the rule's arguments."""

    def __init__(self, rule: Callable, has_aux: bool, name: str):
        super().__init__(rule, CompileOptions(), "jvp" if rule is _jvp else "vjp")
        self.rule, self.has_aux, self.__name__ = rule, has_aux, name
        self._dispatcher.recompilation = Recompilation(self)

    def parts(self) -> tuple[Any, ...]:
        return self.rule, self.has_aux, self.__name__

    def __repr__(self) -> str:
        return f"myia.{self.name}({self.__name__})"


def _jvp(ctx, f, has_aux, primals, tangents):
    return derivatives.jvp(ctx, f, primals, tangents, has_aux)


def _call(ctx, f, has_aux, *primals):
    result = derivatives.call_with_copies(ctx, f, primals, {}, {}, range(len(primals)))
    derivatives.without_aux(ctx, result, has_aux)
    return result


def _pullback(ctx, f, has_aux, primals, ct):
    out = derivatives.vjp(ctx, f, ctx.list_items(primals), has_aux)
    return ctx.call(out.items[1], (ct,), {})


CALLABLE_TYPES[_Rule] = lambda ctx, f, args, kwargs: f.rule(ctx, args[0], f.has_aux, *args[1:])


def _program(rule: Callable, f: Callable, has_aux: bool) -> Callable:
    """The rule applied to `f`. Functions of one code share programs, which hold none of them."""
    if not callable(f):
        raise TypeError(f"myia.{'jvp' if rule is _jvp else 'vjp'} takes a function, not {f!r}")
    take(f)
    name = getattr(f, "__name__", type(f).__name__)
    code = _shared_code(f)
    if code is not None:
        return functools.partial(_shared_rule(code, rule, has_aux, name), f)
    # Of any other object the programs hold it, so it holds them.
    try:
        own = vars(f).setdefault(_RULES, {})
    except TypeError:  # a built-in function
        return functools.partial(_shared_rule(Identity(f), rule, has_aux, name), f)
    if (rule, has_aux) not in own:
        own[rule, has_aux] = _Rule(rule, has_aux, name)
    return functools.partial(own[rule, has_aux], f)


_RULES = "__myia_rules__"


@functools.lru_cache(maxsize=256)
def _shared_rule(code: Hashable, rule: Callable, has_aux: bool, name: str) -> _Rule:
    return _Rule(rule, has_aux, name)


def _shared_code(f: Callable) -> Hashable | None:
    """What the functions have in common that share programs with `f`; None: there are none."""
    if isinstance(f, functools.partial):
        return _shared_code(f.func)
    if isinstance(f, MethodType):
        return _shared_code(f.__func__)
    if isinstance(f, FunctionType):
        holds_itself = any(x is f for x in variables(f))
        return None if holds_itself or is_traced(f) else f.__code__
    return type(f) if is_state(f) else None


def stop_gradient(x: Any) -> Any:
    """`x`, as a constant for derivatives: its gradient is zero.

    Args:
        x: a number, an array, or a container of them.

    Example:
        >>> import myia
        >>> myia.grad(lambda x: x * myia.stop_gradient(x))(3.0)
        3.0
    """
    return x
