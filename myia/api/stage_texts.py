"""The texts of `F.ir(*args)`, which print as they are in a terminal and in a notebook."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from typing import Any


class StageText(str):
    """The program after one stage. Shown without quotes and escapes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class StageTexts(dict[str, str]):
    """The program after every stage, by the stage's name; printed, all of them with headings.

    Another key is the name of a pass: `after_pass` gives its text, which is not kept.
    """

    def __init__(self, texts: Mapping[str, str], after_pass: Callable[[str], str] | None = None):
        super().__init__({name: StageText(text) for name, text in texts.items()})
        self._after_pass = after_pass

    def __missing__(self, name: str) -> StageText:
        if self._after_pass is None:
            raise KeyError(name)
        return StageText(self._after_pass(name))

    def __reduce__(self) -> tuple[Any, ...]:
        return StageTexts, (dict(self),)  # the stages alone

    def __repr__(self) -> str:
        return "\n\n".join(f"# ----- {name}\n{text.rstrip()}" for name, text in self.items())

    def _repr_html_(self) -> str:
        """In a notebook: the stages to unfold, the last one open."""
        last = next(reversed(self), None)
        parts = []
        for name, text in self.items():
            state = " open" if name == last else ""
            head = f"<details{state}><summary><b>{html.escape(name)}</b></summary>"
            parts.append(f"{head}<pre>{html.escape(text)}</pre></details>")
        return "\n".join(parts)
