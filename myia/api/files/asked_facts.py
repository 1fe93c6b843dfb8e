"""Facts of names: their questions, asked in whatever process this is (`named_facts.py`).

("Global", ("module", "model"), "n"), answered by 3   ->   the fact, if `model.n` is 3 here
"""

from __future__ import annotations

import ast
import operator
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

from myia.api.files.named_facts import KINDS, Name, Names, NoName
from myia.infer.boundary.arguments import UNNAMED, Fact, root_of_path
from myia.infer.boundary.integers import IntegerSplit, Path
from myia.infer.boundary.signature import Flattener, leaves_of
from myia.infer.domain import facts
from myia.infer.domain.facts import Question, exact
from myia.ir.avals import Aval
from myia.ir.core import Value


class Asked:
    """The facts of these names, here and now. `target`: the function that is compiled; `flat`: the
    flattening of its arguments, whose objects may be met again."""

    def __init__(self, target: Any, flat: Flattener):
        self._target, self._flat = target, flat.copy()
        self._answers: dict[Name, Any] = {}
        self._names = Names(target)
        self.arguments: set[Path] = set()  # the ints in answers that are arguments

    def facts(self, names: Sequence[Name]) -> list[Fact] | None:
        """None: one of the questions has another answer."""
        found = []
        for name in names:
            try:
                fact = self._fact(*name)
            except (AttributeError, ImportError, KeyError, ValueError, TypeError, NoName):
                return None
            if fact is None:
                return None
            found.append(fact)
        return found

    def _fact(
        self, name: Name, by_identity: bool, answer: Name, ints: Sequence[bool], text: str
    ) -> Fact | None:
        question = self._question(name)
        x = question.ask()
        self._answers[name] = x
        if by_identity:
            fact = Fact(question, True, exact(x), [], text)
        else:
            fact = self._taken_apart(question, x, ints, text)
        told = (name, by_identity, answer, ints, text)
        return fact if self._names.fact(fact) == told else None

    def _taken_apart(self, question: Question, x: Any, ints: Sequence[bool], text: str) -> Fact:
        flat, chosen = self._flat.part(), iter(ints)
        signature = flat.add(x)

        def choose(path: Path, value: int) -> bool:
            if found := next(chosen, False):
                self.arguments.add(path)
            return found

        root = root_of_path(question, None if text == UNNAMED else text)
        split = IntegerSplit([root], [signature], flat.leaves, choose)
        (resolved,) = split.resolved(flat.leaves)
        integers = split.take(flat)
        values = [Value(Aval(leaf.dtype, leaf.shape)) for leaf in leaves_of(resolved)]
        fact = Fact(question, False, resolved, values, text)
        if split.integers:
            fact.split, fact.integers = split, integers
        return fact

    def _question(self, name: Name) -> Question:
        kind, owner, *rest = name
        cls: Callable[..., Question] = KINDS[kind]
        if cls is facts.Answer:
            return facts.Answer(self._object(owner), *map(self._object, rest))
        found = self._object(owner)
        if cls is facts.Global and isinstance(found, types.ModuleType):
            found = vars(found)
        return cls(found, *rest)

    def _object(self, name: Name) -> Any:
        kind, *rest = name
        if kind == "target":
            return self._target
        if kind == "value":
            return ... if rest[1] == "Ellipsis" else ast.literal_eval(rest[1])
        if kind == "module":
            return sys.modules[rest[0]]
        if kind == "object":
            return operator.attrgetter(rest[1])(sys.modules[rest[0]])
        if kind == "attribute":
            return getattr(self._object(rest[0]), rest[1])
        if kind == "cell":
            function = self._object(rest[0])
            return function.__closure__[function.__code__.co_freevars.index(rest[1])]
        if kind == "field":
            return self._object(rest[0]).__dataclass_fields__[rest[1]]
        if kind == "inner":
            return self._object(rest[0]).f
        (asked,) = rest
        if asked not in self._answers:
            self._answers[asked] = self._question(asked).read()
        return self._answers[asked]
