"""What `finally` does on the paths of a run: values and traces beside Python."""

import numpy as np
import pytest

from tests.infer.statements.beside_python import assert_as_python

PROGRAMS = []


def program(f):
    PROGRAMS.append(f)
    return f


@program
def cond_raise(x):
    log = 0

    def f(v):
        nonlocal log
        try:
            if v > 2:
                raise ValueError
            return v * 2
        except ValueError:
            return v * 3
        finally:
            log = log * 10 + 1

    return f(x) + f(x - 1), log


@program
def cond_fin_ret(x):
    def f(v):
        try:
            if v > 2:
                raise ValueError
            return v * 2
        finally:
            if v > 2.2:
                return v * 7

    return f(x) + f(x - 1), 0


@program
def cond_fin_break(x):
    s = 0.0
    for i in range(4):
        try:
            s += x * i
            if s > 4:
                raise ValueError
            if s > 2:
                continue
            s += 0.5
        except ValueError:
            s += 0.25
        finally:
            s += 1
            if s > 9:
                break
    else:
        s += 100
    return s, 0


@program
def while_fin(x):
    s = x
    n = 0
    while s < 30:
        try:
            n += 1
            s *= 1.5
            if s > 15:
                break
            if s > 8:
                continue
            s += 0.1
        finally:
            s += 1
    return s, n


@program
def ret_in_except_fin_mod(x):
    a = np.zeros(3)

    def f(k):
        try:
            a[k] = x
            return a[k]
        except IndexError:
            return a[0]
        finally:
            a[0] += 1.0

    return f(1) + f(5) * 2 + f(0) + a[0], 0


@program
def idx_fin(x):
    a = [1.0, 2.0]

    def f(k):
        try:
            return a[k] * x
        except IndexError:
            return -x
        finally:
            a[0] += x

    return f(int(x)) + f(int(x) - 1) + a[0], 0


@program
def del_in_fin(x):
    y = x
    try:
        z = y
    finally:
        del y
    try:
        return y, 0
    except UnboundLocalError:
        return z, 1


@program
def try_in_fin(x):
    log = []

    def f():
        try:
            return x
        finally:
            try:
                raise ValueError
            except ValueError:
                log.append("in")
            log.append("out")

    return f(), log


@program
def loop_in_fin(x):
    log = []

    def f():
        try:
            raise ValueError("z")
        finally:
            for i in range(3):
                if i == 1:
                    break
                log.append(i)

    try:
        f()
    except ValueError as e:
        log.append(str(e))
    return x, log


@program
def ret_in_loop_fin(x):
    def f():
        try:
            raise ValueError("z")
        finally:
            for i in range(3):
                if i == 1:
                    return x * i

    return f(), 0


@program
def with_ret_over(x):
    log = []

    class C:
        def __enter__(self):
            return self

        def __exit__(self, *a):
            log.append("exit")
            return False

    def f():
        with C():
            try:
                return x
            finally:
                log.append("fin")

    def g():
        for i in range(3):
            with C():
                if i == 1:
                    break
                continue
        return i

    return f() * g(), log


@program
def exc_else_fin_ret(x):
    def f():
        try:
            a = x
        except ValueError:
            return 1.0
        else:
            return a * 2
        finally:
            a = 0.0

    return f(), 0


@program
def exc_raise_class_inst(x):
    log = []
    for k in (ValueError, KeyError("q"), IndexError):
        try:
            raise k
        except LookupError as e:
            log.append(("L", type(e).__name__, e.args))
        except ValueError as e:
            log.append(("V", e.args))
    return x, log


@program
def tuple_handlers(x):
    log = []
    for k in (0, 1, 2):
        try:
            if k == 0:
                {}["a"]
            if k == 1:
                [][0]
            1 / 0
        except (KeyError, IndexError) as e:
            log.append(type(e).__name__)
        except ArithmeticError as e:
            log.append(str(e))
    return x, log


@program
def finally_in_nested_loops(x):
    log = 0

    def f():
        nonlocal log
        for i in range(5):
            try:
                for j in range(3):
                    try:
                        if i + j == 3:
                            return x * i + j
                    finally:
                        log = log * 3 + j
            finally:
                log = log * 3 + 2
        return 0.0

    return f(), log


@program
def generator_that_is_left(x):
    n = [0, 0]

    def g():
        try:
            for i in range(5):
                yield x * i
        finally:
            n[0] = n[1] * 10

    for v in g():
        n[1] += 1
        if v > 3:
            break
    return v * n[0], n


@pytest.mark.parametrize("x", [0.7, 2.6])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_try(f, x):
    assert_as_python(f, x)
