"""Functions of JAX and its libraries in compiled code, against JAX's own values and gradients."""

from __future__ import annotations

import functools

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx
from numpy.testing import assert_allclose, assert_array_equal

import myia
from tests.quick_compiles import QUICKLY

quickly = functools.partial(jax.jit, compiler_options=QUICKLY)
KEY = jax.random.key(7)
X = jax.random.normal(KEY, (4, 3))


def assert_close(got, wanted, rtol=2e-5, atol=2e-6) -> None:
    """The same tree: structure, dtypes, numbers."""
    assert jax.tree.structure(got) == jax.tree.structure(wanted)
    for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(wanted)):
        if not isinstance(w, (jax.Array, np.ndarray, np.generic, float)):
            assert g is w
        elif jnp.issubdtype(jnp.asarray(w).dtype, jax.dtypes.prng_key):
            assert_array_equal(jax.random.key_data(g), jax.random.key_data(w))
        else:
            assert jnp.asarray(g).dtype == jnp.asarray(w).dtype
            assert_allclose(g, w, rtol, atol)


# ----- Models: loss(params, x), a function of arrays only


class Reader(eqx.Module):
    """A module written by a user: its loop is compiled, the library's cell in it is traced."""

    cell: eqx.nn.GRUCell
    head: eqx.nn.Linear
    rows: int = eqx.field(static=True)

    def __call__(self, x):
        h = jnp.zeros(self.cell.hidden_size)
        for i in range(len(x)):
            h = self.cell(x[i], h)
        return self.scaled(h)

    def scaled(self, h):
        return self.head(h) * self.rows


