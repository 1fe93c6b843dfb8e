"""`@program(args, args, ...)` registers a small function with sample inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Program:
    """A function of Python and NumPy, and what it is run on.

    `inputs`: tuples of arguments. `exact`: arguments where central differences do not apply (it is
    not differentiable there, or rounds), each with the right gradients of the sum of all results,
    one for each argument made of floats alone. `order`: up to which its derivatives by the rules
    are those of the function.
    """

    f: Callable
    inputs: tuple[tuple, ...]
    exact: tuple[tuple[tuple, tuple], ...]
    order: int

    @property
    def name(self) -> str:
        return f"{self.f.__module__.rpartition('.')[2]}.{self.f.__name__}"


ALL: list[Program] = []


def program(*inputs: tuple, exact: tuple = (), order: int = 2) -> Callable:
    """`inputs`: one tuple of arguments each; `exact`: pairs (arguments, gradients)."""

    def register(f: Callable) -> Callable:
        again = ALL and ALL[-1].f is f
        before = ALL.pop().inputs if again else ()
        ALL.append(Program(f, (*inputs, *before), tuple(exact), order))
        return f

    return register
