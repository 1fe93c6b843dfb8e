"""Programs that raise exceptions; in a module of its own, whose asserts pytest leaves alone."""

import numpy as np

A = np.array


class Bare(Exception):
    pass


class Computed(Exception):
    """Its `__init__` computes with its argument, and passes nothing on."""

    def __init__(self, n):
        self.n = n + 1


class Detailed(ValueError):
    def __init__(self, text, *, step=0):
        super().__init__(text)
        self.text, self.step = text, step


LIMIT = OverflowError("beyond the limit", 3)


def plain_key(x):
    if x > 1.0:
        raise KeyError("abc")
    return x


def two_arguments(x):
    if x > 1.0:
        raise ValueError("neg", 3)
    return x


def class_alone(x):
    if x > 1.0:
        raise Bare
    return x


def an_object_of_the_module(x):
    if x > 1.0:
        raise LIMIT
    return x


def computed(x):
    if x > 1.0:
        raise Computed(x)
    return x


def keywords(x):
    if x > 1.0:
        raise Detailed(f"x is {x:.2f}", step=int(x * 3))
    return x


def numbers_in_a_loop(x):
    s, y = 0.0, np.zeros(3)
    for i in range(5):
        s += x
        y[i % 3] += s
        if s > 4.0:
            raise ValueError(f"{s} at {i}", i, s > 5.0, y)
    return s + y[0]


def in_while_in_if(x):
    n = 0
    if x > 1.0:
        while x < 10.0:
            x = x * 2.0
            n += 1
            if n > 0 and x > 4.0:
                raise Detailed(f"{n}", step=n)
    return x


def checked(y):
    assert y.min() > -2.0, f"least {y.min()}"
    return y


def through_calls(x):
    return checked(A([1.0, -x]))[1] * x


def assertion_without_text(x):
    assert x < 1.0
    return x


def assertion_with_a_tuple(x):
    assert x < 1.0, ("too large", x)
    return x


def one_of_two(x):
    if x > 1.0:
        error = Detailed("high", step=1) if x > 4.0 else Detailed("high", step=2)
        raise error
    return x


def element(x):
    return A([1.0, 2.0, 3.0])[int(x)] * x


def element_of_a_matrix(x):
    return (np.ones((4, 2)) * x)[1, -int(x)]


def exits(x):
    if x > 1.0:
        raise SystemExit(3)
    return x


PROGRAMS = [
    *(plain_key, two_arguments, class_alone, an_object_of_the_module, computed, keywords),
    *(numbers_in_a_loop, in_while_in_if, through_calls, assertion_without_text),
    *(assertion_with_a_tuple, one_of_two, element, element_of_a_matrix, exits),
]
