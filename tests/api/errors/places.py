"""Lines of programs, as the notes of errors name them."""

import inspect
from pathlib import Path


def line_of(f, text: str) -> str:
    """`file.py:12`, the first line of a function that has this text."""
    source, start = inspect.getsourcelines(f)
    file = Path(inspect.getsourcefile(f)).name
    return f"{file}:{start + next(i for i, s in enumerate(source) if text in s)}"
