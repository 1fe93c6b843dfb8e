"""What is not taken apart has no derivative: it is refused, or holds no number and stays."""

import array
import collections
import decimal
import enum
import fractions
import functools
import logging
import pathlib
import threading
import types

import numpy as np
import pytest

import myia

NO_DERIVATIVE = r"`k` is .*, which has no derivative"


class Rates:
    rate = 1.5


class Names:
    title = "no number"


class Rate(enum.Enum):
    LOW = 0.5


class Kind(enum.Enum):
    A = "a"


def scaled_by(scale):
    def scaled(x):
        return x * scale

    return scaled


def leaky(x, slope=0.1):
    return max(x, slope * x)


def smooth(x):
    return np.tanh(x)


module = types.ModuleType("module_of_numbers")
module.rate = 1.5
with_attribute = types.FunctionType(smooth.__code__, {})
with_attribute.scale = 2.0
NUMBERS = {
    "class": Rates,
    "module": module,
    "closure": scaled_by(2.0),
    "default": leaky,
    "attribute_of_function": with_attribute,
    "partial": functools.partial(leaky, slope=0.2),
    "method": types.SimpleNamespace(w=1.0).__repr__,
    "compiled_closure": myia.jit(scaled_by(2.0)),
    "deque": collections.deque([1.0]),
    "nested_deque": collections.deque([{"a": (1.0,)}]),
    "array_module": array.array("d", [1.0]),
    "fraction": fractions.Fraction(1, 2),
    "decimal": decimal.Decimal("1.5"),
    "object_array": np.array([1.0, None], object),
    "enum_of_floats": Rate.LOW,
    "exception": ValueError(1.5),
    "dict_view": {"a": 1.0}.values(),
    "proxy": types.MappingProxyType({"a": 1.0}),
}
NO_NUMBERS = {
    "class": Names,
    "function": smooth,
    "closure": scaled_by(2),  # an int is a setting
    "ufunc": np.tanh,
    "library": np,
    "compiled": myia.jit(smooth),
    "deque": collections.deque(["a"]),
    "enum": Kind.A,
    "path": pathlib.Path("x"),
    "lock": threading.Lock(),
    "dtype": np.dtype(float),
    "strings": np.array(["a"]),
    "logger": logging.getLogger("myia.tests"),  # holds itself
    "empty": types.SimpleNamespace(),
}


def value(p):
    return p["w"] ** 2


@pytest.mark.parametrize("name", NUMBERS)
def test_an_object_that_holds_a_number_is_refused(name):
    held = NUMBERS[name]
    for nested, path in ((held, "p['x']"), ([(held,)], "p['x'][0][0]")):
        with pytest.raises(myia.MyiaError) as info:
            myia.grad(value)({"w": 3.0, "x": nested})
        assert f"`{path}" in str(info.value) and "argnums" in str(info.value)
    instance = types.SimpleNamespace(x=held, w=3.0)
    with pytest.raises(myia.MyiaError, match=r"`p\.x"):
        myia.grad(lambda p: p.w**2)(instance)
    with pytest.raises(myia.MyiaError, match="no derivative"):
        myia.grad(lambda x: 1.0)(held)
    # It is welcome where nothing is differentiated.
    assert myia.grad(lambda x, p: x * p["w"])(2.0, {"w": 3.0, "x": held}) == 3.0


@pytest.mark.parametrize("name", NO_NUMBERS)
def test_an_object_that_holds_no_number_stays(name):
    held = NO_NUMBERS[name]
    found = myia.grad(value)({"w": 3.0, "x": held})
    assert found["w"] == 6.0
    assert found["x"] is held


@pytest.mark.parametrize("held", [Rates, Names, smooth, np.tanh, module, np, myia.jit(smooth)])
def test_classes_modules_and_functions_are_no_arguments_of_a_derivative(held):
    for transform in (myia.grad, myia.value_and_grad, myia.jacrev, myia.jacfwd, myia.hessian):
        with pytest.raises(myia.MyiaError, match=NO_DERIVATIVE):
            transform(lambda k: 1.0)(held)
    with pytest.raises(myia.MyiaError, match=NO_DERIVATIVE):
        myia.jvp(lambda k: 1.0, (held,), (held,))
    with pytest.raises(myia.MyiaError, match=NO_DERIVATIVE):
        myia.vjp(lambda k: 1.0, held)[1](1.0)
    with pytest.raises(myia.MyiaError, match=NO_DERIVATIVE):
        myia.hvp(lambda k: 1.0)(held, held)
    with pytest.raises(myia.MyiaError, match=NO_DERIVATIVE):
        myia.jit(lambda x, k: myia.grad(lambda k: x)(k))(1.0, held)  # inside compiled code


def test_check_grads_of_an_object_that_is_not_taken_apart():
    for held in (Rates, types.SimpleNamespace(rate=1.5, kind=Rates)):
        with pytest.raises(myia.MyiaError, match="class `Rates`, which has no derivative"):
            myia.check_grads(lambda k: k.rate**2, (held,))


def test_an_excluded_argument_may_be_anything():
    def loss(x, k, act):
        return act(x) * k.rate

    for argnums in (0, (0,)):
        found = myia.grad(loss, argnums)(2.0, Rates, smooth)
        assert np.ravel(found)[0] == pytest.approx((1 - np.tanh(2.0) ** 2) * 1.5)


def test_results_that_hold_numbers():
    with pytest.raises(myia.MyiaError, match=r"`result\['kind'\]` is the class `Rates`"):
        myia.jacrev(lambda x: {"y": x * x, "kind": Rates})(2.0)
    found = myia.jacrev(lambda x: {"y": x * x, "kind": Names})(2.0)
    assert found == {"y": 4.0, "kind": Names}
    (value, found), aux = myia.value_and_grad(lambda x: (x * x, Rates), has_aux=True)(2.0), Rates
    assert value == (4.0, aux) and found == 4.0


def test_a_function_comes_back_from_a_compiled_function():
    assert myia.jit(lambda x, f: (f(x), f))(2.0, smooth)[1] is smooth
    with pytest.raises(myia.MyiaError, match="as a result"):
        myia.jit(lambda x, f: (f(x), f))(2.0, scaled_by(2.0))


def test_instances_of_ints_alone():
    p = types.SimpleNamespace(n=3, inner=types.SimpleNamespace(sizes=[2, 3]))
    with pytest.raises(myia.MyiaError, match="`p` is an instance of SimpleNamespace"):
        myia.grad(lambda p: p.n * 2.0)(p)
    found = myia.grad(lambda t: t[0] * t[1].n)((2.0, p))
    assert found[0] == 3.0 and found[1] is p


def test_objects_that_hold_themselves():
    p = types.SimpleNamespace(w=2.0)
    p.child = types.SimpleNamespace(parent=p, b=1.0)
    with pytest.raises(myia.MyiaError, match=r"holds itself, at `p\.child\.parent`"):
        myia.grad(lambda p: p.w * p.child.b)(p)
    assert myia.grad(lambda x, p: x * p.child.parent.w)(3.0, p) == 2.0
    assert myia.jit(lambda p: p)(p) is p


def test_a_set_as_tangent():
    with pytest.raises(myia.MyiaError, match="a set of 2 items"):
        myia.jvp(lambda s: sum(s), ({1.0, 2.0},), ({3.0, 4.0},))
