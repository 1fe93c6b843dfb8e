"""The records of the passes: their names, their orders, their table in docs/architecture.md."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, combinations
from pathlib import Path

import numpy as np
import pytest

import myia
from myia.passes.phase import Pass, Phase
from myia.passes.pipeline import PHASES
from myia.pipeline import STAGES, Options
from myia.source.diagnostics import InternalError
from tests.passes.by_name import EVERY, passes_of, substitute

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- passes: written by tests/passes/test_pipeline.py -->", "<!-- end of passes -->"


@pytest.mark.parametrize("name", EVERY)
def test_a_pass_has_the_name_of_its_file(name):
    function = EVERY[name]
    *folder, file = function.__module__.split(".")
    assert function.__name__ == name == file
    assert folder[:2] == ["myia", "passes"]
    assert ROOT.joinpath("tests", *folder[1:], f"test_{file}.py").exists()


def test_reasons_are_sentences():
    for phase in chain(*PHASES.values()):
        for text in (phase.why, *(each.why for each in phase.passes)):
            assert text[0].isupper() and text.endswith("."), text


def violations(stages: dict[str, tuple[Phase, ...]]) -> list[str]:
    """The declared orders that do not hold."""
    found, earlier = [], []
    for phases in stages.values():
        passes = [each for phase in phases for each in phase.passes]
        names = [each.name for each in passes]
        for i, each in enumerate(passes):
            found += [f"{each.name} needs {x}" for x in each.needs if x not in earlier + names[:i]]
            found += [f"{each.name} before {x}" for x in each.before if x not in names[i + 1 :]]
        earlier += names
    return found


def test_declared_orders_hold():
    assert violations(PHASES) == []
    declared = [each for phase in chain(*PHASES.values()) for each in phase.passes]
    assert sum(len(each.needs) + len(each.before) for each in declared) > 20


def test_wrong_orders_are_found():
    def one():
        pass

    def two():
        pass

    phases = Phase("p", "", (Pass(one, "", needs=("two",)), Pass(two, "", before=("one",))))
    assert violations({"s": (phases,)}) == ["one needs two", "two before one"]


def test_stages_with_passes():
    assert [stage for stage in STAGES if stage in PHASES] == list(PHASES)
    for phases in PHASES.values():
        assert not any(b.once and not a.once for a, b in combinations(phases, 2))


# ----- The table of docs/architecture.md


def order(each: Pass) -> str:
    parts = [("after", each.needs), ("before", each.before)]
    names = [f"{word} {', '.join(f'`{x}`' for x in found)}" for word, found in parts if found]
    names += [f"on {', '.join(each.on)} only"] if each.on else []
    return "; ".join(names)


def table() -> str:
    lines, seen = [], set()
    for stage, phases in PHASES.items():
        lines += ["", f"**`{stage}`**"]
        for phase in phases:
            when = "; once" if phase.once else "; until nothing changes" if phase.stable else ""
            if phase.name in seen:
                lines += ["", f"*{phase.name}*, as above."]
                continue
            seen.add(phase.name)
            lines += ["", f"*{phase.name}*{when}: {phase.why}", "", "| pass | why | order |"]
            lines.append("|---|---|---|")
            lines += [f"| `{x.name}` | {x.why} | {order(x)} |" for x in phase.passes]
    return "\n".join([*lines, ""])


def test_the_table_is_true(request):
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    shown, after = rest.split(END)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(f"{before}{BEGIN}{table()}\n{END}{after}")
        shown = f"{table()}\n"
    assert shown == f"{table()}\n", "pytest --update-golden writes it"


# ----- The program after a pass


def sums(x, n):
    total = 0.0
    for i in range(n):
        total += np.sin(x[i]) * x[0]
    return total


X = np.linspace(0.0, 1.0, 6)


def test_the_program_after_a_pass():
    texts = myia.grad(sums).ir(X, 6)
    assert list(texts)[-5:] == list(STAGES)
    assert texts["prepare.dce.1"].startswith("func @")
    assert texts["load_hoisting"] == texts["prepare.load_hoisting"]
    assert texts["finish.cse"] == texts["finish.cse.1"] != texts["cse"] == texts["optimize.cse"]
    assert texts["finish.data_layout.1"] != texts["finish.lowering"]
    assert str(texts["dce"]) == repr(texts["dce"])


def test_the_last_run_gives_the_stage():
    texts, i = myia.grad(sums).ir(X, 6), 1
    while True:
        try:
            last, i = texts[f"prepare.dce.{i}"], i + 1
        except KeyError:
            break
    assert i > 1 and last == texts["prepare"]


def test_an_unknown_pass():
    with pytest.raises(KeyError, match=r"nothing: neither a stage .*finish\.data_layout"):
        myia.jit(sums).ir(X, 6)["nothing"]
    without = myia.jit(sums, pipeline=Options(disable=frozenset({"unroll"})))
    with pytest.raises(KeyError, match="unroll"):
        without.ir(X, 6)["unroll"]


# ----- Verified between passes


def test_the_guilty_pass_is_named(monkeypatch):
    def twice(function):
        """The first op stands twice."""
        region = function.region
        return function.with_region(replace(region, ops=region.ops[:1] + region.ops))

    stage, name = "finish", list(passes_of("finish"))[1]
    substitute(monkeypatch, stage, name, twice)
    message = f"the pass `{name}` of the stage `{stage}`: invalid IR"
    with pytest.raises(InternalError, match=message):
        myia.grad(sums, pipeline=Options(verify=True)).ir(X, 6)


def test_the_environment_asks_for_verification(monkeypatch):
    monkeypatch.delenv("MYIA_VERIFY", raising=False)
    assert not Options().verify
    monkeypatch.setenv("MYIA_VERIFY", "1")
    assert Options().verify
    assert myia.jit(sums).options.pipeline.verify
