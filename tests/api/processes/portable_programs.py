"""Compiled functions of a module that other processes import."""

import functools

import numpy as np

import myia


def square(x):
    return x * x


@myia.jit
def decorated(x):
    return square(x) + 1.0


@myia.grad(argnums=1)
def decorated_with_options(x, y):
    return x * y * y


@myia.value_and_grad
@myia.jit
def decorated_twice(x):
    return x**3


@myia.checkpoint
def checkpointed(x):
    return x * x


@myia.host(like=0.0)
def on_host(x):
    return x * 2.0


@myia.custom_jvp
def with_jvp(x):
    return x * x


@with_jvp.defjvp
def _with_jvp_rule(primals, tangents):
    return with_jvp(*primals), 7.0 * tangents[0]


@functools.partial(myia.custom_vjp, nondiff_argnums=(0,))
def with_vjp(n, x):
    return n * x


def _fwd(n, x):
    return with_vjp(n, x), None


def _bwd(n, residuals, ct):
    return (5.0 * n * ct,)


with_vjp.defvjp(_fwd, _bwd)


class Model:
    def __init__(self, by):
        self.by = by

    @myia.jit
    def scaled(self, x):
        return x * self.by

    def plain(self, x):
        return x * self.by

    def __call__(self, x):
        return x * x * self.by


# By name or by value, with arguments and the result of a call.
FUNCTIONS = {
    "jit": (myia.jit(square), (3.0,), 9.0),
    "jit with options": (myia.jit(square, check=True, checkpoint="tape"), (3.0,), 9.0),
    "grad": (myia.grad(square), (3.0,), 6.0),
    "value_and_grad": (myia.value_and_grad(square), (3.0,), (9.0, 6.0)),
    "jacfwd": (myia.jacfwd(square), (3.0,), 6.0),
    "jacrev": (myia.jacrev(square), (3.0,), 6.0),
    "hessian": (myia.hessian(square), (3.0,), 2.0),
    "hvp": (myia.hvp(square), (3.0, 2.0), 4.0),
    "elementwise_grad": (myia.elementwise_grad(square), (3.0,), 6.0),
    "decorated": (decorated, (3.0,), 10.0),
    "decorated with options": (decorated_with_options, (2.0, 3.0), 12.0),
    "decorated twice": (decorated_twice, (2.0,), (8.0, 12.0)),
    "of a decorated one": (myia.grad(decorated), (3.0,), 6.0),
    "checkpoint": (checkpointed, (3.0,), 9.0),
    "grad of checkpoint": (myia.grad(checkpointed), (3.0,), 6.0),
    "custom_jvp": (myia.grad(with_jvp), (3.0,), 7.0),
    "custom_vjp": (myia.grad(with_vjp, argnums=1), (2, 3.0), 10.0),
    "decorated for the host": (on_host, (3.0,), 6.0),
    "host": (myia.jit(myia.host(square, like=0.0)), (3.0,), 9.0),
    "method": (Model(2.0).scaled, (3.0,), 6.0),
    "bound method": (myia.jit(Model(2.0).plain), (3.0,), 6.0),
    "instance": (myia.grad(Model(2.0)), (3.0,), 12.0),
    "partial": (myia.jit(functools.partial(pow, 2.0)), (3.0,), 8.0),
    "pullback": (myia.vjp(square, 3.0)[1], (1.0,), (6.0,)),
    "in a container": ({"f": [decorated]}["f"][0], (3.0,), 10.0),
}


def fails(x):
    return [1.0, 2.0][x]


def is_refused(x):
    with open("file"):
        return x


def needs_static(x):
    return np.sum(np.ones((2, 2)), axis=int(x))


class Loss:
    """An estimator's part, and a worker's argument."""

    def __init__(self, power):
        self.power = power
        self.gradient = myia.grad(self.value)

    def value(self, w):
        return np.sum(w**self.power)
