"""The texts of `F.ir(*args)`, which print as they are in a terminal and in a notebook."""

from __future__ import annotations

import html
from collections.abc import Mapping


class StageText(str):
    """The program after one stage. Shown without quotes and escapes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class StageTexts(dict[str, str]):
    """The program after every stage, by the stage's name; printed, all of them with headings."""

    def __init__(self, texts: Mapping[str, str]):
        super().__init__({name: StageText(text) for name, text in texts.items()})

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
