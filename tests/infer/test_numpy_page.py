"""`docs/numpy.md` names what is supported; `--update-golden` writes it."""

from pathlib import Path

from myia.infer import library
from myia.infer.calls import name_of
from myia.infer.registry import FUNCTIONS, METHODS, PROPERTIES

PAGE = Path(__file__).parents[2] / "docs" / "numpy.md"
assert library  # imported for the handlers that it registers

HEAD = """# What is supported of NumPy and `math`

Made from the registry of handlers. Everything else is refused by name when a function is compiled.
"""


def section(title: str, names) -> str:
    return f"\n## {title}\n\n{', '.join(f'`{n}`' for n in sorted(set(names)))}\n"


def functions(module: str) -> list[str]:
    names = [name_of(f) for f in FUNCTIONS if not isinstance(f, type)]
    return [n.removeprefix("_").replace("numpy._", "numpy.") for n in names if n.startswith(module)]


def page() -> str:
    of_arrays = [name for kind, name in METHODS if kind == "array"]
    return (
        HEAD
        + section("Functions", functions("numpy."))
        + section("Methods of arrays", of_arrays)
        + section("Attributes of arrays", [name for kind, name in PROPERTIES if kind == "array"])
        + section("`math`", functions("math."))
    )


def test_page(request):
    if request.config.getoption("--update-golden"):
        PAGE.write_text(page())
    assert PAGE.read_text() == page()
