"""What a program returns, raises and writes in Python, when the reference interpreter ran it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from myia.api.capacities import Outgrown
from myia.infer.boundary.instances import set_state
from myia.infer.boundary.recipes import TO_PYTHON
from myia.infer.boundary.signature import Flattener
from myia.infer.eval.program import Program
from myia.infer.stand_ins import STAND_INS


def finish(program: Program, results: Sequence[Any], flat: Flattener) -> Any:
    """The result of a call whose program gave `results`; `flat` took its arguments apart.

    A failed run-time check raises its exception; objects that the program changes are changed.
    """
    if program.checks:
        *results, code = results
        if code:
            check = program.checks[int(code) - 1]
            raise (
                check.error()
                if check.outgrown is None
                else Outgrown(program, check.outgrown, results)
            )
    numbers = [TO_PYTHON[kind](x) for kind, x in zip(program.kinds, results, strict=True)]
    for i, recipe in program.updates:
        _assign(flat.objects[i], recipe(numbers, flat.objects))
    for assign in [found.apply(numbers, flat.objects) for found in program.assignments]:
        assign()
    return program.recipe(numbers, flat.objects)


def _assign(target: Any, value: Any) -> None:
    """Give an argument the contents that the program left it with."""
    if isinstance(target, np.ndarray):
        target[...] = value
    elif isinstance(target, list):
        target[:] = value
    elif isinstance(target, dict):
        target.clear()
        target.update(value)
    elif type(target) in STAND_INS:
        set_state(target, value)
    else:
        vars(target).clear()
        vars(target).update(vars(value))
