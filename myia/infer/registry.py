"""Registered handlers: functions of Python, NumPy and `math`, and methods of built-in types.

A handler is written like the function that it implements, on abstract values:

    @function(np.sum)
    def _sum(ctx, a, axis=NONE, dtype=NONE, out=NONE, keepdims=FALSE): ...

Arguments that may be None (`Optional`) are forced before the handler is called: None is an error.
Where Python takes it, `of_none` calls the handler of the value and of None, and a handler that is
marked by `keeps_none` takes such arguments as they are. Arrays with dynamic axes are given to a
variant of the handler, made by `dynamic=`; a function without one is refused for such arrays.
"""

from __future__ import annotations

import importlib
import inspect
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.errors import (
    BadType,
    BadValue,
    BranchesDiffer,
    CertainError,
    Untraceable,
)
from myia.infer.domain.values import FUNCTION_VALUES, Abstract, Static, may_be_none
from myia.infer.dynamic.access import contains_dynamic, refuse_dynamic, with_nominal_shape
from myia.infer.item_dtypes import with_known_dtypes
from myia.infer.numeric import floating_point_errors
from myia.infer.numeric.nonfinite_checks import check_finite_results
from myia.infer.numeric.samples import accepts, error_of
from myia.infer.numeric.subnormal_checks import check_call
from myia.infer.parameters import KEEPS_NONE, KEEPS_VIEWS, OF_NONE, signature_of, takes_none
from myia.infer.paths.branches import is_caught_none, on_each, on_each_or_none, with_none
from myia.infer.paths.choice import is_of_objects, is_split
from myia.infer.paths.raised import within_op
from myia.infer.unsupported import UnsupportedFunction
from myia.primitives.pointwise import logic
from myia.source.diagnostics import MyiaError
from myia.source.process import BRIEF

Variant = Callable[[Callable], Callable]  # handler -> its variant for dynamic arrays
FUNCTIONS: dict[Any, Callable] = {}
# Callables whose call is that of the function they hold.
TRANSPARENT_TYPES: set[type] = set()
METHODS: dict[tuple[str, str], Callable] = {}  # (kind of object, name)
PROPERTIES: dict[tuple[str, str], Callable] = {}
SETTERS: dict[tuple[str, str], Callable] = {}  # of attributes that may be assigned
REGISTERED_ON_IMPORT: dict[
    str, list[Callable]
] = {}  # modules whose handlers are registered once they are imported
SUBSCRIPTS: dict[int, Callable] = {}  # by the id of the object: `np.r_[...]`
ASKED: set[Any] = set()  # functions that are called on samples first: their own checks hold
DYNAMIC: dict[Callable, Callable] = {}  # handler -> its variant for dynamic arrays
# Function -> exceptions that it raises only where a handler may catch them, and their checks.
RAISED: dict[Any, list[tuple[type[Exception], Callable]]] = {}

# Packages whose functions are traced by JAX: they are written to be traced (`infer/jax/`).
TRACED_PACKAGES = frozenset(
    {"blackjax", "chex", "diffrax", "distrax", "equinox", "flax", "haiku", "jax", "jaxlib"}
    | {"jaxopt", "jraph", "lineax", "numpyro", "optax", "optimistix"}
)
# Packages whose functions have a handler, are traced, or are refused: their source is not read.
LIBRARIES = frozenset(
    {"numpy", "math", "scipy", "builtins", "functools", "itertools", "operator", *TRACED_PACKAGES}
)

COMPILED: set[types.FunctionType] = set()  # functions of `LIBRARIES` whose source is, for all that


def is_of_library(f: Any) -> bool:
    """Is it a function of `LIBRARIES`, whose source is not compiled?"""
    return top_package(f) in LIBRARIES and not (isinstance(f, types.FunctionType) and f in COMPILED)


def is_traced(f: Any) -> bool:
    """Does a callable come from one of `TRACED_PACKAGES`, or did the user mark it?

    Wrappers made by such a package (`jax.vmap(f)`) have the name and module of what they wrap, so
    their globals are looked at too.
    """
    if top_package(f) in TRACED_PACKAGES or is_marked_for_tracing(f):
        return True
    return (
        isinstance(f, types.FunctionType)
        and _top_level_name(f.__globals__.get("__name__")) in TRACED_PACKAGES
    )


