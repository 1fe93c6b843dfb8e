"""What `collections.Counter` calls that is not written in Python."""

from __future__ import annotations

import collections
from typing import Any

from myia.library.support.from_source import from_source


@from_source(collections._count_elements)  # type: ignore[attr-defined]
def count_elements(counts: Any, items: Any, /) -> None:
    for item in items:
        counts[item] = counts.get(item, 0) + 1
