"""The programs of one signature, as a decision tree of the facts that they depend on.

Inference is deterministic: after the same answers it asks the same question. So the programs of
equal arguments are the leaves of a tree; a node is a question, its branches the answers so far:

    global `n`?  -- 2 --> global `scale`?  -- a float --> program 1
                 -- 3 --> global `scale`?  -- a float --> program 2

A call walks from the root, each step a look-up by hash. Most calls need not: if all the memory that
the last walk has read still holds the same objects, they get the same program. Answers that can
change without that (a list, an instance, the length of a deque) are asked at every call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import FunctionType
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from myia.infer.boundary.arguments import Fact
from myia.infer.boundary.instances import BUILT_IN, HEAP_TYPE, has_own_operators
from myia.infer.boundary.integers import IntegerSplit
from myia.infer.boundary.signature import (
    ConstantSet,
    Flattener,
    FunctionSignature,
    Leaf,
    LibraryFunction,
    Node,
    has_room_for_attributes,
    variables,
)
from myia.infer.domain.facts import (
    Constant,
    Identity,
    Place,
    Raised,
    are_unchanged,
    exact,
    places_of_function,
)
from myia.infer.registry import is_marked_for_tracing, is_traced


class HasFacts(Protocol):
    """A compiled program."""

    @property
    def facts(self) -> Sequence[Fact]: ...


Variant = TypeVar("Variant", bound=HasFacts)
Hidden = list[list[Any]]  # the leaves of each fact that has some


class Step(NamedTuple):
    """One step of a walk. `places`: None if the question must be asked at every call."""

    node: _Question
    branch: Any  # `Fact.branch` of the answer
    leaves: list[Any]
    places: list[Place] | None


class Found(NamedTuple, Generic[Variant]):
    """A program that fits, and the numbers in the answers to its questions."""

    variant: Variant
    hidden: Hidden


class _Question:
    """A node: a question, and where each answer leads. `other`: the same node of another order.

    The order of questions may differ where inference was tried in two modes, or a library has been
    imported since.
    """

    __slots__ = ("answers", "fact", "last", "other", "splits")

    def __init__(self, fact: Fact):
        self.fact = fact
        self.splits: dict[Any, IntegerSplit] = {}  # of the ints in the answers, by signature
        self.answers: dict[Any, Any] = {}
        self.other: _Question | None = None
        # An answer, the places that hold it, its step, and where it leads.
        self.last: tuple[Any, list[Place], Step, Any] | None = None

    def step(self, flat: Flattener) -> tuple[Step, Any]:
        """The present answer, and where it leads; None: nowhere yet."""
        x = self.fact.question.ask()
        if self.last is not None:
            answer, places, step, following = self.last
            if answer is x and are_unchanged(places):
                return step, following
        part = flat.part()
        signature = self._signature(part, x)
        branch = self._branch(part, signature)
        following = self.answers.get(branch)
        step = Step(self, branch, part.leaves, self._places(x, signature, branch, part))
        if step.places is not None and following is not None:
            self.last = (x, step.places, step, following)
        return step, following

    def ask_again(self, part: Flattener) -> Any:
        """The branch of the present answer, whose leaves go to `part`."""
        return self._branch(part, self._signature(part, self.fact.question.ask()))

    def _signature(self, part: Flattener, x: Any) -> Any:
        return exact(x) if self.fact.by_identity else part.add(x)

    def _branch(self, part: Flattener, signature: Any) -> Any:
        split = self.splits.get(signature) if self.splits else None
        return signature if split is None else (signature, split.take(part))

    def resolved(self, branch: Any) -> Any:
        """The signature of the answers on this branch, in which ints are arguments or constants."""
        if type(branch) is not tuple:
            return branch
        signature, integers = branch
        return self.splits[signature].resolved_with(integers)[0]

    def add(self, fact: Fact, following: Any) -> Any:
        """Where the answer of a program leads; to `following`, if it led nowhere."""
        if fact.split is not None:
            self.splits[fact.split.signatures[0]] = fact.split
        if isinstance(found := self.answers.get(fact.branch), _Question):
            return found
        self.answers[fact.branch] = following
        return following

    def _places(self, x: Any, signature: Any, branch: Any, part: Flattener) -> list[Place] | None:
        """The memory that holds the answer; None if it must be asked again."""
        if isinstance(x, Raised) or not (self.fact.by_identity or is_lasting(signature)):
            return None
        places = self.fact.question.places(x)
        if places is None:
            return None
        if not self.fact.by_identity:
            places = [*places, *places_in(x)]
        # Another thread may have changed the memory since it was asked: the places would hold what
        # the answer does not tell.
        again = type(part)()
        y = self.fact.question.ask()
        same = y is x and self._branch(again, self._signature(again, y)) == branch
        same = same and list(map(exact, again.leaves)) == list(map(exact, part.leaves))
        return places if same and are_unchanged(places) else None


class Last(NamedTuple):
    """The last walk: what it read, what must be asked again, and where it led."""

    places: list[Place]
    again: list[tuple[int, Step]]  # each with its position in `hidden`
    found: Found[Any]


class DecisionTree(Generic[Variant]):
    """The programs of one signature of arguments."""

    def __init__(self, *variants: Variant):
        self._root: Any = None
        self._last: Last | None = None
        for variant in variants:
            self.add(variant)

    def add(self, variant: Variant) -> None:
        """A new program."""
        if not variant.facts:
            self._root = variant
            return
        if self._root is None:
            self._root = _Question(variant.facts[0])
        node = self._root
        for i, fact in enumerate(variant.facts):
            while node.fact.key != fact.key:
                if node.other is None:
                    node.other = _Question(fact)
                node = node.other
            following = variant.facts[i + 1 : i + 2]
            node = node.add(fact, _Question(*following) if following else variant)

    def clear(self) -> None:
        """Forget all programs."""
        self._root = self._last = None

    def last(self) -> Last | None:
        """The last walk, if the memory that it read still holds the same."""
        last = self._last
        return last if last is not None and are_unchanged(last.places) else None

    def find(self, flat: Flattener) -> Found[Variant] | None:
        """The program for the present answers. Objects in them are added to those of `flat`."""
        return self.find_after(self.last(), flat)

    def find_after(self, last: Last | None, flat: Flattener) -> Found[Variant] | None:
        """The same, where `last()` has been asked."""
        if last is not None:
            if not last.again:
                return last.found
            count = len(flat.objects)
            hidden = _asked_again(last, flat)
            if hidden is not None:
                return Found(last.found.variant, hidden)
            flat.forget_objects(count)
        return self._walk(flat)

    def fits(self, flat: Flattener) -> bool:
        """Is there a program for the present answers?"""
        count = len(flat.objects)
        found = self.find(flat)
        flat.forget_objects(count)
        return found is not None

    def _walk(self, flat: Flattener) -> Found[Variant] | None:
        node, count = self._root, len(flat.objects)
        steps: list[Step] = []
        others: list[tuple[_Question, int, int]] = []  # where to go on if this way leads nowhere
        while isinstance(node, _Question):
            if node.other is not None:
                others.append((node.other, len(steps), len(flat.objects)))
            step, node = node.step(flat)
            steps.append(step)
            if node is None and others:
                node, steps_before, objects_before = others.pop()
                del steps[steps_before:]
                flat.forget_objects(objects_before)
        if node is None:
            flat.forget_objects(count)
            return None
        last = self._last = _last_walk(steps, node)
        return last.found


def _last_walk(steps: list[Step], variant: Any) -> Last:
    places = _distinct(p for step in steps for p in step.places or ())
    hidden: Hidden = []
    again: list[tuple[int, Step]] = []
    for step in steps:
        if step.places is None:
            again.append((len(hidden), step))
        if step.leaves:
            hidden.append(step.leaves)
    return Last(places, again, Found(variant, hidden))


def _asked_again(last: Last, flat: Flattener) -> Hidden | None:
    """The numbers in the answers now; None if an answer differs in more than its numbers."""
    before = hidden = last.found.hidden
    for position, step in last.again:
        part = flat.part()
        if step.node.ask_again(part) != step.branch:
            return None
        if part.leaves:
            hidden = list(hidden) if hidden is before else hidden
            hidden[position] = part.leaves
    return hidden


def _distinct(places: Iterator[Place]) -> list[Place]:
    return list({(p.read, id(p.first), id(p.second)): p for p in places}.values())


def is_lasting(signature: Any) -> bool:
    """Can such an object change only by being replaced, or by a new part of its functions?"""
    if isinstance(signature, Leaf):
        return bool(signature.kind != "array")
    if isinstance(signature, Constant):
        return not isinstance(signature.value, ConstantSet)  # a set can change
    if isinstance(signature, FunctionSignature):
        return all(map(is_lasting, signature.parts))
    if isinstance(signature, LibraryFunction):
        return True
    if isinstance(signature, Node):
        is_plain = signature.kind == "tuple" and not signature.cls.__dictoffset__
        return is_plain and all(map(is_lasting, signature.parts))
    if isinstance(signature, Identity):  # of a function: one whose closure holds itself
        x = signature.object
        return not isinstance(x, FunctionType) and not has_room_for_attributes(x)
    return False


def _is_taken_apart(x: Any, _: None) -> bool:
    return not has_own_operators(type(x)) and not getattr(x, "__dict__", None)


def places_in(x: Any) -> Iterator[Place]:
    """The memory in `x`, an object that lasts: in functions and the tuples that hold them."""
    if isinstance(x, BUILT_IN) and type(x).__flags__ & HEAP_TYPE:  # the class may change
        yield Place(_is_taken_apart, x, None, _is_taken_apart(x, None))
    if type(x) is FunctionType and (is_marked_for_tracing(x) or not is_traced(x)):
        yield from places_of_function(x)
        for value in variables(x):
            yield from places_in(value)
    elif isinstance(x, tuple):
        for item in x:
            yield from places_in(item)