def is_marked_for_tracing(f: Any) -> bool:
    """Did the user mark this function by `myia.staged`?"""
    return isinstance(f, types.FunctionType) and hasattr(f, "__myia_staged__")


def top_package(x: Any) -> str:
    """`jax` for `jax.numpy.sin`; for an instance, the package of its class."""
    return _top_level_name(getattr(x, "__module__", None))


def _top_level_name(module: Any) -> str:
    return module.partition(".")[0] if isinstance(module, str) else ""


def registering(table: dict, *keys: Any) -> Callable[[Callable], Callable]:
    """A decorator that adds an entry for each key; an error if one has another entry already."""

    def register(handler: Callable) -> Callable:
        for key in keys:
            if table.setdefault(key, handler) is not handler:
                raise ValueError(f"two handlers are registered for {key!r}")
        return handler

    return register


def function(*callables: Any, dynamic: Variant | None = None) -> Callable[[Callable], Callable]:
    """Register a handler for Python callables. `dynamic` makes its variant for dynamic arrays."""
    return _with_variant(registering(FUNCTIONS, *callables), dynamic)


def method(
    kind: str, *names: str, dynamic: Variant | None = None
) -> Callable[[Callable], Callable]:
    """Register a handler `(ctx, self, *args, **kwargs)` for methods of `kind`.

    Kinds: "array", "number" (NumPy's scalars), "python" (Python's numbers), "list", "tuple",
    "namedtuple", "dict", "set", "str", "generator" (`kind_of` in `infer/attributes.py`).
    """
    return _with_variant(registering(METHODS, *((kind, name) for name in names)), dynamic)


def property_(kind: str, *names: str) -> Callable[[Callable], Callable]:
    """Register a handler `(ctx, self)` for attributes of `kind`; "dynamic": of dynamic arrays."""
    return registering(PROPERTIES, *((kind, name) for name in names))


def setter(kind: str, *names: str) -> Callable[[Callable], Callable]:
    """Register a handler `(ctx, self, value)` for assignments to attributes of `kind`."""
    return registering(SETTERS, *((kind, name) for name in names))


def subscript(x: Any) -> Callable[[Callable], Callable]:
    """Register a handler `(ctx, key)` for the subscripts of a Python object."""
    return registering(SUBSCRIPTS, id(x))


def raises(exception: type[Exception], *callables: Any) -> Callable[[Callable], Callable]:
    """Register a check `(ctx, call, *args, **kwargs)` of an error that Python's function raises.

    It is made where a handler may catch the error, and `call()` is the result there. Elsewhere the
    result is what it is.
    """

    def register(check: Callable) -> Callable:
        for f in callables:
            RAISED.setdefault(f, []).append((exception, check))
        return check

    return register


def as_is(handler: Callable) -> Callable:
    """The variant of a handler that handles dynamic arrays itself, or only passes arrays on."""
    return handler


def for_dynamic_arrays(handler: Callable) -> Callable[[Callable], Callable]:
    """Register the variant of a handler for dynamic arrays, with the same signature.

    It is called where an argument has a dynamic axis (`infer/dynamic/`).
    """
    return registering(DYNAMIC, handler)


def _with_variant(
    register: Callable[[Callable], Callable], dynamic: Variant | None
) -> Callable[[Callable], Callable]:
    def register_both(handler: Callable) -> Callable:
        if dynamic is not None:
            for_dynamic_arrays(handler)(dynamic(handler))
        return register(handler)

    return register_both


