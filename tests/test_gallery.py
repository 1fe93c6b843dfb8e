"""The programs of the gallery, which check their results themselves, with less to do."""

import re
import subprocess
from pathlib import Path

import pytest

from examples.gallery import __main__ as gallery

PROGRAMS = Path(gallery.__file__).parent
# What takes more than five seconds of processor time: training, mostly its compilation.
LONG = {
    "actor_critic",
    "autoencoder",
    "fluid",
    "gpt",
    "inverse_rendering",
    "meta_learning",
    "neural_ode",
    "options",
    "residual_net",
    "super_resolution",
}


def needed(name):
    return pytest.importorskip(f"examples.gallery.{name}", reason="needs the extra `examples`")


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow) if n in LONG else n for n in gallery.PROGRAMS],
)
def test_a_short_run(name, tmp_path, capsys):
    found = needed(name).main(str(tmp_path), quick=True)  # asserts what it has found
    assert len(found) >= 2 and all(value == value for value in found.values())
    assert (tmp_path / f"{name}.png").stat().st_size > 10_000
    assert len(capsys.readouterr().out.splitlines()) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("name", gallery.PROGRAMS)
def test_a_full_run(name, monkeypatch, tmp_path):
    """In a process of its own, in at most a minute of processor time."""
    needed(name)
    monkeypatch.setattr(gallery, "RESULTS", tmp_path)
    gallery.run(name)
    assert (tmp_path / f"{name}.png").stat().st_size > 10_000
    told = (tmp_path / f"{name}.txt").read_text()
    assert float(re.search(r"([\d.]+) s of processor time", told)[1]) <= 60


@pytest.mark.parametrize("name", gallery.PROGRAMS)
def test_a_program_is_short_and_plain(name):
    text = (PROGRAMS / f"{name}.py").read_text()
    assert len(text.splitlines()) <= 150
    assert not re.search(r"^(import|from) (jax|torch|optax|equinox)\b", text, re.MULTILINE)


def test_a_page_shows_what_there_is(tmp_path, monkeypatch):
    monkeypatch.setattr(gallery, "RESULTS", tmp_path)
    before = gallery.page("fluid")
    assert before.startswith("# A fluid that forms a picture")
    assert "What makes it hard elsewhere" in before
    assert "{image}" not in before and "It prints" not in before
    (tmp_path / "fluid.png").write_bytes(b"")
    (tmp_path / "fluid.txt").write_text("smoke made or lost: 0.2%\n")
    after = gallery.page("fluid")
    assert "{image} ../../build/gallery/fluid.png" in after
    assert "```text\nsmoke made or lost: 0.2%\n```" in after
    (tmp_path / "of_a_program_that_is_gone.md").write_text("")
    gallery.write_pages(tmp_path)
    assert sorted(p.stem for p in tmp_path.glob("*.md")) == gallery.PROGRAMS


def test_a_wrong_result_ends_the_run(tmp_path, monkeypatch):
    """An error of a program is one of `make gallery`."""
    monkeypatch.setattr(gallery, "RESULTS", tmp_path)
    with pytest.raises(subprocess.CalledProcessError):
        gallery.run("none_of_them")
