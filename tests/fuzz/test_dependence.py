"""Programs see that the objects they ask have changed (`dependence.py`)."""

from __future__ import annotations

import pytest

from myia.api.programs import decision_tree
from tests.fuzz import dependence


@pytest.mark.filterwarnings("ignore")
def test_no_call_is_stale():
    found, answered = dependence.run(150, seed=7)
    assert not found, "\n".join(found)
    assert answered > 0.7


@pytest.mark.filterwarnings("ignore")
def test_stale_calls_would_be_found(monkeypatch):
    monkeypatch.setattr(decision_tree, "are_unchanged", lambda places: True)
    found, _ = dependence.run(100, seed=7)
    assert found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_no_call_of_many_is_stale():
    found, _ = dependence.run(3000, seed=10_000)
    assert not found, "\n".join(found)
