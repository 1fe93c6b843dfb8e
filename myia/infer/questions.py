"""Further questions about Python's objects (`domain/facts.py`), which few programs ask."""

from __future__ import annotations

import importlib
import sys
from types import FunctionType
from typing import Any

from myia.infer.domain.facts import ABSENT, DEFAULTS, Answer, Place, Question
from myia.source.defaults import defaults_of


class FieldDefault(Question):
    """The default of the field `name` of a class of namedtuples."""

    def read(self) -> Any:
        return defaults_of(self.owner.__new__).get(self.name, ABSENT)

    def places(self, found: Any) -> list[Place] | None:
        if found is ABSENT:
            return None
        new = self.owner.__new__
        return [
            Place(getattr, self.owner, "__new__", new),
            Place(DEFAULTS, new, FunctionType, new.__defaults__),
        ]


def is_made_by_namedtuple(cls: Any) -> bool:
    """Does a class of namedtuples make its instances as `namedtuple` says, not its user?"""
    made = getattr(cls.__new__, "__globals__", {}).get("__name__", "").startswith("namedtuple_")
    return made and cls.__init__ is object.__init__


class MemberOf(Answer):
    """The member of an enumeration that its `_missing_`, which users write, finds for a value."""

    @property
    def is_fixed(self) -> bool:
        return False


class Imported(Question):
    """The module `name`, as `import` finds it; `owner` is the module `sys`."""

    def read(self) -> Any:
        return importlib.import_module(self.name)

    def places(self, found: Any) -> list[Place] | None:
        return [Place(sys.modules.get, self.name, ABSENT, found)]
