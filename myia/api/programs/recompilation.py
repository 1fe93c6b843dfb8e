"""The warning of a function that is compiled again and again."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Sequence
from typing import Any

from myia.infer.boundary.arguments import Fact
from myia.infer.boundary.signature_differences import differences
from myia.infer.domain.facts import Answer
from myia.source.warning import CompileWarning, warn

PROGRAMS_BEFORE_WARNING = 16
DIFFERENCES_NAMED = 4


class Recompilation:
    """Counts the programs of `f`, and warns once."""

    def __init__(self, f: Callable[..., Any]):
        self._f = f
        self.count = 0
        self._last: dict[str, Any] = {}

    def compiled(
        self, positional: Sequence[Any], keywords: dict[str, Any], facts: Sequence[Fact]
    ) -> None:
        """There is a new program, for calls of these signatures."""
        self.count += 1
        if self.count > PROGRAMS_BEFORE_WARNING:
            return
        names = parameter_names(self._f, len(positional))
        hidden = {_name(fact): fact.answer for fact in facts}
        now = hidden | dict(zip(names, positional)) | keywords
        if self.count == PROGRAMS_BEFORE_WARNING:
            self._warn(now)
        self._last = now if self.count < PROGRAMS_BEFORE_WARNING else {}

    def _warn(self, now: dict[str, Any]) -> None:
        common = [name for name in now if name in self._last]
        found = [(name, d) for name in common for d in differences(now[name], self._last[name])]
        told = [d.told(name) for name, d in found[:DIFFERENCES_NAMED]]
        if len(found) > len(told):
            told.append(f"and {len(found) - len(told)} more")
        if now.keys() != self._last.keys():
            told.append(f"it is called with, or reads, {_listed(now.keys() ^ self._last.keys())}")
        name = getattr(self._f, "__name__", type(self._f).__name__)
        helps = dict.fromkeys(d.help for _, d in found[:DIFFERENCES_NAMED])
        title = f"`{name}` has been compiled {self.count} times"
        told = told or ["in what inference read of Python"]
        last = f"  its last two programs differ: {', '.join(told)}"
        warn(CompileWarning, "\n".join([title, last, *(f"  help: {text}" for text in helps)]))


def _listed(names: Collection[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names)[:DIFFERENCES_NAMED])


def _name(fact: Fact) -> str:
    """What was asked, in a user's words: `scale`, `len(deque)`."""
    question = fact.question
    if not isinstance(question, Answer):
        return fact.name
    operands = [repr(x) if isinstance(x, str) else type(x).__name__ for x in question.name]
    return f"{getattr(question.owner, '__name__', 'f')}({', '.join(operands)})"


def parameter_names(f: Callable[..., Any], count: int | None = None) -> list[str]:
    """The names of the first `count` positional arguments of `f`."""
    names = getattr(f, "__myia_parameters__", None)  # of functions that share programs
    if names is None:
        names = _names_by_signature(f)
    count = len(names) if count is None else count
    return [*names, *(f"argument {i}" for i in range(len(names), count))][:count]


def _names_by_signature(f: Callable[..., Any]) -> list[str]:
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in parameters if p.kind in kinds]
