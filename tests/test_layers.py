"""The house's laws: imports go one way, JAX and gast stay in their rooms, derivatives are ours."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "myia"
FILES = sorted(PACKAGE.rglob("*.py"))

STAGES = {"frontend", "infer", "library", "transforms", "passes", "storage", "backends"}
GROUND = {"source": 0, "ir": 1, "primitives": 2, "rewriting": 3, "widening": 4, "analysis": 5}
RANK = {**GROUND, **dict.fromkeys(STAGES, 6), "pipeline": 7, "artifacts": 7, "api": 8}
BESIDE = {("library", "infer")}  # a stage that stands on another

JAX_ROOMS = (
    *("primitives/", "infer/jax/", "library/formulas/", "backends/xla/", "artifacts/", "api/"),
)
GAST_ROOMS = ("frontend/",)

# No derivative that this package returns is computed by JAX.
JAX_AUTODIFF = {
    "ad", "checkpoint", "closure_convert", "custom_gradient", "custom_jvp", "custom_vjp",
    "fwd_and_bwd", "grad", "hessian", "jacfwd", "jacobian", "jacrev", "jvp", "linear_call",
    "linear_transpose", "linearize", "remat", "saved_input_vjp", "value_and_grad", "vjp",
}  # fmt: skip

# What reads the rules that users gave to JAX's decorators; what tells JAX of our derivatives.
JAX_ADAPTERS = {
    "api/annotations/jax_rules.py",
    "api/under_jax/calls.py",
    "artifacts/under_jax.py",
}

# Under their own names XLA may confuse them with what it makes itself.
NAMED_BY_OPCODE = {
    "dynamic_index_in_dim", "dynamic_slice", "dynamic_slice_in_dim", "dynamic_update_index_in_dim",
    "dynamic_update_slice", "dynamic_update_slice_in_dim", "is_finite", "reduce_precision",
    "shift_left", "shift_right_arithmetic", "shift_right_logical",
}  # fmt: skip

ABSOLUTE_PATH = re.compile(r"""(?<![\w.~<>])/(home|root|tmp|usr|work|Users|opt|mnt|srv)/""")


def relative(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def layer(module: str) -> str:
    """`myia.ir.core` -> `ir`; the package itself is above everything."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "myia"


def layer_of(path: Path) -> str:
    return layer(".".join(("myia", *path.relative_to(PACKAGE).with_suffix("").parts)))


def imports(tree: ast.AST) -> list[tuple[str, str]]:
    """(local name, dotted path) of everything that is imported anywhere in `tree`."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for a in node.names:
                found.append((a.asname or a.name.split(".")[0], a.name))
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found += [(a.asname or a.name, f"{node.module}.{a.name}") for a in node.names]
    return found


def dotted(node: ast.expr) -> list[str] | None:
    """`a.b.c` -> [a, b, c]; None for anything else."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute) and (base := dotted(node.value)):
        return [*base, node.attr]
    return None


