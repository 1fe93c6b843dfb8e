"""`try`, handlers and `finally`."""

from __future__ import annotations

import math

import numpy as np

from tests.zoo.small_programs.registry import program

A = np.array


class OutOfRange(Exception):
    def __init__(self, value, step=0):
        super().__init__("out of range", value)
        self.value = value
        self.step = step


def bounded(x, limit):
    for step in range(4):
        x = x * 1.5
        if x > limit:
            raise OutOfRange(x, step)
    return x


@program((0.5, 3.0), (1.5, 3.0), (4.0, 3.0))
def exception_of_a_helper(x, limit):
    try:
        y = bounded(x, limit)
    except OutOfRange as e:
        y = e.value * x + e.step
    else:
        y += 0.25 * x * x
    return y * limit


@program((2.0,), exact=[((0.0,), (3.0,))])
def quotient_with_a_handler(x):
    try:
        y = 1.0 / x
    except ZeroDivisionError:
        y = 3.0 * x
    return y


@program((A([1.0, 2.0, 0.5]), 2.0), (A([1.0, 0.25, 3.0]), 0.6))
def stores_before_the_exception(a, x):
    total = 0.0
    for i in range(5):
        try:
            a[i] *= x
            if a[i] < 0.5:
                raise ValueError(i)
            total += a[i] * a[i]
        except ValueError:
            total -= x
            continue
        except IndexError:
            total += 0.5 * x
            break
        finally:
            total *= 1.25
    return total


@program((0.5,), (2.0,), (5.0,))
def return_in_finally(x):
    y = x
    for k in range(3):
        try:
            y = y * x
            if y > 30.0:
                raise OverflowError
            if y > 3.0:
                return y + k
        finally:
            if x > 4.0:
                return x * x
    return y


@program((0.7,), (1.3,), (2.6,))
def raised_again(x):
    y = 0.5 * x
    try:
        try:
            if x > 2.0:
                raise KeyError("high")
            if x > 1.0:
                raise ValueError("middle")
            y = x * x
        except ValueError:
            y += x
            raise
        except KeyError as e:
            raise OutOfRange(x, 2) from e
    except OutOfRange as e:
        y += e.value * e.step
    except LookupError:
        y = -1.0
    except ValueError:
        y *= x
    return y


@program((A([4.0, 1.0, 0.25]),), (A([4.0, -1.0, 0.25]),))
def domain_error_in_a_loop(a):
    total = 0.0
    for v in a:
        try:
            total += math.sqrt(float(v)) * v
        except ValueError:
            total += v * v
    return total


@program((3.0, 2), (0.5, 5))
def loop_ended_by_an_exception(x, n):
    total, k = 0.0, 0
    try:
        while True:
            k += 1
            total += x / k
            if k > n:
                raise StopIteration(total)
    except StopIteration as e:
        return e.args[0] * x


@program((2.0,), (1.5,))
def factor_after_shifts(x):
    """The matrices that have no factor are no part of the derivative."""
    b = -np.eye(2)
    for k in range(5):
        try:
            return np.linalg.cholesky(b * x)[0, 0] * k + x
        except np.linalg.LinAlgError:
            b = b + np.eye(2)
    return x


class Larger(OutOfRange):
    pass


@program((0.7,), (1.3,), (2.6,))
def raised_from_one_of_two_classes(x):
    try:
        try:
            if x > 2.0:
                raise Larger(2.0 * x)
            if x > 1.0:
                raise OutOfRange(x)
            y = x * x
        except OutOfRange as e:
            raise ValueError(e.value * x) from e
    except ValueError as e:
        y = e.args[0] * x
    return y