def invoke(
    ctx: Context,
    handler: Callable,
    name: str,
    args: Sequence[Abstract],
    kwargs: dict[str, Abstract],
    function: Any,
) -> Abstract:
    """Call the handler of `function`, or its variant for dynamic arrays.

    Arguments that the function itself does not take are a TypeError. An option that the handler
    does not have may be None.

    A function without a variant still works if each dynamic slice has a nominal length
    (`x[i : i + 3]`): it is checked at run time to have exactly this length.
    """
    keeps, n, names = handler in KEEPS_NONE, len(args), tuple(kwargs)

    def invoke_of(xs: Sequence[Abstract]) -> Abstract:
        return invoke(ctx, handler, name, xs[:n], dict(zip(names, xs[n:])), function)

    if not keeps and any(map(may_be_none, (*args, *kwargs.values()))):
        taken: Iterable[int] = range(n + len(names))
        if handler not in OF_NONE:
            taken = takes_none(handler, function, args, kwargs)
        if (found := _of_none(ctx, (*args, *kwargs.values()), invoke_of, taken)) is not None:
            return found
    if not keeps and any(is_caught_none(ctx, x) for x in args):
        return on_each_or_none(ctx, (*args, *kwargs.values()), invoke_of, range(n))
    of_container = getattr(function, "__objclass__", None) in (list, dict)
    force = ctx.present if keeps or of_container or handler in KEEPS_VIEWS else ctx.force
    args = [x if keeps and may_be_none(x) else force(x) for x in args]
    is_chosen = is_of_objects if of_container else is_split
    if function is not range and any(map(is_chosen, (*args, *kwargs.values()))):
        chosen = range(len(args) + len(kwargs) if of_container else 0)
        return on_each(ctx, (*args, *kwargs.values()), invoke_of, chosen)
    general = signature_of(handler)
    # A default may be any object.
    kept = {k for k, x in kwargs.items() if may_be_none(x) and (keeps or k == "default")}
    forced = (
        (k, x if k in kept else (ctx.present if k == "out" else force)(x))
        for k, x in kwargs.items()
    )
    kwargs = {k: x for k, x in forced if is_given(x) or _takes(general, k)}

    def invoke_known(xs: Sequence[Abstract]) -> Abstract:
        return _invoke_known(ctx, handler, name, xs[:n], dict(zip(kwargs, xs[n:])), function)

    given = (*args, *kwargs.values())
    if top_package(getattr(function, "__objclass__", function)) != "numpy":
        return invoke_known(given)
    return with_known_dtypes(ctx, given, invoke_known)


def _invoke_known(
    ctx: Context,
    handler: Callable,
    name: str,
    args: Sequence[Abstract],
    kwargs: dict[str, Abstract],
    function: Any,
) -> Abstract:
    """`invoke`, of arguments that are forced, and of one kind each."""
    general = signature_of(handler)
    if any(contains_dynamic(ctx, x) for x in (*args, *kwargs.values())):
        if handler in DYNAMIC:
            handler = DYNAMIC[handler]
        else:
            args = [with_nominal_shape(ctx, x) for x in args]
            kwargs = {k: with_nominal_shape(ctx, x) for k, x in kwargs.items()}
            if any(contains_dynamic(ctx, x) for x in (*args, *kwargs.values())):
                refuse_dynamic(ctx, f"`{name}`")
    ours = {general, signature_of(handler)}
    for signature, first in ((signature_of(function), ()), *((s, (ctx,)) for s in ours)):
        try:
            if signature is not None:
                signature.bind(*first, *args, **kwargs)
        except TypeError as e:
            if getattr(function, "takes_less", False):
                ctx.fail(
                    UnsupportedFunction, what=f"`{function.__name__}` with these arguments ({e})"
                )
            if not accepts(ctx, function, args, kwargs):
                ctx.fail(BadType, message=f"{name}: {e}")
            if first:
                ctx.fail(UnsupportedFunction, what=f"`{name}` with these arguments ({e})")
    if ctx.raising:
        floating_point_errors.refuse_unless_known(ctx, function, name)
    if _is_asked(ctx, function, args, kwargs):
        _ask(ctx, function, name, args, kwargs)
    try:
        return check_finite_results(
            ctx,
            (*args, *kwargs.values()),
            lambda: check_call(
                ctx,
                function,
                lambda: _checked(ctx, handler, function, args, kwargs),
                results="where" not in kwargs,
            ),
        )
    except (TypeError, ValueError, MyiaError) as error:
        told = error.diagnostic if isinstance(error, MyiaError) else None
        is_jaxs = isinstance(told, Untraceable)
        if not is_jaxs and not isinstance(error, (TypeError, ValueError)):
            raise
        # NumPy's exception and text; not of what a function of the user may have raised in it.
        given = (*args, *kwargs.values())
        package = top_package(getattr(function, "__objclass__", function) if is_jaxs else function)
        if package in (("numpy", "scipy") if is_jaxs else ("numpy",)) and not any(
            isinstance(x, FUNCTION_VALUES) for x in given
        ):
            _ask(ctx, function, name, args, kwargs)
        if isinstance(told, Untraceable):
            what, text = f"`{name}` with these arguments", told.message
            ctx.fail(UnsupportedFunction, what=what, label_text=text)
        raise


