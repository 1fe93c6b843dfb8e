"""The site as it is built: links lead somewhere, and Chromium finds no errors of scripts."""

import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import myia

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--enable-logging=stderr",
)
LOOKS = {
    "wide": ("--window-size=1280,1400",),
    "dark-phone": ("--window-size=390,1400", "--blink-settings=preferredColorScheme=0"),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("sphinx")
    pytest.importorskip("furo")
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", ROOT / "docs", folder]
    told = subprocess.run(build, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    return folder


class Page(HTMLParser):
    def __init__(self, path: Path):
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        self.ids |= {text for name, text in attrs if name == "id" and text}
        self.links += [text for name, text in attrs if name in ("href", "src") and text]


def dead_links(site: Path) -> list[str]:
    """Links to files or anchors of the site that are not there; others are not followed."""
    pages = {path.resolve(): Page(path) for path in site.rglob("*.html")}
    dead = []
    for path, page in pages.items():
        for link in page.links:
            to = urlsplit(link)
            target = (path.parent / unquote(to.path)).resolve() if to.path else path
            if to.scheme or to.netloc:
                continue
            if not target.is_file() or (
                to.fragment and target in pages and unquote(to.fragment) not in pages[target].ids
            ):
                dead.append(f"{path.name}: {link}")
    return dead


def test_dead_links_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        "<p id='x'><a href='#x'></a><a href='#y'></a><a href='b.html'></a><img src='c.png'>"
        "<a href='https://example.org'></a></p>"
    )
    assert dead_links(tmp_path) == ["a.html: #y", "a.html: b.html", "a.html: c.png"]


def test_the_reference_has_every_public_name():
    listed = re.findall(r":: myia\.(\w+)", (ROOT / "docs" / "reference.md").read_text())
    classes = {"ArtifactError", "InternalError", "MyiaError", "MyiaWarning"}  # in `errors`
    classes |= {"CompileWarning", "StateWarning"}
    assert sorted({*listed, *classes, "__version__"}) == sorted(myia.__all__)


@pytest.mark.slow
def test_links_of_the_built_site(site):
    assert dead_links(site) == []


@pytest.mark.slow
def test_the_reference_is_built(site):
    ids = Page(site / "reference.html").ids
    names = set(myia.__all__) - {"__version__", "errors"}
    assert {n for n in names if not ids & {f"myia.{n}", f"myia.errors.{n}"}} == set()


# What users look for: a page that has it.
SEARCHED = {
    "Adam": "use/recipes",
    "SGD": "use/recipes",
    "momentum": "use/recipes",
    "dropout": "use/recipes",
    "seed": "use/recipes",
    "MCMC": "use/recipes",
    "minimize": "use/recipes",
    "curve_fit": "use/recipes",
    "least_squares": "use/recipes",
    "regression": "use/recipes",
    "fsolve": "use/recipes",
    "quad": "use/recipes",
    "interpolate": "use/recipes",
    "odeint": "use/recipes",
    "solve_ivp": "use/recipes",
    "checkpoint": "use/recipes",
    "pickle": "use/recipes",
    "relu": "start/coming_from",
    "softmax": "start/coming_from",
    "scan": "start/coming_from",
    "vmap": "reference",
    "Hessian": "reference",
    "cache": "artifacts",
    "float32": "python",
    "sparse": "python",
    "GPU": "index",
}


def found_by_search(site: Path, word: str) -> set[str]:
    """The pages that the search of the site finds for a word."""
    english = pytest.importorskip("sphinx.search.en").SearchEnglish({})
    text = (site / "searchindex.js").read_text()
    index = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    stem, pages = english.stem(word.lower()), set()
    for terms in (index["terms"], index["titleterms"]):
        found = terms.get(stem, [])
        pages |= set(found if isinstance(found, list) else [found])
    return {index["docnames"][i] for i in pages}


@pytest.mark.slow
def test_the_search_finds_what_users_look_for(site):
    missed = {word for word, page in SEARCHED.items() if page not in found_by_search(site, word)}
    assert missed == set()
    assert found_by_search(site, "quetzal") == set()


def errors_of_scripts(page: Path, *more: str) -> list[str]:
    shown = [CHROMIUM, *FLAGS, *more, page.as_uri()]
    told = subprocess.run(shown, capture_output=True, text=True, timeout=120)
    assert told.returncode == 0, told.stderr
    return [line for line in told.stderr.splitlines() if "CONSOLE" in line]


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_chromium_finds_no_errors_of_scripts(site, tmp_path):
    bad = tmp_path / "bad.html"
    bad.write_text("<script>missing()</script>")
    assert "missing is not defined" in errors_of_scripts(bad, "--dump-dom")[0]
    pages = sorted(path for path in site.rglob("*.html") if "_static" not in path.parts)
    assert len(pages) > 20
    for page in pages:
        for look, flags in LOOKS.items():
            shot = tmp_path / f"{page.stem}.{look}.png"
            assert errors_of_scripts(page, *flags, f"--screenshot={shot}") == [], page
            assert shot.stat().st_size > 5_000, f"{page} is blank"
