"""Reads optimised HLO: which arrays are copied inside loops."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

_COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.-]+) \(.*\{$")
_CALLED = re.compile(r"(?:calls|to_apply|body|condition|\w+_computation)=%?([\w.-]+)")
_BRANCHES = re.compile(r"branch_computations=\{([^}]*)\}")
_BODY = re.compile(r" while\(.*body=%?([\w.-]+)")
_COPY = re.compile(r"= \w+\[([\d,]*)\]\S* copy\(")


def copies_in_loops(hlo: str, at_least: int) -> list[str]:
    """The copies of `at_least` so many elements in bodies of loops and in all that these call."""
    computations = _computations(hlo)
    bodies = {found[1] for line in hlo.splitlines() if (found := _BODY.search(line))}
    return [
        line
        for name in _reachable(computations, bodies)
        for line in computations[name]
        if (found := _COPY.search(line)) and _elements(found[1]) >= at_least
    ]


def _computations(hlo: str) -> dict[str, list[str]]:
    """The lines of each computation."""
    computations: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in hlo.splitlines():
        if found := _COMPUTATION.match(line):
            lines = computations.setdefault(found[1], [])
        else:
            lines.append(line.strip())
    return computations


def _reachable(computations: dict[str, list[str]], names: set[str]) -> set[str]:
    seen, waiting = set(), list(names)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += [other for line in computations[name] for other in _callees(line)]
    return seen


def _callees(line: str) -> Iterator[str]:
    yield from _CALLED.findall(line)
    for names in _BRANCHES.findall(line):
        yield from (name.strip().lstrip("%") for name in names.split(","))


def _elements(shape: str) -> int:
    return prod(map(int, shape.split(","))) if shape else 1
