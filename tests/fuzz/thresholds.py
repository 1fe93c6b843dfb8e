"""Passes that wait for many trips, so that they pay, take few: random programs make few."""

from __future__ import annotations

import importlib

FEW = {  # of modules in `myia.passes`, which hides some of them behind functions of their names
    "at_once": {"MIN_TRIPS": 1},
    "contract": {"MIN_TRIPS": 1, "MIN_TRIPS_IN_LOOPS": 1},
    "ends": {"MIN_TRIPS": 2, "WIDTH": 2},
    "lanes": {"MIN_TRIPS": 2, "WIDTH": 2},
    "neighbours": {"MIN_ACCESSES": 2},
    "weighted_sums": {"LARGE": 1},
}


def lower() -> None:
    """Of this process."""
    for module, values in FEW.items():
        found = importlib.import_module(f"myia.passes.{module}")
        for name, value in values.items():
            assert hasattr(found, name)
            setattr(found, name, value)
