"""The example of the README does what it says."""

import linecache
import re
from pathlib import Path

import numpy as np

README = Path(__file__).parent.parent / "README.md"


def test_example():
    source = re.search(r"```python\n(.*?)```", README.read_text(), re.DOTALL).group(1)
    name = "<README example>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace = {"__name__": "example"}
    exec(compile(source, name, "exec"), namespace)

    myia, settle, x = (namespace[k] for k in ("myia", "settle", "x"))
    np.testing.assert_array_equal(x, [1.0, 0.0, 0.0, 0.0, 3.0])
    assert myia.jit(settle)(x.copy(), 0.4) == settle(x.copy(), 0.4)
    step = 1e-6
    numeric = [
        (settle(x + step * d, 0.4) - settle(x - step * d, 0.4)) / (2 * step) for d in np.eye(5)
    ]
    np.testing.assert_allclose(myia.grad(settle)(x, 0.4), numeric, rtol=1e-6, atol=1e-8)
