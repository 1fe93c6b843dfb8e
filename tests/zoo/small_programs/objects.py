"""Instances: dataclasses, methods, `__call__`, operators, attributes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from tests.zoo.small_programs.registry import program

A = np.array


@dataclass
class Linear:
    w: np.ndarray
    b: np.ndarray

    def __call__(self, x):
        return self.w @ x + self.b

    def penalty(self, rate=0.1):
        return rate * np.sum(self.w * self.w)


@dataclass(frozen=True)
class Pair:
    x: float
    y: float = 2.0

    def __add__(self, other):
        return Pair(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Pair(self.x * k, self.y * k)

    @property
    def product(self):
        return self.x * self.y

    @staticmethod
    def square(t):
        return t * t

    @classmethod
    def diagonal(cls, t):
        return cls(t, t)


class Counter:
    step = 0.5

    def __init__(self, start):
        self.count = start
        self.calls = 0

    def add(self, x):
        self.count = self.count + x * self.step
        self.calls += 1
        return self.count

    def __len__(self):
        return self.calls

    def __getitem__(self, i):
        return self.count * i


class Doubled(Counter):
    def __init__(self, start):
        super().__init__(start * 2)

    def add(self, x):
        return super().add(x) * 2


@dataclass
class Network:
    layers: list
    scale: float = 1.0
    names: tuple = field(default=("a", "b"))

    def __call__(self, x):
        for layer in self.layers:
            x = np.tanh(layer(x)) * self.scale
        return x


LINEAR = Linear(A([[1.0, 2.0], [0.1, 0.2]]), A([0.5, 0.1]))
SMALL = Linear(A([[0.3, -1.0]]), A([0.2]))


@program((LINEAR, A([0.3, 0.4])), (SMALL, A([1.0, 2.0])))
def dataclass_called(layer, x):
    return layer(x) * 2 + layer.penalty()


@program((Network([LINEAR, SMALL]), A([0.3, 0.4])), (Network([LINEAR, LINEAR]), A([1.0, 2.0])))
def network_of_dataclasses(net, x):
    return np.sum(net(x))


@program((A([0.3, 0.4]),), (A([1.0, 2.0]),))
def global_instance(x):
    return SMALL(LINEAR(x)) + SMALL.penalty(0.5)


@program((Pair(1.5, 3.0),), (Pair(-0.5),))
def properties_and_static_methods(p):
    return p.product + Pair.square(p.x) + p.square(p.y)


@program((1.5, 3.0), (-0.5, 0.2))
def operators_of_instances(x, y):
    p = Pair(x, y) + Pair(y) * x
    q = replace(p, x=p.x * 2)
    return q.product + Pair.diagonal(x).product


@program((1.5, 3.0), (-0.5, 0.2))
def instance_returned(x, y):
    return Pair(x * y, x)


@program((1.5, 3), (-0.5, 0))
def instance_with_state(x, n):
    c = Counter(x)
    for i in range(n):
        c.add(x * i)
    return c.count * x + len(c)


@program((1.5, 3.0), (-0.5, 0.2))
def inherited_methods(x, y):
    c = Doubled(x)
    a = c.add(y)
    return a * c.count + c[2] + c.calls


@program((1.5, 3.0), (-0.5, 0.2))
def attributes_set(x, y):
    c = Counter(x)
    c.count *= y
    c.extra = x
    alias = c
    alias.count = alias.count + 1
    return c.count * c.extra + getattr(c, "step") + hasattr(c, "missing")


@program((1.5, 3.0), (-0.5, 0.2))
def bound_methods(x, y):
    c = Counter(x)
    add = c.add
    add(y)
    fs = [c.add, lambda t: t * x]
    return fs[0](x) * fs[1](y)


@program((LINEAR, 0.1, 3), (SMALL, 0.2, 0))
def instance_changed_in_a_loop(layer, rate, n):
    x = np.ones(2)
    for _ in range(n):
        layer.w = layer.w - rate * np.outer(layer(x), x)
    return layer.w * 2.0


@program((1.5,), (-0.5,))
def instance_in_a_branch(x):
    c = Counter(x)
    if x > 0:
        c.add(x * x)
    else:
        c.count = 3.0 * x
    return c.count


@program((1.5,), (-0.5,))
def class_defined_outside_used_in_a_list(x):
    pairs = [Pair(x, i * x) for i in range(3)]
    total = Pair(0.0, 0.0)
    for p in pairs:
        total = total + p
    return total.product