def jax_names(tree: ast.AST) -> set[str]:
    """Dotted paths of everything of JAX's that `tree` mentions."""
    local = {}
    for name, path in imports(tree):
        if path.split(".")[0] == "jax":
            local[name] = path if name != "jax" else "jax"
    names = {path for _, path in imports(tree) if path.split(".")[0] == "jax"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (parts := dotted(node)) and parts[0] in local:
            names.add(".".join([local[parts[0]], *parts[1:]]))
    return names


def may_import(importer: str, imported: str) -> bool:
    if importer == imported:
        return True
    if importer not in RANK:  # myia/__init__.py
        return True
    if (importer, imported) in BESIDE:
        return True
    return imported in RANK and RANK[imported] < RANK[importer]


def module_of(path: Path) -> str:
    name = ".".join(("myia", *path.relative_to(PACKAGE).with_suffix("").parts))
    return name.removesuffix(".__init__")


def folder_of(module: str) -> str:
    """`myia.infer.paths.merge` -> `myia.infer.paths`; a file beside folders stands for itself."""
    parent = PACKAGE.parent.joinpath(*module.split(".")[:-1])
    beside_folders = any(p.is_dir() and p.name != "__pycache__" for p in parent.iterdir())
    return module if beside_folders else module.rpartition(".")[0]


def folder_imports() -> dict[str, set[str]]:
    """For each folder those that its files import; `__init__` files import what they register."""
    modules = {module_of(f) for f in FILES if f.name != "__init__.py"}
    graph: dict[str, set[str]] = {}
    for f in FILES:
        module = module_of(f)
        if module not in modules:
            continue
        found = {path for _, path in imports(ast.parse(f.read_text()))}
        targets = {p if p in modules else p.rpartition(".")[0] for p in found} & modules
        graph.setdefault(folder_of(module), set()).update(map(folder_of, targets))
    return {folder: targets - {folder} for folder, targets in graph.items()}


def cycle(graph: dict[str, set[str]]) -> list[str] | None:
    """A path that comes back to where it began, if there is one."""
    done: set[str] = set()

    def search(at: str, path: list[str]) -> list[str] | None:
        if at in path:
            return [*path[path.index(at) :], at]
        if at in done:
            return None
        for target in sorted(graph.get(at, ())):
            if found := search(target, [*path, at]):
                return found
        done.add(at)
        return None

    return next((found for at in sorted(graph) if (found := search(at, []))), None)


@pytest.fixture(scope="module", params=FILES, ids=relative)
def file(request) -> Path:
    return request.param


@pytest.fixture(scope="module")
def tree(file) -> ast.Module:
    return ast.parse(file.read_text())


def test_imports_go_one_way(file, tree):
    ours = {layer(path) for _, path in imports(tree) if path.split(".")[0] == "myia"}
    wrong = {imported for imported in ours if not may_import(layer_of(file), imported)}
    assert not wrong, f"{relative(file)} must not import {wrong}"


def test_folders_import_one_way():
    """No two folders import each other, not even by way of a third."""
    assert cycle(folder_imports()) is None


def test_jax_stays_in_its_rooms(file, tree):
    roots = {path.split(".")[0] for _, path in imports(tree)}
    if roots & {"jax", "jaxlib"}:
        assert relative(file).startswith(JAX_ROOMS)
    assert "jaxlib" not in roots


def test_only_public_jax(tree):
    private = {n for n in jax_names(tree) if any(p.startswith("_") for p in n.split("."))}
    assert not {n for n in private if "__" not in n}, "private names of JAX's"


def test_no_autodiff_of_jax(file, tree):
    if relative(file) not in JAX_ADAPTERS:
        used = {n for n in jax_names(tree) if JAX_AUTODIFF & set(n.split("."))}
        assert not used


def test_one_name_for_each_opcode(file, tree):
    if relative(file) != "primitives/core/named_by_opcode.py":
        assert not {n for n in jax_names(tree) if n.split(".")[-1] in NAMED_BY_OPCODE}


def test_gast_stays_in_its_rooms(file, tree):
    if "gast" in {path.split(".")[0] for _, path in imports(tree)}:
        assert relative(file).startswith(GAST_ROOMS)


def test_no_import_inside_a_function(tree):
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    for node in ast.walk(tree):
        if isinstance(node, functions):
            assert not imports(node), f"line {node.lineno}: import inside a function"


@pytest.mark.parametrize("folder", ["myia", "tests", "examples", "benchmarks"])
def test_no_absolute_paths(folder):
    for path in (ROOT / folder).rglob("*.py"):
        found = ABSOLUTE_PATH.search(path.read_text())
        assert not found, f"{path.relative_to(ROOT)}: {found.group()}"


# ----- The checks can fail


def test_layer_rules():
    assert may_import("ir", "source") and not may_import("source", "ir")
    assert may_import("api", "pipeline") and not may_import("passes", "pipeline")
    assert not may_import("passes", "transforms")
    assert may_import("storage", "analysis") and not may_import("analysis", "storage")
    assert may_import("library", "infer") and not may_import("infer", "library")


def test_cycles_are_found():
    assert cycle({"a": {"b"}, "b": {"c"}, "c": set()}) is None
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert len(folder_imports()) > 40 and any(folder_imports().values())


def test_jax_names_are_resolved():
    code = "import jax\nfrom jax import lax as l\njax.grad(f)\nl.linear_solve\nfrom jax import vjp"
    names = jax_names(ast.parse(code))
    assert {"jax.grad", "jax.lax.linear_solve", "jax.vjp"} <= names
