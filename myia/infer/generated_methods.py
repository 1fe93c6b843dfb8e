"""Methods that `dataclass` makes, as against those that a user writes."""

from __future__ import annotations

import dataclasses
import reprlib
from typing import Any

# Where the code of generated methods says that it stands; a `__repr__` is wrapped.
GENERATED = ("<string>", dataclasses.__file__, reprlib.__file__)


def is_generated(cls: type, method: Any) -> bool:
    """Is this method of a class made by `dataclass`, not written by the user?"""
    code = getattr(method, "__code__", None)
    return dataclasses.is_dataclass(cls) and code is not None and code.co_filename in GENERATED