class Dense(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(2)(nn.LayerNorm()(nn.gelu(nn.Dense(4)(x))))


class Two(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Linear(3, 4, rngs=rngs)
        self.second = nnx.Linear(4, 2, rngs=rngs)
        self.factor = 3

    def __call__(self, x):
        return self.second(jnp.tanh(self.first(x))) * self.factor


MLP = eqx.nn.MLP(3, 2, 4, 2, key=KEY)
ATTENTION = eqx.nn.MultiheadAttention(3, 3, key=KEY)
READER = Reader(eqx.nn.GRUCell(3, 4, key=KEY), eqx.nn.Linear(4, 2, key=KEY), 2)
DENSE = Dense()
GRAPH, STATE = nnx.split(Two(nnx.Rngs(0)))
READER_PARAMS, READER_REST = eqx.partition(READER, eqx.is_array)
MLP_PARAMS, MLP_REST = eqx.partition(MLP, eqx.is_array)
ATTENTION_PARAMS, ATTENTION_REST = eqx.partition(ATTENTION, eqx.is_array)


def mlp(params, x):
    return jnp.mean(jax.vmap(eqx.combine(params, MLP_REST))(x) ** 2)


def attention(params, x):
    model = eqx.combine(params, ATTENTION_REST)
    return jnp.sum(model(x, x[:2], x[:2], mask=jnp.ones((4, 2), bool)) ** 2)


def reader(params, x):
    return jnp.sum(eqx.combine(params, READER_REST)(x) ** 2)


def linen(params, x):
    return optax.softmax_cross_entropy(DENSE.apply(params, x), jax.nn.one_hot(1, 2)).mean()


def merged(state, x):
    return jnp.mean(optax.huber_loss(nnx.merge(GRAPH, state)(x)))


MODELS = {
    "equinox MLP": (mlp, MLP_PARAMS),
    "equinox attention": (attention, ATTENTION_PARAMS),
    "a user's equinox module": (reader, READER_PARAMS),
    "flax linen": (linen, DENSE.init(KEY, X)),
    "flax nnx": (merged, STATE),
}


@pytest.mark.parametrize("name", MODELS)
def test_models(name):
    loss, params = MODELS[name]
    got = myia.value_and_grad(loss)(params, X)
    assert_close(got, quickly(jax.value_and_grad(loss))(params, X))


def test_loops_of_user_modules_stay_loops():
    assert "= for %" in myia.jit(reader).ir(READER_PARAMS, X)["typed"]


def test_second_order():
    def along(params, x):
        return jnp.sum(myia.grad(mlp, 1)(params, x) ** 2)

    def by_jax(params, x):
        return jnp.sum(jax.grad(mlp, 1)(params, x) ** 2)

    assert_close(myia.grad(along)(MLP_PARAMS, X), quickly(jax.grad(by_jax))(MLP_PARAMS, X))


def test_python_numbers_in_modules_are_compile_time_values():
    drop = eqx.nn.Dropout(0.0)  # needs no key then
    assert_close(myia.jit(lambda m, x: m(x))(drop, X), X)


def test_whole_modules_are_arguments():
    """Functions and static fields are unchanged; arrays get gradients."""

    def loss(model, x):
        return jnp.sum(model(x) ** 2) + np.sum(model.layers[0].bias)

    got, wanted = myia.grad(loss)(MLP, X[0]), eqx.filter_grad(loss)(MLP, X[0])
    assert got.activation is MLP.activation
    assert_close(eqx.filter(got, eqx.is_array), wanted)
    nnx_model = Two(nnx.Rngs(0))
    got = myia.grad(lambda m, x: jnp.sum(m(x)))(nnx_model, X)
    assert_allclose(got.second.bias[...], np.full(2, 12.0))


# ----- Optimizers


@pytest.mark.parametrize(
    "opt",
    [
        optax.sgd(0.1, momentum=0.9, nesterov=True),
        optax.chain(optax.clip_by_global_norm(0.1), optax.adamw(optax.linear_schedule(0.1, 0, 5))),
    ],
)
def test_training_steps(opt):
    def step(params, state, x):
        value, grads = myia.value_and_grad(mlp)(params, x)
        updates, state = opt.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    def by_jax(params, state, x):
        value, grads = jax.value_and_grad(mlp)(params, x)
        updates, state = opt.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    compiled, by_jax = myia.jit(step), quickly(by_jax)
    ours = theirs = (MLP_PARAMS, opt.init(MLP_PARAMS), 0.0)
    for _ in range(3):
        ours, theirs = compiled(*ours[:2], X), by_jax(*theirs[:2], X)
    assert_close(ours, theirs, rtol=1e-3, atol=1e-5)
    assert compiled.compiles == 1


def test_an_optimizer_is_watched():
    opt = optax.sgd(0.5)

    def step(x):
        return x + opt.update(x, opt.init(x))[0]

    compiled = myia.jit(step)
    first = compiled(X)
    opt = optax.sgd(0.25)
    assert_close((first, compiled(X)), (X * 0.5, X * 0.75))


# ----- Functions


def functions(x, y):
    return (
        jax.nn.gelu(x) @ y,
        jnp.where(x > 0, x, jnp.expm1(x)),
        jax.scipy.special.logsumexp(x, axis=1),
        jnp.float32(2) * jnp.pi,
        jax.nn.relu(x),
        jax.nn.relu,
    )


def test_functions():
    y = X.T[:, :3]
    assert_close(myia.jit(functions)(X, y), functions(X, y))

    def total(f):
        return lambda x, y: sum(jnp.sum(jnp.sin(part)) for part in f(x, y)[:-1])

    by_jax = quickly(jax.grad(total(functions), (0, 1)))
    assert_close(myia.grad(total(functions), (0, 1))(X, y), by_jax(X, y))


def test_python_numbers_are_weak_and_the_mode_is_the_users():
    def f(x, rate):
        return jax.nn.softplus(x) * rate, jnp.zeros(2), jnp.arange(3)

    x = np.linspace(-1.0, 1.0, 3)
    compiled = myia.jit(f)
    assert [y.dtype for y in compiled(x, 0.5)] == [np.float32, np.float32, np.int32]
    with jax.enable_x64(True):  # which is a program of its own
        assert [y.dtype for y in compiled(x, 0.5)] == [np.float64, np.float64, np.int64]
        half = x.astype(np.float32)
        assert_close(compiled(jnp.asarray(half), 0.5), f(jnp.asarray(half), 0.5))
        assert_allclose(myia.grad(lambda x: jnp.sum(f(x, 0.5)[0]))(x), 0.5 / (1 + np.exp(-x)))
    assert compiled(x, 0.5)[0].dtype == np.float32
    assert compiled.compiles == 3


def updated(x, i):
    return x.at[i].set(2.0).at[1:, 0].add(x[0, 0]).at[jnp.array([0, 0, 3])].add(x[1]), x.at[0].get()


def test_updates():
    assert_close(myia.jit(updated)(X, 2), updated(X, 2))

    def f(x):
        return jnp.sum(updated(x, 2)[0] ** 2)

    assert_close(myia.grad(f)(X), jax.grad(f)(X))


def test_classes_of_arrays():
    def f(x):
        return isinstance(x, jax.Array)

    assert myia.jit(f)(X) is True
    assert myia.jit(f)(2.0) is False
    with pytest.raises(myia.MyiaError, match="arrays"):
        myia.jit(f)(np.ones(2))


def test_narrow_dtypes_are_refused():
    with pytest.raises(myia.MyiaError, match="bfloat16"):
        myia.jit(lambda x: x)(jnp.ones(2, jnp.bfloat16))


# ----- Random keys


def walk(key, steps):
    total = 0.0
    for _ in range(steps):
        key, sub = jax.random.split(key)
        total += jax.random.normal(sub, (2,))
    return total, key


def test_typed_keys():
    key = jax.random.key(3, impl="rbg")
    compiled = myia.jit(walk)
    assert_close(compiled(key, 3), walk(key, 3))
    assert_close(compiled(compiled(key, 3)[1], 3), walk(walk(key, 3)[1], 3))


def test_keys_are_values():
    def f(key, flag):
        keys = jax.random.split(key, 3)
        drawn = [jax.random.uniform(k) for k in keys]
        chosen = keys[0] if flag > 0 else keys[2]
        return drawn, chosen, keys, jax.random.fold_in(key, 1), {"new": jax.random.key(4)}

    assert_close(myia.jit(f)(KEY, 1.0), f(KEY, 1.0))
    raw = jax.random.PRNGKey(3)
    assert_close(myia.jit(walk)(raw, 2), walk(raw, 2))


def test_samples_move_with_their_parameters():
    def loss(mean, key):
        return jnp.mean((mean + jax.random.normal(key, (5,))) ** 2)

    mean = jnp.float32(0.3)
    assert_close(myia.grad(loss)(mean, KEY), jax.grad(loss)(mean, KEY))


# ----- Trees


def test_trees():
    rate = 0.5

    def f(tree):
        halved = jax.tree.map(lambda x: rate * x, tree)
        total = jax.tree.reduce(lambda a, b: a + b, jax.tree.map(np.sum, halved))
        leaves, structure = jax.tree.flatten(tree)
        back = jax.tree.unflatten(structure, [x + 1 for x in leaves])
        longest = jax.tree.map(
            len, {"a": [1, 2], "b": (3,)}, is_leaf=lambda x: not hasattr(x, "get")
        )
        return halved, total, back, len(jax.tree.leaves(tree)), longest

    tree = {"b": np.ones(2), "a": [np.arange(3.0), 2.5]}
    got, wanted = myia.jit(f)(tree), f(tree)
    assert jax.tree.structure(got) == jax.tree.structure(wanted)
    for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(wanted)):
        assert_array_equal(g, w)
    assert_array_equal(myia.grad(lambda t: f(t)[1])(tree)["b"], [0.5, 0.5])


def test_trees_that_differ():
    with pytest.raises(myia.MyiaError, match="ValueError"):
        myia.jit(lambda a, b: jax.tree.map(lambda x, y: x, a, b))({"a": 1.0}, {"b": 1.0})


MLP = eqx.nn.MLP(3, 2, 4, 2, key=KEY)
REPLACED = {
    "a leaf": lambda m, x: eqx.tree_at(lambda m: m.layers[0].weight, m, m.layers[1].bias * x[0]),
    "several": lambda m, x: eqx.tree_at(
        lambda m: (m.layers[0].bias, m.layers[2].bias), m, (x[0] * m.layers[0].bias, x[:2])
    ),
    "a list": lambda m, x: eqx.tree_at(
        lambda m: [layer.bias for layer in m.layers], m, replace_fn=lambda b: b + x[0]
    ),
    "a part": lambda m, x: eqx.tree_at(lambda m: m.layers[0], m, m.layers[0]),
    "in a dict": lambda m, x: eqx.tree_at(lambda t: t["m"].layers[1].weight, {"m": m}, x[0])["m"],
}


@pytest.mark.parametrize("name", REPLACED)
def test_parts_of_trees_are_replaced(name):
    """`where` is a function of the user's, and is compiled."""
    x = jnp.array([0.5, -1.0, 2.0])

    def loss(model, x):
        changed = REPLACED[name](model, x)
        return sum([jnp.sum(jnp.sin(leaf)) for leaf in jax.tree.leaves(arrays_of(changed))])

    arrays, rest = eqx.partition(MLP, eqx.is_array)
    got = myia.grad(loss, (0, 1))(MLP, x)
    wanted = jax.grad(lambda a, x: loss(eqx.combine(a, rest), x), (0, 1))(arrays, x)
    pairs = zip(jax.tree.leaves(eqx.filter(got, eqx.is_array)), jax.tree.leaves(wanted))
    for g, w in pairs:
        np.testing.assert_allclose(g, w, rtol=1e-6)


def arrays_of(model):
    return [(layer.weight, layer.bias) for layer in model.layers]


@pytest.mark.parametrize(
    "where", [lambda m: m.in_size, lambda m: (m.layers[0].weight, 3.0)], ids=["static", "number"]
)
def test_what_is_no_part_of_a_tree_is_not_replaced(where):
    with pytest.raises((ValueError, TypeError, myia.MyiaError)):
        myia.jit(lambda m: eqx.tree_at(where, m, 1.0))(MLP)


# ----- Arguments that are returned


def test_arrays_of_users_in_modules_stay_theirs():
    """A write through a module is a write; a library's copy of the array is then invalidated."""
    module = eqx.tree_at(lambda m: m.bias, eqx.nn.Linear(2, 2, key=KEY), np.zeros(2))

    def write(m):
        m.bias[0] = 5.0
        return m.bias

    assert_array_equal(myia.jit(write)(module), [5.0, 0.0])
    assert_array_equal(module.bias, [5.0, 0.0])

    def stale(m):
        arrays, _ = eqx.partition(m, eqx.is_array)
        m.bias[0] = 7.0
        return arrays.bias

    with pytest.raises(myia.MyiaError, match="changed through another name"):
        myia.jit(stale)(module)


def test_results_are_immutable():
    def f(x):
        y = jnp.asarray(x)
        y[0] = 1.0
        return y

    with pytest.raises(myia.MyiaError, match="immutable"):
        myia.jit(f)(np.ones(2))


# ----- `myia.staged`


def test_staged_functions_run_as_they_are():
    w = np.ones(3)

    def make(w, power):
        @myia.staged
        def f(x, factor=2.0):
            def body(c, row):
                return c + jnp.sum(row * w) ** power * factor, c

            return jax.lax.scan(body, 0.0, x)[0]

        return f

    f = make(w, 2.0)
    compiled = myia.jit(lambda x: f(x))
    assert_close(compiled(X), f(X))
    w[:] = 2.0  # read at every call, like all that a function closes over
    assert_close(compiled(X), f(X))
    assert compiled.compiles == 1
    f = make(w, 3.0)
    assert_close(compiled(X), f(X))
    assert_close(myia.grad(lambda x: f(x))(X), jax.grad(f)(X), rtol=1e-4)
    assert_close(myia.jit(f)(X), f(X))


class Squares(eqx.Module):
    w: jax.Array

    @myia.staged
    def __call__(self, x):
        return jnp.sum(self.w * x) ** 2


def test_staged_methods():
    def loss(model, x):
        return jnp.sum(jax.vmap(model)(x))

    model = Squares(jnp.ones(3))
    assert_close(myia.grad(loss)(model, X), jax.grad(loss)(model, X))


def test_staged_objects():
    f = jax.custom_jvp(lambda x: x**2)
    f.defjvp(lambda xs, ts: (xs[0] ** 2, 5.0 * ts[0]))
    marked = myia.staged(f)
    value, slope = myia.value_and_grad(lambda x: marked(x))(3.0)
    assert (float(value), float(slope)) == (9.0, 5.0)


# ----- What is refused, and unrolled


@jax.jit
def jitted(x):
    total = 0.0
    for i in range(len(x)):  # unrolled by JAX, a loop here
        total += x[i]
    return total


def test_jitted_functions_are_read():
    assert "= for %" in myia.jit(lambda x: jitted(x)).ir(np.ones(20))["typed"]
    assert myia.jit(lambda x: jax.jit(jitted)(x))(np.ones(20)) == 20


def test_loops_unroll_where_staging_needs_a_number():
    def f(x, n):
        for i in range(n):
            x += jnp.sum(jnp.ones(i + 1))
        return x

    assert float(myia.jit(f)(1.0, 3)) == 7


gradient_by_jax = jax.grad(jax.nn.softplus)
value_by_equinox = eqx.filter_value_and_grad(jax.nn.softplus)
mapped = jax.vmap(lambda x: x**2)

REFUSED = {
    "use `myia.grad`": [
        lambda x: jax.grad(jax.nn.softplus)(x),
        lambda x: gradient_by_jax(x),
        lambda x: eqx.filter_grad(jax.nn.softplus)(x),
    ],
    "use `myia.value_and_grad`": [lambda x: value_by_equinox(x)[1]],
    "@myia.staged": [
        lambda x: jax.lax.associative_scan(lambda a, b: a * b, x * jnp.arange(3.0)),
        lambda x: jax.vmap(lambda y: x * y)(jnp.arange(3.0)),
        lambda x: mapped(x * np.ones(3)),
        lambda x: jax.vmap(READER)(x * np.ones((2, 2, 3))),
    ],
    "changes its arguments": [
        lambda x: nnx.BatchNorm(2, rngs=nnx.Rngs(0))(x * np.ones((2, 2))),
        lambda x: counted({"calls": 0}, x),
    ],
    "TypeError": [lambda x: jnp.sin(x, x, x), lambda x: jnp.ones(2) + jnp.sum("text")],
    "TracerBoolConversionError": [lambda x: positive(x)],
}


@myia.staged
def counted(tree, x):
    tree["calls"] += 1
    return x


@myia.staged
def positive(x):
    return x if x > 0 else -x


@pytest.mark.parametrize(("message", "f"), [(m, f) for m, fs in REFUSED.items() for f in fs])
def test_refusals(message, f):
    with pytest.raises(myia.MyiaError) as error:
        myia.jit(f)(2.0)
    assert message in str(error.value)
    assert "test_traced_calls.py" in str(error.value)


def test_ops_carry_the_line_of_the_call():
    text = myia.jit(functions).ir(X, X.T[:, :3])["typed"]
    assert "test_traced_calls.py" in text