def _of_none(
    ctx: Context, xs: Sequence[Abstract], use: Callable[..., Abstract], at: Iterable[int]
) -> Abstract | None:
    """`use(xs)` with and without None at these places; None: not supported, or none of them is."""
    if not any(may_be_none(xs[i]) for i in at):
        return None
    heap, mark = ctx.heap.copy(), ctx.mark()
    try:
        return with_none(ctx, xs, use, at)
    except MyiaError as error:
        if isinstance(error, CertainError) or isinstance(error.diagnostic, BranchesDiffer):
            raise
        ctx.rewind(heap, mark)
        return None


def _checked(
    ctx: Context, handler: Callable, function: Any, args: Sequence[Abstract], kwargs: dict
) -> Abstract:
    """The call, and the checks of its errors: where one fails, the result has no derivative."""
    call = partial(handler, ctx, *args, **kwargs)
    checks = [check for e, check in RAISED.get(function, ()) if ctx.handlers.catches(e)]
    if not checks:
        return call()
    if top_package(function) == "numpy":
        _ask(ctx, function, function.__name__, args, kwargs)
    # What is differentiated is the call below, which is made where there is no error.
    held = partial(handler, ctx, *(_held(ctx, x) for x in args), **kwargs)
    for check in checks:
        check(ctx, held, *args, **kwargs)
    return within_op(ctx, call)


def _held(ctx: Context, x: Abstract) -> Abstract:
    """An array as a constant of derivatives."""
    return ctx.array(logic.stop_gradient(ctx.read(x))) if ctx.is_array(x) else x


def is_given(x: Abstract) -> bool:
    """False for None and for NumPy's "no value"."""
    return not (isinstance(x, Static) and (x.value is None or x.value is np._NoValue))


def _takes(signature: inspect.Signature | None, name: str) -> bool:
    """Has a function a parameter of this name, or takes it any?"""
    if signature is None or name in signature.parameters:
        return True
    return any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())


def _is_asked(
    ctx: Context, function: Any, args: Sequence[Abstract], kwargs: dict[str, Abstract]
) -> bool:
    """Is the function called on samples? Not if it would write, or where shapes are not known."""
    if function not in ASKED or "out" in kwargs:
        return False
    return not any(contains_dynamic(ctx, x) for x in (*args, *kwargs.values()))


def _ask(
    ctx: Context, function: Any, name: str, args: Sequence[Abstract], kwargs: dict[str, Abstract]
) -> None:
    """The error that the function raises for arguments of these types, whatever their numbers."""
    error = error_of(ctx, function, args, kwargs)
    if error is not None:
        text = str(error).partition("\n")[0]
        public = next(cls for cls in type(error).__mro__ if not is_private(cls))
        message = f"{name}: {text}"
        ctx.fail(BadValue, message=message, exception=public.__name__, arguments=(text,))


def is_private(cls: type) -> bool:
    """Is it a class of a private module, such as those of NumPy's errors of ufuncs?"""
    return any(part.startswith("_") for part in cls.__module__.split("."))


def when_imported(module: str) -> Callable[[Callable], Callable]:
    """Register `register(module)`, which registers handlers once the module is imported.

    Programs that do not use a module must not import it: `scipy.stats` takes a second.
    """

    def remember(register: Callable) -> Callable:
        REGISTERED_ON_IMPORT.setdefault(module, []).append(register)
        return register

    return remember


def _register_imported() -> None:
    """Run the registrations of modules imported since."""
    for name in tuple(REGISTERED_ON_IMPORT):
        if name not in sys.modules:
            continue
        module = importlib.import_module(name)  # waits while another thread imports it
        with BRIEF:
            # Removed when done: a thread that still finds it waits for the handlers.
            for register in REGISTERED_ON_IMPORT.get(name, ()):
                register(module)
            REGISTERED_ON_IMPORT.pop(name, None)


def handler_of(f: Any) -> Callable | None:
    """The handler of a Python callable; None if there is none."""
    try:
        found = FUNCTIONS.get(f)
    except TypeError:  # not hashable
        return None
    if found is None:
        _register_imported()
        found = FUNCTIONS.get(f)
    return found
