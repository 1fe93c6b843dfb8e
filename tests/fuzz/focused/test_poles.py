"""What nothing reads gives no NaN to a gradient (`poles.py`)."""

from __future__ import annotations

from collections import Counter

import pytest

from myia.transforms.supports import tracked
from tests.fuzz.focused import poles
from tests.fuzz.focused.writer import failures


def test_gradients_are_those_of_differences():
    counts: Counter = Counter()
    assert not list(failures(poles.failure, poles.GRAMMARS, range(40), counts))
    assert counts["gradients"] > counts["programs"] // 2


def test_unguarded_products_would_be_found(monkeypatch):
    monkeypatch.setattr(tracked, "DOMAINS", frozenset())
    assert next(failures(poles.failure, poles.GRAMMARS, range(60), Counter()))


@pytest.mark.slow
def test_gradients_of_many_are_those_of_differences():
    assert not list(failures(poles.failure, poles.GRAMMARS, range(1000, 2000), Counter()))
