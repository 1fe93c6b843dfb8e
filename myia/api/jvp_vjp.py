"""`jvp` and `vjp`: calls, not decorators. Functions of one code share their programs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from myia.api.options import CompileOptions
from myia.api.programs.recompilation import Recompilation
from myia.api.sharing import Transform, shared_code, taken_apart
from myia.api.transformed import Transformed
from myia.frontend.source_text.texts import take
from myia.infer.boundary.instances import copied
from myia.infer.derivatives import derivatives
from myia.infer.derivatives.argument_copies import call_with_copies
from myia.infer.derivatives.by_arrays import flat_call
from myia.infer.domain.facts import Identity
from myia.infer.domain.values import Abstract
from myia.infer.eval.calls import CALLABLE_TYPES, Args, Kwargs
from myia.infer.eval.interpreter import Interpreter
from myia.infer.eval.program import source_of
from myia.ir.builder import at
from myia.source.tracebacks import edge
from myia.source.value_texts import callable_name

NO_OPTIONS = CompileOptions()


@edge
def jvp(f: Callable[..., Any], primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    """`f` at `primals`, and its derivative there in the direction `tangents`: `(value, tangent)`.

    Args:
        f: the function.
        primals: a tuple of its positional arguments.
        tangents: a tuple of the same structure, shapes and dtypes. Items of dicts are matched by
            key, attributes by name.
        has_aux: `f` returns `(value, aux)`; aux is returned third.

    Raises:
        TypeError: `primals` or `tangents` is no tuple. MyiaError: as `grad`; or the tangents do not
            have the structure and the shapes of the primals.

    Example:
        >>> import myia
        >>> myia.jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0))
        (6.0, 3.0)
    """
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, (tuple, list)):
            raise TypeError(f"`{name}` is a tuple, one for each positional argument: `(x,)`")
    return _program(_jvp, f, has_aux)(primals, tangents)


@edge
def vjp(f: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
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
        MyiaError: as `grad`; or a cotangent does not have the structure and shapes of the value.
        RuntimeError: by the pullback, if what `f` reads besides its arguments has changed.

    Example:
        >>> import myia
        >>> value, pullback = myia.vjp(lambda x, y: x * y, 2.0, 3.0)
        >>> value, pullback(1.0)
        (6.0, (3.0, 2.0))
    """
    kept = copied(primals)  # the caller may change them before it calls the pullback
    result = _program(_call, f, has_aux)(*primals)
    state = FunctionState(*rule_of(_call, f, has_aux), kept)
    pull = functools.partial(_pull, _program(_pullback, f, has_aux), kept, state)
    value, *aux = result if has_aux else (result,)
    return (value, pull, *aux)


class FunctionState:
    """What a function read besides its arguments when it was called; None: it is not known.

    `see` is told of the objects that were met, those in the arguments too.
    """

    then: tuple[Any, list[Any]] | None = None

    def __init__(
        self,
        rule: Rule,
        f: Callable[..., Any],
        primals: tuple[Any, ...],
        see: Callable[[list[Any]], None] | None = None,
    ):
        self.rule, self.f, self.primals = rule, f, primals
        found = rule._dispatcher.state(f, primals)
        if found is None:
            return
        variant, numbers, objects = found
        if see is not None:
            see(objects)
        self.then = variant, copied(numbers)

    def __deepcopy__(self, memo: dict[int, Any]) -> FunctionState:
        return self

    def __reduce__(self) -> tuple[Any, ...]:  # where it is unpickled there is another state
        return object.__new__, (FunctionState,)

    def check(self) -> None:
        """An error if it is another now: the pullback runs the function again."""
        if self.then is None:
            return
        now, then = self.rule._dispatcher.state(self.f, self.primals), self.then
        if now is None or now[0] is not then[0] or not all(map(_is_same, now[1], then[1])):
            raise RuntimeError(
                "what the function reads besides its arguments has changed since the call of "
                f"`{self.rule.called}`: call that again, or pass it as an argument"
            )


def _is_same(x: Any, y: Any) -> bool:
    if isinstance(x, np.ndarray):
        return np.array_equal(x, y, equal_nan=x.dtype.kind in "fc")
    if isinstance(x, (int, float, complex, np.generic)):
        return bool(x == y) or (x != x and y != y)
    return x is y  # arrays of JAX do not change


