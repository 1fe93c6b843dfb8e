"""The pages of the site: their code runs, and Sphinx finds nothing to complain about."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted([*DOCS.glob("start/*.md"), *DOCS.glob("use/*.md")])


@pytest.mark.parametrize("page", PAGES, ids=[p.stem for p in PAGES])
def test_code_of_a_page(page, tmp_path):
    """All blocks of a page, one after the other."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    script = tmp_path / f"{page.stem}.py"
    script.write_text("\n\n".join(blocks))
    assert "np" in runpy.run_path(str(script))


@pytest.mark.slow
def test_the_site_is_built(tmp_path):
    pytest.importorskip("sphinx")
    pytest.importorskip("furo")
    build = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", DOCS, tmp_path]
    told = subprocess.run(build, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    reference = (tmp_path / "reference.html").read_text()
    for name in ("myia.jit", "myia.grad", "myia.vmap", "myia.custom_vjp", "myia.save"):
        assert f'id="{name}"' in reference
