"""Compiling a whole loop as one LLVM function: XLA's "small call".

Otherwise XLA's CPU backend runs a loop's body op by op, at 30 to 350 ns an op. (Its own pass does
so for loops whose trips touch less than about 1 KB; `executable.py` says why it is off.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from jax.experimental.xla_metadata import set_xla_metadata


def compiled_whole(emit_loop: Callable[..., Any], *args: Any) -> Any:
    """`emit_loop(*args)` as a call that XLA compiles into one function.

    Both keys are needed: without the second the call is inlined, and the first is lost with it.
    """
    call = jax.jit(emit_loop)
    with set_xla_metadata(xla_cpu_small_call="true", inlineable="false"):
        return call(*args)
