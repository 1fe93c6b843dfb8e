"""The transforms inside compiled code: `myia.grad(loss)(w)` in a training step."""

from __future__ import annotations

from collections.abc import Callable

from myia.api.jvp_vjp import jvp, vjp
from myia.api.transforms import (
    elementwise_grad,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacrev,
    jit,
    stop_gradient,
    value_and_grad,
)
from myia.infer.derivatives import derivatives, jacobians
from myia.infer.domain.errors import OptionInside, Unsupported
from myia.infer.domain.values import Static
from myia.infer.registry import function

BY_NUMBER = "use `argnums`, the positions of the arguments"


@function(jit)
def _jit_inside(ctx, f, **options):
    return f


def _inside(make: Callable) -> Callable:
    """`grad(f)` inside compiled code, where `f` is an abstract value."""

    def handler(ctx, f, argnums=Static(0), has_aux=Static(False), **options):
        for name in options:
            if name == "argnames":
                ctx.fail(Unsupported, what="`argnames` inside compiled code", help_text=BY_NUMBER)
            ctx.fail(OptionInside, name=name)
        return derivatives.transformed(f, make, _numbers(ctx, argnums), has_aux.value)

    return handler


def _numbers(ctx, argnums) -> int | tuple[int, ...]:
    if isinstance(argnums, Static):
        return argnums.value
    return tuple(ctx.int_of(x, "argnums") for x in ctx.list_items(argnums))


function(grad)(_inside(derivatives.apply_grad))
function(value_and_grad)(_inside(derivatives.apply_value_and_grad))
function(jacfwd)(_inside(jacobians.as_partial_rule(jacobians.jacfwd)))
function(jacrev)(_inside(jacobians.as_partial_rule(jacobians.jacrev)))
function(hvp)(_inside(jacobians.as_partial_rule(jacobians.hvp)))
function(elementwise_grad)(_inside(jacobians.as_partial_rule(jacobians.elementwise)))


@function(hessian)
def _hessian_inside(ctx, f, argnums=Static(0), has_aux=Static(False)):
    told = (_numbers(ctx, argnums), has_aux.value)
    reverse = derivatives.transformed(f, jacobians.as_partial_rule(jacobians.jacrev), *told)
    return derivatives.transformed(reverse, jacobians.as_partial_rule(jacobians.jacfwd), *told)


@function(jvp)
def _jvp_inside(ctx, f, primals, tangents, has_aux=Static(False)):
    return derivatives.jvp(ctx, f, primals, tangents, has_aux.value)


@function(vjp)
def _vjp_inside(ctx, f, *primals, has_aux=Static(False)):
    return derivatives.vjp(ctx, f, primals, has_aux.value)


function(stop_gradient)(derivatives.stop_gradient)
