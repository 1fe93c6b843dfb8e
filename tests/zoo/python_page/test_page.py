"""The table of constructs in `docs/python.md`, whose rows are run; `--update-golden` writes it."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.zoo.python_page.examples import REFUSED
from tests.zoo.python_page.measured import AT, NUMPY, ROWS, STORED, agree, answers, numbers

PAGE = Path(__file__).parents[3] / "docs" / "python.md"
BEGIN = "<!-- examples: written by tests/zoo/python_page/test_page.py -->\n"
END = "<!-- end of examples -->\n"
LONGEST_ROW = 530  # of a table: the words of a reader's screen
NAMES = [f.__name__ for _, _, f in ROWS]


@pytest.mark.parametrize("topic, line, f", ROWS, ids=NAMES)
def test_numbers(topic, line, f):
    assert agree(numbers(f), f) == [True] * 3
    assert row(topic, line, f) in PAGE.read_text().splitlines(), "pytest --update-golden writes it"


@pytest.mark.parametrize("line", REFUSED)
def test_refused(line):
    assert "myia.host" in str(refusal(line))


def refusal(line: str) -> MyiaError:
    with pytest.raises(MyiaError) as caught:
        myia.jit(REFUSED[line])(AT)
    return caught.value


def test_lines_are_those_of_the_examples():
    shown = [(line, f) for _, line, f in ROWS] + list(REFUSED.items())
    assert [line for line, f in shown if line not in inspect.getsource(f)] == []


# ----- The page


def test_rows_are_short():
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]
    assert [row[:60] for row in rows if len(row) > LONGEST_ROW] == [], (
        "put the rest below the table"
    )


def table() -> str:
    heads = ["construct", "line", "value", "derivative", "second", *NUMPY]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    lines += [row(topic, line, f) for topic, line, f in ROWS]
    lines += [
        "",
        "Refused, since they act outside of the program:",
        "",
        "| line | message | way out |",
    ]
    lines.append("|---|---|---|")
    for line in REFUSED:
        text = str(refusal(line)).splitlines()
        lines.append(
            f"| `{escaped(line)}` | {text[0]} | {text[-2].strip().removeprefix('help: ')} |"
        )
    return "\n".join([*lines, ""])


def row(topic: str, line: str, f: Callable) -> str:
    shown = [f"{number:.6g}" for number in numbers(f)]
    others = [others_answers()[name][f.__name__] for name in NUMPY]
    name = f.__name__.replace("_", " ")
    cells = [f"{topic}: {name}", f"`{escaped(line)}`", *shown, *others]
    return "| " + " | ".join(cells) + " |"


@functools.cache
def others_answers() -> dict[str, dict[str, str]]:
    return json.loads(STORED.read_text())


def escaped(line: str) -> str:
    return line.replace("|", "\\|")


@pytest.mark.slow
def test_page(request):
    before, rest = PAGE.read_text().split(BEGIN)
    shown, after = rest.split(END)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(f"{before}{BEGIN}{table()}{END}{after}")
        shown = table()
    assert shown == table(), "pytest --update-golden writes it"


@pytest.mark.slow
@pytest.mark.parametrize("name", NUMPY)
def test_what_others_make_of_the_examples(name):
    pytest.importorskip(name.lower())
    assert answers(name) == others_answers()[name]
