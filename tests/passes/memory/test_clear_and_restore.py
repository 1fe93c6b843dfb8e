import numpy as np
import pytest

from myia.backends.reference.interpreter import evaluate
from myia.ir.core import Region
from myia.ir.parser import parse
from myia.ir.verifier import verify
from myia.passes.memory.clear_and_restore import clear_and_restore
from tests.passes.before_after import before_after, unchanged

ROWS = """
func @f(%g: f64[6,4], %x: f64[4], %c: f64[4,1], %k: i64[]) -> f64[6,4] {
  %one = 1: i64[]
  %z = 0: i64[]
  %none = 0.0: f64[4,3]
  %ct = dynamic_slice %g, %one, %one {sizes=(4, 3)}
  %g.1 = dynamic_update_slice %g, %none, %one, %one
  %row = reshape %x {shape=(1, 4)}
  %1 = dynamic_slice %g.1, %k, %z {sizes=(1, 4)}
  %2 = add %1, %row {reassoc=True}
  %g.2 = dynamic_update_slice %g.1, %2, %k, %z
  %3 = dynamic_slice %g.2, %one, %k {sizes=(4, 1)}
  %4 = add %3, %c {reassoc=True}
  %g.3 = dynamic_update_slice %g.2, %4, %one, %k
  %back = add %none, %ct
  %5 = dynamic_slice %g.3, %one, %one {sizes=(4, 3)}
  %6 = add %5, %back {reassoc=True}
  %g.4 = dynamic_update_slice %g.3, %6, %one, %one
  return %g.4
}"""


def test_cleared_and_restored(golden):
    golden(before_after(clear_and_restore, ROWS))


@pytest.mark.parametrize("k", range(6))
def test_same_values(k):
    rng = np.random.default_rng(k)
    args = (rng.normal(size=(6, 4)), rng.normal(size=4), rng.normal(size=(4, 1)), k)
    before = parse(ROWS)
    after = clear_and_restore(before)
    verify(after)
    np.testing.assert_allclose(evaluate(after, args)[0], evaluate(before, args)[0], rtol=1e-15)


def test_the_result_is_read_in_another_region():
    loop = """  %n = 3: i64[]
  %g.5 = for %i < %n (%y = %g) bound 3 {
    %7 = add %y, %g.4
    yield %7
  }
  return %g.5
}"""
    text = ROWS.replace("  return %g.4\n}", loop)
    rng = np.random.default_rng(1)
    args = (rng.normal(size=(6, 4)), rng.normal(size=4), rng.normal(size=(4, 1)), 2)
    after = clear_and_restore(parse(text))
    verify(after)
    numbers = evaluate(after, args)[0], evaluate(parse(text), args)[0]
    np.testing.assert_allclose(*numbers, rtol=1e-14)


def test_two_arrays_in_a_loop(golden):
    """The clearing and the restoring store of both arrays, and the addition between the arrays."""
    golden(before_after(clear_and_restore, """
func @f(%g: f64[8], %h: f64[8]) -> f64[8], f64[8] {
  %n = 8: i64[]
  %none = 0.0: f64[1]
  %g, %h = for %k < %n (%g = %g, %h = %h) bound 8 {
    %1 = dynamic_slice %g, %k {sizes=(1,)}
    %g.1 = dynamic_update_slice %g, %none, %k
    %2 = dynamic_slice %g.1, %k {sizes=(1,)}
    %3 = add %2, %1 {reassoc=True}
    %g.2 = dynamic_update_slice %g.1, %3, %k
    %4 = dynamic_slice %h, %k {sizes=(1,)}
    %h.1 = dynamic_update_slice %h, %none, %k
    %5 = dynamic_slice %h.1, %k {sizes=(1,)}
    %6 = add %1, %5 {reassoc=True}
    %h.2 = dynamic_update_slice %h.1, %6, %k
    %7 = dynamic_slice %h.2, %k {sizes=(1,)}
    %8 = add %4, %7 {reassoc=True}
    %h.3 = dynamic_update_slice %h.2, %8, %k
    yield %g.2, %h.3
  }
  return %g, %h
}"""))  # fmt: skip


class CountedOps(tuple):
    """Ops of a region that count how often they are iterated over."""

    times = 0

    def __iter__(self):
        self.times += 1
        return super().__iter__()


def test_linear_time_in_the_number_of_stores():
    """The ops of the region are not iterated over once per store."""
    lines = "".join(
        "  %c = dynamic_slice %g, %k {sizes=(1,)}\n"
        "  %h = dynamic_update_slice %g, %none, %k\n"
        "  %1 = dynamic_slice %h, %k {sizes=(1,)}\n"
        "  %2 = add %1, %c {reassoc=True}\n"
        "  %g = dynamic_update_slice %h, %2, %k\n"
        for _ in range(100)
    )
    head = "func @f(%g: f64[8], %k: i64[]) -> f64[8] {\n  %none = 0.0: f64[1]\n"
    before = parse(head + lines + "  return %g\n}")
    ops = CountedOps(before.region.ops)
    after = clear_and_restore(before.with_region(Region(before.args, ops, before.results)))
    assert 0 < ops.times < 20
    assert after.region.yields == after.region.args[:1]


@pytest.mark.parametrize(
    ("what", "other"),
    [
        ("add %5, %back {reassoc=True}", "add %5, %back"),
        ("add %1, %row {reassoc=True}", "add %1, %row"),
        ("add %1, %row {reassoc=True}", "mul %1, %row"),
        ("0.0: f64[4,3]", "1.0: f64[4,3]"),
        ("%ct = dynamic_slice %g, %one, %one", "%ct = dynamic_slice %g, %z, %one"),
        ("%none, %one, %one", "%none, %one, %z"),
        ("%g.3, %6, %one, %one", "%g.3, %6, %one, %z"),
        ("%row = reshape %x {shape=(1, 4)}", "%row = dynamic_slice %g.1, %z, %z {sizes=(1, 4)}"),
        ("%back = add %none, %ct", "%back = add %ct, %ct"),
        ("%back = add %none, %ct", "%back = dynamic_slice %g.1, %one, %one {sizes=(4, 3)}"),
    ],
)
def test_other_stores_stay(what, other):
    assert what in ROWS
    assert unchanged(clear_and_restore, ROWS.replace(what, other))


def test_stores_of_an_array_with_other_uses_stay():
    returned = ROWS.replace("-> f64[6,4]", "-> f64[6,4], f64[6,4]")
    for end in ("return %g.4, %g.2", "%7 = neg %g.1\n  return %g.4, %7"):
        assert unchanged(clear_and_restore, returned.replace("return %g.4", end))
