from myia.ir.parser import parse
from myia.ir.printer import to_text
from myia.passes.pipeline import apply_pass, optimize
from tests.passes.before_after import before_after
from tests.passes.by_name import passes_of

PROGRAM = """
func @f(%x: f64[], %n: i64[], %v: f64[4]) -> f64[], f64[], f64[4], i64[4] {
  %0 = 1.0: f64[]
  %y, %c, %z, %w = for %k < %n (%y = %x, %c = %0, %z = %0, %w = %x) {       # power.py:4
    %1 = call @step(%a = %y, %b = %c) {
      %2 = exp %x
      %3 = mul %a, %b
      %4 = mul %3, %2
      yield %4
    }
    %5 = True: bool[]
    %6 = if %5 { yield %1 } else { yield %y }
    yield %6, %c, %6, %6
  }
  %7 = sub %y, %w
  %8 = -1.5: f64[]
  %9 = -2.5: f64[]
  %10 = pow %y, %8
  %11 = pow %y, %9
  %12 = add %10, %11
  %13 = sort %v {axis=0, keys=1}
  %14 = iota {axis=0, dtype=i64, shape=(4,)}
  %15, %16 = sort %v, %14 {axis=0, keys=1}
  return %12, %7, %13, %16
}"""


def test_all_together(golden):
    golden(before_after(optimize, PROGRAM))


def test_passes_are_left_out_by_name():
    f = parse(PROGRAM)
    everything = to_text(optimize(f))
    for name in passes_of("optimize"):
        assert name in {"simplify", "cse"} or to_text(optimize(f, disable=[name])) != everything
    assert optimize(f, disable=passes_of("optimize")) is f


def test_result_is_a_fixed_point():
    f = optimize(parse(PROGRAM), "finish")
    assert optimize(f, "finish") is f


def test_a_pass_does_not_run_again_on_what_it_left_alone():
    runs = []

    def apply(each, before):
        after = apply_pass(each, before)
        runs.append((each.name, before, after))
        return after

    result = optimize(parse(PROGRAM), "finish", apply=apply)
    kept = [(name, before) for name, before, after in runs if before is after]
    assert len(kept) == len(set(kept)) and ("simplify", result) in kept
