"""Classes of arguments and results, in a module that reads nothing of the compiler."""

import dataclasses
from typing import Any, NamedTuple


@dataclasses.dataclass
class State:
    weights: Any
    count: int


class Pair(NamedTuple):
    value: Any
    state: Any
