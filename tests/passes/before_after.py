"""Golden texts of passes: the program before, and after."""

from myia.ir.parser import parse
from myia.ir.printer import to_text
from myia.ir.verifier import verify


def before_after(run, text: str) -> str:
    before = parse(text)
    verify(before)
    text = to_text(before)
    after = run(before)
    verify(after)
    assert to_text(before) == text, "the function that came in was changed"
    return f"{text}\n{to_text(after)}"


def unchanged(run, text: str) -> bool:
    before = parse(text)
    verify(before)
    return run(before) is before
