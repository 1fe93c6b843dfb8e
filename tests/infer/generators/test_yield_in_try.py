"""`yield` inside `try`: handlers see what the generator raises, not what the loop over it does."""

import contextlib
import math

import numpy as np
import pytest

import myia


class Rejected(Exception):
    pass


def quotients(xs):
    for x in xs:
        try:
            yield 1 / int(x)
        except ZeroDivisionError:
            yield 0.5


def of_the_generator(xs):
    total = 0.0
    for v in quotients(xs):
        total += v * xs[0]
    return total


def of_the_loop(xs):
    total = 0.0
    for v in quotients(xs):
        total += 1 / int(v * 4)
    return total


def of_the_loop_caught_there(xs):
    total = 0.0
    try:
        for v in quotients(xs):
            total += 1 / int(v * 4)
            total += xs[1]
    except ZeroDivisionError:
        total += 100.0
    return total


def all_parts(xs):
    k = 0
    while True:
        try:
            v = xs[k]
            yield v
            if v > 2.5:
                raise Rejected(k)
            yield v * 10
        except IndexError:
            return
        except Rejected:
            yield -v
            k += 1
        else:
            yield 0.25
        finally:
            k += 1


def to_the_end(xs):
    return sum(all_parts(xs)) + len(list(all_parts(xs)))


def left_early(xs):
    total = 0.0
    for v in all_parts(xs):
        if v < -2.0:
            break
        total += v
    return total


def caught_within_the_loop(xs):
    total = 0.0
    for v in all_parts(xs):
        try:
            if v > 2.5:
                raise Rejected
            total += v
        except Rejected:
            total -= 1.0
    return total


def caught_around_the_loop(xs):
    total = 0.0
    try:
        for v in all_parts(xs):
            if v > 2.5:
                raise Rejected(v)
            total += v
    except Rejected as error:
        total += error.args[0] * 7
    return total


def index_of_the_loop(xs):
    """`IndexError` is one that the generator catches of its own."""
    total = 0.0
    for v in all_parts(xs):
        total += xs[int(abs(v) * 3)]
    return total


def roots(xs):
    with contextlib.suppress(ValueError):
        for x in xs:
            yield math.sqrt(x - 1.5)
    yield 7.0


def suppressed(xs):
    total = 0.0
    for v in roots(xs):
        total += v * xs[0]
    return total


def not_suppressed(xs):
    total = 0.0
    try:
        for v in roots(xs):
            total += math.sqrt(v - 1.0)
            total += 1.0
    except ValueError:
        total += 50.0
    return total


def nested_handlers(xs):
    for x in xs:
        try:
            try:
                if x > 2:
                    raise Rejected(x)
                yield x
            except KeyError:
                yield 5.0
        except Rejected as error:
            yield error.args[0] * 3


def nested_generators(xs):
    total = 0.0
    for u in nested_handlers(xs):
        for v in quotients(xs):
            total += u * v
            if total > 50:
                raise KeyError("too much")
    return total


def catches_all_of_its_own(xs):
    for x in xs:
        try:
            yield x
        except Exception:
            yield 99.0


def raises_for_certain(xs):
    for _ in catches_all_of_its_own(xs):
        raise Rejected(1)


def raises_and_is_caught(xs):
    total = 0.0
    try:
        for v in catches_all_of_its_own(xs):
            if v > 0:
                raise Rejected(v)
            total += v
    except Rejected as error:
        total += error.args[0]
    return total


def raises_in_a_handler(xs):
    total = 0.0
    for v in catches_all_of_its_own(xs):
        try:
            raise KeyError(3)
        except KeyError:
            total += v
            raise Rejected(total) from None
    return total


def reciprocals(xs):
    for x in xs:
        yield 1 / int(x)


def delegates(xs):
    try:
        yield from reciprocals(xs)
    except ZeroDivisionError:
        yield -1.0
    yield 9.0


def delegation(xs):
    total = 0.0
    for v in delegates(xs):
        total += v * xs[0]
    return total


def handlers_of_both(xs):
    """The loop over one generator is inferred again, with another in it."""
    total = 0.0
    for u in delegates(xs):
        for v in quotients(xs):
            total += u * v * xs[-1]
    return total


def one_in_itself(xs):
    total = 0.0
    for u in delegates(xs):
        for v in delegates(xs[:2]):
            try:
                if u * v > 0.7:
                    raise Rejected
                total += u * v * xs[-1]
            except Rejected:
                continue
    return total


def halves(t, k):
    try:
        if k > 2:
            raise Rejected(k)
        yield t * k
        yield from halves(t * 0.5, k + 1)
    except Rejected as error:
        yield error.args[0] * t


def recursion(xs):
    return sum(v * i for i, v in enumerate(halves(xs[0], 0)))


def stops_in_a_branch(xs):
    """`StopIteration` of the loop is not the generator's."""
    total = 0.0
    try:
        for v in catches_all_of_its_own(xs):
            if v > 2.0:
                raise StopIteration
            total += v
    except StopIteration:
        total *= 2.0
    return total


PROGRAMS = [
    delegation,
    handlers_of_both,
    one_in_itself,
    recursion,
    stops_in_a_branch,
    of_the_generator,
    of_the_loop,
    of_the_loop_caught_there,
    to_the_end,
    left_early,
    caught_within_the_loop,
    caught_around_the_loop,
    index_of_the_loop,
    suppressed,
    not_suppressed,
    nested_generators,
    raises_for_certain,
    raises_and_is_caught,
    raises_in_a_handler,
]
INPUTS = [
    np.array([1.3, 2.3, 3.3]),
    np.array([0.3, 1.3, 2.3]),
    np.array([2.3, 3.3, -1.3]),
    np.array([0.7, 4.3, 3.3]),
    np.array([2.7]),
]


def outcome(f, xs):
    try:
        return f(xs)
    except (ArithmeticError, LookupError, ValueError, Rejected) as error:
        return type(error), str(error).partition("\n")[0]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_value_and_derivatives(f):
    compiled, gradient = myia.jit(f), myia.grad(f)
    for xs in INPUTS:
        wanted = outcome(f, xs)
        if isinstance(wanted, tuple):
            assert outcome(compiled, xs) == wanted
            continue
        np.testing.assert_allclose(compiled(xs), wanted, rtol=1e-12)
        h = 1e-6 * np.eye(len(xs))
        slopes = [(f(xs + e) - f(xs - e)) / 2e-6 for e in h]
        np.testing.assert_allclose(gradient(xs), slopes, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("f", [of_the_generator, suppressed, left_early, nested_generators])
def test_second_order(f):
    xs, gradient = INPUTS[0], myia.grad(f)
    h = 1e-6 * np.eye(len(xs))
    slopes = [(gradient(xs + e) - gradient(xs - e)) / 2e-6 for e in h]
    np.testing.assert_allclose(myia.hessian(f)(xs), slopes, rtol=1e-6, atol=1e-6)


def test_a_handler_of_all_exceptions_is_refused():
    """It would see `GeneratorExit` where the loop is left early."""

    def anything(xs):
        for x in xs:
            try:
                yield x
            except BaseException:
                yield 1.0

    with pytest.raises(myia.MyiaError, match="GeneratorExit"):
        myia.jit(lambda xs: sum(anything(xs)))(INPUTS[0])


def test_items_one_by_one_are_refused():
    def first(xs):
        items = quotients(xs)
        return next(items) + next(items)

    with pytest.raises(myia.MyiaError, match="yields inside `try`"):
        myia.jit(first)(INPUTS[0])
