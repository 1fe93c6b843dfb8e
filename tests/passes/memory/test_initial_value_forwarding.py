from myia.passes.memory.initial_value_forwarding import initial_value_forwarding
from tests.passes.before_after import before_after, unchanged


def nest(start="0.0: f64[9,7]", read="%i, %j", store="%i, %j", bound=9) -> str:
    return f"""
func @f(%a: f64[9,7], %g0: f64[9,7]) -> f64[9,7] {{
  %g1 = {start}
  %n = {bound}: i64[]
  %7 = 7: i64[]
  %0 = 0: i64[]
  %g = for %i < %n (%g = %g1) bound {bound} {{
    %g = for %j < %7 (%g = %g) bound 7 {{
      %1 = dynamic_slice %g, {read} {{sizes=(1, 1)}}
      %2 = dynamic_slice %a, %i, %j {{sizes=(1, 1)}}
      %3 = add %1, %2 {{reassoc=True}}
      %g = dynamic_update_slice %g, %3, {store}
      yield %g
    }}
    yield %g
  }}
  return %g
}}"""


def test_each_element_is_added_to_once(golden):
    golden(before_after(initial_value_forwarding, nest()))


def test_elements_that_may_have_changed():
    assert unchanged(initial_value_forwarding, nest(read="%i, %0"))
    assert unchanged(initial_value_forwarding, nest(store="%i, %0"))
    assert unchanged(initial_value_forwarding, nest(read="%0, %j", store="%0, %j"))


def test_start_indices_beyond_the_end():
    assert unchanged(initial_value_forwarding, nest(bound=10))


def test_an_array_that_does_not_start_constant():
    assert unchanged(initial_value_forwarding, nest(start="neg %g0"))
