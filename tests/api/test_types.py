"""What an editor knows of compiled functions: mypy, run on a program of a user."""

import re
from pathlib import Path

import pytest

mypy = pytest.importorskip("mypy.api")

PROGRAM = """
import numpy as np
import myia

def loss(w: np.ndarray, x: np.ndarray, scale: float = 1.0) -> float:
    return 0.0

reveal_type(myia.jit(loss).__call__)
reveal_type(myia.jit(check=True)(loss)(np.ones(1), np.ones(1)))
reveal_type(myia.grad(loss).__call__)
reveal_type(myia.grad(argnums=1)(loss)(np.ones(1), x=np.ones(1)))
reveal_type(myia.value_and_grad(loss)(np.ones(1), np.ones(1)))
reveal_type(myia.jacfwd(loss).__call__)
reveal_type(myia.hessian(argnames="w")(loss).__call__)
reveal_type(myia.checkpoint(loss).__call__)
reveal_type(myia.custom_jvp(loss).__call__)
reveal_type(myia.host(like=0.0)(loss).__call__)
reveal_type(myia.stop_gradient(1.5))
myia.jit(loss)(np.ones(1))
myia.grad(loss)(np.ones(1), np.ones(1), rate=2.0)
"""
ARRAY = "numpy.ndarray[tuple[Any, ...], numpy.dtype[Any]]"
PARAMETERS = f"(w: {ARRAY}, x: {ARRAY}, scale: float =)"
EXPECTED = [
    f"def {PARAMETERS} -> float",
    "float",
    f"def {PARAMETERS} -> Any",
    "Any",
    "tuple[float, Any]",
    *[f"def {PARAMETERS} -> Any"] * 2,
    *[f"def {PARAMETERS} -> float"] * 3,
    "float",
    'Missing positional argument "x" in call to "__call__" of "Transformed"',
    'Unexpected keyword argument "rate" for "__call__" of "Transformed"',
]
ROOT = Path(__file__).parent.parent.parent


@pytest.mark.slow
def test_compiled_functions_have_the_signature_of_the_function(tmp_path, monkeypatch):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    monkeypatch.setenv("MYPYPATH", str(ROOT))
    config, cache = str(ROOT / "pyproject.toml"), str(ROOT / ".mypy_cache")
    options = ["--config-file", config, "--cache-dir", cache]
    text, errors, _ = mypy.run([str(program), "--follow-imports=silent", *options])
    assert not errors
    found = re.findall(r'(?:Revealed type is "(.*)"|error: (.*?)  \[)', text)
    assert [shown or error for shown, error in found] == EXPECTED, text
