"""Shardings of arguments and results, as `jax.jit` is given them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jax import lax

from myia.backends.xla.explicit_axes import automatic
from myia.backends.xla.packing import Packing


@dataclass(frozen=True)
class Shardings:
    """Those that the user gave for the arguments, which then do not travel in vectors, and for
    the results; None: JAX chooses."""

    of_arguments: Sequence[Any] | None = None
    of_results: Sequence[Any] | None = None

    def options(self, packing: Packing, alone: bool) -> dict[str, Any]:
        """Of `jax.jit`."""
        found: dict[str, Any] = {}
        if self.of_arguments is not None:
            hidden = (None,) * packing.hidden.packed_count
            found["in_shardings"] = (*map(automatic, self.of_arguments), *hidden)
        if self.of_results is not None:
            results = tuple(map(automatic, self.of_results))
            found["out_shardings"] = results[0] if alone else results
        return found

    @property
    def all(self) -> Sequence[Any]:
        return (*(self.of_arguments or ()), *(self.of_results or ()))


CHOSEN_BY_JAX = Shardings()


def constrained(xs: Sequence[Any], shardings: Sequence[Any] | None) -> Sequence[Any]:
    """Traced arrays that JAX must shard so; the last ones may have no shardings."""
    if shardings is None:
        return xs
    given = [*shardings, *[None] * (len(xs) - len(shardings))]
    return [
        x if s is None else lax.with_sharding_constraint(x, automatic(s)) for x, s in zip(xs, given)
    ]
