"""The transforms, their options and their composition."""

import re
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import myia
from tests.api.api_programs import cubes, loss, power, smallest, wave

X = np.array([1.0, -2.0, 0.5])


def params():
    return {"w": X.copy(), "b": np.array([0.1, 0.2, 0.3])}


def test_decorators_bare_and_with_arguments():
    @myia.grad
    def bare(x):
        return x * x

    @myia.grad(argnums=1)
    def second(x, y):
        return x * y

    assert bare(3.0) == 6.0
    assert second(2.0, 5.0) == 2.0


def test_argnums_tuple_and_negative():
    def f(x, y, z):
        return x * y + z

    assert myia.grad(f, argnums=(0, 1))(2.0, 3.0, 4.0) == (3.0, 2.0)
    assert myia.grad(f, argnums=-1)(2.0, 3.0, 4.0) == 1.0


def test_has_aux():
    def f(x):
        return x * x, {"twice": 2 * x}

    assert myia.grad(f, has_aux=True)(3.0) == (6.0, {"twice": 6.0})
    assert myia.value_and_grad(f, has_aux=True)(3.0) == ((9.0, {"twice": 6.0}), 6.0)


def test_gradient_has_the_structure_of_the_argument():
    grads = myia.grad(loss)(params(), 2.0)
    assert list(grads) == ["w", "b"]
    y = params()["w"] * 2.0 + params()["b"]
    np.testing.assert_allclose(grads["w"], 4 * y)
    np.testing.assert_allclose(grads["b"], 2 * y)


def test_gradients_of_gradients():
    third = myia.grad(myia.grad(myia.grad(cubes)))
    assert third(2.0) == 6.0
    assert myia.grad(lambda x: myia.grad(cubes)(x) * x)(2.0) == pytest.approx(36.0)


def test_grad_inside_compiled_code_of_a_local_function():
    def step(x, lr):
        def inner(y):
            return (y - 3.0) ** 2 * lr

        return x - myia.grad(inner)(x)

    assert myia.jit(step)(5.0, 0.25) == 4.0


def test_options_of_transforms_inside_compiled_code():
    def f(x):
        return myia.grad(lambda a, b: a * b * x, argnums=[0, 1])(x, 2.0)

    assert myia.jit(f)(3.0) == (6.0, 9.0)

    def g(x):
        return myia.grad(lambda a: a * a, checkpoint="recompute")(x)

    with pytest.raises(myia.MyiaError, match="`checkpoint` has no meaning inside compiled code"):
        myia.jit(g)(3.0)


@pytest.mark.parametrize("option", [{"exact": True}, {"memory": "1MB"}, {"check": True}])
def test_an_option_of_jit_inside_compiled_code_is_refused(option):
    def f(x):
        return myia.jit(power, **option)(x, 2.0)

    def written(x):
        return myia.jit(power, donate_argnums=0)(x, 2.0)

    assert myia.jit(written)(3.0) == power(3.0, 2.0)
    with pytest.raises(myia.MyiaError, match="has no meaning inside compiled code"):
        myia.jit(f)(3.0)


def test_an_unknown_option_inside_compiled_code():
    with pytest.raises(TypeError, match="did you mean 'checkpoint'"):
        myia.jit(lambda x: myia.jit(power, chekpoint="tape")(x, 2.0))(3.0)
    with pytest.raises(TypeError, match="did you mean 'argnums'"):
        myia.jit(lambda x: myia.grad(power, argnum=0)(x, 2.0))(3.0)


