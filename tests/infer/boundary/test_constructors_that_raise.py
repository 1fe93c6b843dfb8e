"""Objects whose `__init__` may raise, in a `try`: no handler can know what was half made."""

import pytest

import myia


class Root:
    def __init__(self, v):
        if v < 0:
            raise ValueError("negative")
        assert v < 100, "big"
        self.r = v * 2.0


class Refined:
    """Has attributes before the check, of another type after it."""

    def __init__(self, v):
        self.parts = (v,)
        if v < 0:
            raise ValueError("negative")
        self.parts = ("two", v)
        self.r = v * 2.0


class Outer:
    def __init__(self, v):
        self.root = Root(v)
        self.q = v * 3.0


class Point:
    def __init__(self, v):
        self.a = v

    def step(self, v):
        self.a = self.a * 2.0
        if v < 0:
            raise ValueError("negative")
        self.b = v


class Listed:
    def __init__(self, v, to):
        self.v = v
        to.append(self)
        if v < 0:
            raise ValueError("negative")
        self.w = v


class Owned(Exception):
    def __init__(self, owner):
        super().__init__("owned")
        self.owner = owner


class Telling:
    def __init__(self, v):
        self.v = v
        if v < 0:
            raise Owned(self)
        self.w = v


def root(x, n):
    try:
        return Root(x * (n - 3)).r
    except ValueError:
        return x * 2.0
    except AssertionError:
        return x


def refined(x, n):
    try:
        q = Refined(x * (n - 3))
        return q.r * q.parts[1]
    except ValueError:
        return x * 2.0


def outer(x, n):
    s = 0.0
    for i in range(n):
        try:
            q = Outer(x * (i - 1))
            s += q.root.r * q.q
        except ValueError:
            s -= 1.0 * x
    return s


def in_turns(x, n):
    def items():
        for i in range(n):
            try:
                yield Root(x * (i - 1))
            except ValueError:
                yield Root(x)

    s = 0.0
    for q in items():
        s += q.r
    return s


@pytest.mark.parametrize("n", [0, 2, 5])
@pytest.mark.parametrize("f", [root, refined, outer, in_turns])
def test_values_and_derivatives(f, n):
    x, h = 1.5, 1e-6
    wanted = f(x, n)
    assert myia.jit(f)(x, n) == wanted
    slope = (f(x + h, n) - f(x - h, n)) / (2 * h)
    assert myia.grad(f)(x, n) == pytest.approx(slope, rel=1e-6)
    curve = (f(x + 1e-4, n) - 2 * wanted + f(x - 1e-4, n)) / 1e-8
    assert myia.grad(myia.grad(f))(x, n) == pytest.approx(curve, abs=1e-3)


# ----- A handler knows the object


class Whole(Point):
    """Has all attributes from the start: both paths have one form."""

    def __init__(self, v):
        self.a, self.b = v, 1.0 * v

    def items(self):
        yield self.a
        yield self.a * 2.0


def of_a_name(x, n, make):
    try:
        q = make(x)
        q.step(x * (n - 3))
        return q.b
    except ValueError:
        return q.a


def from_before(x, n, make):
    q = make(x)
    try:
        q.step(x * (n - 3))
    except ValueError:
        return q.a
    return x


def of_a_finally(x, n, make):
    try:
        q = make(x)
        try:
            q.step(x * (n - 3))
        finally:
            s = q.a
        return s * 7.0
    except ValueError:
        return x * s


def in_a_list(x, n, make):
    found = []
    try:
        found.append(make(x))
        found[0].step(x * (n - 3))
    except ValueError:
        return found[0].a
    return x


def in_an_attribute(x, n, make):
    owner = Outer(x)
    try:
        q = make(x)
        owner.child = q
        q.step(x * (n - 3))
    except ValueError:
        return owner.child.a
    return x


def in_a_function(x, n, make):
    try:
        q = make(x)

        def g():
            return q.a

        q.step(x * (n - 3))
    except ValueError:
        return g()
    return x


def in_a_loop(x, n, make):
    try:
        for i in range(2):
            q = make(x)
            q.step(x * (n - 3 + i))
    except ValueError:
        return q.a
    return x


def in_an_inner_try(x, n, make):
    try:
        try:
            q = make(x)
            q.step(x * (n - 3))
        except ZeroDivisionError:
            return x
    except ValueError:
        return q.a
    return x


def in_a_generator(x, n, make):
    def items():
        q = make(x)
        try:
            yield q.a
            q.step(x * (n - 3))
            yield q.a
        finally:
            print("left", q.a)

    s = 0.0
    try:
        for v in items():
            s += v
    except ValueError:
        return s
    return s * 2.0


KNOWN = [
    of_a_name,
    from_before,
    of_a_finally,
    in_a_list,
    in_an_attribute,
    in_a_function,
    in_a_loop,
    in_an_inner_try,
    in_a_generator,
]


def of(f, make):
    return lambda x, n: f(x, n, make)


@pytest.mark.parametrize("f", KNOWN)
def test_other_attributes_on_each_path_are_refused(f):
    with pytest.raises(myia.errors.MyiaError, match="the branches give an instance of"):
        myia.jit(of(f, Point))(1.5, 2)


def of_a_suspended_generator(x, n, make):
    try:
        q = make(x)
        g = q.items()
        next(g)
        q.step(x * (n - 3))
    except ValueError:
        return next(g)
    return x


@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("f", [*KNOWN, of_a_suspended_generator])
def test_a_handler_sees_what_was_done(f, n, capsys):
    f = of(f, Whole)
    x, h = 1.5, 1e-6
    wanted = f(x, n)
    printed = capsys.readouterr().out
    assert myia.jit(f)(x, n) == wanted
    assert capsys.readouterr().out == printed
    slope = (f(x + h, n) - f(x - h, n)) / (2 * h)
    assert myia.grad(f)(x, n) == pytest.approx(slope, rel=1e-6)


def in_the_list_of_a_constructor(x, n):
    found = []
    try:
        return Listed(x * (n - 3), found).w
    except ValueError:
        return found[0].v


def in_the_exception(x, n):
    try:
        return Telling(x * (n - 3)).w
    except Owned as e:
        return e.owner.v * 2.0


@pytest.mark.parametrize("f", [in_the_list_of_a_constructor, in_the_exception])
def test_a_constructor_whose_object_is_known_is_refused(f):
    with pytest.raises(myia.errors.MyiaError, match="the branches give an instance of"):
        myia.jit(f)(1.5, 2)
