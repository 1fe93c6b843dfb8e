"""Small programs of plain Python and NumPy, by theme. Nothing in them knows of the compiler."""

from small_programs import (
    algorithms,
    arrays,
    branches,
    breaks,
    closures,
    containers,
    functions,
    loops,
    mutation,
    numbers,
    objects,
    returns,
    sizes,
    traps,
    while_loops,
)
from small_programs.registry import PROGRAMS, Program

# Imported for the programs that they register.
THEMES = (
    branches,
    loops,
    while_loops,
    breaks,
    returns,
    functions,
    closures,
    containers,
    objects,
    arrays,
    mutation,
    numbers,
    traps,
    algorithms,
    sizes,
)

__all__ = ["PROGRAMS", "THEMES", "Program"]
