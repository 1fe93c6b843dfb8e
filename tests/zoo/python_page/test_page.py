"""The table of constructs in `docs/python.md`, whose rows are run; `--update-golden` writes it."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.zoo.python_page.examples import REFUSED
from tests.zoo.python_page.measured import AT, NUMPY, ROWS, STORED, agree, answers, numbers

PAGE = Path(__file__).parents[3] / "docs" / "python.md"
BEGIN = "<!-- examples: written by tests/zoo/python_page/test_page.py -->\n"
END = "<!-- end of examples -->\n"
NAMES = [f.__name__ for _, _, f in ROWS]


@pytest.mark.parametrize("f", [f for _, _, f in ROWS], ids=NAMES)
def test_numbers(f):
    assert agree(numbers(f), f) == [True] * 3


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


def table() -> str:
    stored = json.loads(STORED.read_text())
    heads = ["construct", "line", "value", "derivative", "second", *NUMPY]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for topic, line, f in ROWS:
        shown = [f"{number:.6g}" for number in numbers(f)]
        others = [stored[name][f.__name__] for name in NUMPY]
        name = f.__name__.replace("_", " ")
        cells = [f"{topic}: {name}", f"`{escaped(line)}`", *shown, *others]
        lines.append("| " + " | ".join(cells) + " |")
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
            f"| `{escaped(line)}` | {text[0]} | {text[-1].strip().removeprefix('help: ')} |"
        )
    return "\n".join([*lines, ""])


def escaped(line: str) -> str:
    return line.replace("|", "\\|")


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
    assert answers(name) == json.loads(STORED.read_text())[name]
