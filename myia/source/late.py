"""Modules that are read when something of them is first used."""

from __future__ import annotations

import importlib
from typing import Any


class Late:
    """The module `name`. A process that takes its programs from the cache never reads it."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(importlib.import_module(self._name), attribute)
        setattr(self, attribute, found)
        return found
