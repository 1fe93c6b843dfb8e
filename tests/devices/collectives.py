"""Bytes that an optimised HLO sends between devices: of all results of collectives that run."""

import math
import re

KINDS = "all-reduce|all-gather|reduce-scatter|collective-permute|all-to-all|collective-broadcast"
COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.\-]+) (?:\([^\n]*\) -> [^\n]*)?\{$", re.M)
COLLECTIVE = re.compile(rf"= (.*?) (?:{KINDS})(?:-start)?\(")
CALLED = re.compile(
    r"(?:body|condition|to_apply|calls|true_computation|false_computation)=%?([\w.\-]+)"
    r"|branch_computations=\{([^}]*)\}"
)
TRIPS = re.compile(r'"known_trip_count":\{"n":"(\d+)"\}')
SHAPE = re.compile(r"\b(pred|[a-z]+(\d+))\[([\d,]*)\]")


def collective_bytes(hlo: str) -> int:
    """A loop whose trip count XLA does not know, with collectives in it, is an error."""
    computations, entry = _computations(hlo)

    def total(name: str) -> int:
        found = 0
        for line in computations[name]:
            if match := COLLECTIVE.search(line):
                found += _bytes(match[1])
            inner = sum(map(total, _called(line)))
            if inner and " while(" in line:
                trips = TRIPS.search(line)
                assert trips is not None, line
                inner *= int(trips[1])
            found += inner
        return found

    return total(entry)


def _computations(hlo: str) -> tuple[dict[str, list[str]], str]:
    found: dict[str, list[str]] = {}
    entry = name = ""
    for line in hlo.splitlines():
        if match := COMPUTATION.match(line):
            name = match[2]
            found[name] = []
            entry = name if match[1] else entry
        elif name:
            found[name].append(line)
    return found, entry


def _called(line: str) -> list[str]:
    names = []
    for one, several in CALLED.findall(line):
        names += [one] if one else [x.strip().lstrip("%") for x in several.split(",")]
    return names


def _bytes(shapes: str) -> int:
    """`(f32[], f32[8,16]{1,0})`"""
    total = 0
    for kind, bits, axes in SHAPE.findall(shapes):
        size = 1 if kind == "pred" else int(bits) // 8
        total += size * math.prod(int(n) for n in axes.split(",") if n)
    return total
