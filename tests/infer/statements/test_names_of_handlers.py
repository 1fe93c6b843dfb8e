"""`except E as e`: `e` is unbound wherever the handler is left (beside Python)."""

import pytest

from tests.infer.statements.beside_python import assert_as_python, assert_raises_as_python


def raised(x):
    e = 1.0
    try:
        try:
            raise ValueError(x)
        except ValueError as e:
            raise KeyError
    except KeyError:
        pass
    try:
        return e.args[0]
    except UnboundLocalError:
        return -x


def raised_by_a_call(x):
    def fail():
        raise KeyError

    try:
        try:
            raise ValueError(x)
        except ValueError as e:
            fail()
    except KeyError:
        pass
    try:
        return e.args[0]
    except UnboundLocalError:
        return -x


def raised_perhaps(x):
    a = [1.0, 2.0]
    try:
        try:
            raise ValueError(x)
        except ValueError as e:
            a[int(x)] = 3.0
    except IndexError:
        pass
    try:
        return e.args[0]
    except UnboundLocalError:
        return -x * a[1]


def raised_again(x):
    try:
        try:
            raise ValueError(x)
        except ValueError as e:
            raise
    except ValueError as f:
        r = f.args[0]
    try:
        return e.args[0]
    except UnboundLocalError:
        return -r


def continued(x):
    s = 0.0
    for i in range(4):
        try:
            if i % 2:
                raise ValueError(x)
            s += 1.0
        except ValueError as e:
            if x > i:
                continue
            s += e.args[0]
        try:
            s += e.args[0]
        except UnboundLocalError:
            s += 10.0 * x
    return s


def broken(x):
    for i in range(3):
        try:
            raise ValueError(x)
        except ValueError as e:
            break
    try:
        return e.args[0]
    except UnboundLocalError:
        return -x * i


def returned(x):
    r = [0.0]

    def f():
        try:
            try:
                raise ValueError(x)
            except ValueError as e:
                return e.args[0] * 2
        finally:
            try:
                r[0] = e.args[0]
            except UnboundLocalError:
                r[0] = 100.0

    y = f()
    return y + r[0]


def assigned_in_it(x):
    try:
        raise ValueError(x)
    except ValueError as e:
        e = 3.0
    try:
        return e
    except UnboundLocalError:
        return x


def deleted_in_it(x):
    try:
        try:
            raise ValueError(x)
        except ValueError as e:
            del e
            raise KeyError
    except KeyError:
        pass
    try:
        return e
    except UnboundLocalError:
        return x


def in_another_of_the_name(x):
    try:
        raise ValueError(x)
    except ValueError as e:
        r = e.args[0]
        try:
            try:
                raise ValueError(2.0)
            except ValueError as e:
                raise KeyError
        except KeyError:
            pass
        try:
            r += e.args[0]
        except UnboundLocalError:
            r *= 5.0
    return r


def in_a_generator(x):
    def g():
        try:
            raise ValueError(x)
        except ValueError as e:
            yield e.args[0]
        try:
            yield e.args[0]
        except NameError:
            yield -x

    return sum(v * (i + 2) for i, v in enumerate(g()))


LEFT = [
    raised,
    raised_by_a_call,
    raised_perhaps,
    raised_again,
    continued,
    broken,
    returned,
    assigned_in_it,
    deleted_in_it,
    in_another_of_the_name,
    in_a_generator,
]


@pytest.mark.parametrize("x", [0.6, 2.5])
@pytest.mark.parametrize("f", LEFT, ids=lambda f: f.__name__)
def test_unbound_where_the_handler_is_left(f, x):
    assert_as_python(f, x)


def read_afterwards(x):
    try:
        try:
            raise ValueError(x)
        except ValueError as e:
            raise KeyError
    except KeyError:
        pass
    return e.args[0]


def test_error():
    assert_raises_as_python(read_afterwards, 2.5)
