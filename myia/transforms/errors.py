"""What the derivative transforms refuse, the text of each."""

from __future__ import annotations

from dataclasses import dataclass

from myia.source.diagnostics import Diagnostic


@dataclass(frozen=True)
class NoForwardRule(Diagnostic):
    title = "`{name}` has a rule for reverse mode only"
    label = "its derivative in forward mode is taken here"
    help = (
        "use reverse mode (`grad`, `vjp`, `jacrev(grad(f))` in place of `hessian(f)`), or give the "
        "function a `custom_jvp` rule"
    )

    name: str


@dataclass(frozen=True)
class CircularRule(Diagnostic):
    title = "the derivative rule of `{name}` takes the derivative of `{name}` itself"
    label = "that derivative is what the rule defines"
    help = "in the rule, differentiate the function as it is without the rule"

    name: str


@dataclass(frozen=True)
class ClosedOver(Diagnostic):
    title = "the derivative rule of `{name}` says nothing about a value that it closes over"
    label = "a derivative with respect to that value is taken here"
    help = "pass the value as an argument of the function that has the rule"

    name: str


@dataclass(frozen=True)
class NonlinearRule(Diagnostic):
    title = "a derivative rule in this loop is not linear in the cotangents that it is given"
    label = "a second derivative in reverse mode is taken of this loop"
    help = "take the outer derivative in forward mode (`jvp`, `jacfwd`)"


@dataclass(frozen=True)
class NoTransposedSolver(Diagnostic):
    title = "`{name}` says how to solve its equation, but not the transposed one"
    label = "its derivative in reverse mode is taken here"
    help = "use forward mode (`jvp`, `jacfwd`), or give it `transpose_solve`"

    name: str
