"""docs/tour.md shows what the compiler makes of its program, stage by stage.

After a change of the compiler, `--update-golden` shows in each block the lines that it showed, as
they are now. The prose, with the numbers of values in it, is for a person to update.
"""

import linecache
import re
from pathlib import Path

import numpy as np
import pytest

import myia

ROOT = Path(__file__).parent.parent
TOUR = ROOT / "docs" / "tour.md"
MAX_LINES = 250
STAGES = ["core", "py", "typed", "prepare", "expand", "optimize", "storage", "finish"]

SECTION = re.compile(r"^## (.*?)$(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ELISION = "..."


def section(title: str) -> str:
    (found,) = (text for heading, text in SECTION.findall(TOUR.read_text()) if title in heading)
    return found


def block(title: str) -> str:
    (found,) = BLOCK.findall(section(title))
    return found


@pytest.fixture(scope="module")
def settle():
    source, name = block("The program"), "settle.py"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace = {"__name__": "settle"}
    exec(compile(source, name, "exec"), namespace)
    return namespace["settle"]


@pytest.fixture(scope="module")
def args():
    (text,) = re.findall(r"`args = (.*?)`", section("The program"))
    return eval(text, {"np": np})


@pytest.fixture(scope="module")
def texts(settle, args, request):
    texts = myia.grad(settle, argnums=1).ir(*args)
    if request.config.getoption("--update-golden"):
        tour = TOUR.read_text()
        for stage, text in texts.items():
            shown = block(f"`{stage}`")
            if missing_line(shown, text) is not None:
                tour = tour.replace(shown, updated(shown, text))
        TOUR.write_text(tour)
    return texts


# ----- The blocks


def missing_line(shown: str, text: str) -> str | None:
    """The first line shown that `text` does not have there; ... leaves out any number of lines."""
    lines, position, elided = text.splitlines(), 0, False
    runs = chunks(shown)
    for chunk in runs:
        if chunk is None:
            elided = True
            continue
        end = len(lines) - len(chunk)
        first = max(position, end) if elided and chunk is runs[-1] else position
        last = end if elided else position
        places = [i for i in range(first, last + 1) if lines[i : i + len(chunk)] == chunk]
        if not places:
            return next((line for line in chunk if line not in lines), chunk[0])
        position, elided = places[0] + len(chunk), False
    return None if elided or position == len(lines) else lines[position]


def chunks(shown: str) -> list[list[str] | None]:
    """Runs of lines, None for each elision."""
    found: list[list[str] | None] = [[]]
    for line in shown.splitlines():
        if line.strip() == ELISION:
            found += [None, []]
        else:
            found[-1].append(line)
    return [chunk for chunk in found if chunk != []]


def updated(shown: str, text: str) -> str:
    """The lines of `text` that are those `shown`, if need be but for the numbers of values."""
    lines, result, position = text.splitlines(), [], 0
    keys = [unnumbered(line) for line in lines]
    for line in shown.splitlines():
        places = [i for i in range(position, len(lines)) if keys[i] == unnumbered(line)]
        if places:
            place = next((i for i in places if lines[i] == line), places[0])
            result += [elision(lines[place])] * (place > position) + [lines[place]]
            position = place + 1
    result += [elision(result[-1])] * (position < len(lines))
    return "".join(f"{line}\n" for line in result)


def elision(line: str) -> str:
    return " " * (len(line) - len(line.lstrip())) + ELISION


def unnumbered(line: str) -> str:
    return re.sub(r" +#", " #", re.sub(r"%\d+", "%", line))


@pytest.mark.parametrize("stage", STAGES)
def test_stage(stage, texts):
    missing = missing_line(block(f"`{stage}`"), texts[stage])
    if missing is not None:
        pytest.fail(
            f"{TOUR.name}, block of `{stage}`, not in this place of the text:\n{missing}\n"
            f"Paste from here, or use --update-golden and look at the result:\n{texts[stage]}"
        )


@pytest.mark.parametrize("stage", STAGES)
def test_values_that_the_prose_names_are_shown(stage):
    shown = block(f"`{stage}`")
    prose = BLOCK.sub("", section(f"`{stage}`"))
    named = set(re.findall(r"`(%[\w.]+)`", prose)) - {"%break"}
    assert all(re.search(rf"{name}\b(?!\.)", shown) for name in named), named


def test_sections_are_the_stages(texts):
    headings = re.findall(r"^## `(\w+)`", TOUR.read_text(), re.MULTILINE)
    assert headings == list(texts) == STAGES


# ----- The rest of the tour


def test_length():
    assert len(TOUR.read_text().splitlines()) <= MAX_LINES
    assert len(block("The program").splitlines()) == 8


def test_files_exist():
    named = set(re.findall(r"`((?:myia|tests|docs)/[\w./]*)`", TOUR.read_text()))
    links = re.findall(r"\]\(([\w./]+)", TOUR.read_text())
    gone = [name for name in named if not (ROOT / name).exists()]
    assert named and not gone
    assert all((TOUR.parent / link).exists() for link in links)


def test_gradient(settle, args):
    x, rate = args
    step = 1e-10  # with which the number of iterations stays the same
    ahead, behind = (settle(x.copy(), rate + d) for d in (step, -step))
    gradient = myia.grad(settle, argnums=1)(x, rate)
    np.testing.assert_allclose(gradient, (ahead - behind) / (2 * step), rtol=1e-4)


def test_trip_count(args):
    (x, *_), rate = args
    count = 0
    while x > 0.01:
        x, count = rate * np.sin(x), count + 1
    assert f"{count:,} iterations" in section("Run time")


# ----- The checks can fail

TEXT = "a %1\nb %2\nc %3\nb %4\nd %5\n"


@pytest.mark.parametrize("shown", [TEXT, "...\nd %5\n", "...\nb %4\n...\n", "a %1\n ...\n"])
def test_real_lines(shown):
    assert missing_line(shown, TEXT) is None


def test_the_last_lines_are_at_the_end():
    assert missing_line("...\nx\n", "x\ny\nx\n") is None


@pytest.mark.parametrize(
    "shown, missing",
    [
        ("a %1\nc %3\n...\n", "a %1"),
        ("b %2\n...\n", "b %2"),
        ("...\nc %9\n...\n", "c %9"),
        ("a %1\n...\nc %3\n", "c %3"),
        ("a %1\nb %2\n", "c %3"),
        ("...\nd %5\n...\na %1\n...\n", "a %1"),
    ],
)
def test_other_lines(shown, missing):
    assert missing_line(shown, TEXT) == missing


def test_update():
    assert updated("a %7\n...\nb %8\ne %9\n", TEXT) == "a %1\nb %2\n...\n"
    assert updated("...\nc %8\nd %0\n", TEXT) == "...\nc %3\n...\nd %5\n"
