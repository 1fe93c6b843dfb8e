"""Imports: what `import myia` and the compiler read, and that the order of imports is no matter."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from scipy import linalg, special

import myia
from myia.api import public

ROOT = Path(__file__).parents[3]


@pytest.fixture
def printed(tmp_path):
    """The lines that a script prints in a fresh process."""

    def run(script: str) -> list[str]:
        path = tmp_path / "script.py"
        path.write_text(textwrap.dedent(script))
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, str(path)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


READ = """
    import sys

    def read():
        heavy = "jax scipy.linalg scipy.special scipy.stats numpy.polynomial numpy.f2py"
        print(*(name for name in heavy.split() if name in sys.modules))

    import myia
    read()
    myia.errors.MyiaError
    read()
    myia.jit(lambda x: x + 1)(1.0)
    read()
"""


def test_modules_are_read_when_they_are_needed(printed):
    assert printed(READ) == ["", "", "jax"]


CACHED = """
    import sys
    import numpy as np
    import myia

    def stages():
        names = ["frontend.load", "transforms.vjp", "passes.pipeline", "storage.lower_rev"]
        print(*(name for name in names if f"myia.{name}" in sys.modules))

    def f(x):
        for _ in range(3):
            x = np.sin(x) * x
        return np.sum(x)

    F = myia.grad(f)
    stages()
    print(*F(np.array([0.5, 0.25])))
    stages()
"""


def test_a_program_of_the_cache_reads_no_stage_of_the_compiler(printed, tmp_path, monkeypatch):
    monkeypatch.setenv("MYIA_CACHE", str(tmp_path / "cache"))
    read = "frontend.load transforms.vjp passes.pipeline storage.lower_rev"
    first, second = printed(CACHED), printed(CACHED)
    assert first == ["", first[1], read]
    assert second == ["", first[1], ""]


def test_all_names_are_exported():
    own = {"__version__", "errors", "load", *myia.errors.__all__}
    assert set(myia.__all__) == {*own, *public.__all__}
    assert set(myia.__all__) <= set(dir(myia))
    assert all(getattr(myia, name) is getattr(public, name) for name in public.__all__)
    with pytest.raises(AttributeError, match="module 'myia' has no attribute 'gard'"):
        _ = myia.gard


USE = """
    import numpy as np

    def f(x):
        for _ in myia.bounded(range(1), 2):
            x = scipy.special.erf(x)
        return scipy.linalg.toeplitz(x) @ x

    print(*myia.jit(f)(np.array([0.5, 0.25])))
"""


@pytest.mark.parametrize(
    "imports",
    [
        "import myia; myia.grad; import scipy.special, scipy.linalg",
        "import scipy, myia; from myia.api.transforms import jit",  # the compiler reads the others
    ],
)
def test_the_order_of_imports_is_no_matter(printed, imports):
    (line,) = printed(imports + textwrap.dedent(USE))
    x = special.erf(np.array([0.5, 0.25]))
    np.testing.assert_allclose(np.array(line.split(), float), linalg.toeplitz(x) @ x, rtol=1e-14)


INTERRUPTED = """
    import sys

    class Interrupt:
        at = 100

        def find_spec(self, name, path=None, target=None):
            if name.startswith("myia."):
                self.at -= 1
                if self.at == 0:
                    raise KeyboardInterrupt

    import myia

    sys.meta_path.insert(0, Interrupt())
    try:
        myia.grad
    except KeyboardInterrupt:
        print("interrupted")
    print(myia.grad.__name__)
"""


def test_an_interrupted_import_is_taken_up_again(printed):
    assert printed(INTERRUPTED) == ["interrupted", "grad"]
