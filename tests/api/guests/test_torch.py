"""Tensors of torch as arguments: their memory, results like them, what is refused."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import myia
from myia.infer.boundary.signature import CallFlattener

torch = pytest.importorskip("torch")


def tensor(*numbers: float, dtype: Any = None) -> Any:
    return torch.tensor(numbers, dtype=torch.float64 if dtype is None else dtype)


def energy(x, w):
    total = 0.0
    for i in range(1, len(x)):
        total += w[i] * np.sin(x[i] * x[i - 1]) ** 2
    return total


def same(x, y):
    assert isinstance(x, torch.Tensor), type(x)
    assert x.dtype == torch.from_numpy(np.asarray(y)).dtype
    np.testing.assert_allclose(x.numpy(), y, rtol=1e-12)


def test_memory_is_not_copied():
    x = torch.arange(12.0).reshape(3, 4).T
    flat = CallFlattener()
    signature = flat.add(x)
    assert flat.leaves[0].ctypes.data == x.data_ptr()
    assert signature.shape == (4, 3) and not signature.contiguous
    assert flat.objects == [x] and flat.objects[0] is x


def test_values_and_derivatives_follow():
    x, w = tensor(0.3, -1.2, 2.0), tensor(1.0, 0.5, 2.0)
    a, b = x.numpy(), w.numpy()
    of_arrays = [
        F(a, b) for F in (myia.jit(energy), myia.grad(energy, (0, 1)), myia.hessian(energy))
    ]
    compiled = myia.jit(energy), myia.grad(energy, (0, 1)), myia.hessian(energy)
    for _ in range(3):  # the third call is a guarded one
        value, (dx, dw), second = (F(x, w) for F in compiled)
        same(value, of_arrays[0])
        same(dx, of_arrays[1][0])
        same(dw, of_arrays[1][1])
        same(second, of_arrays[2])
    assert [F.compiles for F in compiled] == [1, 1, 1]
    value, tangent = myia.jvp(energy, (x, w), (x, w))
    same(tangent, myia.jvp(energy, (a, b), (a, b))[1])
    _, pullback = myia.vjp(energy, x, w)
    same(pullback(torch.tensor(1.0, dtype=torch.float64))[0], of_arrays[1][0])


def test_mixed_arguments_give_tensors():
    x, w = tensor(0.3, -1.2), np.array([1.0, 0.5])
    F = myia.jit(lambda x, w: {"product": x * w, "shape": x.shape, "least": float(x.min())})
    found = F(x, w)
    same(found["product"], [0.3, -0.6])
    assert found["shape"] == (2,) and type(found["least"]) is float
    assert type(F(x.numpy(), w)["product"]) is np.ndarray  # another program
    same(myia.grad(lambda w, x: np.sum(w * x))(w, x), x.numpy())


def test_dtypes():
    F = myia.jit(lambda x: (x * 2, x != 0, x.sum()))
    for dtype in (torch.float16, torch.float32, torch.int32, torch.uint8, torch.complex64):
        x = torch.tensor([1, 0, 3], dtype=dtype)
        wanted = (x.numpy() * 2, x.numpy() != 0, x.numpy().sum())
        for found, y in zip(F(x), wanted):
            same(found, y)
    same(F(torch.zeros(0))[0], np.zeros(0, np.float32))
    same(myia.grad(lambda x: x * x)(torch.tensor(3.0)), np.float32(6.0))


def update(state, x):
    state["w"] -= 0.5 * state["rates"][0] * x
    state["seen"] = x[x > 1.5]
    rows = []
    k = 0
    while k * x[0] < 3:
        rows.append(x * k)
        k += 1
    return state, x, x[1:], rows


def test_writes_and_containers():
    F = myia.jit(update)
    x = tensor(1.0, 2.0)
    for _ in range(3):
        w = tensor(1.0, 1.0)
        state = {"w": w, "rates": [torch.tensor(2.0)]}
        found, same_x, rest, rows = F(state, x)
        assert found is state and same_x is x and state["w"] is w
        same(w, [0.0, -1.0])
        assert w._version == 1  # torch knows that it has changed
        same(state["seen"], [2.0])
        same(rest, [2.0])
        assert rest.data_ptr() != x[1:].data_ptr()
        assert len(rows) == 3
        same(rows[2], [2.0, 4.0])


class Model:
    def __init__(self) -> None:
        self.w = tensor(3.0, 4.0)

    def __call__(self, x):
        return np.sum(self.w * x**2)


SCALE = tensor(2.0, 3.0)


def test_globals_closures_and_attributes():
    model, x, shift = Model(), tensor(1.0, 2.0), tensor(0.5, 0.5)
    same(myia.jit(model)(x), 19.0)
    same(myia.grad(lambda m, x: m(x))(model, x).w, [1.0, 4.0])
    F = myia.jit(lambda x: SCALE * x + shift)
    for k in range(4):
        shift[0] = k  # seen by the next call
        same(F(x), [2.0 + k, 6.5])
    assert type(F(x.numpy())) is np.ndarray  # what a function reads does not count


def test_one_tensor_twice_and_shared_memory():
    def both(a, b):
        a[0] = b[1] + 1
        return a + b

    F, x = myia.jit(both), tensor(1.0, 2.0, 3.0)
    same(F(x, x), [6.0, 4.0, 6.0])
    with pytest.raises(ValueError, match="`a` and `b` share memory, and `a` is written to"):
        F(x[:2], x[1:])
    with pytest.raises(ValueError, match="share memory"):
        F(x[:2], x.numpy()[1:])
    same(F(x[:1], x[1:]), [6.0, 7.0])


def test_requires_grad_is_read_only():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    found = myia.grad(lambda x: np.sum(x**3))(x)
    same(found, np.array([3.0, 12.0], np.float32))
    assert not found.requires_grad and x.grad is None
    weight = torch.nn.Parameter(x.detach())
    same(myia.grad(lambda x: np.sum(x**3))(weight), np.array([3.0, 12.0], np.float32))
    y = x * 2
    same(myia.vjp(lambda x: x**2, y)[0], np.array([4.0, 16.0], np.float32))

    def clear(x):
        x[0] = 0.0

    with pytest.raises(ValueError, match="assignment destination is read-only: `x`"):
        myia.jit(clear)(x)
    assert x[0] == 1.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: torch.empty(2, device="meta"), "meta device type tensor to numpy"),
        (lambda: torch.eye(2).to_sparse(), "to_dense"),
        (lambda: torch.tensor([1j]).conj(), "resolve_conj"),
    ],
)
def test_refused_tensors(make, message):
    with pytest.raises(TypeError, match=f"the memory of a torch.Tensor: .*{message}"):
        myia.jit(lambda x: x * 2)(make())


def test_functions_of_torch_are_refused():
    with pytest.raises(myia.errors.MyiaError, match=r"`torch\.sin` is not supported") as error:
        myia.jit(lambda x: torch.sin(x))(tensor(1.0))
    assert "write it with NumPy: a tensor that is an argument is an array here" in str(error.value)


def test_bfloat16():
    """Its memory is read as float32, and written to by rounding."""
    x, F = tensor(1.0, 2.0, 3.5, dtype=torch.bfloat16), myia.value_and_grad(energy)
    w = x.float()
    for _ in range(3):
        (value, slope), (of_wide, its_slope) = F(x, w), F(w, w)
        assert value.dtype == slope.dtype == torch.float32
        assert value == of_wide and torch.equal(slope, its_slope)
    assert F.compiles == 2

    def scaled(x):
        x[1:] *= 1.01

    version = x._version
    myia.jit(scaled)(x)
    w[1:] *= 1.01
    assert torch.equal(x, w.bfloat16()) and x._version == version + 1
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        myia.jit(scaled)(x.clone().requires_grad_())


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState, random.Random])
def test_generators_beside_tensors(make):
    """Results are tensors, and the state of a generator is not."""

    def f(x, r):
        return x * r.uniform(1.0, 2.0)

    ours, theirs, x = make(3), make(3), tensor(0.5, 1.5)
    same(myia.jit(f)(x, ours), f(x.numpy(), theirs))
    assert ours.uniform(0.0, 1.0) == theirs.uniform(0.0, 1.0)


def test_a_generator_made_beside_tensors():
    def f(x, seed):
        rng = np.random.default_rng(seed)
        return x * rng.random(), rng

    y, rng = myia.jit(f)(tensor(0.5, 1.5), 3)
    want, theirs = f(np.array([0.5, 1.5]), 3)
    same(y, want)
    assert rng.random() == theirs.random()
