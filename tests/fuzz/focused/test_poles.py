"""What nothing reads gives no NaN to a gradient (`poles.py`)."""

from __future__ import annotations

from collections import Counter

import pytest

from myia.transforms.supports import tracked
from tests.fuzz.focused.poles import GRAMMARS, check, program
from tests.fuzz.focused.writer import failures


def test_gradients_are_those_of_differences():
    counts: Counter = Counter()
    assert not list(failures(program, check, GRAMMARS, range(40), counts))
    assert counts["gradients"] > counts["programs"] // 2


def test_unguarded_products_would_be_found(monkeypatch):
    monkeypatch.setattr(tracked, "DOMAINS", frozenset())
    assert next(failures(program, check, GRAMMARS, range(60), Counter()))


@pytest.mark.slow
def test_gradients_of_many_are_those_of_differences():
    assert not list(failures(program, check, GRAMMARS, range(1000, 2000), Counter()))
