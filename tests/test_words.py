"""The vocabulary of the code, the docstrings of its rooms, and the sizes of folders.

The terms are those of the glossary of docs/architecture.md. A banned word comes with the term to
use instead.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "myia"
FILES = sorted(PACKAGE.rglob("*.py"))

# ----- Banned words

BANNED = {
    "at_once": "widened, vectorized",
    "displaced": "swapped",
    "exchanges": "swaps",
    "extent": "length",
    "extents": "lengths, shape",
    "holders": "swaps",
    "in_steps": "expanded",
    "lane": "vector, vectorized",
    "lanes": "vector, vectorized",
    "neighbour": "adjacent",
    "neighbours": "adjacent",
    "one_of": "points-to set",
    "sized": "dynamic, dynamically sized",
    "skeleton": "template",
    "skeletons": "templates",
    "slot": "placeholder",
    "slots": "placeholders",
    "stale": "invalidated",
    "stands_for": "points-to set",
    "tensors": "arrays",
    "trail": "online checkpointing",
    "trails": "online checkpointing",
    "trip": "iteration (or trip count)",
    "trips": "iterations (or trip count)",
    "twin": "congruent value, counterpart",
    "twins": "congruent values",
    "way_out": "help",
    "weigh": "the name of the idiom",
    "weighed": "the name of the idiom",
    "window": "slice (a window slides)",
    "windows": "slices (a window slides)",
}

# Words with a standard meaning elsewhere, banned in the file names and public names of these rooms.
BANNED_IN = {
    "ends": ("passes", "peeling"),
    "known": ("library", "compile time"),
    "leaf": ("storage", "replay block"),
    "leaves": ("storage", "replay blocks"),
    "promote": ("passes", "scalar replacement"),
    "promoted": ("passes", "scalar replacement"),
    "roots": ("passes", "the name of the equation"),
    "staged": ("library", "traced"),
    "together": ("passes", "widen"),
    "written": ("library", "from source"),
}

# Constants whose name is a quantity, but does not say of what.
QUANTITIES = {"FEW", "LARGE", "LEAST", "LINE", "LONG", "MANY", "MOST", "MUCH", "SMALL"}

# Legitimate uses: the terms of pooling, convolution, checkpointing and square roots.
ALLOWED = {
    "window": (
        "myia/infer/jax/rules/sliding_windows.py",
        "myia/primitives/arrays/convolution.py",
        "myia/primitives/arrays/pooling.py",
        "myia/primitives/arrays/window_geometry.py",
    ),
    "windows": (
        "myia/infer/jax/rules/sliding_windows.py",
        "myia/primitives/arrays/convolution.py",
        "myia/primitives/arrays/window_geometry.py",
    ),
    "slot": ("myia/infer/boundary/instances.py",),  # of Python's `__slots__`
    "slots": (
        "myia/infer/boundary/instances.py",
        "myia/storage/checkpointing/online_checkpointing.py",  # of snapshots
    ),
}


def words_of(name: str) -> str:
    """`StartIndices` and `start_indices` are `_start_indices_`; `trip_count` is a term."""
    words = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)
    return "_" + "_".join(word.lower() for word in words).replace("trip_count", "") + "_"


def banned_words(name: str, file: str) -> list[str]:
    """The banned words in a name, whether local or public."""
    if name == "__slots__":
        return []
    found = [word for word in BANNED if f"_{word}_" in words_of(name)]
    return [word for word in found if file not in ALLOWED.get(word, ())]


def banned_public_words(name: str, file: str) -> list[str]:
    """The words in a public name that are banned in its room."""
    found = [
        word
        for word, (room, _) in BANNED_IN.items()
        if file.startswith(f"myia/{room}/") and f"_{word}_" in words_of(name)
    ]
    return [word for word in found if file not in ALLOWED.get(word, ())]


def names(tree: ast.AST) -> Iterator[str]:
    """All names that a file defines, assigns or takes as parameters."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def public_names(tree: ast.Module | ast.ClassDef) -> Iterator[str]:
    """Functions, classes, constants, methods and fields without an underscore."""
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            yield node.name
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_names(node)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets:
            if isinstance(target, ast.Name) and not target.id.startswith("_"):
                yield target.id


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def say(word: str) -> str:
    return f"say {BANNED[word] if word in BANNED else BANNED_IN[word][1]}"


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_names_are_terms(path):
    file = relative(path)
    tree, parts = ast.parse(path.read_text()), file.removesuffix(".py").split("/")
    for name in [*parts, *names(tree)]:
        assert name.strip("_") not in QUANTITIES, f"{file}: {name}: of what?"
        for word in banned_words(name, file):
            raise AssertionError(f"{file}: {name}: {word!r} is banned, {say(word)}")
    for name in [*parts, *public_names(tree)]:
        for word in banned_public_words(name, file):
            raise AssertionError(f"{file}: {name}: {word!r} is banned here, {say(word)}")


PLAIN_ENGLISH = re.compile(
    r"rows_windows|window_cases|translator_windows|windows_of_pooling|one_of_(two|three)"
)


