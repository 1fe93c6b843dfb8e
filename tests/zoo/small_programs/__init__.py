"""Small programs of plain Python and NumPy, by theme. Nothing in them knows of the compiler."""

from tests.zoo.small_programs import (
    algorithms,
    arrays,
    branches,
    breaks,
    closures,
    containers,
    exceptions,
    functions,
    loops,
    mutation,
    numbers,
    objects,
    recursions,
    returns,
    sizes,
    traps,
    unions,
    while_loops,
)
from tests.zoo.small_programs.registry import ALL, Program

THEMES = (
    branches,
    loops,
    while_loops,
    breaks,
    returns,
    exceptions,
    functions,
    recursions,
    closures,
    containers,
    objects,
    arrays,
    mutation,
    numbers,
    traps,
    algorithms,
    sizes,
    unions,
)

PROGRAMS = [p for theme in THEMES for p in ALL if p.f.__module__ == theme.__name__]

__all__ = ["PROGRAMS", "THEMES", "Program"]