def test_a_function_with_options_inside_compiled_code_is_warned_of():
    """Its own options are not used there."""
    inner = myia.jit(power, checkpoint="recompute", exact=True)
    with pytest.warns(
        myia.CompileWarning, match="does not use its `checkpoint` and `exact`:"
    ) as found:
        assert myia.jit(lambda x: inner(x, 2.0))(3.0) == power(3.0, 2.0)
    assert [w.filename for w in found] == [__file__]
    plain = myia.jit(power, donate_argnums=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert myia.jit(lambda x: plain(x, 2.0))(3.0) == power(3.0, 2.0)
        assert inner(3.0, 2.0) == power(3.0, 2.0)


@pytest.mark.parametrize("outer", [myia.jit, myia.grad, myia.vmap])
def test_a_transform_of_a_function_with_options_is_warned_of(outer):
    with pytest.warns(myia.CompileWarning, match="does not use its `memory`:") as found:
        outer(myia.grad(power, memory="1MB"))
    assert [w.filename for w in found] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outer(myia.grad(power, memory="1MB"), memory="1MB")


def test_options_of_what_the_user_calls_are_used():
    options = {"checkpoint": "trail", "exact": True, "check": True}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for transform in (myia.jit, myia.value_and_grad, myia.jacfwd, myia.hessian):
            transform(power, **options)(1.5, 3.0)
        myia.grad(power, memory="1MB")(1.5, 3.0)
        myia.hvp(power, **options)(1.5, 3.0, 1.0)
        myia.vmap(power, in_axes=(0, None), **options)(np.full(2, 1.5), 3.0)


def test_jvp_and_vjp_agree():
    value, tangent = myia.jvp(power, (1.5, 20.0), (1.0, 0.0))
    same, pullback = myia.vjp(power, 1.5, 20.0)
    assert value == same == power(1.5, 20.0)
    assert pullback(1.0)[0] == pytest.approx(tangent)
    assert pullback(1.0)[1] == 0.0


def test_vjp_of_a_result_that_is_a_container():
    def f(x, y):
        return {"sum": x + y, "pair": (x * y, x)}

    _, pullback = myia.vjp(f, 2.0, 3.0)
    assert pullback({"sum": 1.0, "pair": (10.0, 100.0)}) == (131.0, 21.0)


def test_stop_gradient():
    assert myia.grad(lambda x: x * myia.stop_gradient(x))(3.0) == 3.0


def test_elementwise_grad():
    np.testing.assert_allclose(myia.elementwise_grad(lambda x: x**2)(X), 2 * X)


def test_check_grads_accepts_right_and_refuses_wrong():
    myia.check_grads(power, (1.5, 20.0), order=2)

    def wrong(x):  # half of its derivative is hidden
        return x * x + myia.stop_gradient(x)

    with pytest.raises(AssertionError, match="forward mode"):
        myia.check_grads(wrong, (1.5,))
    with pytest.raises(AssertionError, match="reverse mode"):
        myia.check_grads(wrong, (1.5,), modes=["rev"])


# ----- Arguments and results


def test_numpy_in_numpy_out():
    y = myia.jit(lambda x: (x * 2, x[0], x[0] + 1 > 0, 3, "s", None))(X)
    assert isinstance(y[0], np.ndarray) and y[0].flags.writeable
    assert [type(v) for v in y[1:]] == [np.float64, np.bool_, int, str, type(None)]


def test_python_numbers_stay_python_numbers():
    y = myia.jit(lambda x, n: (x * 2, x > 0, n + 1, 1j * x))(1.5, 2)
    assert [type(v) for v in y] == [float, bool, int, complex]


def test_jax_arrays_in_jax_arrays_out():
    y = myia.jit(lambda x: x * 2)(jnp.ones(3))
    assert isinstance(y, jax.Array)
    assert y.dtype == jnp.float32


def test_float32_stays_float32():
    g = myia.grad(lambda x: (x * 2.0 + 1.0).sum())(np.ones(3, np.float32))
    assert g.dtype == np.float32


def test_results_do_not_change_when_the_argument_does():
    x = np.ones(100_000)
    r = myia.jit(lambda x: x + x)(x)
    same = myia.jit(lambda x: x)(x)
    x[:] = 77
    assert r[0] == r[-1] == 2.0
    assert same is x


def test_one_array_in_two_places_of_a_result_is_one_array():
    def f(x):
        y = x + 1
        return y, {"y": y, "z": y * 1}

    y, rest = myia.jit(f)(X)
    assert rest["y"] is y and rest["z"] is not y


def test_arguments_are_changed_in_place():
    a = np.ones(4)
    expected = a.copy()
    assert myia.jit(wave)(a, 0.5) == wave(expected, 0.5)
    np.testing.assert_array_equal(a, expected)


def test_grad_leaves_its_arguments_alone():
    a = np.ones(4)
    myia.grad(wave, argnums=1)(a, 0.5)
    np.testing.assert_array_equal(a, np.ones(4))


def test_containers_are_changed_in_place():
    def f(d, xs):
        d["new"] = d["w"] * 2.0
        xs.append(1.0)

    d, xs = {"w": 3.0}, [0.0]
    assert myia.jit(f)(d, xs) is None
    assert d == {"w": 3.0, "new": 6.0}
    assert xs == [0.0, 1.0]


def test_arguments_that_overlap_are_refused_when_written_to():
    def f(a, b):
        a[0] = b[0] + 1.0

    x = np.zeros(4)
    with pytest.raises(ValueError, match="share memory"):
        myia.jit(f)(x[:2], x[1:])


def test_one_array_given_twice_is_one_array():
    def f(a, b):
        a[0] = 5.0
        return b[0]

    x = np.zeros(2)
    assert myia.jit(f)(x, x) == 5.0


def test_a_jax_array_is_not_written_to():
    with pytest.raises(myia.MyiaError, match="immutable"):
        myia.jit(wave)(jnp.ones(4), 0.5)


# ----- Programs and their number

SCALE = 2.0
TABLE = np.array([1.0, 2.0])
COUNT = 3


def test_globals_are_read_at_every_call():
    global SCALE, TABLE
    f = myia.jit(lambda x: x * SCALE + TABLE[0])
    SCALE, TABLE = 2.0, np.array([1.0, 2.0])
    assert f(1.0) == 3.0
    SCALE = 10.0
    TABLE[0] = 5.0
    assert f(1.0) == 15.0
    TABLE = np.array([7.0, 2.0])
    assert f(1.0) == 17.0
    assert f.compiles == 1


def test_a_static_global_compiles_anew():
    global COUNT
    f = myia.jit(lambda x: x * COUNT)
    COUNT = 3
    assert f(1.0) == 3.0
    COUNT = 4
    assert f(1.0) == 4.0
    COUNT = 3
    assert f(1.0) == 3.0
    assert f.compiles == 2


def test_closures_are_read_at_every_call():
    def make():
        k = 1.0

        def set_k(v):
            nonlocal k
            k = v

        return myia.jit(lambda x: x * k), set_k

    f, set_k = make()
    assert f(2.0) == 2.0
    set_k(5.0)
    assert f(2.0) == 10.0
    assert f.compiles == 1


def test_a_lambda_made_anew_does_not_compile_anew():
    @myia.jit
    def apply(f, x):
        return f(x)

    assert [apply(lambda x, k=k: x * k, 2.0) for k in (1.0, 2.0, 3.0)] == [2.0, 4.0, 6.0]
    assert apply.compiles == 1


def test_an_int_used_as_a_number_becomes_an_argument():
    @myia.jit
    def f(x, n):
        for _ in range(n):
            x = x * 2.0
        return x + n

    assert [f(1.0, n) for n in range(12)] == [2.0**n + n for n in range(12)]
    assert f.compiles == 4


def test_an_int_used_as_a_shape_stays_static():
    @myia.jit
    def f(n):
        return np.zeros(n).sum() + n

    assert [f(n) for n in range(7)] == list(range(7))
    assert f.compiles == 7


# ----- Ahead of time


def test_ahead_of_time():
    x = np.arange(3.0)
    lowered = myia.jit(lambda x, k: {"y": x * k}).lower(x, 2.0)
    assert "stablehlo" in lowered.as_text()
    compiled = lowered.compile()
    np.testing.assert_array_equal(compiled(x, 3.0)["y"], x * 3.0)
    assert compiled.memory_analysis().output_size_in_bytes == 24
    assert compiled.cost_analysis()["flops"] >= 3
    with pytest.raises(TypeError, match="has the shape"):
        compiled(np.arange(4.0), 3.0)


def test_donated_arguments_give_their_memory():
    f = myia.jit(lambda x: x + 1.0, donate_argnums=0)
    with jax.enable_x64(True):
        x = jnp.ones(1000)
        np.testing.assert_array_equal(f(x), 2 * np.ones(1000))
        assert x.is_deleted()


# ----- Run-time errors


def test_run_time_errors_name_the_line():
    def pick(a, x):
        return a[int(x)]

    f = myia.jit(pick)
    assert f(np.arange(3.0), 2.0) == 2.0
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0") as error:
        f(np.arange(3.0), 3.0)
    assert re.search(r"test_transforms.py:\d+$", error.value.__notes__[0])


def test_checks_of_asynchronous_calls_are_asked_for():
    def pick(a, i):
        return a[i[0]]

    with jax.enable_x64(True):
        a, i = jnp.arange(3.0), jnp.array([5])
        myia.jit(pick)(a, i)
        with pytest.raises(IndexError):
            myia.jit(pick, check=True)(a, i)


def test_nothing_is_computed_for_unread_checks():
    def counted(x, bins):
        for i in range(len(x)):
            bins[int(x[i])] += 1.0
        return bins @ bins

    gradient = myia.grad(counted, argnums=1)
    numbers = 2.5 * np.arange(20.0) % 7, np.ones(7)
    assert "i32" in gradient.ir(*numbers)["finish"]  # of the code of the first that fails
    with jax.enable_x64(True):
        assert "i32" not in gradient.ir(*map(jax.device_put, numbers))["finish"]


def test_none_until_a_value_is_found():
    f = myia.jit(smallest)
    assert f(np.array([3.0, 1.0, -1.0, 0.5])) == 1.0
    assert f(np.array([-3.0, 1.0])) == 0.0


def test_errors_are_short():
    def f(x):
        return np.random.dirichlet(x)

    with pytest.raises(myia.MyiaError) as info:
        myia.jit(f)(np.eye(2))
    assert len(info.traceback) <= 4
