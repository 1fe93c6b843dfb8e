"""The core of the suite with other versions of Python, NumPy and JAX: `make test-versions`.

    python -m tests.versions            all environments whose Python is on this machine
    python -m tests.versions 3.12       some of them

Each environment is made once, in `.versions/`. A Python that is not here is named and left out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
ENVIRONMENTS_FOLDER = ROOT / ".versions"
PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
EXTRAS = ("test", "examples")  # those that `make test` installs

# What depends on versions first: syntax trees, code objects, JAX's jaxprs and lowering, NumPy's
# functions and errors, copies of whole arrays in loops. Ten minutes on two cores.
CORE = [
    "tests/ir",
    "tests/frontend",
    "tests/backends",
    "tests/lax",
    "tests/transforms",
    "tests/api/test_transforms.py",
    "tests/api/test_dispatch.py",
    "tests/api/test_custom_rules.py",
    "tests/infer/jax",
    "tests/infer/test_refusals.py",
    "tests/library/test_numpy_conformance.py",
    "tests/zoo/test_semantics.py",
    "tests/zoo/test_programs.py",
    "tests/zoo/kernels/test_counts.py",
]


@dataclass(frozen=True)
class Environment:
    """A Python, and the packages that are not the newest for it."""

    python: str
    packages: tuple[str, ...]

    @property
    def name(self) -> str:
        return "-".join((self.python, *(p.replace("==", "") for p in self.packages)))

    @property
    def folder(self) -> Path:
        return ENVIRONMENTS_FOLDER / self.name.replace("*", "x")


ENVIRONMENTS = (
    Environment("3.11", ("jax==0.10.2", "numpy==2.2.0", "scipy==1.15.0")),  # the least
    Environment("3.12", ("jax==0.11.0",)),
    Environment("3.13", ("jax==0.11.*",)),
    Environment("3.14", ("jax==0.11.*",)),
)


def interpreter(version: str) -> str | None:
    """A Python of this version: on the path, or among those of pyenv."""
    found = shutil.which(f"python{version}")
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    kept = sorted(pyenv.glob(f"{version}.*/bin/python"))
    for candidate in [*map(str, reversed(kept)), *([found] if found else [])]:
        asked = [candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        told = subprocess.run(asked, capture_output=True, text=True)
        if told.returncode == 0 and told.stdout.strip() == version:
            return candidate
    return None


def requirements() -> list[str]:
    """The packages that the project and its tests ask for."""
    extras = project()["optional-dependencies"]
    return [*project()["dependencies"], *(p for extra in EXTRAS for p in extras[extra])]


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def prepared(environment: Environment, python: str) -> str:
    """The Python of the environment, which is made if it is not there."""
    inside = environment.folder / "bin" / "python"
    stamp = environment.folder / "installed"
    packages = [*environment.packages, *requirements()]
    if not stamp.exists() or stamp.read_text().splitlines() != packages:
        shutil.rmtree(environment.folder, ignore_errors=True)
        subprocess.run([python, "-m", "venv", environment.folder], check=True)
        subprocess.run([inside, *PIP, *packages], check=True)
        stamp.write_text("\n".join(packages))
    return str(inside)


def main(wanted: list[str]) -> int:
    failed = []
    for environment in ENVIRONMENTS:
        if wanted and environment.python not in wanted:
            continue
        python = interpreter(environment.python)
        if python is None:
            print(f"{environment.name}: no Python {environment.python} here: left out", flush=True)
            continue
        print(f"{environment.name}:", flush=True)
        tests = [prepared(environment, python), "-m", "pytest", "-q", "-n", "2", "-m", "not slow"]
        if subprocess.run([*tests, *CORE], cwd=ROOT).returncode:
            failed.append(environment.name)
    print(f"failed: {', '.join(failed)}" if failed else "all passed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
