"""`docs/refusals.md`: every refusal by its code; `--update-golden` writes it."""

import re
import sys
from pathlib import Path

import pytest

from tests.refusals.cases import GOLDEN, kinds, messages, programs, shown

PAGE = Path(__file__).parents[2] / "docs" / "refusals.md"
# What another version of Python has; what tests of primitives, of the source, of long loops show.
WITHOUT_PROGRAM = {
    *("unsupported-template", "unsupported-type-alias", "too-many-operations"),
    *(
        "no-parameter-derivative",
        "ambiguous-lambda",
        "not-a-function",
        "source-changed",
        "too-deep",
    ),
}
HEAD = """# Refusals

What `myia` does not compile it refuses before anything runs, with a message that ends with a code:

```text
the branches give an array f64[2] and a tuple of 2 items
  --> program.py:2:5
  ...
  help: make both branches give the same type and shape
  code: branches-differ
```

Here is each code with a program that is refused, its message, and the way out. In programs it is
`error.diagnostic.code` of a caught `myia.MyiaError`.

What the families `unsupported-...` refuse can be written with supported operations, or computed
outside and passed in; or the host computes it (`myia.host`).

A message without a code is an error of the program: Python or NumPy would raise it, too, and it can
be caught as theirs (`this would raise IndexError`). What is wrong with a file of compiled programs
is a `myia.ArtifactError`, see [programs in files](artifacts.md).
"""


def page() -> str:
    codes = " · ".join(f"[{code}](#{code})" for code in kinds())
    return f"{HEAD}\n{codes}\n" + "".join(map(section, kinds()))


def section(code: str) -> str:
    kind = kinds()[code]
    rows = messages().get(code)
    text = f"\n## {code}\n\n"
    text += f"{kind.__doc__}\n" if rows else f"*{sentence(shown(kind, kind.title))}*\n"
    text += "".join(f"\n{sentence(shown(kind, note))}.\n" for note in kind.notes if "{" not in note)
    if not rows and (way_out := shown(kind, kind.help)) != "…":
        text += f"\n**Way out**: {way_out}.\n"
    for found in programs().get(code, ()):
        program, _, message = found.rpartition("\n\n")
        text += f"\n```python\n{program}\n```\n\n```text\n{message}```\n"
    if rows:
        text += "\nAll of this family, with the way out where it has one of its own:\n"
        text += "\n| what is not supported | way out |\n|---|---|\n"
        text += "".join(f"| {cell(what)} | {cell(rows[what])} |\n" for what in rows)
    return text


def sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def cell(text: str) -> str:
    return text.replace("|", "\\|").removesuffix(",")


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="messages of Python 3.11 are shown")
def test_page(request):
    if request.config.getoption("--update-golden"):
        PAGE.write_text(page())
    assert PAGE.read_text() == page(), "pytest --update-golden writes it"


@pytest.mark.parametrize("code", sorted(set(kinds()) - WITHOUT_PROGRAM))
def test_the_program_of_a_code_is_refused_with_it(code):
    assert {text.splitlines()[-1] for text in programs()[code]} == {f"  code: {code}"}


def test_every_refusal_of_the_golden_files_is_on_the_page():
    told = {c for p in GOLDEN.glob("*.txt") for c in re.findall("  code: (.*)", p.read_text())}
    headings = set(re.findall("^## (.*)$", PAGE.read_text(), re.MULTILINE))
    assert told <= headings and headings == set(kinds())


def test_no_message_names_a_file_of_the_repository():
    assert re.findall(r"docs/|\w+\.md|tests/", PAGE.read_text().replace("(artifacts.md)", "")) == []


def test_every_family_says_what_it_refuses():
    families = {code for code in kinds() if code.startswith("unsupported-")}
    assert {code for code in families if code not in messages()} <= {
        *("unsupported-async", "unsupported-class-body", "unsupported-context-function"),
        *("unsupported-dtype", "unsupported-template", "unsupported-try-star"),
        *("unsupported-type-alias", "unsupported-yield"),
    }
