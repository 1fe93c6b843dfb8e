"""Values on which no result depends are eliminated, through branches, loops and adjoint loops."""

from myia.ir.core import Function, walk
from myia.ir.verifier import verify
from myia.primitives.core.effects import debug_print
from myia.primitives.core.emit_structured import if_, loop
from myia.primitives.core.structured import Loop, if_p, loop_p, rev_p
from myia.primitives.pointwise.logic import gt
from myia.primitives.pointwise.transcendental import sin
from myia.rewriting.liveness import eliminate_dead_values
from tests.transforms.derivative_checks import expanded, function, gradient
from tests.transforms.derivative_zoo import integer, number


def without_dead_values(f: Function) -> Function:
    g = f.with_region(eliminate_dead_values(f.region))
    verify(g)
    return g


def names(f: Function) -> list[str]:
    return [op.primitive.name for op in walk(f.region)]


def test_dead_ops():
    f = function(lambda x: [sin(x), x * sin(x)][:1], 1.0)
    assert names(without_dead_values(f)) == ["sin"]


def test_dead_results_of_a_branch():
    def body(x):
        return if_(gt(x, number(0.0)), lambda: [sin(x), x * x], lambda: [x, x])[:1]

    g = without_dead_values(function(body, 1.0))
    (op,) = [op for op in walk(g.region) if op.primitive is if_p]
    assert len(op.results) == 1
    assert "mul" not in names(g)


def test_carries_that_only_feed_one_another():
    def body(x):
        return loop([x, x, x], lambda k, a, b, c: [sin(a), c, b * c], count=integer(3))[:1]

    g = without_dead_values(function(body, 1.0))
    (op,) = [op for op in walk(g.region) if op.primitive is loop_p]
    assert len(op.results) == 1


def test_a_carry_that_the_condition_reads_stays():
    def body(x):
        cond = lambda k, a, b: gt(b, number(0.0))  # noqa: E731
        return loop([x, x], lambda k, a, b: [sin(a), b - 0.3], cond=cond)[:1]

    g = without_dead_values(function(body, 1.0))
    (op,) = [op for op in walk(g.region) if op.primitive is loop_p]
    assert len(op.results) == 2


def test_a_loop_invariant_carry_is_captured():
    def body(x, p):
        def outer(k, y, q):
            return loop([y, q], lambda j, z, r: [sin(z) * r, r], count=integer(2))

        return loop([x, p], outer, count=integer(3))

    g = without_dead_values(function(body, 1.0, 2.0))
    assert g.results[1] is g.args[1]
    assert [len(op.results) for op in walk(g.region) if op.primitive is loop_p] == [1, 1]


def test_branches_that_agree():
    def body(x, y):
        return if_(gt(x, y), lambda: [x, sin(x)], lambda: [x, y])

    g = without_dead_values(function(body, 1.0, 2.0))
    assert g.results[0] is g.args[0]


def test_effects_stay():
    def body(x):
        def step(k, a, b):
            debug_print("{}", b)
            return [sin(a), b * 2.0]

        loop([x, x], step, count=integer(3))
        return [x]

    g = without_dead_values(function(body, 1.0))
    (op,) = [op for op in walk(g.region) if op.primitive is loop_p]
    assert len(op.results) == 1
    assert names(g).count("debug_print") == 1


def test_rev_keeps_only_what_its_adjoint_reads():
    def body(x, p):
        def step(k, a, b, c):
            return [a * p, sin(b), c + a]

        _, b, c = loop([x, x, x], step, count=integer(3))
        return [b * c]

    g = expanded(gradient(function(body, 1.0, 2.0)))
    (op,) = [op for op in walk(g.region) if op.primitive is rev_p]
    parts = Loop.of(op)
    assert len(parts.carries) == 2  # a for p, b for the sine; the adjoint does not read c
    assert len(parts.seeds) == 2
    assert len(parts.accumulators) == 1  # of p; the cotangent of c is loop-invariant
