"""`custom_jvp`, `custom_vjp`: functions whose derivative the user writes, with JAX's names."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Sequence
from typing import Any, Self

import jax
import numpy as np

from myia.api.options import argument_numbers, numbers_inside
from myia.api.pickling import P, R, Wrapper
from myia.frontend.source_text.texts import take
from myia.infer.custom.rules import CustomFunction, call_custom
from myia.infer.domain.facts import Attribute, Held
from myia.infer.domain.heap import InstanceObject
from myia.infer.domain.values import Abstract, Ref, Static, Tuple
from myia.infer.eval.calls import CALLABLE_TYPES, Args, Kwargs
from myia.infer.eval.interpreter import Interpreter
from myia.infer.registry import function
from myia.source.value_texts import callable_name

Rule = Callable[..., Any]
Given = tuple[str, tuple[Any, ...]]  # what gave the rules: a method, its arguments


class _WithRule(Wrapper[P, R]):
    """A function that comes with its derivative."""

    mode: str

    def __init__(self, fun: Callable[P, R], nondiff_argnums: int | Sequence[int] = ()):
        super().__init__(fun)
        self.nondiff_argnums = _numbers(nondiff_argnums)
        self.rules: tuple[Rule, ...] = ()
        self._given: Given | None = None

    def parts(self) -> tuple[Any, ...]:
        return self.f, self.nondiff_argnums

    def __reduce__(self) -> str | tuple[Any, ...]:
        found = super().__reduce__()
        # The rules may name this function, so they come when it has been made.
        return found if isinstance(found, str) else (*found, self._given)

    def __setstate__(self, given: Given) -> None:
        method, rules = given
        getattr(self, method)(*rules)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        made, given = super().__deepcopy__(memo), copy.deepcopy(self._given, memo)
        if made is self and given is self._given:
            return self
        made = type(self)(*made.parts()) if made is self else made
        if given is not None:
            made.__setstate__(given)
        return made


class custom_jvp(_WithRule[P, R]):
    """A function whose derivative in forward mode is given; reverse mode is its transpose.

        @myia.custom_jvp                    @partial(myia.custom_jvp, nondiff_argnums=(0,))
        def f(x, y): ...                    def g(n, x): ...

        @f.defjvp                           @g.defjvp
        def f_jvp(primals, tangents):       def g_jvp(n, primals, tangents):
            ...                                 ...
            return f_of_x_y, tangent            return g_of_x, tangent

    `primals` and `tangents` are tuples of all arguments but those of `nondiff_argnums`; the tangent
    has the structure and shapes of the result, and must be linear in `tangents`. The tangent of an
    integer is 0. Derivatives of higher order are those of the rule. MyiaError where a rule does not
    fit the function.

    Example:
        >>> import numpy as np, myia
        >>> @myia.custom_jvp
        ... def size(x):
        ...     return np.sqrt(np.sum(x * x))
        >>> @size.defjvp
        ... def size_jvp(primals, tangents):
        ...     (x,), (t,) = primals, tangents
        ...     y = size(x)
        ...     return y, np.sum(x * t) / y if y > 0.0 else 0.0
        >>> myia.grad(size)(np.zeros(2))
        array([0., 0.])
    """

    mode = "jvp"

    def defjvp(self, jvp: Rule) -> Rule:
        """`jvp(*nondiff, primals, tangents) -> (result, tangent of the result)`; returns `jvp`."""
        take(jvp)
        self.rules, self._given = (jvp,), ("defjvp", (jvp,))
        return jvp

    def defjvps(self, *jvps: Rule | None) -> None:
        """One for each argument, `jvp(tangent, result, *primals)`, whose sum it is; None: zero."""
        if self.nondiff_argnums:
            raise TypeError("defjvps() cannot be used with nondiff_argnums: use defjvp()")
        self.rules, self._given = (_sum_of(self, jvps),), ("defjvps", jvps)


class custom_vjp(_WithRule[P, R]):
    """A function whose derivative in reverse mode is given. It has none in forward mode.

        @partial(myia.custom_vjp, nondiff_argnums=(0,))
        def f(n, x, y): ...

        def f_fwd(n, x, y):                 def f_bwd(n, residuals, ct):
            ...                                 ...
            return f_of_x_y, residuals          return x_ct, y_ct

        f.defvjp(f_fwd, f_bwd)

    `ct` has the structure of the result; for each argument but those of `nondiff_argnums` the
    backward rule gives a cotangent of its structure and shapes, or None, which is zero. Derivatives
    of higher order are those of the rules. MyiaError where a rule does not fit the function.

    Example:
        >>> import numpy as np, myia
        >>> @myia.custom_vjp
        ... def gentle(x):
        ...     return x * x
        >>> def forward(x):
        ...     return x * x, x
        >>> def backward(x, ct):
        ...     return (np.clip(2.0 * x * ct, -1.0, 1.0),)
        >>> gentle.defvjp(forward, backward)
        >>> myia.grad(gentle)(5.0)
        1.0
    """

    mode = "vjp"

    def defvjp(self, fwd: Rule, bwd: Rule) -> None:
        """`fwd(*args) -> (result, residuals)`; `bwd(*nondiff, residuals, ct) -> cotangents`."""
        take(fwd)
        take(bwd)
        self.rules, self._given = (fwd, bwd), ("defvjp", (fwd, bwd))


def _numbers(nondiff_argnums: int | Sequence[int]) -> tuple[int, ...]:
    return argument_numbers("nondiff_argnums", nondiff_argnums)


def _sum_of(f: Callable[..., Any], jvps: tuple[Rule | None, ...]) -> Rule:
    def rule(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
        y = f(*primals)
        total = None
        for i in range(len(jvps)):
            jvp = jvps[i]
            if jvp is not None:
                term = jvp(tangents[i], y, *primals)
                total = term if total is None else jax.tree.map(operator.add, total, term)
        return y, jax.tree.map(np.zeros_like, y) if total is None else total

    return rule


def _infer_call(ctx: Interpreter, f: _WithRule[..., Any], args: Args, kwargs: Kwargs) -> Abstract:
    return call_with_rules(ctx, f, f.f, f.mode, ctx.fact(Attribute(f, "rules")), args, kwargs)


def call_with_rules(
    ctx: Interpreter,
    decorated: Any,
    f: Callable[..., Any],
    mode: str,
    functions: tuple[Rule, ...],
    args: Args,
    kwargs: Kwargs,
) -> Abstract:
    """A call of `f`, decorated with the rules of its derivative."""
    fun = ctx.root(Held(f), "f")
    rules = tuple(ctx.root(Held(rule), "rule") for rule in functions)
    custom = CustomFunction(
        decorated, callable_name(f), mode, fun, rules, decorated.nondiff_argnums
    )
    return call_custom(ctx, custom, args, kwargs)


CALLABLE_TYPES.update({custom_jvp: _infer_call, custom_vjp: _infer_call})


# ----- Inside compiled code


class _Inside:
    """What the decorators make in compiled code, as an object of the inferer."""

    rules: tuple[Rule, ...]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Never run: `_infer_call_inside` says what a call is."""


