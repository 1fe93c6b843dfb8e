"""The exception that a merge raises for two values without a common structure."""

from __future__ import annotations

from typing import Any

from myia.ir.avals import Aval

ONE_DTYPE = "give the array one dtype on every path, with `.astype` or `dtype=`"
BOUND_THE_LOOP = "bound the number of iterations: `for i in myia.bounded(range(n), most)`"


class Mismatch(Exception):
    """Two values without a common structure; with a description of both and a help text."""

    def __init__(self, a: str, b: str, help_text: str | None = None) -> None:
        super().__init__(f"{a} against {b}")
        self.a, self.b = a, b
        self.help: dict[str, Any] = {} if help_text is None else {"help_text": help_text}


class ObjectsDiffer(Mismatch):
    """Two objects that could be a choice (`infer/paths/choice.py`), where none is made."""


class UnboundedGrowth(Mismatch):
    """A list or an array that grows in a loop whose trip count has no bound."""


def longer_list() -> UnboundedGrowth:
    longer = "a longer list, while the number of iterations has no bound"
    return UnboundedGrowth("a list", longer, BOUND_THE_LOOP)


def require_one_dtype(x: Aval, y: Aval) -> None:
    """Raise Mismatch for arrays of different dtypes.

    They have no common form. As elements of the promoted dtype they would be rounded, would wrap
    and would be stored to in another way than those of the path that is taken.
    """
    if x.dtype != y.dtype:
        raise Mismatch(f"an array {x}", f"an array {y}", ONE_DTYPE)
