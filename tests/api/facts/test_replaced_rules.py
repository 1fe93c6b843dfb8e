"""A derivative rule that is replaced is seen at the next call, of JAX's decorators and of ours."""

import jax
import pytest

import myia


def jvp_rule(slope):
    return lambda primals, tangents: (primals[0] * primals[0], slope * tangents[0])


def by_jvp(lib):
    f = lib.custom_jvp(lambda x: x * x)
    return f, lambda slope: f.defjvp(jvp_rule(slope))


def by_vjp(lib):
    f = lib.custom_vjp(lambda x: x * x)

    def give(slope):
        f.defvjp(lambda x: (x * x, x), lambda residuals, ct: (slope * ct,))

    return f, give


@pytest.mark.parametrize("lib", [jax, myia])
@pytest.mark.parametrize("made", [by_jvp, by_vjp])
def test_a_rule_that_is_replaced(lib, made):
    f, give = made(lib)
    give(10.0)
    inside, kept = myia.grad(lambda x: f(x) + x), myia.grad(f)
    for slope in (10.0, 20.0, 20.0, 7.0):
        give(slope)
        for _ in range(2):
            assert (inside(3.0), kept(3.0)) == (slope + 1.0, slope)


def test_one_of_two_rules_is_replaced():
    f = jax.custom_vjp(lambda x: x * x)
    forward = lambda x: (x * x, x)  # noqa: E731
    compiled = myia.grad(lambda x: f(x))
    for slope in (2.0, 5.0):
        f.defvjp(forward, lambda _, ct, slope=slope: (slope * ct,))
        assert compiled(3.0) == slope
    f.defvjp(lambda x: (x * x, x), f.bwd)
    assert compiled(3.0) == 5.0


def test_a_rule_that_comes_to_take_symbolic_zeros():
    f, rule = jax.custom_jvp(lambda x: x * x), jvp_rule(10.0)
    f.defjvp(rule)
    compiled = myia.grad(lambda x: f(x))
    assert compiled(3.0) == 10.0
    f.defjvp(rule, symbolic_zeros=True)
    with pytest.raises(myia.MyiaError, match="symbolic_zeros"):
        compiled(3.0)
