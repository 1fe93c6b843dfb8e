"""The code on the pages runs, and prints what they say it prints."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Five seconds each, and more.
LONG = {"2_loops_and_arrays", "3_training_step", "4_data_decide", "5_more_derivatives"}
LONG |= {"6_in_practice", "many_devices", "recipes"}
PAGES = sorted(
    p for folder in ("start", "tutorial", "use") for p in ROOT.glob(f"docs/{folder}/*.md")
)
# A block of code, and in the tutorial the text that it prints.
BLOCK = re.compile(r"^```python\n(.*?)^```(?:\n\n```text\n(.*?)^```)?", re.DOTALL | re.MULTILINE)
END = "end of a block"


@pytest.mark.parametrize(
    "page",
    [pytest.param(p, marks=[pytest.mark.slow] * (p.stem in LONG), id=p.stem) for p in PAGES],
)
def test_code_of_a_page(page, tmp_path, capsys):
    """All blocks of a page, one after the other."""
    blocks = BLOCK.findall(page.read_text())
    script = tmp_path / "bar.py"
    script.write_text(f"\nprint({END!r})\n\n".join(code for code, _ in blocks))
    assert "np" in runpy.run_path(str(script))
    printed = capsys.readouterr().out.split(f"{END}\n")
    assert len(printed) == len(blocks)
    if page.parent.name == "tutorial":
        assert [plain(p) for p in printed] == [plain(text) for _, text in blocks]


def plain(text: str) -> str:
    """Without what differs from run to run: the place and the lines of the script, and spaces."""
    text = re.sub(r"\S*bar\.py:[\d:]+|\bline \d+|^ *\d* \|", "", text, flags=re.MULTILINE)
    return " ".join(text.split())
