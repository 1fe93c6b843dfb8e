"""Pictures of the page, as SVG: bars of how many times as long a rival takes, to the right of 1."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from statistics import geometric_mean

from matplotlib import pyplot
from matplotlib.figure import Figure

from benchmarks.page.rows import RIVALS, Row

OVERVIEW = "overview.svg"
COLORS = dict(zip(RIVALS, ("#777777", "#4477aa", "#aa7744", "#cc6677", "#228833", "#aa3377")))
SHORTEST = 0.02  # ratios beyond the edges are drawn at them
LONGEST = 5_000.0


def picture_name(group: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", group.lower()).strip("_") + ".svg"


def pictures(rows: Sequence[Row]) -> dict[str, str]:
    """The text of each picture, by its name."""
    groups: dict[str, dict[str, dict[str, float]]] = {}
    for row in rows:
        groups.setdefault(row.group, {})[row.program] = row.ratios()
    found = {picture_name(name): bars(name, programs) for name, programs in groups.items()}
    return found | {OVERVIEW: bars("geometric means", _means(groups))}


def _means(groups: Mapping[str, Mapping[str, Mapping[str, float]]]) -> dict[str, dict[str, float]]:
    means: dict[str, dict[str, float]] = {}
    for name, programs in groups.items():
        rivals = {rival for ratios in programs.values() for rival in ratios}
        means[name] = {
            rival: geometric_mean(r[rival] for r in programs.values() if rival in r)
            for rival in sorted(rivals)
        }
    return means


def bars(title: str, programs: Mapping[str, Mapping[str, float]]) -> str:
    """A bar for each rival of each program, from 1 to its ratio, on a logarithmic axis."""
    count = sum(len(ratios) + 1 for ratios in programs.values())
    figure = Figure(figsize=(9, 1.0 + 0.16 * count))
    axis = figure.subplots()
    ticks, at = [], 0.0
    for ratios in programs.values():
        ticks.append(at + (len(ratios) - 1) / 2)
        for rival, ratio in ratios.items():
            shown = min(max(ratio, SHORTEST), LONGEST)
            color = COLORS.get(rival.partition(",")[0], "#bbbbbb")
            hatch = "///" if "," in rival else None
            axis.barh(at, shown - 1, left=1.0, color=color, hatch=hatch, edgecolor="white", lw=0)
            side = "left" if ratio >= 1 else "right"
            axis.text(shown, at, f" {rival} {ratio:.3g} ", ha=side, va="center", fontsize=6)
            at += 1
        at += 1
    axis.axvline(1.0, color="black", linewidth=0.8)
    axis.set(xscale="log", xlim=(SHORTEST / 4, LONGEST * 8), yticks=ticks, title=title)
    axis.set_yticklabels(programs, fontsize=7)
    axis.set_xlabel("seconds of the rival / seconds of myia (left of 1 the rival is faster)")
    axis.invert_yaxis()
    figure.tight_layout()
    return _svg(figure)


def _svg(figure: Figure) -> str:
    """The text of a picture, the same for the same numbers."""
    file = io.StringIO()
    with pyplot.rc_context({"svg.hashsalt": "", "svg.fonttype": "none"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    return re.sub(r"[ \t]+$", "", file.getvalue(), flags=re.MULTILINE)
