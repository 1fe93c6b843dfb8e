"""`hasattr`, `getattr` and `__getattr__` where code decides whether an attribute is there."""

import functools

import pytest

import myia


class Plain:
    def __init__(self, v):
        self.v = v
        self.calls = 0

    @property
    def double(self):
        self.calls += 1
        return self.v * 2

    @property
    def missing(self):
        self.calls += 1
        raise AttributeError("missing")

    @property
    def sometimes(self):
        self.calls += 1
        if self.v > 1:
            raise AttributeError("sometimes")
        return self.v

    @property
    def reads_what_is_missing(self):
        return self.nothing

    @functools.cached_property
    def triple(self):
        self.calls += 1
        return self.v * 3


class WithFallback(Plain):
    def __getattr__(self, name):
        self.calls += 10
        if name == "found":
            return self.v * 7
        if name == "found_sometimes":
            if self.v > 1:
                raise AttributeError(name)
            return self.v
        if name in ("missing", "sometimes", "nothing"):
            return self.v + 5
        raise AttributeError(name)


OF_BOTH = ["double", "missing", "sometimes", "reads_what_is_missing", "triple", "v", "unknown"]
CASES = [(Plain, name) for name in OF_BOTH]
CASES += [(WithFallback, name) for name in (*OF_BOTH, "found", "found_sometimes")]


def has(a, name):
    return 2.0 if hasattr(a, name) else 3.0


def get_with_default(a, name):
    return getattr(a, name, 100.0)


def get(a, name):
    try:
        return getattr(a, name)
    except AttributeError:
        return -1.0


@pytest.mark.parametrize("use", [has, get_with_default, get])
@pytest.mark.parametrize(("cls", "name"), CASES)
@pytest.mark.filterwarnings("ignore::myia.CompileWarning")
def test_values_calls_and_derivatives(use, cls, name):
    def f(x):
        a = cls(x)
        return use(a, name) * x, a.calls

    def value(x):
        return f(x)[0]

    compiled, slope = myia.jit(f), myia.grad(value)
    for x in (0.5, 2.0):
        assert compiled(x) == f(x)
        wanted = (value(x + 1e-6) - value(x - 1e-6)) / 2e-6
        assert slope(x) == pytest.approx(wanted, rel=1e-8)


def test_of_an_argument():
    def f(a, x):
        y = a.sometimes + getattr(a, "missing", 1.0) * x
        return y if hasattr(a, "sometimes") else -y

    for v in (0.5, 2.0):
        ours, pythons = WithFallback(v), WithFallback(v)
        assert myia.jit(f)(ours, 3.0) == f(pythons, 3.0)
        assert ours.calls == pythons.calls


@pytest.mark.parametrize("name", [3, slice(1, 2), None])
@pytest.mark.parametrize("f", [getattr, hasattr, lambda x, name: getattr(x, name, 1.0)])
def test_names_are_strings(f, name):
    for function in (f, myia.jit(lambda x, name: f(x, name))):
        with pytest.raises(TypeError, match="attribute name must be string"):
            function(1.0, name)
