"""The transforms that users call: `jit`, `grad` and their relatives, with JAX's names."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, TypeVar, overload

from myia.api.options import CompileOptions, argument_numbers, compile_options
from myia.api.pickling import P, R
from myia.api.sharing import ArgNames
from myia.api.transformed import Derived, Jit, Mapped
from myia.infer.batching.axes import axes_tree
from myia.infer.batching.vmap import MapOptions
from myia.infer.derivatives import derivatives, jacobians
from myia.infer.derivatives.derivatives import Argnums, GradOptions
from myia.source.tracebacks import edge

T = TypeVar("T")

OWN = ("argnums", "argnames", "has_aux")  # options of derivatives beside those of `jit`
AXES = ("in_axes", "out_axes")  # of `vmap`


@overload
def jit(f: Callable[P, R], **options: Any) -> Jit[P, R]: ...
@overload
def jit(f: None = None, **options: Any) -> Callable[[Callable[P, R]], Jit[P, R]]: ...
@edge
def jit(f: Callable[..., Any] | None = None, **options: Any) -> Any:
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
            bit. By default they are products with the reciprocal, which is faster. (In both a
            product and a sum may be one operation, rounded once: FMA.)
        checkpoint: what reversed loops record. "tape": all iterations. "trail": online
            checkpointing, some, and the others are replayed (where the snapshots go: A. Griewank
            and A. Walther, "Algorithm 799: revolve", ACM Trans. Math. Softw. 26, 2000).
            "recompute": only what an iteration starts with. "auto" chooses for each loop.
        memory: an int (bytes) or "64MB", "64MiB": the temporaries that the program may use.
        in_shardings, out_shardings: as of `jax.jit`, where arguments and results are on several
            devices: a sharding, a `PartitionSpec` (under `jax.set_mesh`), None (JAX chooses), or
            structures of these in the form of the positional arguments, or of the result. Results
            are `jax.Array`s then. Arrays that are sharded already need neither.

    Returns:
        A function object. Called with NumPy arrays and Python numbers it returns these; with
        `jax.Array`s these, asynchronously. Arguments that `f` changes are changed. `F.ir(*args)`,
        `F.plan(*args)` and `F.lower(*args).compile()` show and prepare programs.

    Raises:
        TypeError: `f` is not callable, or an option is unknown. ValueError, at a call: shardings of
            another structure than the arguments or the result.
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
    if f is None:
        return functools.partial(jit, **options)
    return Jit(f, compile_options(f, options))


# ----- Derivatives


class Derivative(Protocol):
    """A transform of a function into a derivative, which has its parameters."""

    @overload
    def __call__(
        self,
        f: Callable[P, Any],
        argnums: Argnums = 0,
        has_aux: bool = False,
        *,
        argnames: ArgNames | None = None,
        **options: Any,
    ) -> Derived[P, Any]: ...
    @overload
    def __call__(
        self,
        f: None = None,
        argnums: Argnums = 0,
        has_aux: bool = False,
        *,
        argnames: ArgNames | None = None,
        **options: Any,
    ) -> Callable[[Callable[P, Any]], Derived[P, Any]]: ...


class Chosen(NamedTuple):
    """How a derivative is taken."""

    grad_options: GradOptions
    options: CompileOptions
    argnames: ArgNames | None


def _derivative(make: Callable[[Callable[..., Any], Chosen], Any]) -> Derivative:
    """The transform that `make` defines, bare or with arguments: `@grad` and `@grad(argnums=1)`."""

    @edge
    @functools.wraps(make, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
    def transform(
        f: Callable[..., Any] | None = None,
        argnums: Argnums = 0,
        has_aux: bool = False,
        *,
        argnames: ArgNames | None = None,
        **options: Any,
    ) -> Any:
        chosen = _grad_options(argnums, has_aux, argnames)

        def decorate(f: Callable[..., Any]) -> Any:
            return make(f, Chosen(chosen, compile_options(f, options, OWN), argnames))

        return decorate if f is None else decorate(f)

    del vars(transform)["__wrapped__"]  # which has other parameters
    return transform


def _grad_options(argnums: Argnums, has_aux: bool, argnames: ArgNames | None) -> GradOptions:
    if argnames is not None and argnums != 0:
        raise TypeError("give argnums or argnames, not both")
    numbers = argument_numbers("argnums", argnums)
    return GradOptions(numbers if isinstance(argnums, (tuple, list)) else numbers[0], has_aux)


@_derivative
def grad(f: Callable[..., Any], chosen: Chosen) -> Any:
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
        of an instance are returned as they are; in a dict, list or tuple they are refused. It
        works on copies of its arguments.

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
    return Derived(f, derivatives.gradient, "grad", *chosen)


@_derivative
def _value_and_grad(f: Callable[..., Any], chosen: Chosen) -> Any:
    with_value = replace(chosen.grad_options, value=True)
    chosen = chosen._replace(grad_options=with_value)
    return Derived(f, derivatives.gradient, "value_and_grad", *chosen)


@overload
def value_and_grad(
    f: Callable[P, R], argnums: Argnums = 0, has_aux: bool = False, **options: Any
) -> Derived[P, tuple[R, Any]]: ...
@overload
def value_and_grad(
    f: None = None, argnums: Argnums = 0, has_aux: bool = False, **options: Any
) -> Callable[[Callable[P, R]], Derived[P, tuple[R, Any]]]: ...
@edge
def value_and_grad(
    f: Callable[..., Any] | None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    **options: Any,
) -> Any:
    """As `grad`, but what is returned is `(f(*args), gradient)`.

    Args, Raises: those of `grad`. With `has_aux` the value is `(loss, aux)`.

    Example:
        >>> import myia
        >>> myia.value_and_grad(lambda x: x**3)(2.0)
        (8.0, 12.0)
    """
    return _value_and_grad(f, argnums, has_aux, **options)


@_derivative
def jacfwd(f: Callable[..., Any], chosen: Chosen) -> Any:
    """The Jacobian by forward mode: cheaper than `jacrev` where results outnumber arguments.

    Args, Raises: those of `grad`; results may have any shape and structure.

    Returns:
        A function that returns, in place of each array or number of the result, one block for each
        of the argument, in its structure; a block has the shape `result.shape + argument.shape`,
        and is complex if one of the two is.

    Example:
        >>> import numpy as np, myia
        >>> myia.jacfwd(lambda x: x[1:] * x[0])(np.array([2.0, 3.0, 4.0]))
        array([[3., 2., 0.],
               [4., 0., 2.]])
    """
    return Derived(f, jacobians.jacfwd, "jacfwd", *chosen)


@_derivative
def jacrev(f: Callable[..., Any], chosen: Chosen) -> Any:
    """The Jacobian by reverse mode: cheaper than `jacfwd` where arguments outnumber results.

    Args, Returns, Raises: those of `jacfwd`.

    Example:
        >>> import numpy as np, myia
        >>> myia.jacrev(lambda x: np.array([x.sum(), x[0] * x[1]]))(np.array([2.0, 3.0]))
        array([[1., 1.],
               [3., 2.]])
    """
    return Derived(f, jacobians.jacrev, "jacrev", *chosen)


@_derivative
def hessian(f: Callable[..., Any], chosen: Chosen) -> Any:
    """The matrix of second derivatives, forward over reverse.

    Args, Raises: those of `grad`; MyiaError for a real function of complex numbers.

    Returns:
        A function whose result is the Jacobian (`jacfwd`) of the gradient: for an argument x a
        block of shape `x.shape + x.shape`.

    Example:
        >>> import numpy as np, myia
        >>> myia.hessian(lambda x: x[0] ** 2 * x[1])(np.array([2.0, 3.0]))
        array([[6., 4.],
               [4., 0.]])
    """
    reverse: Derived[..., Any] = Derived(f, jacobians.rows_of_hessian, "hessian", *chosen)
    return Derived(reverse, jacobians.jacfwd, "hessian", *chosen)


@_derivative
def _hvp(f: Callable[..., Any], chosen: Chosen) -> Any:
    return Derived(f, jacobians.hvp, "hvp", *chosen)


@edge
def hvp(f: Callable[..., Any] | None = None, argnums: Argnums = 0, **options: Any) -> Any:
    """The Hessian of `f` times a vector, at the cost of a few gradients.

    It is the derivative of the gradient along the vector (B. A. Pearlmutter, "Fast exact
    multiplication by the Hessian", Neural Computation 6, 1994).

    Args, Raises: those of `grad`.

    Returns:
        A function of the arguments of `f` and, last, of the vector v, which has the structure,
        shapes and dtypes of the argument (a tuple of such for a tuple of `argnums`), as the result.

    Example:
        >>> import numpy as np, myia
        >>> myia.hvp(lambda x: x[0] ** 2 * x[1])(np.array([2.0, 3.0]), np.array([1.0, 0.0]))
        array([6., 4.])
    """
    return _hvp(f, argnums, **options)


@_derivative
def elementwise_grad(f: Callable[..., Any], chosen: Chosen) -> Any:
    """The derivative of each element of the result by the same element of the argument.

    Args, Raises: those of `grad`; the result has the shape of the argument, and each element of it
    depends on that element only. (What is computed is the gradient of the sum of the results.)

    Example:
        >>> import numpy as np, myia
        >>> myia.elementwise_grad(np.square)(np.array([1.0, 2.0]))
        array([2., 4.])
    """
    return Derived(f, jacobians.elementwise, "elementwise_grad", *chosen)


# ----- Batches


@overload
def vmap(
    f: Callable[P, R], in_axes: Any = 0, out_axes: Any = 0, **options: Any
) -> Mapped[P, Any]: ...
@overload
def vmap(
    f: None = None, in_axes: Any = 0, out_axes: Any = 0, **options: Any
) -> Callable[[Callable[P, R]], Mapped[P, Any]]: ...
@edge
def vmap(
    f: Callable[..., Any] | None = None, in_axes: Any = 0, out_axes: Any = 0, **options: Any
) -> Any:
    """`f` for all examples of a batch: what a loop over them computes, whose iterations are
    independent.

    Args:
        f: a function of one example. Without it, a decorator is returned.
        in_axes: the axis of the examples: an int for all arrays, or a tuple with an entry for each
            positional argument: an int, None (all examples share it), or a tuple, list, dict or
            instance of these in the structure of the argument. Negative axes count from the last.
            Keyword arguments have their examples along axis 0.
        out_axes: the axis of the examples in the results, in the same way. None: a result that does
            not depend on the example, which is returned once.
        options: those of `jit`.

    Returns:
        A function of the batch, whose results have one more axis: numbers become arrays, of their
        dtype. `f` sees `x[i]` where x has its examples along axis 0: a NumPy scalar if x has one
        axis. What `f` writes into its part of an array is in the array afterwards. Without examples
        (0 along the axis) the results are empty, with the shapes and dtypes of `f`.

    Raises:
        TypeError, MyiaError: as `jit`. ValueError: numbers of examples that differ, an argument
            without the axis, axes of another structure than the argument. TypeError: a result that
            is no array or number, and no attribute of an instance. MyiaError: `f` changes an object
            that all examples share, or draws from a generator of theirs (give each example a seed).
            Of errors in several examples that of the first is raised.

    Example:
        >>> import numpy as np, myia
        >>> def loss(w, x):
        ...     return np.tanh(w @ x)
        >>> w, xs = np.array([1.0, 0.5]), np.array([[0.0, 0.0], [1.0, -2.0], [2.0, -4.0]])
        >>> myia.vmap(loss, in_axes=(None, 0))(w, xs)
        array([0., 0., 0.])
        >>> myia.vmap(myia.grad(loss), in_axes=(None, 0))(w, xs)  # of each example
        array([[ 0.,  0.],
               [ 1., -2.],
               [ 2., -4.]])
    """
    axes = MapOptions(axes_tree("in_axes", in_axes), axes_tree("out_axes", out_axes))

    def decorate(f: Callable[..., Any]) -> Mapped[..., Any]:
        return Mapped(f, axes, compile_options(f, options, AXES))

    return decorate if f is None else decorate(f)


def stop_gradient(x: T) -> T:
    """`x`, as a constant for derivatives: its gradient is zero.

    Args:
        x: a number, an array, or a container of them.

    Returns:
        x itself. Where a derivative is taken, a change of it is refused if it is read by the other
        name afterwards.

    Example:
        >>> import myia
        >>> myia.grad(lambda x: x * myia.stop_gradient(x))(3.0)
        3.0
    """
    return x
