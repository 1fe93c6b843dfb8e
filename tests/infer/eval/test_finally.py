"""What a `finally` raises or prints, after an error that nothing catches."""

import numpy as np
import pytest

import myia
from tests.infer.driver import outcome


class Rejected(Exception):
    def __init__(self, value, why="no"):
        super().__init__(f"rejected: {why}")
        self.value = value


def index_in_final(p, x):
    try:
        if p > 0:
            raise Rejected(p)
    finally:
        x[int(p * 10)] = 1.0
    return p


def index_after_a_certain_error(p, x):
    try:
        raise Rejected(p)
    finally:
        x[int(p * 10)] = 1.0


def caught_outside(p, x):
    try:
        try:
            if p > 0:
                raise Rejected(p)
        finally:
            x[int(p * 10)] = 1.0
    except IndexError:
        return 5.0
    return p


def in_a_loop(p, x):
    i = 0
    while i < 3:
        try:
            if p > i:
                raise Rejected(p)
            i += 1
        finally:
            try:
                x[i] = x[int(p * 10)]
            finally:
                x[int(p * 20)] = 1.0
    return x[0]


def of_one_path(p, x):
    if p > 0.3:
        try:
            raise Rejected(p)
        finally:
            x[int(p * 10)] = 1.0
    elif p > 0:
        try:
            raise Rejected(p)
        finally:
            print("final", x[0])
    return p


def prints(p, x):
    try:
        if p > 0:
            raise Rejected(p)
    finally:
        print("final", x[0])
    return p


def in_a_helper(p, x):
    try:
        index_in_final(p, x)
    finally:
        print("helper", p)
    return x[1]


# Errors that are known while compiling


def another_index(p, x):
    try:
        q = x[5]
    finally:
        x[6] = p
    return q


def division_then_raise(p, x):
    try:
        q = 1 // 0
    finally:
        if p > 0:
            raise Rejected(p)
    return q


def shapes_then_print(p, x):
    try:
        q = x.reshape(2, 2)
    finally:
        print("final", p)
    return q


def index_in_a_loop(p, x):
    try:
        x[0] = 3.0
        for k in range(2):
            q = x[5 + k]
    finally:
        for k in range(3):
            print(x[k])
    return q


def index_in_a_helper(p, x):
    def read(y):
        return y[5]

    try:
        return read(x)
    finally:
        x[7] = p


def only_cleans_up(p, x):
    try:
        q = x[5]
    finally:
        x[0] = p
    return q


def cleans_up_within(p, x):
    try:
        try:
            q = x[5]
        finally:
            x[0] = p
    finally:
        print("outer", x[0])
    return q


def a_handler_within(p, x):
    try:
        q = x[5]
    finally:
        try:
            x[6] = p
        except IndexError as error:
            print(error)
    return q


def one_path_is_certain(p, x):
    try:
        q = x[5] if p > 0 else x[1]
    finally:
        x[int(p * 10)] = 1.0
    return q


KINDS = (Rejected, IndexError, ValueError, ZeroDivisionError)

FINALS = [
    index_in_final,
    index_after_a_certain_error,
    caught_outside,
    in_a_loop,
    of_one_path,
    prints,
    in_a_helper,
    another_index,
    division_then_raise,
    shapes_then_print,
    index_in_a_loop,
    index_in_a_helper,
    only_cleans_up,
    cleans_up_within,
    a_handler_within,
    one_path_is_certain,
]


@pytest.mark.parametrize("f", FINALS, ids=lambda f: f.__name__)
def test_finally_after_an_error_that_nothing_catches(f, capfd):
    compiled = myia.jit(f)
    for p in (-1.0, -0.1, 0.01, 0.1, 0.5):
        wanted = outcome(capfd, KINDS, f, p, np.arange(3.0))
        assert outcome(capfd, KINDS, compiled, p, np.arange(3.0)) == wanted
