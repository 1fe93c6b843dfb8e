"""The transforms inside compiled code: `myia.grad(loss)(w)` in a training step."""

from __future__ import annotations

from collections.abc import Callable

from myia.api.jvp_vjp import jvp, vjp
from myia.api.options import OF_CALLS, numbers_inside, refuse_inside
from myia.api.transforms import (
    AXES,
    OWN,
    elementwise_grad,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacrev,
    jit,
    stop_gradient,
    value_and_grad,
    vmap,
)
from myia.infer.batching import vmap as batching
from myia.infer.batching.axes import axes_inside
from myia.infer.derivatives import derivatives, jacobians
from myia.infer.derivatives.derivatives import GradOptions
from myia.infer.domain.values import Abstract, Static
from myia.infer.eval.interpreter import Interpreter
from myia.infer.registry import function
from myia.infer.unsupported import UnsupportedFunction

BY_NUMBER = "use `argnums`, the positions of the arguments"


@function(jit)
def _jit_inside(ctx: Interpreter, f: Abstract, **options: Abstract) -> Abstract:
    refuse_inside(ctx, (name for name in options if name not in OF_CALLS))
    return f


def _inside(*rules: derivatives.Rule, value: bool = False) -> Callable[..., Abstract]:
    """`grad(f)` inside compiled code, where `f` is an abstract value. Rules follow each other."""

    def handler(
        ctx: Interpreter,
        f: Abstract,
        argnums: Abstract = Static(0),
        has_aux: Static = Static(False),
        **options: Abstract,
    ) -> Abstract:
        if "argnames" in options:
            what = "`argnames` inside compiled code"
            ctx.fail(UnsupportedFunction, what=what, help_text=BY_NUMBER)
        refuse_inside(ctx, options, OWN)
        chosen = GradOptions(numbers_inside(ctx, "argnums", argnums), has_aux.value, value)
        for rule in rules:
            f = derivatives.transformed(f, rule, chosen)
        return f

    return handler


function(grad)(_inside(derivatives.gradient))
function(value_and_grad)(_inside(derivatives.gradient, value=True))
function(jacfwd)(_inside(jacobians.jacfwd))
function(jacrev)(_inside(jacobians.jacrev))
function(hessian)(_inside(jacobians.rows_of_hessian, jacobians.jacfwd))
function(hvp)(_inside(jacobians.hvp))
function(elementwise_grad)(_inside(jacobians.elementwise))


@function(vmap)
def _vmap_inside(
    ctx: Interpreter,
    f: Abstract,
    in_axes: Abstract = Static(0),
    out_axes: Abstract = Static(0),
    **options: Abstract,
) -> Abstract:
    refuse_inside(ctx, options, AXES)
    axes = [axes_inside(ctx, "in_axes", in_axes), axes_inside(ctx, "out_axes", out_axes)]
    return derivatives.transformed(f, batching.vmap, batching.MapOptions(*axes))


@function(jvp)
def _jvp_inside(
    ctx: Interpreter,
    f: Abstract,
    primals: Abstract,
    tangents: Abstract,
    has_aux: Static = Static(False),
) -> Abstract:
    return derivatives.jvp(ctx, f, primals, tangents, has_aux.value)


@function(vjp)
def _vjp_inside(
    ctx: Interpreter, f: Abstract, *primals: Abstract, has_aux: Static = Static(False)
) -> Abstract:
    return derivatives.vjp(ctx, f, primals, has_aux.value)


function(stop_gradient)(derivatives.stop_gradient)
