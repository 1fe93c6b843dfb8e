"""`make gallery`: runs the programs of this folder, or those named, and keeps what they print.

Each runs in a process of its own; its text, time and picture are in `build/gallery/`. The pages of
the documentation, one for each program, show them where they are there (`write_pages`).
"""

from __future__ import annotations

import ast
import resource
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RESULTS = ROOT / "build" / "gallery"
PROGRAMS = sorted(p.stem for p in HERE.glob("*.py") if not p.stem.startswith("_"))


def run(name: str) -> None:
    """Run a program; its error ends this one, too."""
    call = f"from examples.gallery import {name}; {name}.main({str(RESULTS)!r})"
    before, start = _processor_seconds(), time.perf_counter()
    told = subprocess.run([sys.executable, "-c", call], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    seconds, processor = time.perf_counter() - start, _processor_seconds() - before
    took = f"({seconds:.0f} s, {processor:.0f} s of processor time)"
    (RESULTS / f"{name}.txt").write_text(f"{told.stdout}\n{took}\n")
    print(f"{name}\n{told.stdout}{took}\n", flush=True)
    told.check_returncode()


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def page(name: str) -> str:
    """The page of a program: what it is, its picture and text if it has been run, its source."""
    docstring = ast.get_docstring(ast.parse((HERE / f"{name}.py").read_text()))
    title, _, rest = docstring.partition("\n\n")
    parts = [f"# {' '.join(title.rstrip('.').split())}", rest]
    if (RESULTS / f"{name}.png").exists():
        parts.append(f"```{{image}} ../../build/gallery/{name}.png\n```")
    if (RESULTS / f"{name}.txt").exists():
        told = (RESULTS / f"{name}.txt").read_text().strip()
        parts.append(f"It prints:\n\n```text\n{told}\n```")
    source = f"../../examples/gallery/{name}.py"
    parts.append(f"`examples/gallery/{name}.py`:\n\n```{{literalinclude}} {source}\n```")
    return "\n\n".join(parts) + "\n"


def write_pages(folder: Path) -> None:
    """A page for each program, written anew where its text has changed; no others but the index."""
    for path in folder.glob("*.md"):
        if path.stem not in ("index", *PROGRAMS):
            path.unlink()
    for name in PROGRAMS:
        path, text = folder / f"{name}.md", page(name)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    RESULTS.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or PROGRAMS:
        run(name)
