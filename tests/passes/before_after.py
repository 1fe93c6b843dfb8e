"""Golden texts of passes: the program before, and after."""

from myia.ir.parser import parse
from myia.ir.printer import to_text
from myia.ir.verifier import verify


def before_after(run, text: str) -> str:
    before = parse(text)
    verify(before)
    after = run(before)
    verify(after)
    return f"{to_text(before)}\n{to_text(after)}"


def unchanged(run, text: str) -> bool:
    before = parse(text)
    verify(before)
    return run(before) is before
