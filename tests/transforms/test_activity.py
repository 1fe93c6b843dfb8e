"""Which values are active: through ops, branches, loops and adjoint loops."""

import numpy as np

from myia.ir.core import walk
from myia.primitives.core.emit_structured import if_, loop
from myia.primitives.core.structured import Loop, rev_p
from myia.primitives.pointwise.logic import convert, gt, stop_gradient
from myia.primitives.pointwise.transcendental import sin
from myia.transforms.activity import active_values
from tests.transforms.derivative_checks import differentiable, expanded, function, gradient
from tests.transforms.derivative_zoo import integer, number


def active(f, wrt, of):
    return active_values(f.region.ops, [f.args[i] for i in wrt], [f.results[i] for i in of])


def test_between_source_and_target():
    seen = {}

    def body(x, y):
        seen.update(a=sin(x), b=sin(y))
        seen.update(c=seen["a"] * seen["b"], d=sin(seen["a"]))
        return [seen["c"], seen["d"]]

    f = function(body, 1.0, 2.0)
    x = f.args[0]
    assert active(f, [0], [0]) == {x, seen["a"], seen["c"]}
    assert active(f, [1], [1]) == set()
    assert active(f, [0], [0, 1]) == {x, seen["a"], seen["c"], seen["d"]}


def test_integers_and_nondifferentiable_operations_stop_both_ways():
    def body(x):
        there_and_back = convert(convert(x, dtype=np.int64), dtype=np.float64)
        return [there_and_back * sin(stop_gradient(x))]

    f = function(body, 1.0)
    assert not active(f, [0], [0])
    assert differentiable(f.args) == (0,)


def test_through_a_branch_and_only_where_it_flows():
    seen = {}

    def body(x, y):
        def then():
            seen["inner"], seen["other"] = sin(x), sin(y)
            return [seen["inner"], seen["other"]]

        return if_(gt(x, y), then, lambda: [y, y])

    f = function(body, 1.0, 2.0)
    found = active(f, [0], [0])
    assert seen["inner"] in found and seen["other"] not in found
    assert f.results[0] in found and f.results[1] not in found


def test_a_carried_value_becomes_active_after_some_iterations():
    """x reaches the last carried value after three iterations, one further in each."""
    seen = {}

    def body(x, n):
        one = number(1.0)

        def step(k, a, b, c, i):
            seen.update(a=a, b=b, c=c, i=i)
            return [sin(x * a), sin(a), sin(b), i + 1]

        return loop([one, one, one, integer(0)], step, count=n)[2:3]

    found = active(function(body, 0.5, 3), [0], [0])
    # c is overwritten in each iteration: no derivative with respect to its old value is needed.
    assert {name for name, x in seen.items() if x in found} == {"a", "b"}


def test_a_carried_value_that_does_not_reach_the_result_has_no_cotangent():
    def body(x, n):
        def step(k, a, b):
            return [sin(a * x), b * a]

        return loop([x, x], step, count=n)[:1]

    f = expanded(gradient(function(body, 0.5, 3)))
    (rev,) = [op for op in walk(f.region) if op.primitive is rev_p]
    assert len(Loop.of(rev).carries) == 1
    assert len(rev.results) == 2  # the cotangents of a and of x
