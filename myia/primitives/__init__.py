"""The vocabularies: every primitive is one block in the file of its family.

Importing this package fills the registry `PRIMITIVES` and gives IR values Python's operators.
"""

from myia.primitives import (
    arithmetic,
    bits,
    control,
    define,
    effects,
    elementwise,
    indexing,
    linalg,
    logic,
    operators,
    ordering,
    py,
    random,
    reductions,
    shaping,
    special,
    structured,
    windows,
)

__all__ = [
    "arithmetic",
    "bits",
    "control",
    "define",
    "effects",
    "elementwise",
    "indexing",
    "linalg",
    "logic",
    "operators",
    "ordering",
    "py",
    "random",
    "reductions",
    "shaping",
    "special",
    "structured",
    "windows",
]