@pytest.mark.parametrize("root", ["tests", "benchmarks", "examples", "docs"])
def test_files_are_named_by_terms(root):
    for path in (ROOT / root).rglob("*"):
        if "__pycache__" not in path.parts and not PLAIN_ENGLISH.search(path.stem):
            assert not banned_words(path.stem, relative(path)), relative(path)


def test_files_with_exceptions_exist():
    for files in ALLOWED.values():
        assert all((ROOT / file).exists() for file in files)


# ----- Docstrings

ROOMS_WITH_SUMMARIES = (
    "source",
    "ir",
    "primitives",
    "rewriting",
    "analysis",
    "frontend",
    "infer",
    "library",
    "transforms",
    "passes",
    "storage",
    "backends",
)
MAX_SUMMARY_COLUMNS = 100
FOLDERS_OF_PASSES = ("canonicalize", "control_flow", "idioms", "loops", "memory", "vectorize")
HEADINGS = ("What it computes", "What it guarantees", "When it gives up")
MIN_FOLDER_DOCSTRING_LINES = 5
BANNED_IN_SUMMARIES = re.compile(
    r"\b(trips?(?! counts?)|twins?|lanes?|neighbours?|extents?|stale|skeletons?|nobody|whoever"
    r"|way out|at once|in steps)\b"
)


def docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text())) or ""


def summary(text: str) -> str:
    """The first sentence: up to a full stop or a colon."""
    paragraph = text.split("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=[.:?])\s", paragraph)[0]


def modules(*folders: str) -> list[Path]:
    found = (p for folder in folders for p in sorted((PACKAGE / folder).rglob("*.py")))
    return [p for p in found if p.read_text().strip()]


@pytest.mark.parametrize("path", modules(*ROOMS_WITH_SUMMARIES), ids=relative)
def test_a_docstring_begins_with_a_short_sentence(path):
    first = summary(docstring(path))
    assert first, "a module without a docstring"
    assert first[-1] in ".:?" and len(first) <= MAX_SUMMARY_COLUMNS, first
    word = BANNED_IN_SUMMARIES.search(first)
    assert not word, f"{word.group()!r} in {first!r}"


def is_analysis(text: str) -> bool:
    return all(re.search(rf"^{heading}\b", text, re.MULTILINE) for heading in HEADINGS)


@pytest.mark.parametrize(
    "path",
    [p for p in modules("analysis") if p.name != "__init__.py"],
    ids=relative,
)
def test_an_analysis_says_what_it_guarantees(path):
    assert is_analysis(docstring(path)), f"no paragraphs {HEADINGS}"


@pytest.mark.parametrize(
    "path",
    [
        p
        for p in modules(*(f"passes/{folder}" for folder in FOLDERS_OF_PASSES))
        if p.name != "__init__.py" and p.parent.name != "equations"
    ],
    ids=relative,
)
def test_a_pass_shows_before_and_after(path):
    text = docstring(path)
    assert "->" in text or is_analysis(text), "no example: before -> after"


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("__init__.py")), ids=relative)
def test_a_folder_says_what_comes_in_and_goes_out(path):
    lines = docstring(path).splitlines()
    assert len(lines) >= MIN_FOLDER_DOCSTRING_LINES, "what comes in, what goes out, where to begin"


# ----- Sizes

MAX_FILES_PER_FOLDER = 16
FOLDERS_OF_ANY_SIZE = ("tests/zoo/small_programs",)


@pytest.mark.parametrize("root", ["myia", "tests", "benchmarks"])
def test_folders_are_small(root):
    files = (p for p in (ROOT / root).rglob("*.py") if p.name != "__init__.py")
    for folder, count in Counter(relative(p.parent) for p in files).items():
        if folder not in FOLDERS_OF_ANY_SIZE:
            assert count <= MAX_FILES_PER_FOLDER, f"{folder}: {count} files"


def test_no_room_holds_more_than_a_third():
    lines = Counter()
    for path in FILES:
        lines[path.relative_to(PACKAGE).parts[0]] += len(path.read_text().splitlines())
    room, count = lines.most_common(1)[0]
    assert 3 * count <= lines.total(), f"myia/{room}: {count} of {lines.total()} lines"


# ----- The checks can fail


def test_words_are_found():
    assert banned_words("trips_left", "myia/ir/core.py") == ["trips"]
    assert banned_words("TripCount", "myia/ir/core.py") == []
    assert banned_words("trip_count_of", "myia/ir/core.py") == []
    assert banned_words("stands_for_both", "myia/infer/x.py") == ["stands_for"]
    assert banned_public_words("leaf", "myia/storage/x.py") == ["leaf"]
    assert banned_public_words("leaf", "myia/infer/x.py") == []
    assert banned_words("Window", "myia/primitives/arrays/pooling.py") == []
    assert set(names(ast.parse("def f(x, *, y):\n    z = x"))) == {"f", "x", "y", "z"}
    code = "A: int = 1\ndef f(x): y = x\nclass C:\n    b: int\n    def _m(self): ..."
    assert list(public_names(ast.parse(code))) == ["A", "f", "C", "b"]


def test_summaries_end():
    assert summary("The heap: objects.\n\nMore.") == "The heap:"
    assert summary("One sentence\nof two lines. Another.") == "One sentence of two lines."
