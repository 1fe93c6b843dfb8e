"""Texts that only IPython has: functions defined in a cell under a magic, such as `%%time`.

IPython keeps the text of a cell in `linecache`, but a magic that runs the rest of its cell compiles
that as `<timed exec>` or `<string>`, of which nobody has a text. The input history holds the call
of the magic, with the text.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import Any

MAGICS = ("run_cell_magic", "run_line_magic")


def cells() -> Iterator[str]:
    """The texts that magics have run, the latest first; nothing outside of IPython."""
    ipython: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    history = getattr(getattr(ipython, "history_manager", None), "input_hist_parsed", ())
    for cell in reversed(history):
        yield from _run_by_magics(cell, ipython.transform_cell)


def _run_by_magics(cell: str, transform: Any) -> Iterator[str]:
    """The last argument of every call of a magic in a cell, and of the calls in that."""
    if not any(name in cell for name in MAGICS):
        return
    try:
        tree = ast.parse(cell)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", None) in MAGICS:
            text = node.args[-1] if node.args else None
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                inner = transform(text.value)
                yield inner
                yield from _run_by_magics(inner, transform)
