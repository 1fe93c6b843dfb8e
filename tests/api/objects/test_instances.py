"""Instances with slots, namespaces and sets are taken apart, differentiated and written back."""

import dataclasses
import types
from typing import Any

import numpy as np
import pytest

import myia

W = np.array([0.5, -1.0, 2.0])


class Slots:
    __slots__ = ("b", "w")

    def __init__(self, w, b):
        self.w, self.b = w, b


class InheritedSlots(Slots):
    __slots__ = ()


class MoreSlots(Slots):
    __slots__ = ("kind",)

    def __init__(self, w, b):
        super().__init__(w, b)
        self.kind = "more"


class SlotsThenDict(Slots):
    def __init__(self, w, b):
        super().__init__(w, b)
        self.kind = "a `__dict__`"


class DictInSlots:
    __slots__ = ("__dict__", "__weakref__", "w")

    def __init__(self, w, b):
        self.w, self.b = w, b


class DictThenSlots(types.SimpleNamespace):
    __slots__ = ("w",)

    def __init__(self, w, b):
        super().__init__(b=b)
        self.w = w


class PrivateSlots:
    __slots__ = ("__w", "b", "empty")

    def __init__(self, w, b):
        self.__w, self.b = w, b

    @property
    def w(self):
        return self.__w

    @w.setter
    def w(self, w):
        self.__w = w


class WithoutInit:
    """Made by `__new__`; neither may be called again."""

    __slots__ = ("b", "w")

    def __new__(cls, w, b):
        new = object.__new__(cls)
        new.w, new.b = w, b
        return new


@dataclasses.dataclass(slots=True)
class Data:
    w: Any
    b: float


def namespace(w, b):
    return types.SimpleNamespace(w=w, b=b)


MAKERS = [
    *(Slots, InheritedSlots, MoreSlots, SlotsThenDict, DictInSlots, DictThenSlots, PrivateSlots),
    *(WithoutInit, Data, namespace),
]
every_class = pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)


def energy(p):
    return np.sum(np.sin(p.w) * p.w) * p.b**2


def gradient_of_energy(w, b):
    return (np.cos(w) * w + np.sin(w)) * b**2, 2 * b * np.sum(np.sin(w) * w)


def assert_gradient(found, like):
    dw, db = gradient_of_energy(like.w, like.b)
    assert type(found) is type(like) and found is not like
    np.testing.assert_allclose(found.w, dw, rtol=1e-12)
    assert found.b == pytest.approx(db, rel=1e-12)


@every_class
def test_the_gradient_of_an_instance_is_an_instance(make):
    p = make(W.copy(), 3.0)
    assert_gradient(myia.grad(energy)(p), p)
    np.testing.assert_array_equal(p.w, W)
    assert getattr(myia.grad(energy)(p), "kind", None) == getattr(p, "kind", None)


def step(p, x):
    p.b = p.b * x
    p.w[0] = x
    p.w = p.w + 1.0
    return p.b


@every_class
def test_a_compiled_function_changes_the_instance(make):
    p, want = make(W.copy(), 3.0), make(W.copy(), 3.0)
    given, want_given = p.w, want.w
    F = myia.jit(step)
    for x in (2.0, 5.0):
        assert F(p, x) == step(want, x)
        np.testing.assert_array_equal(p.w, want.w)
        assert p.b == want.b
    np.testing.assert_array_equal(given, want_given)
    assert F.compiles == 1


@pytest.mark.parametrize("make", [Slots, SlotsThenDict, namespace])
def test_every_transform_takes_instances_apart(make):
    p, v = make(W.copy(), 3.0), make(np.array([1.0, 0.5, -1.0]), 2.0)
    dw, db = gradient_of_energy(p.w, p.b)
    along = dw @ v.w + db * v.b
    value, slope = myia.jvp(energy, (p,), (v,))
    assert value == pytest.approx(energy(p)) and slope == pytest.approx(along)
    value, pull = myia.vjp(energy, p)
    p_before = make(p.w.copy(), p.b)
    p.w[:] = 0.0  # the pullback has a copy
    assert_gradient(pull(1.0)[0], p_before)
    p.w[:] = p_before.w
    value, found = myia.value_and_grad(energy)(p)
    assert value == pytest.approx(energy(p))
    assert_gradient(found, p)
    for jacobian in (myia.jacrev, myia.jacfwd):
        assert_gradient(jacobian(energy)(p), p)
    h = 1e-6
    plus, minus = (
        myia.grad(energy)(make(p.w + s * h * v.w, p.b + s * h * v.b)) for s in (1.0, -1.0)
    )
    found = myia.hvp(energy)(p, v)
    np.testing.assert_allclose(found.w, (plus.w - minus.w) / (2 * h), rtol=1e-6)
    assert found.b == pytest.approx((plus.b - minus.b) / (2 * h), rel=1e-6)
    rows = myia.hessian(energy)(p)
    np.testing.assert_allclose(rows.w.w @ v.w + rows.w.b * v.b, found.w, rtol=1e-10)
    assert type(rows) is type(rows.b) is type(p)
    myia.check_grads(energy, (p,), order=2)


def test_instances_in_containers_and_in_each_other():
    def total(tree):
        inner = tree["layers"][0].w
        return np.sum(inner.w) * inner.b + tree["last"].w ** 2

    tree = {"layers": [namespace(Slots(W.copy(), 2.0), "no number")], "last": Data(3.0, 1.0)}
    found = myia.grad(total)(tree)
    inner = found["layers"][0]
    assert type(inner) is types.SimpleNamespace and inner.b == "no number"
    assert type(inner.w) is Slots and type(found["last"]) is Data
    np.testing.assert_array_equal(inner.w.w, 2.0 * np.ones(3))
    assert (inner.w.b, found["last"].w, found["last"].b) == (W.sum(), 6.0, 0.0)
    found = myia.jit(lambda tree: myia.grad(total)(tree))(tree)  # inside compiled code
    assert type(found["last"]) is Data and found["last"].w == 6.0


