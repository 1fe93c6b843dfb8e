"""What raises, and which handler catches it (`errors.py`)."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.focused import errors
from tests.fuzz.focused.writer import failures


@pytest.mark.parametrize("kind", errors.GRAMMARS)
def test_errors_are_those_of_python(kind):
    counts: Counter = Counter()
    assert not list(failures(errors.program, errors.check, [kind], range(60), counts))
    assert counts["values"] > 2 * counts["programs"]
    assert kind == "caught" or counts["errors"] > counts["programs"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", errors.GRAMMARS)
def test_errors_of_many_are_those_of_python(kind):
    assert not list(failures(errors.program, errors.check, [kind], range(1000, 2500), Counter()))
