"""docs/architecture.md names every file of the package, and no file that is not there."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def listed_files() -> set[str]:
    """Items "- `file.py` — ..." under headings "### `myia/folder/`"."""
    found, folder = set(), None
    for line in (ROOT / "docs" / "architecture.md").read_text().splitlines():
        if heading := re.match(r"#+ (?:`(.*)`)?", line):
            folder = heading.group(1)
        elif folder and (item := re.match(r"- `(\S+\.py)` — \S", line)):
            found.add(folder + item.group(1))
    return found


def existing_files() -> set[str]:
    """Every Python file of the package except empty `__init__.py` files."""
    files = (ROOT / "myia").rglob("*.py")
    return {p.relative_to(ROOT).as_posix() for p in files if p.read_text().strip()}


def test_listing_is_complete():
    missing = {f for f in existing_files() - listed_files() if not f.endswith("__init__.py")}
    assert not missing, f"docs/architecture.md does not name {sorted(missing)}"


def test_listing_is_true():
    gone = listed_files() - existing_files()
    assert not gone, f"docs/architecture.md names {sorted(gone)}"