class _JvpInside(_Inside):
    def defjvp(self, jvp: Rule) -> Rule:
        self.rules = (jvp,)
        return jvp

    def defjvps(self, *jvps: Rule | None) -> None:
        self.rules = (_sum_of(self, jvps),)


class _VjpInside(_Inside):
    def defvjp(self, fwd: Rule, bwd: Rule) -> None:
        self.rules = (fwd, bwd)


def _decorator(cls: type[_Inside], mode: str) -> Callable[..., Ref]:
    def handler(ctx: Interpreter, fun: Abstract, nondiff_argnums: Abstract = Static(())) -> Ref:
        names = ("fun", "mode", "nondiff_argnums", "rules")
        values = (fun, Static(mode), nondiff_argnums, Tuple(()))
        return ctx.new(InstanceObject(cls, names, values))

    return handler


function(custom_jvp)(_decorator(_JvpInside, "jvp"))
function(custom_vjp)(_decorator(_VjpInside, "vjp"))


@function(_Inside.__call__)
def _infer_call_inside(ctx: Interpreter, f: Ref, *args: Abstract, **kwargs: Abstract) -> Abstract:
    fun, mode, numbers, rules = ctx.contents(f).children()
    assert isinstance(mode, Static) and isinstance(rules, Tuple)
    argnums = _numbers(numbers_inside(ctx, "nondiff_argnums", numbers))
    name = fun.code.name if hasattr(fun, "code") else "a function"
    custom = CustomFunction(f.id, name, mode.value, fun, rules.items, argnums)
    return call_custom(ctx, custom, args, kwargs)
