"""`match`: when names are bound, and how often it reads (beside Python)."""

import pytest

from tests.infer.statements.beside_python import assert_as_python


class Reads:
    """Its properties record that they are read."""

    def __init__(self, x):
        self.x, self.log = x, []

    @property
    def a(self):
        self.log.append("a")
        return (self.x, float(len(self.log)))

    @property
    def b(self):
        self.log.append("b")
        return 2.0

    @property
    def missing(self):
        self.log.append("missing")
        raise AttributeError("missing")


class Empty:
    pass


class Names:
    A = "a"
    B = "b"


# ----- Names are bound when the whole pattern has matched


def alternatives_before_a_test(x):
    v = 9.0
    match ((0, x), 6):
        case (((0, v) | (v, 3)), 5):
            return 1.0
        case _:
            return v * x


def alternatives_in_a_mapping(x):
    v = 9.0
    match {"k": [x, 2.0], "z": 1}:
        case {"k": [v, 2.0] | [2.0, v], "z": 2}:
            return v
        case _:
            return v * x


def alternatives_that_fail_after_a_match(x):
    y = 3.0
    match (x, (1, 2.0), 5):
        case (y, (0, v) | (1, v) | (v, 3), 6):
            return y * v
        case (a, ((0, b) | (b, 1.0)) | (1, b), 5):
            return a * b + y
    return 0.0


def alternatives_of_alternatives(x):
    match (x, ("a", "b")):
        case (z, ("a" as p, "b" | "c" as q) | ("c" as q, p)):
            return z * len(p + q)


def bound_before_the_guard(x):
    a = 5.0
    match (x, 2.0):
        case (a, b) if a > 100:
            return 0.0
        case _:
            return a * b


def captured_by_a_closure(x):
    v = 7.0
    f = lambda: v
    match ((0, x), 6):
        case (((0, v) | (v, 3)), 5):
            return 1.0
        case (((0, v) | (v, 3)), 6):
            return f() * 2
    return 3.0


def key_that_a_capture_hides(x):
    k = Names
    match {"a": x, "b": 2.0}:
        case {k.A: k, k.B: v}:
            return k * v


def alternatives_in_a_loop(x):
    s = 0.0
    for i in range(4):
        item = (i, x) if i % 2 else [x, x, i]
        match item:
            case (k, v) | [v, _, k] if k > 0:
                s += k * v
            case [a, *_]:
                s -= a
    return s


# ----- How often it reads


def attribute_is_read_once(x):
    p = Reads(x)
    match p:
        case Reads(a=(v, n)):
            return v * n, p.log


def all_attributes_before_their_patterns(x):
    p = Reads(x)
    match p:
        case Reads(a=1.0, b=3.0):
            return 0.0, p.log
        case Reads(a=u, missing=v):
            return 1.0, p.log
        case Reads(b=u, zz=_, a=w):
            return 2.0, p.log
        case Reads(a=(u, _), b=v):
            return u * v, p.log


def attribute_that_is_not_there(x):
    match Empty():
        case Empty(zzz=_):
            return x
        case _:
            return 2 * x


def subject_and_guards_once(x):
    log = []

    def shown(name, value):
        log.append(name)
        return value

    match shown("subject", (x, 2.0)):
        case (a, 3.0) if shown("1", True):
            return 0.0, log
        case (a, b) if shown("2", b > 100):
            return 1.0, log
        case (a, b) if shown("3", b > 1):
            return a * b, log
        case _:
            return 2.0, log


RIGHT = [
    alternatives_before_a_test,
    alternatives_in_a_mapping,
    alternatives_that_fail_after_a_match,
    alternatives_of_alternatives,
    bound_before_the_guard,
    captured_by_a_closure,
    key_that_a_capture_hides,
    alternatives_in_a_loop,
    attribute_is_read_once,
    all_attributes_before_their_patterns,
    attribute_that_is_not_there,
    subject_and_guards_once,
]


@pytest.mark.parametrize("f", RIGHT, ids=lambda f: f.__name__)
def test_match(f):
    assert_as_python(f, 2.5)