def _pull(pull: Callable[..., Any], primals: tuple[Any, ...], state: FunctionState, ct: Any) -> Any:
    state.check()
    return pull(primals, ct)


class Rule(Transformed[..., Any]):
    """A rule of the inferer as a compiled function of a function, and of the rule's arguments."""

    def __init__(self, rule: Callable[..., Any], has_aux: bool, name: str, options: CompileOptions):
        super().__init__(rule, options, _transform_of(rule))
        self.rule, self.has_aux, self.__name__ = rule, has_aux, name
        del vars(self)["__wrapped__"]  # the user's function is what errors are about
        self._dispatcher.recompilation = Recompilation(self)
        self._dispatcher.name = repr(self)

    @property
    def called(self) -> str:
        """What the user has called."""
        return self.__name__ if self.rule is flat_call else f"myia.{self.name}"

    def parts(self) -> tuple[Any, ...]:
        return self.rule, self.has_aux, self.__name__, self.options

    def __repr__(self) -> str:
        return f"myia.{self.name}({self.__name__})"


def _jvp(
    ctx: Interpreter, f: Abstract, has_aux: bool, primals: Abstract, tangents: Abstract
) -> Abstract:
    return derivatives.jvp(ctx, f, primals, tangents, has_aux)


def _call(ctx: Interpreter, f: Abstract, has_aux: bool, *primals: Abstract) -> Abstract:
    result = call_with_copies(ctx, f, primals, {}, {}, range(len(primals)))
    derivatives.without_aux(ctx, result, has_aux)
    return result


def _pullback(
    ctx: Interpreter, f: Abstract, has_aux: bool, primals: Abstract, ct: Abstract
) -> Abstract:
    pull = derivatives.pullback_of(ctx, f, ctx.list_items(primals), has_aux)
    return ctx.call(pull, (ct,), {})


def _infer_call(ctx: Interpreter, rule: Any, args: Args, kwargs: Kwargs) -> Abstract:
    f, *rest = args
    given = getattr(f, "function", None) or getattr(f, "value", None)
    source = source_of(given)  # for errors of the call as a whole
    with at(None if source is None else ctx.load(source).span):
        result: Abstract = rule.rule(ctx, f, rule.has_aux, *rest)
    return result


CALLABLE_TYPES[Rule] = _infer_call


def _program(rule: Callable[..., Any], f: Callable[..., Any], has_aux: bool) -> Callable[..., Any]:
    """The rule applied to `f`."""
    made, f = rule_of(rule, f, has_aux)
    return functools.partial(made, f)


def rule_of(
    rule: Callable[..., Any],
    f: Callable[..., Any],
    has_aux: bool,
    options: CompileOptions = NO_OPTIONS,
) -> tuple[Rule, Callable[..., Any]]:
    """The rule, and `f`. Functions of one code share programs, which hold none of them."""
    if not callable(f):
        raise TypeError(f"myia.{_transform_of(rule)} takes a function, not {f!r}")
    take(f)
    name, f = _name_of(f), taken_apart(f)
    code = shared_code(f)
    if code is not None:
        return _shared_rule(code, rule, has_aux, name, options), f
    # Of any other object the programs hold it, so it holds them.
    own = getattr(f, "__dict__", None)
    if not isinstance(own, dict):  # a built-in function, a class
        return _shared_rule(Identity(f), rule, has_aux, name, options), f
    key, rules = (rule, has_aux, options), own.setdefault(_RULES, {})
    if key not in rules:
        rules[key] = Rule(rule, has_aux, name, options)
    return rules[key], f


_RULES = "__myia_rules__"


def _name_of(f: Any) -> str:
    """The name of a function; of a `functools.partial`, of the function that it is made of."""
    while isinstance(f, functools.partial) and isinstance(f.func, Transform):
        f = f.args[0]
    return _name_of(f.func) if isinstance(f, functools.partial) else callable_name(f)


def _transform_of(rule: Callable[..., Any]) -> str:
    """The name of what the user has called."""
    return {_jvp: "jvp", flat_call: "torch_function"}.get(rule, "vjp")


@functools.lru_cache(maxsize=256)
def _shared_rule(
    code: Hashable, rule: Callable[..., Any], has_aux: bool, name: str, options: CompileOptions
) -> Rule:
    return Rule(rule, has_aux, name, options)
