"""Links and paths in the documents lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("docs/**/*.md")),
)
FOLDERS = ("myia", "tests", "docs", "benchmarks", "examples")


def prose(document: Path) -> str:
    """The text of a document without its blocks of code."""
    return re.sub(r"^```.*?^```", "", document.read_text(), flags=re.DOTALL | re.MULTILINE)


def anchors(document: Path) -> set[str]:
    """The anchors of its headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", prose(document), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def dead_links(document: Path) -> list[str]:
    """Relative links to files or headings that do not exist."""
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(document)):
        if re.match(r"\w+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = document.parent / name if name else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            dead.append(link)
    return dead


def missing_paths(document: Path) -> list[str]:
    """Paths from the root, in backquotes, that do not exist. `*` stands for any text."""
    paths = re.findall(rf"`((?:{'|'.join(FOLDERS)})/[\w./*]*)`", prose(document))
    return [path for path in paths if not any(ROOT.glob(path.rstrip("/")))]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name):
    assert dead_links(ROOT / name) == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_files_that_are_named_exist(name):
    assert missing_paths(ROOT / name) == []


def test_what_is_dead_is_found(tmp_path):
    document = tmp_path / "document.md"
    document.write_text(
        "# One: `two`, three\n\n[a](#one-two-three) [b](#four) [c](document.md#one-two-three)\n"
        "[d](none.md) [e](https://example.org/none) `myia/pipeline.py` `myia/none.py`\n"
        "`tests/fuzz/` `tests/lax/rows_*.py` `tests/lax/none_*.py`\n"
        "```\n[f](code.md) `myia/code.py`\n```\n"
    )
    assert dead_links(document) == ["#four", "none.md"]
    assert missing_paths(document) == ["myia/none.py", "tests/lax/none_*.py"]
