"""`myia.torch_function`: torch's autograd differentiates by our adjoint."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import threading
from typing import Any

import numpy as np
import pytest

import myia

torch = pytest.importorskip("torch")


def tensor(*numbers: float, dtype: Any = None, grad: bool = True) -> Any:
    return torch.tensor(numbers, dtype=dtype or torch.float64, requires_grad=grad)


def energy(x, w):
    total = 0.0
    for i in range(1, len(x)):
        total += w[i] * np.sin(x[i] * x[i - 1]) ** 2
    return total


def energy_of_torch(x, w):
    return (w[1:] * torch.sin(x[1:] * x[:-1]) ** 2).sum()


def halvings(x):
    """How often nobody knows; written in place."""
    x = x.copy()
    while np.sum(x * x) > 1.0:
        for i in range(len(x)):
            x[i] = 0.5 * x[i] * x[i - 1] if x[i] > 0.2 else np.sin(x[i])
    return x


F = myia.torch_function(energy)
X, W = (0.3, -1.2, 2.0), (1.0, 0.5, 2.0)


def test_values_and_gradients_are_those_of_torch():
    x, w = tensor(*X), tensor(*W)
    y = F(x, w)
    assert y.dtype == torch.float64 and y.shape == () and y.requires_grad
    y.backward()
    a, b = tensor(*X), tensor(*W)
    wanted = energy_of_torch(a, b)
    wanted.backward()
    torch.testing.assert_close(y, wanted, rtol=1e-14, atol=0)
    torch.testing.assert_close(x.grad, a.grad, rtol=1e-13, atol=0)
    torch.testing.assert_close(w.grad, b.grad, rtol=1e-13, atol=0)


def test_third_derivatives():
    def third(f):
        x, w = tensor(*X), tensor(*W)
        (first,) = torch.autograd.grad(f(x, w), x, create_graph=True)
        (second,) = torch.autograd.grad((first * w).sum(), x, create_graph=True)
        return torch.autograd.grad(second.prod(), (x, w))

    for found, wanted in zip(third(F), third(energy_of_torch)):
        torch.testing.assert_close(found, wanted, rtol=1e-11, atol=0)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (halvings, (tensor(0.9, 1.1, 0.8),)),
        (
            lambda z: (z * z * z.conj(), np.sum(np.abs(z))),
            (tensor(1 + 2j, 0.5j, dtype=torch.complex128),),
        ),
    ],
)
def test_gradcheck(f, args):
    G = myia.torch_function(f)
    assert torch.autograd.gradcheck(G, args, check_forward_ad=len(args[0]) == 2)
    assert torch.autograd.gradgradcheck(G, args)


def test_results_are_of_any_structure():
    @dataclasses.dataclass
    class Pair:
        first: Any
        rest: Any

    def f(x, k):
        y = x * 2
        return {"y": y, "both": [y, Pair(x.sum(), (k, "text", None))], "n": len(x), "mask": x > 0}

    x = tensor(1.0, -2.0)
    found = myia.torch_function(f)(x, 2.5)
    assert found["both"][0] is found["y"] and found["n"] == 2
    pair = found["both"][1]
    assert type(pair) is Pair and pair.rest[1:] == ("text", None)
    assert pair.rest[0] == 2.5 and isinstance(pair.rest[0], torch.Tensor)  # every float
    assert found["mask"].tolist() == [True, False] and not found["mask"].requires_grad
    (pair.first + found["y"][1]).backward()
    assert x.grad.tolist() == [1.0, 3.0]
    assert myia.torch_function(lambda x: len(x))(x) == 2
    assert myia.torch_function(lambda x: None)(x) is None


@dataclasses.dataclass
class Layer:
    w: Any
    b: Any
    name: str = "layer"


def test_arguments_are_of_any_structure():
    def f(layers, x, *, scale, table):
        for layer in layers:
            x = np.tanh(x * layer.w + layer.b)
        return np.sum(x) * scale["s"] + table[0] * x[0]

    layers = [Layer(tensor(1.0, 2.0), tensor(0.1, 0.2, grad=False)), Layer(tensor(0.5, 1.5), 0.3)]
    x, s, table = tensor(0.4, 0.6), torch.tensor(2.0, requires_grad=True), np.array([3.0])
    myia.torch_function(f)(layers, x, scale={"s": s}, table=table).backward()

    a, b, c, d = (
        tensor(1.0, 2.0),
        tensor(0.5, 1.5),
        tensor(0.4, 0.6),
        torch.tensor(2.0).requires_grad_(),
    )
    y = torch.tanh(torch.tanh(c * a + tensor(0.1, 0.2)) * b + 0.3)
    (y.sum() * d + 3.0 * y[0]).backward()
    for found, wanted in ((layers[0].w, a), (layers[1].w, b), (x, c), (s, d)):
        torch.testing.assert_close(found.grad, wanted.grad, rtol=1e-12, atol=0)
        assert found.grad.dtype == found.dtype
    assert layers[0].b.grad is None


def test_one_tensor_twice():
    x = tensor(2.0, 3.0)
    y = myia.torch_function(lambda a, b: (a * b[0], a))(x, x)
    y[0].sum().backward(retain_graph=True)
    assert x.grad.tolist() == [2.0 * 2 + 3.0, 2.0]
    y[1].sum().backward()
    assert x.grad.tolist() == [8.0, 3.0]


def test_dtypes_are_kept():
    G = myia.torch_function(lambda x, k: x**2 * k[0])
    for dtype in (torch.float16, torch.float32, torch.float64, torch.complex64):
        x, k = tensor(1.0, 2.0, dtype=dtype), torch.tensor([3, 1], dtype=torch.int8)
        y = G(x, k)
        assert y.dtype == dtype
        y.abs().sum().backward()
        assert x.grad.dtype == dtype and x.grad.tolist() == [6.0, 12.0]
    y = G(torch.tensor([1, 2]), torch.tensor([True]))
    assert y.dtype == torch.int64 and not y.requires_grad
    x = tensor(1.0, 2.0, dtype=torch.bfloat16)
    G(x, tensor(1.0, grad=False)).sum().backward()
    assert x.grad.dtype == torch.bfloat16 and x.grad.tolist() == [2.0, 4.0]


def test_only_what_requires_it_is_differentiated():
    """The others may stand where there is no derivative at all."""
    x, at = tensor(1.0, 3.0, 2.0), torch.tensor(50.0, dtype=torch.float64)
    G = myia.torch_function(lambda x, q: np.percentile(x, q))
    y = G(x, at)
    y.backward()
    assert x.grad.tolist() == [0.0, 0.0, 1.0] and at.grad is None
    assert not G(x.detach(), at).requires_grad
    with torch.no_grad():
        assert not G(x, at).requires_grad
    with torch.inference_mode():
        assert G(x, at) == 2.0


def test_memory():
    """Tensors in any layout; results share no memory with them."""
    base = torch.arange(24.0, dtype=torch.float64).reshape(4, 6)
    seen = []
    for view in (base.T, base[::2, 1::2], base[0].expand(3, 6), base.flip(0), base[:0]):
        x = view.detach().requires_grad_()
        y = myia.torch_function(lambda x: (x, np.cos(x)))(x)
        torch.testing.assert_close(y[0], x, rtol=0, atol=0)
        torch.testing.assert_close(y[1], torch.cos(x), rtol=1e-14, atol=1e-15)
        (y[0] + y[1]).sum().backward()
        torch.testing.assert_close(x.grad, 1 - torch.sin(x), rtol=1e-14, atol=1e-15)
        seen += [y[0].untyped_storage().data_ptr(), y[1].untyped_storage().data_ptr()]
    assert base.untyped_storage().data_ptr() not in seen
    x = tensor(*X)
    y = myia.torch_function(lambda x: x * 2)(x).detach()
    y[0] = 7.0  # it is writable
    assert y[0] == 7.0 and x[0] == X[0]


def test_a_conjugated_tensor():
    z = tensor(1 + 2j, 3j, dtype=torch.complex128)
    (myia.torch_function(lambda z: np.sum(z * z))(z.conj())).abs().backward()
    a = tensor(1 + 2j, 3j, dtype=torch.complex128)
    (a.conj() ** 2).sum().abs().backward()
    torch.testing.assert_close(z.grad, a.grad, rtol=1e-12, atol=0)


# ----- What changes between forward and backward


def test_a_tensor_changed_meanwhile():
    w = tensor(*W)
    y = F(tensor(*X), w)
    with torch.no_grad():
        w += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_an_array_changed_meanwhile():
    """What is no tensor is as it was."""
    x, data = tensor(1.0, 2.0), np.array([3.0, 4.0])
    y = myia.torch_function(lambda x, state: np.sum(x * state["data"]))(x, {"data": data})
    data[:] = 0.0
    y.backward()
    assert x.grad.tolist() == [3.0, 4.0]


SCALE = np.array([3.0])
PARAMETER = tensor(1.0)


def test_a_global_changed_meanwhile():
    x = tensor(1.0, 2.0)
    y = myia.torch_function(lambda x: np.sum(x * SCALE))(x)
    SCALE[0] = 4.0
    with pytest.raises(RuntimeError, match="has changed since the call of `<lambda>`"):
        y.backward()
    SCALE[0] = 3.0
    y.backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_second_backward():
    x = tensor(*X)
    y = F(x, tensor(*W))
    y.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()


# ----- What is refused


def test_a_parameter_that_is_no_argument():
    message = "`<lambda>` reads a tensor of shape .1,. that requires a gradient"
    hidden = tensor(2.0)
    with pytest.raises(TypeError, match=message):
        myia.torch_function(lambda x: x * PARAMETER)(tensor(1.0))
    with pytest.raises(TypeError, match=message):
        myia.torch_function(lambda x: x * hidden)(tensor(1.0, grad=False))
    with torch.no_grad():
        assert myia.torch_function(lambda x: x * hidden)(tensor(3.0)).item() == 6.0


def add_one(x):
    x += 1
    return x


def count(x, state):
    state["n"] = state["n"] + 1.0
    return x * state["n"]


def drawn(x, rng):
    return x * rng.normal()


def assigned(x):
    global LAST
    LAST = x[0] * 2
    return x


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (add_one, (tensor(1.0, grad=False),)),
        (add_one, (tensor(1.0),)),
        (count, (tensor(1.0), {"n": 1.0})),
        (drawn, (tensor(1.0), np.random.default_rng(0))),
        (assigned, (tensor(1.0),)),
    ],
)
def test_changes_of_arguments(f, args):
    with pytest.raises(myia.MyiaError) as error:
        myia.torch_function(f)(*args)
    assert "changes an argument or an object from outside" in str(error.value)
    assert "return what is new" in str(error.value) and f"| def {f.__name__}(" in str(error.value)
    assert args[0].item() == 1.0


def test_a_copy_may_be_changed():
    x = tensor(1.0, 2.0)
    y = myia.torch_function(lambda x: add_one(x.copy()) * x)(x)
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 5.0]


def test_a_function_that_asks_the_host():
    @myia.host(like=0.0)
    def draw():
        return 2.0

    y = myia.torch_function(lambda x: x * draw())(tensor(1.0))
    with pytest.raises(myia.MyiaError, match="calls the host"):
        y.sum().backward()


def test_errors_of_the_function():
    def f(x, i):
        if x[0] < 0:
            raise ValueError("negative")
        return x[i]

    G = myia.torch_function(f)
    with pytest.raises(ValueError, match="negative"):
        G(tensor(-1.0), torch.tensor(0))
    with pytest.raises(IndexError):
        G(tensor(1.0), torch.tensor(3))
    with pytest.raises(myia.MyiaError, match=r"torch\.sin"):
        myia.torch_function(lambda x: torch.sin(x))(tensor(1.0))
    assert G(tensor(1.0), torch.tensor(0)) == 1.0


def test_errors_of_the_backward_pass():
    @myia.custom_vjp
    def f(x):
        return x * 2.0

    f.defvjp(lambda x: (x * 2.0, x), lambda x, ct: (_checked(x, ct),))
    y = myia.torch_function(lambda x: np.sum(f(x)))(tensor(-1.0))
    with pytest.raises(myia.MyiaError, match="whose backward rule has a run-time check"):
        y.backward()


def _checked(x, ct):
    if x[0] < 0:
        raise ValueError("no slope here")
    return ct * 2.0


def test_options():
    with pytest.raises(TypeError, match="unknown option 'donate_argnums'"):
        myia.torch_function(energy, donate_argnums=0)
    with pytest.raises(TypeError, match="takes a function"):
        myia.torch_function(3)
    x, w = tensor(*X), tensor(*W)
    with pytest.raises(ValueError, match="checkpoint='some'"):
        myia.torch_function(energy, checkpoint="some")
    G = myia.torch_function(checkpoint="trail")(energy)
    (dx,) = torch.autograd.grad(G(x, w), x)
    torch.testing.assert_close(dx, torch.autograd.grad(F(x, w), x)[0], rtol=1e-13, atol=0)


# ----- With the rest of torch


def test_functions_of_functions():
    """`torch.func`: its gradients, batches and Jacobians."""
    x, w = tensor(*X, grad=False), tensor(*W, grad=False)
    of = torch.func
    xs = torch.stack([x, x + 0.1, x * 2])
    for make, args in (
        (lambda f: of.grad(f, (0, 1)), (x, w)),
        (lambda f: of.vmap(f, (0, None)), (xs, w)),
        (lambda f: of.vmap(f, (1, None)), (xs.T, w)),
        (lambda f: of.vmap(of.grad(f, (0, 1)), (0, None)), (xs, w)),
        (lambda f: of.hessian(f), (x, w)),
        (lambda f: of.jacrev(of.jacfwd(f)), (x, w)),
        (lambda f: of.jvp(lambda x: f(x, w), (x,), (w,)), None),
    ):
        pairs = zip(*(make(f)(*args) if args else make(f) for f in (F, energy_of_torch)))
        for found, wanted in pairs:
            torch.testing.assert_close(found, wanted, rtol=1e-11, atol=1e-12)


def test_a_batch_of_structures():
    G = myia.torch_function(lambda s, k: {"y": s["x"] * k, "n": k, "size": s["x"].size})
    x, k = torch.ones(4, 3, dtype=torch.float64), torch.arange(4)
    found = torch.func.vmap(G, in_dims=({"x": 0}, 0))({"x": x}, k)
    torch.testing.assert_close(found["y"], x * k[:, None])
    assert found["n"].tolist() == [0, 1, 2, 3]


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(2, 8, dtype=torch.float64)
        self.w = torch.nn.Parameter(torch.linspace(-1, 1, 8, dtype=torch.float64))
        self.layer = myia.torch_function(self.rule)

    @staticmethod
    def rule(h, w):
        y = np.zeros(len(h))
        for i in range(len(h)):
            for j in range(len(w)):
                if h[i, j] > 0:
                    y[i] += w[j] * h[i, j]
                else:
                    y[i] += 0.1 * w[j] * h[i, j]
        return y

    def forward(self, x):
        return self.layer(self.inner(x), self.w)


def test_a_module_and_its_optimizer():
    torch.manual_seed(0)
    net, x = Net(), torch.randn(32, 2, dtype=torch.float64)
    y = x[:, 0].abs() - x[:, 1]
    optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
    losses = []
    for _ in range(60):
        optimizer.zero_grad()
        loss = torch.mean((net(x) - y) ** 2)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.1 * losses[0]
    twin = copy.deepcopy(net)
    twin.load_state_dict(net.state_dict())
    torch.testing.assert_close(twin(x), net(x), rtol=0, atol=0)


def test_threads():
    """The backward pass in other threads than the forward pass."""
    found: dict[int, Any] = {}
    outputs = []
    for i in range(6):
        x = tensor(0.3 + i, -1.2, 2.0)
        outputs.append((x, F(x, tensor(*W))))

    def backward(i):
        outputs[i][1].backward()
        found[i] = outputs[i][0].grad

    threads = [threading.Thread(target=backward, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(6):
        x = tensor(0.3 + i, -1.2, 2.0)
        energy_of_torch(x, tensor(*W)).backward()
        torch.testing.assert_close(found[i], x.grad, rtol=1e-12, atol=0)


def test_functions_made_anew_share_programs(caplog):
    """As in a loop over steps."""
    caplog.set_level("INFO", logger="myia")

    def step(rate):
        x = tensor(1.0, 2.0)
        myia.torch_function(lambda x: np.sum(x * x * rate))(x).backward()
        return x.grad.tolist()

    assert [step(float(k)) for k in range(5)] == [[2.0 * k, 4.0 * k] for k in range(5)]
    assert sum("compiling program" in m for m in caplog.messages) == 2  # forward and backward


def test_methods_and_pickles():
    class Model:
        def __init__(self, scale):
            self.scale = scale

        @myia.torch_function
        def loss(self, x):
            return np.sum(x * x) * self.scale

    x, s = tensor(1.0, 2.0), torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
    Model(s).loss(x).backward()
    assert x.grad.tolist() == [6.0, 12.0] and s.grad == 5.0
    G = pickle.loads(pickle.dumps(F))
    assert G(x, x) == F(x, x) and repr(G) == "myia.torch_function(energy)"
    assert myia.jit(lambda x: F(x, x))(np.ones(2)) == energy(np.ones(2), np.ones(2))
