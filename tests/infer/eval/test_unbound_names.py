"""Names that are read where they may have no value: the errors are those of the running Python.

To a comprehension that is a function the variables of the function around it are free: of all kinds
before Python 3.12, later of generator expressions only.
"""

import pytest

import myia


def in_a_list(x, c):
    if c > 0:
        f = x
    return sum([v * f for v in (1.0, 2.0)])


def in_a_generator(x, c):
    if c > 0:
        f = x
    return sum(v * f for v in (1.0, 2.0))


def in_a_lazy_generator(x, c):
    if c > 0:
        f = x
    return next(v * f for v in (1.0, 2.0))


def in_a_dict(x, c):
    if c > 0:
        f = x
    return {k: f for k in ("a", "b")}["a"]


def in_a_set(x, c):
    if c > 0:
        f = 3
    return x * len({k * f for k in (1, 2)})


def first_iterable(x, c):
    if c > 0:
        f = (x, x)
    return sum([v for v in f])


def second_iterable(x, c):
    if c > 0:
        f = (x, x)
    return sum([v * w for v in (1.0, 2.0) for w in f])


def condition(x, c):
    if c > 0:
        f = x
    return sum([v for v in (1.0, 2.0) if f > 0])


def nested(x, c):
    if c > 0:
        f = x
    return sum([sum([v * f for v in (w, 2.0)]) for w in (1.0, 2.0)])


def list_in_a_generator(x, c):
    if c > 0:
        f = x
    return sum(sum([v * f for v in (w, 2.0)]) for w in (1.0, 2.0))


def own_variable(x, c):
    return sum([v * w for v in (1.0, 2.0) for w in ((x, w) if c < 0 else (x,))])  # noqa: F821


def own_variable_in_a_cell(x, c):
    pairs = ((v, w) for v in (1.0, 2.0) for w in ((x, w) if c < 0 else (x,)))  # noqa: F821
    return sum((lambda: v * w)() for v, w in pairs)


def walrus(x, c):
    return sum([(t := v * x) if c > 0 else t for v in (1.0, 2.0)])


def deleted(x, c):
    f = x
    if c < 0:
        del f
    return sum([v * f for v in (1.0, 2.0)])


def after_a_try(x, c):
    try:
        if c < 0:
            raise ValueError
        f = x
    except ValueError:
        pass
    return sum([v * f for v in (1.0, 2.0)])


def in_a_lambda(x, c):
    if c > 0:
        f = x
    return sum(map(lambda v: v * f, (1.0, 2.0)))


def in_a_function(x, c):
    def g(v):
        return v * f

    if c > 0:
        f = x
    return g(2.0)


def in_a_lambda_of_a_list(x, c):
    if c > 0:
        f = x
    return sum([(lambda: f * v)() for v in (1.0, 2.0)])


def cell_of_the_function_itself(x, c):
    if c > 0:
        f = x
    g = lambda v: v * f  # noqa: E731
    return f + g(1.0)


def cell_in_a_list(x, c):
    if c > 0:
        f = x
    g = lambda v: v * f  # noqa: E731
    return sum([f for v in (1.0, 2.0)]) + g(1.0)


def never_there(x, c):
    def g(v):
        return v * f

    if c < 0:
        return g(x)
    f = x
    return g(f)


def in_a_class(x, c):
    if c > 0:
        f = x

    class Scale:
        k = f + 1.0

        def of(self, v=1.0):
            return self.k * v

    return Scale().of()


def default_in_a_class(x, c):
    if c > 0:
        f = x

    class Scale:
        k = 2.0

        def of(self, v=f):
            return self.k * v

    return Scale().of()


def default_of_a_function(x, c):
    if c > 0:
        f = x

    def scaled(v=f):
        return 2.0 * v

    return scaled()


def base_of_a_class(x, c):
    if c > 0:
        f = object

    class Scale(f):
        k = x

    return Scale.k


PROGRAMS = [f for f in globals().values() if getattr(f, "__module__", "") == __name__]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_error(f):
    program = myia.jit(f)
    assert program(0.5, 1.0) == f(0.5, 1.0)
    with pytest.raises(NameError) as ours:
        program(0.5, -1.0)
    with pytest.raises(NameError) as pythons:
        f(0.5, -1.0)
    assert type(ours.value) is type(pythons.value)
    assert str(ours.value) == str(pythons.value)
