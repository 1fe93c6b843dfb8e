"""Reads optimised HLO: which arrays are copied inside loops."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from math import prod

_COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.-]+) \(.*\{$")
_CALLED = re.compile(r"(?:calls|to_apply|body|condition|\w+_computation)=%?([\w.-]+)")
_BRANCHES = re.compile(r"branch_computations=\{([^}]*)\}")
_BODY = re.compile(r" while\(.*body=%?([\w.-]+)")
_COPY = re.compile(r"= \w+\[([\d,]*)\]\S* copy\(")


def copies_in_loops(hlo: str, at_least: int) -> list[str]:
    """The copies of `at_least` so many elements, except in outermost loops of nests.

    (An iteration of such a loop may do as much work as the copy.)
    """
    computations = _computations(hlo)
    bodies = {body: _lines(computations, body) for body in sorted(_bodies(hlo.splitlines()))}
    inside = {inner for lines in bodies.values() for inner in _bodies(lines)}
    tight = [body for body, lines in bodies.items() if body in inside or not _bodies(lines)]
    lines = {line for body in tight for line in bodies[body]}
    return sorted(line for line in lines if _copied(line) >= at_least)


def _bodies(lines: Iterable[str]) -> set[str]:
    """The bodies of the loops among instructions."""
    return {found[1] for line in lines if (found := _BODY.search(line))}


def _copied(line: str) -> int:
    """The number of elements that an instruction copies."""
    found = _COPY.search(line)
    return prod(map(int, filter(None, found[1].split(",")))) if found else 0


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


def _lines(computations: dict[str, list[str]], name: str) -> list[str]:
    """All instructions of a computation and of what it calls."""
    seen, waiting = set(), [name]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += [other for line in computations[name] for other in _callees(line)]
    return [line for name in sorted(seen) for line in computations[name]]


def _callees(line: str) -> Iterator[str]:
    yield from _CALLED.findall(line)
    for names in _BRANCHES.findall(line):
        yield from (name.strip().lstrip("%") for name in names.split(","))
