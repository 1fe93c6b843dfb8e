"""Functions under `contextlib.contextmanager`, left by an exception."""

import contextlib

import numpy as np
import pytest

import myia


@contextlib.contextmanager
def plain(a, by):
    a[1] += by
    yield a[0] * by
    a[1] -= 0.5 * by


@contextlib.contextmanager
def with_finally(a, by):
    a[1] += by
    by = 2.0 * by
    try:
        yield a[0] * by
        a[0] += 4.0
    finally:
        a[1] -= 0.5 * by
    a[0] += 1.0


@contextlib.contextmanager
def around_another(a, by):
    try:
        with with_finally(a, by) as inner, plain(a, inner) as value:
            a[2] += 1.0
            yield value
            a[2] += 1.0
    finally:
        a[2] *= 1.5
    a[2] -= 0.25


@contextlib.contextmanager
def catching(a, by):
    a[1] += by
    try:
        yield a[0] * by
    except (ValueError, ZeroDivisionError):
        a[1] *= 1.5
    else:
        a[0] += by
    finally:
        a[2] -= 0.5 * by
    a[2] += 0.25


@contextlib.contextmanager
def returning(a, by):
    before = a[1]
    try:
        yield a[0] * by
    except ValueError as e:
        a[1] = before + 0.1 * len(e.args)
        return
    a[1] += 2.0


@contextlib.contextmanager
def raising_again(a, by):
    try:
        yield a[0] * by
        a[0] += 1.0 / (0.0 if a[1] > 2.5 else 1.0 + a[2] ** 2)
    except ValueError:
        a[0] *= 2.0
        raise
    except ZeroDivisionError as e:
        a[0] -= by
        if a[2] > 2.0:
            raise ValueError(by) from e


@contextlib.contextmanager
def catching_twice(a, by):
    try:
        try:
            yield a[0] * by
        except ValueError:
            a[1] += 0.5
        finally:
            a[2] *= by
    except ZeroDivisionError:
        a[1] -= 0.5


CONTEXTS = [plain, with_finally, around_another]
CONTEXTS += [catching, returning, raising_again, catching_twice]


def suppressed(context, a, x):
    with contextlib.suppress(ZeroDivisionError), context(a, 0.3) as y:
        a[2] = x
        if x > y:
            raise ZeroDivisionError
        a[2] += 1.0
    return a[0] + 2.0 * a[1] + a[2] * x


def handled(context, a, x):
    try:
        with context(a, 0.3) as y, contextlib.suppress(KeyError):
            a[2] = x + y
            a[2] += 1.0 / (0.0 if x > y else x)
    except ZeroDivisionError:
        a[2] += 10.0
    return a[0] + 2.0 * a[1] + a[2] * x


def in_loop(context, a, x):
    total = 0.0
    for k in range(4):
        try:
            with context(a, 0.1) as y:
                if k * x > y + 1.0:
                    raise ValueError(k)
                total += a[1] * x
        except ValueError:
            total -= 0.5 * x
        finally:
            total += a[0]
    return total + a[1] + a[2] * x


def raising(context, a, x):
    with contextlib.suppress(ValueError, ZeroDivisionError):
        for k in range(3):
            with context(a, 0.3) as y:
                a[2] += x
                if x > y:
                    raise ValueError(k)
                a[0] += y * (1.0 / (0.0 if x < -0.5 else x))
    return a[0] + 2.0 * a[1] + a[2] * x


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("f", [suppressed, handled, in_loop, raising])
def test_as_python(f, context):
    for x in (1.03, -0.97, 0.71, 3.0):
        got, want = np.array([0.5, 2.0, 3.0]), np.array([0.5, 2.0, 3.0])
        try:
            value = f(context, want, x)
        except (ValueError, ZeroDivisionError) as error:
            with pytest.raises(type(error)):
                myia.jit(f)(context, got, x)
            continue
        np.testing.assert_allclose(myia.jit(f)(context, got, x), value, rtol=1e-14)
        np.testing.assert_allclose(got, want, rtol=1e-14)

        def g(x, context=context):
            return f(context, np.array([0.5, 2.0, 3.0]), x)

        slope = (g(x + 1e-6) - g(x - 1e-6)) / 2e-6
        np.testing.assert_allclose(myia.grad(g)(x), slope, rtol=1e-6, atol=1e-8)
        bend = myia.grad(myia.grad(g))(x)
        slope = (myia.grad(g)(x + 1e-6) - myia.grad(g)(x - 1e-6)) / 2e-6
        np.testing.assert_allclose(bend, slope, rtol=1e-5, atol=1e-7)


@contextlib.contextmanager
def counted(counts):
    counts[0] += 1.0
    try:
        yield
    except ValueError:
        counts[1] += 10.0
    finally:
        counts[2] += 1.0


def decorates(x):
    counts = np.zeros(3)

    @counted(counts)
    def squared(v):
        if v > 1.0:
            raise ValueError("too large")
        counts[1] += v * v
        return v

    squared(x)
    squared(x - 1.0)
    return np.sum(counts * np.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("x", [0.5, 1.5, 2.5])
def test_a_context_function_as_a_decorator(x):
    h = 1e-6
    assert myia.jit(decorates)(x) == pytest.approx(decorates(x), rel=1e-12)
    slope = (decorates(x + h) - decorates(x - h)) / (2 * h)
    assert myia.grad(decorates)(x) == pytest.approx(slope, abs=1e-6)
