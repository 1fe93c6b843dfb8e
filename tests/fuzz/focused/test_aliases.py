"""Names that come to hold one object show its changes (`aliases.py`)."""

from __future__ import annotations

from collections import Counter

import pytest

from myia.infer.paths import merge
from tests.fuzz.focused import aliases
from tests.fuzz.focused.writer import failures


@pytest.mark.parametrize("kind", aliases.GRAMMARS)
def test_values_are_those_of_python(kind):
    counts: Counter = Counter()
    assert not list(failures(aliases.program, aliases.check, [kind], range(40), counts))
    assert counts["values"] > 2 * counts["programs"]


def test_lost_aliases_would_be_found(monkeypatch):
    monkeypatch.setattr(merge, "alias_edges", lambda *_: {})
    assert list(failures(aliases.program, aliases.check, ["instances"], range(20), Counter()))


@pytest.mark.slow
@pytest.mark.parametrize("kind", aliases.GRAMMARS)
def test_values_of_many_are_those_of_python(kind):
    assert not list(failures(aliases.program, aliases.check, [kind], range(1000, 2000), Counter()))
