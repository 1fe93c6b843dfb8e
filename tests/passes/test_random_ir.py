"""Every pass, and all of them together, on random programs: valid, and equal to the bit."""

import pytest

from myia.backends.reference.interpreter import evaluate
from myia.ir.equality import same
from myia.ir.parser import parse
from myia.ir.printer import to_text
from myia.ir.verifier import verify
from myia.passes.control_flow import if_conversion
from myia.passes.pipeline import optimize
from tests.passes.by_name import EVERY, passes_of
from tests.passes.random_ir import arguments, identical, random_function

CHUNK = 25
CHUNKS = range(6)


def programs(chunk, size=12):
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        yield seed, random_function(seed, size)


def check(f, g, seed):
    verify(g)
    args = arguments(f, seed)
    for x, y in zip(evaluate(f, args), evaluate(g, args), strict=True):
        assert identical(x, y), f"seed {seed}\n{to_text(f)}\n{to_text(g)}"


@pytest.mark.parametrize("chunk", CHUNKS)
def test_text_is_read_back(chunk):
    for _, f in programs(chunk):
        verify(f)
        text = to_text(f)
        again = parse(text)
        assert same(f, again)
        assert to_text(again) == text


@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize("name", EVERY)
def test_one_pass(name, chunk):
    run = EVERY[name]
    for seed, f in programs(chunk):
        check(f, run(f), seed)


@pytest.mark.parametrize("chunk", CHUNKS)
def test_all_passes(chunk):
    for seed, f in programs(chunk):
        check(f, optimize(f, "finish"), seed)


@pytest.mark.parametrize("chunk", CHUNKS)
def test_stores_in_branches(chunk, monkeypatch):
    """As if the arrays were large, so that stores into them become conditional ones."""
    monkeypatch.setattr(if_conversion, "MAX_VALUE_ELEMENTS", 1)
    for seed, f in programs(chunk):
        check(f, if_conversion.if_conversion(f), seed)


def test_arguments_are_not_mutated():
    f = random_function(3)
    text = to_text(f)
    optimize(f, "finish")
    assert to_text(f) == text


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(400, 480))
def test_many(chunk):
    for seed, f in programs(chunk, size=24):
        check(f, optimize(f, "finish"), seed)
        for run in passes_of("finish").values():
            check(f, run(f), seed)
