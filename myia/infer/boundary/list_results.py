"""Python's lists of a result that was a buffer: the leaves of its items are columns of numbers."""

from __future__ import annotations

import numpy as np

from myia.infer.boundary.instances import new_instance
from myia.infer.lists.item_templates import ItemTemplate


def python_items(template: ItemTemplate, columns: list, count: int) -> list:
    """The first `count` Python objects, of columns of leaves (taken from the front of the list)."""
    if template.kind in ("number", "array"):
        column = columns.pop(0)[:count]
        return np.asarray(column).tolist() if template.weak else list(column)
    if template.kind == "static":
        return [template.static] * count
    if template.kind == "ragged":
        return _python_lists(template, columns, count)
    parts = [python_items(t, columns, count) for t in template.items]
    items = list(zip(*parts)) if parts else [()] * count
    if template.kind == "items":
        return list(map(list, items))
    if template.kind == "dict":
        return [dict(zip(template.static, item)) for item in items]
    if template.kind == "instance":
        cls, names, _ = template.static
        return [new_instance(cls, dict(zip(names, item))) for item in items]
    return items if template.cls is None else [template.cls(*item) for item in items]


def _python_lists(template: ItemTemplate, columns: list, count: int) -> list:
    lengths = np.asarray(columns.pop(0)[:count]).tolist()
    inner = [columns.pop(0) for _ in range(len(template.leaves) - 1)]
    if not template.items:
        return [[] for _ in lengths]
    return [
        python_items(template.items[0], [column[i] for column in inner], n)
        for i, n in enumerate(lengths)
    ]