def test_instances_of_slots_are_made_in_compiled_code():
    def make(x):
        p = Slots(x * 2.0, 1.0)
        p.b += x
        q = types.SimpleNamespace(p=p, name="q")
        q.extra = x
        return q

    q, want = myia.jit(make)(3.0), make(3.0)
    assert type(q.p) is Slots and (q.p.w, q.p.b, q.extra) == (want.p.w, want.p.b, want.extra)
    assert list(vars(q)) == list(vars(want))


def test_empty_slots():
    def asks(p):
        return hasattr(p, "empty"), getattr(p, "empty", p.b)

    def reads(p):
        return p.empty

    def writes(p):
        p.other = p.b

    p = PrivateSlots(1.0, 2.0)
    assert myia.jit(asks)(p) == (False, 2.0)
    for f in (reads, writes):
        with pytest.raises(myia.MyiaError, match="object has no attribute"):
            myia.jit(f)(p)
    p.empty = 4.0
    assert myia.jit(asks)(p) == (True, 4.0)


def test_a_property_comes_before_an_attribute_of_its_name():
    class Masked:
        def __init__(self):
            self.__dict__["w"] = 1.0

        @property
        def w(self):
            return 5.0

    p = Masked()
    assert myia.jit(lambda p, x: p.w * x)(p, 2.0) == p.w * 2.0 == 10.0
    assert vars(myia.grad(lambda p: p.w * 2.0)(p)) == {"w": 0.0}


def test_attrs():
    attrs = pytest.importorskip("attrs")

    @attrs.define
    class Mutable:
        w: Any
        b: float = 3.0

    @attrs.frozen
    class Frozen:
        w: Any
        b: float = 3.0

    for cls in (Mutable, Frozen):
        assert_gradient(myia.grad(energy)(cls(W.copy())), cls(W.copy()))
        assert_gradient(myia.vjp(energy, cls(W.copy()))[1](1.0)[0], cls(W.copy()))
    p, want = Mutable(W.copy()), Mutable(W.copy())
    assert myia.jit(step)(p, 2.0) == step(want, 2.0)
    np.testing.assert_array_equal(p.w, want.w)


class FrozenByHand:
    __slots__ = ("b", "w")

    def __init__(self, w, b):
        object.__setattr__(self, "w", w)
        object.__setattr__(self, "b", b)

    def __setattr__(self, name, value):
        raise AttributeError(name)


def test_an_instance_without_setattr():
    p = FrozenByHand(W.copy(), 2.0)
    assert_gradient(myia.grad(energy)(p), p)
    assert_gradient(myia.vjp(energy, p)[1](1.0)[0], p)
    with pytest.raises(myia.MyiaError, match="__setattr__"):
        myia.jit(step)(p, 2.0)


# ----- Sets


def squares(s):
    return sum(v**2 for v in s) * len(s)


@pytest.mark.parametrize("s", [{1.5, -2.0}, frozenset({0.5}), {np.float64(3.0), 1.0, -0.25}])
def test_sets_of_floats(s):
    F = myia.jit(squares)
    assert F(s) == pytest.approx(squares(s))
    found = myia.grad(squares)(s)
    assert found == [pytest.approx(2 * len(s) * v) for v in s]  # a list, in the set's order
    assert myia.grad(lambda d: squares(d["s"]))({"s": s})["s"] == found
    tangents = [float(i + 1) for i in range(len(s))]
    slope = myia.jvp(squares, (s,), (tangents,))[1]
    assert slope == pytest.approx(sum(2 * len(s) * v * t for v, t in zip(s, tangents)))
    myia.check_grads(squares, (s,))


def test_sets_of_floats_are_read_at_every_call():
    def asks(s, x):
        return x in s, sum(s) * x, len(s) if s else 0, isinstance(s, set)

    F = myia.jit(asks)
    for s in ({1.0, 2.0}, {3.0, 2.0}, {5.5, -1.0}):
        for x in (2.0, 4.0):
            assert F(s, x) == asks(s, x)
    assert F.compiles == 1
    s = {1.0, 7.0}
    assert myia.jit(lambda s: s)(s) is s
    assert myia.jit(lambda s: {"s": s, "n": len(s)})({2, "a"}) == {"s": {2, "a"}, "n": 2}


def test_sets_of_instances():
    class Layer:
        def __init__(self, w):
            self.w = w

    layers = {Layer(2.0), Layer(3.0)}
    found = myia.grad(lambda s: sum(layer.w**2 for layer in s))(layers)
    assert [(type(g), g.w) for g in found] == [(Layer, 2 * layer.w) for layer in layers]


class Ordered:
    def __init__(self):
        self.n, self.m = 1.0, 2.0


class OrderedInSlots(Slots):
    __slots__ = ("__dict__",)

    def __init__(self):
        super().__init__(1.0, 2.0)
        self.n, self.m = 1.0, 2.0


def set_again(o, x):
    del o.n
    o.m, o.n = x, 4.0


def moved(o, x):
    o.z = x
    n = o.n
    del o.n
    o.q, o.n = o.m, n


def only_changed(o, x):
    o.m, o.n, o.z = x, x, x


@pytest.mark.parametrize("f", [set_again, moved, only_changed])
@pytest.mark.parametrize("make", [Ordered, OrderedInSlots])
def test_attributes_stay_in_the_order_in_which_they_were_set(f, make):
    ours, pythons = make(), make()
    myia.jit(f)(ours, 3.0)
    f(pythons, 3.0)
    assert list(vars(ours).items()) == list(vars(pythons).items())
