"""Which cases of a long sweep run by default: a spread of them; the others are in the slow run.

`SPREADS` holds the sweeps that take most of the time; in a test file `every` marks one of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

# Of each test with parameters in these files: by default, one of so many cases, from the first on.
SPREADS = {
    "tests/api/guests/": 2,
    "tests/api/interop/": 2,
    "tests/api/storage/": 2,
    "tests/fuzz/": 2,
    "tests/infer/jax/": 3,
    "tests/infer/lists/": 3,
    "tests/infer/recursion/": 2,
    "tests/library/random/": 2,
    "tests/library/test_conformance_kinds.py": 4,
    "tests/library/test_numpy_gradients.py": 3,
    "tests/passes/idioms/": 3,
    "tests/passes/memory/": 2,
    "tests/passes/vectorize/": 2,
    "tests/primitives/test_primitive_evaluation.py": 3,
    "tests/programs/test_programs.py": 9,
    "tests/transforms/test_selections.py": 2,
    "tests/zoo/arrays/": 3,
    "tests/zoo/kernels/": 3,
    "tests/zoo/python_page/": 3,
    "tests/zoo/test_programs.py": 3,
}


def every(count: int, cases: Sequence[Any]) -> list:
    """All `cases` of a test; by default, each `count`-th of them, from the first one on."""
    slow = pytest.mark.slow
    return [x if i % count == 0 else pytest.param(x, marks=slow) for i, x in enumerate(cases)]


def mark_spreads(items: Iterable[pytest.Item]) -> None:
    """Mark as slow what `SPREADS` leaves out."""
    seen: Counter[str] = Counter()
    for item in items:
        count = next((n for start, n in SPREADS.items() if item.nodeid.startswith(start)), 1)
        if count == 1 or "[" not in item.nodeid or item.get_closest_marker("slow"):
            continue
        test = item.nodeid.partition("[")[0]
        if seen[test] % count:
            item.add_marker(pytest.mark.slow)
        seen[test] += 1
