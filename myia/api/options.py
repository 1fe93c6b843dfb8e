"""Options of the transforms, checked where a function is decorated."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import Any

from myia.api.dispatch import CompileOptions
from myia.pipeline import STRATEGIES


def compile_options(options: dict[str, Any]) -> CompileOptions:
    for name in ("donate_argnums", "static_argnums"):
        if isinstance(options.get(name), int):
            options[name] = (options[name],)
    checkpoint, memory = options.pop("checkpoint", "auto"), options.pop("memory", None)
    debug = bool(options.pop("debug", False))
    options["check"] = bool(options.get("check")) or debug
    if checkpoint not in STRATEGIES:
        raise ValueError(f"checkpoint={checkpoint!r} is none of {', '.join(STRATEGIES)}")
    unknown = sorted(set(options) - {field.name for field in fields(CompileOptions)})
    if unknown:
        raise TypeError(f"unknown option {', '.join(map(repr, unknown))}")
    found = CompileOptions(**options)
    chosen = {"checkpoint": checkpoint, "memory": _bytes(memory), "debug": debug}
    pipeline = replace(found.pipeline, **chosen)
    return replace(found, pipeline=pipeline)


UNITS = {"": 1, "B": 1} | {
    f"{prefix}{unit}": base**i
    for i, prefix in enumerate("KMGT", 1)
    for unit, base in (("B", 1000), ("IB", 1024))
}


def _bytes(memory: float | str | None) -> int | None:
    """`64_000_000`, "64MB" or "64MiB" as a number of bytes."""
    if memory is None:
        return None
    found = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*([A-Za-z]*)\s*", str(memory))
    if found is None or found[2].upper() not in UNITS:
        raise ValueError(f"memory={memory!r} is not a number of bytes such as '64MB' or '64MiB'")
    return int(float(found[1]) * UNITS[found[2].upper()])
