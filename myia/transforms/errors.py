"""What the derivative transforms refuse, the text of each."""

from __future__ import annotations

from myia.source.diagnostics import Diagnostic


class NoForwardRule(Diagnostic):
    title = "`{name}` has a rule for reverse mode only"
    label = "its derivative in forward mode is taken here"
    help = (
        "use reverse mode (`grad`, `vjp`, `jacrev(grad(f))` in place of `hessian(f)`), or give the "
        "function a `custom_jvp` rule"
    )

    name: str


class CircularRule(Diagnostic):
    title = "the derivative rule of `{name}` takes the derivative of `{name}` itself"
    label = "that derivative is what the rule defines"
    help = "in the rule, differentiate the function as it is without the rule"

    name: str


class ClosedOver(Diagnostic):
    title = "the derivative rule of `{name}` says nothing about a value that it closes over"
    label = "a derivative with respect to that value is taken here"
    help = "pass the value as an argument of the function that has the rule"

    name: str


class NonlinearRule(Diagnostic):
    title = "a derivative rule in this loop is not linear in the cotangents that it is given"
    label = "a second derivative in reverse mode is taken of this loop"
    help = "take the outer derivative in forward mode (`jvp`, `jacfwd`)"


class NoTransposedSolver(Diagnostic):
    title = "`{name}` says how to solve its equation, but not the transposed one"
    label = "its derivative in reverse mode is taken here"
    help = "use forward mode (`jvp`, `jacfwd`), or give it `transpose_solve`"

    name: str


class HostNotDifferentiable(Diagnostic):
    title = "`{name}` runs on the host, so it has no derivative"
    label = "a derivative is taken through this call"
    help = (
        "give it a derivative rule (`custom_jvp`, `custom_vjp`), or cut the derivative "
        "(`stop_gradient` of its arguments)"
    )

    name: str


class UnboundedHostCalls(Diagnostic):
    title = "the results of `{name}` must be recorded, and this loop has no bound"
    label = "called on the host in a loop whose derivative is taken in reverse mode"
    help = "bound the number of iterations (`myia.bounded`), or use forward mode"

    name: str


class HostCallInAdjoint(Diagnostic):
    title = "`{name}` is called on the host in the adjoint of a loop"
    label = "the derivative of the loop around it is taken in reverse mode"
    help = (
        "call it in the forward rule and hand its result over as a residual, or give the function "
        "a `custom_jvp` rule"
    )

    name: str
