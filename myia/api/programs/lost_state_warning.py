"""The warning of state that a differentiated function changes, and that is lost."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

from myia.infer.derivatives.lost_state import LostState
from myia.source.warning import StateWarning, warn

PATHS_NAMED = 4

_WARNED: weakref.WeakSet[Any] = weakref.WeakSet()  # the code of functions


def warn_of_lost_state(found: Iterable[LostState]) -> None:
    """One warning for each function."""
    for state in found:
        if state.code is not None:
            if state.code in _WARNED:
                continue
            _WARNED.add(state.code)
        paths = [f"`{path}`" for path in state.paths[:PATHS_NAMED]]
        if len(state.paths) > PATHS_NAMED:
            paths.append(f"{len(state.paths) - PATHS_NAMED} more")
        what = " and ".join([", ".join(paths[:-1]), paths[-1]]) if len(paths) > 1 else paths[0]
        message = (
            f"`{state.name}` changes {what}: under a derivative it works on copies of its "
            "arguments, and this is lost\n  help: return it with the result (`has_aux=True`)"
        )
        warn(StateWarning, message)
