"""What waits for many trips or much work, so that it pays, takes little: programs here have it."""

from __future__ import annotations

import importlib

FEW = {  # by module: `myia.passes` hides some behind functions of their names
    "backends.xla.cost": {"_MAX_WORK": 40},
    "passes.at_once": {"MIN_TRIPS": 1, "MAX_IN_COLUMNS": 3},
    "passes.contract": {"MIN_TRIPS": 1, "MIN_TRIPS_IN_LOOPS": 1},
    "passes.ends": {"MIN_TRIPS": 2, "WIDTH": 2},
    "passes.lanes": {"MIN_TRIPS": 2, "WIDTH": 2},
    "passes.neighbours": {"MIN_ACCESSES": 2},
    "passes.read_first": {"SMALL": 1},
    "passes.weighted_sums": {"LARGE": 1},
}


def lower() -> None:
    """Of this process."""
    for module, values in FEW.items():
        found = importlib.import_module(f"myia.{module}")
        for name, value in values.items():
            assert hasattr(found, name)
            setattr(found, name, value)
