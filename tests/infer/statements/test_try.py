"""`try`, `finally` and jumps: values and traces beside Python."""

import numpy as np
import pytest

from tests.infer.statements.beside_python import assert_as_python

PROGRAMS = []


def program(f):
    PROGRAMS.append(f)
    return f


@program
def ret_over(x):
    def f():
        try:
            return 1.0
        finally:
            return x

    return f(), 0


@program
def ret_over_raise(x):
    def f():
        try:
            raise ValueError
        finally:
            return x

    return f(), 0


@program
def brk_over(x):
    n = 0
    for i in range(3):
        try:
            return 100.0, 0
        finally:
            n += 1
            break
    return x * n, n


@program
def brk_over_raise(x):
    n = 0
    for i in range(3):
        try:
            raise ValueError
        finally:
            n += 1
            if i == 1:
                break
            continue
    return x * n, n


@program
def cont_over_ret(x):
    log = []

    def f():
        for i in range(3):
            try:
                log.append(i)
                return 1.0 * i
            finally:
                if i < 2:
                    continue
        return 50.0

    return f() * x, log


@program
def ret_value_before(x):
    def f():
        y = x
        try:
            return y
        finally:
            y = 100.0

    def g():
        a = [x]
        try:
            return a
        finally:
            a.append(3.0)

    def h():
        a = np.ones(2) * x
        try:
            return a
        finally:
            a[0] = 7.0

    return f() + sum(g()) + sum(h()), 0


@program
def ret_expr_before(x):
    a = [x]

    def f():
        try:
            return a[0]
        finally:
            a[0] = 100.0

    return f() + a[0], 0


@program
def fin_raises(x):
    log = []
    try:
        try:
            raise ValueError("a")
        finally:
            raise KeyError("b")
    except KeyError as e:
        log.append(str(e))
    except ValueError as e:
        log.append("v")
    return x, log


@program
def fin_raises_after_ret(x):
    log = []

    def f():
        try:
            return 1.0
        finally:
            raise KeyError("b")

    try:
        y = f()
    except KeyError:
        y = x
    return y, log


@program
def nested(x):
    log = []

    def f():
        try:
            try:
                try:
                    log.append("a")
                    raise ValueError
                finally:
                    log.append("f1")
            except ValueError:
                log.append("h")
                return x
            else:
                log.append("no")
            finally:
                log.append("f2")
        finally:
            log.append("f3")

    return f(), log


@program
def else_order(x):
    log = []
    for i in range(3):
        try:
            if i == 1:
                raise ValueError
            if i == 2:
                continue
        except ValueError:
            log.append("e")
        else:
            log.append("else")
        finally:
            log.append(("f", i))
    return x, log


@program
def else_raise(x):
    log = []
    try:
        try:
            pass
        except ValueError:
            log.append("no")
        else:
            raise ValueError("x")
        finally:
            log.append("f")
    except ValueError:
        log.append("out")
    return x, log


@program
def handler_raise(x):
    log = []
    try:
        try:
            raise ValueError("1")
        except ValueError:
            raise KeyError("2")
        except KeyError:
            log.append("no")
        finally:
            log.append("f")
    except KeyError:
        log.append("k")
    return x, log


@program
def while_try(x):
    log = []
    n = 0
    while True:
        try:
            n += 1
            if n < 3:
                continue
            if n == 4:
                break
        finally:
            log.append(n)
    else:
        log.append("else")
    return x * n, log


@program
def gen_exhaust(x):
    log = []

    def g():
        try:
            yield x
            yield 1.0
        finally:
            log.append("f")
        log.append("end")

    s = sum(g())
    return s, log


@program
def reraise_same(x):
    log = []
    try:
        try:
            raise ValueError("a")
        except ValueError as e:
            try:
                raise KeyError
            except KeyError:
                pass
            raise
    except ValueError as e:
        log.append(str(e))
    return x, log


@program
def fin_modifies_caught(x):
    y = 1.0
    try:
        try:
            y = x
            raise ValueError
        finally:
            y *= 3.0
    except ValueError:
        y += 1.0
    return y, 0


@pytest.mark.parametrize("x", [0.7, 2.6])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_try(f, x):
    assert_as_python(f, x)
