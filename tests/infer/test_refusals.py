"""Every program that inference refuses, with the exact message: one mistake, one golden file."""

import collections
import linecache
import textwrap
import types
from dataclasses import dataclass

import numpy as np
import pytest

import myia


class Settings:
    rate = 0.5


def leaky(x, slope=0.1):
    return max(x, slope * x)


def cyclic():
    p = {"w": 1.0}
    p["self"] = [p]
    return p


# name: (the program, the arguments of `f`)
PROGRAMS = {
    "attribute_of_a_function": (
        """
        def helper(x):
            return x

        helper.scale = 2.0

        def f(x):
            return getattr(helper, "scale", 1.0) * x
        """,
        (0.7,),
    ),
    "attribute_of_the_function_itself": (
        """
        def f(x):
            return f.scale * x

        f.scale = 2.0
        """,
        (0.7,),
    ),
    "host_of_an_inner_function": (
        """
        def f(x):
            def inner(y):
                return y
            return myia.host(inner, like=0.0)(x)
        """,
        (0.7,),
    ),
    "host_like_a_string": (
        """
        def f(x):
            return myia.host(len, like="text")(x)
        """,
        (0.7,),
    ),
    "host_without_like": (
        """
        def f(x):
            return myia.host(len)(x)
        """,
        (0.7,),
    ),
    "error_function_of_complex_numbers": (
        """
        import scipy.special

        def f(z):
            return scipy.special.erf(z) + 1.0
        """,
        (0.7j,),
    ),
    "function_to_the_host": (
        """
        h = myia.host(len, like=0)

        def f(x):
            return h(lambda y: y + x)
        """,
        (0.7,),
    ),
    "long_double": (
        """
        def f(x, state):
            return x * state["v"]
        """,
        (1.0, {"v": np.ones(2, np.longdouble)}),
    ),
    "zip_of_generators": (
        """
        def numbers(x):
            while True:
                yield x
        def f(x):
            for a, b in zip(numbers(x), numbers(1.0), strict=True):
                return a + b
        """,
        (1.0,),
    ),
    "rest_of_a_generator": (
        """
        def numbers(x):
            try:
                while True:
                    yield x
            finally:
                print("left")
        def f(x):
            g = numbers(x)
            return next(g) + next(g)
        """,
        (1.0,),
    ),
    "unbounded_recursion_of_generators": (
        """
        def walk(n):
            if n > 0:
                yield from walk(n - 1)
                yield n
        def f(n):
            return sum(walk(n[0]))
        """,
        (np.array([3]),),
    ),
    "order_of_a_set": (
        """
        def f(x):
            s = x
            for v in {"slow", "fast", "never"}:
                s = s * x + len(v)
            return s
        """,
        (1.0,),
    ),
    "round_to_digits": (
        """
        def f(x):
            return round(x, -23)
        """,
        (1.0,),
    ),
    "method_of_string": (
        """
        def f(x):
            return "abc".replace("a", str(x))
        """,
        (1.0,),
    ),
    "endless_repeat": (
        """
        import itertools
        def f(x):
            return sum(itertools.repeat(x))
        """,
        (1.0,),
    ),
    "unknown_numpy_function": (
        """
        def f(x):
            return x[np.mask_indices(2, np.triu)]
        """,
        (np.eye(2),),
    ),
    "unknown_method": (
        """
        def f(x):
            return x.tobytes()
        """,
        (np.ones(2),),
    ),
    "random": (
        """
        def f(x):
            return x + np.random.zipf(2.0)
        """,
        (1.0,),
    ),
    "undefined_name": (
        """
        def f(x):
            return x + y
        """,
        (1.0,),
    ),
    "local_before_assignment": (
        """
        def f(x):
            y = y + x
            return y
        """,
        (1.0,),
    ),
    "not_callable": (
        """
        def f(x):
            return x(1)
        """,
        (1.0,),
    ),
    "too_many_arguments": (
        """
        def g(a):
            return a
        def f(x):
            return g(x, x)
        """,
        (1.0,),
    ),
    "missing_argument": (
        """
        def g(a, b):
            return a
        def f(x):
            return g(x)
        """,
        (1.0,),
    ),
    "unexpected_keyword": (
        """
        def g(a):
            return a
        def f(x):
            return g(a=x, b=x)
        """,
        (1.0,),
    ),
    "multiple_values": (
        """
        def g(a):
            return a
        def f(x):
            return g(x, a=x)
        """,
        (1.0,),
    ),
    "unpack_count": (
        """
        def f(x):
            a, b = (x, x, x)
            return a
        """,
        (1.0,),
    ),
    "branches_of_an_array_and_a_text": (
        """
        def f(x):
            if x[0] > 0:
                y = x
            else:
                y = "none"
            return y
        """,
        (np.ones(3),),
    ),
    "branches_of_a_function_and_a_tuple": (
        """
        def f(x):
            if x > 0:
                y = np.sin
            else:
                y = (x, x)
            return y
        """,
        (1.0,),
    ),
    "loop_changes_shape": (
        """
        def f(x, n):
            while n > 0.0:
                x = np.stack([x, x])
                n = n - 1.0
            return x
        """,
        (np.ones(2), 3.0),
    ),
    "range_of_float": (
        """
        def f(x):
            s = 0.0
            for i in range(x):
                s = s + 1.0
            return s
        """,
        (3.0,),
    ),
    "axis_from_value": (
        """
        def f(x):
            return np.sum(np.ones((2, 2)), axis=int(x))
        """,
        (3.0,),
    ),
    "list_index_at_run_time": (
        """
        def f(x):
            fs = [np.ones(2), np.ones(3)]
            return fs[int(x)]
        """,
        (1.0,),
    ),
    "missing_key": (
        """
        def f(x):
            d = {'a': x}
            return d['b']
        """,
        (1.0,),
    ),
    "index_out_of_range": (
        """
        def f(x):
            return x[3]
        """,
        (np.ones(3),),
    ),
    "too_many_indices": (
        """
        def f(x):
            return x[0, 0]
        """,
        (np.ones(3),),
    ),
    "tuple_index_out_of_range": (
        """
        def f(x):
            return (x, x)[2]
        """,
        (1.0,),
    ),
    "broadcast": (
        """
        def f(x, y):
            return x + y
        """,
        (np.ones(3), np.ones(2)),
    ),
    "store_shape": (
        """
        def f(x):
            x[0:2] = np.ones(3)
            return x
        """,
        (np.zeros(4),),
    ),
    "store_complex": (
        """
        def f(x):
            x[0] = 1j
            return x
        """,
        (np.zeros(4),),
    ),
    "inplace_cast": (
        """
        def f(x):
            x += 0.5
            return x
        """,
        (np.zeros(4, int),),
    ),
    "division_by_zero": (
        """
        def f(x):
            return x + 1 // 0
        """,
        (1.0,),
    ),
    "string_of_run_time_value": (
        """
        def f(x):
            s = f'{x}'
            return len(s)
        """,
        (1.0,),
    ),
    "truth_of_array": (
        """
        def f(x):
            if x > 0:
                return x
            return -x
        """,
        (np.ones(3),),
    ),
    "attribute_error": (
        """
        class A:
            def __init__(self):
                self.y = 1.0
        def f(x):
            return A().z + x
        """,
        (1.0,),
    ),
    "frozen_dataclass": (
        """
        @dataclass(frozen=True)
        class A:
            y: float
        def f(x):
            a = A(x)
            a.y = 2.0
            return a.y
        """,
        (1.0,),
    ),
    "recursion": (
        """
        def f(x):
            if x < 1.0:
                return 1.0
            return x * sum(map(f, [x - 1.0, x - 2.0]))
        """,
        (1.0,),
    ),
    "recursion_of_other_shapes": (
        """
        def f(x, y):
            if x < 1.0:
                return y.sum()
            return x * f(x - 1.0, np.append(y, x))
        """,
        (1.0, np.ones(2)),
    ),
    "function_as_result": (
        """
        def f(x):
            return lambda y: x + y
        """,
        (1.0,),
    ),
    "set_of_run_time_values": (
        """
        def f(x):
            return len({x, 2.0})
        """,
        (1.0,),
    ),
    "not_iterable": (
        """
        def f(x):
            for y in x:
                x = y
            return x
        """,
        (1.0,),
    ),
    "invalidated_alias": (
        """
        def f(x, n):
            rows = []
            for i in range(n):
                row = np.full(2, x * i)
                rows.append(row)
            row[0] = x
            return rows[0]
        """,
        (1.0, 50),
    ),
    "sorted_at_run_time": (
        """
        def f(x):
            return sorted([[x, "b"], [2.0, "a"]])
        """,
        (1.0,),
    ),
    "is_of_numbers": (
        """
        def f(x):
            return x is x + 1.0
        """,
        (1.0,),
    ),
    "unroll_limit": (
        """
        def f(x):
            for i in range(1000):
                y = x.reshape((1,) * i)
            return x
        """,
        (np.ones(1),),
    ),
    "compare_complex": (
        """
        def f(z):
            return z < 1j
        """,
        (1j,),
    ),
    "bit_operator_of_float": (
        """
        def f(x):
            return x & 1
        """,
        (1.0,),
    ),
    "bool_minus": (
        """
        def f(x):
            return (x > 0) - (x > 1)
        """,
        (np.ones(2),),
    ),
    "negative_int_power": (
        """
        def f(x):
            return x ** -1
        """,
        (np.arange(1, 3),),
    ),
    "print_to_file": (
        """
        import sys
        def f(x):
            print(x, file=sys.stderr)
            return x
        """,
        (1.0,),
    ),
    "type_error": (
        """
        def f(x):
            return x + 'a'
        """,
        (1.0,),
    ),
    "static_type_error": (
        """
        def f(x):
            return 1 + 'a'
        """,
        (1.0,),
    ),
    "matmul_shapes": (
        """
        def f(x):
            return x @ np.ones(2)
        """,
        (np.ones(3),),
    ),
    "dict_of_other_keys": (
        """
        def f(x):
            d = {'a': x}
            if x > 0:
                d['b'] = x
            return d
        """,
        (1.0,),
    ),
    "none_in_arithmetic": (
        """
        def f(x):
            y = None
            return x + y
        """,
        (1.0,),
    ),
    "keys_of_arrays": (
        """
        def f(x):
            return {x: 1}
        """,
        (1.0,),
    ),
    "wrong_item_type": (
        """
        def f(x):
            x['a'] = 1.0
            return x
        """,
        (np.ones(2),),
    ),
    "write_into_tuple": (
        """
        def f(x):
            t = (x, x)
            t[0] = 1.0
            return t
        """,
        (1.0,),
    ),
    "median_of_complex_numbers": (
        """
        def f(a):
            return np.median(a)
        """,
        (np.array([0, 1, 1j]),),
    ),
    "set_that_changes": (
        """
        def f(x):
            seen = {1, 2}
            seen.add(x)
            return x
        """,
        (1.0,),
    ),
    "list_of_different_shapes": (
        """
        def f(x):
            return np.stack([x, x[:1]])
        """,
        (np.ones(3),),
    ),
    "size_unknown_to_a_function": (
        """
        def f(x):
            return np.fft.fft(x[x > 0]).real.sum()
        """,
        (np.ones(3),),
    ),
    "size_unknown_to_a_method": (
        """
        def f(x):
            return x[x > 0].reshape(-1, 1)
        """,
        (np.ones(3),),
    ),
    "size_unknown_to_print": (
        """
        def f(x):
            print(x[x > 0])
        """,
        (np.ones(3),),
    ),
    "size_unknown_to_a_condition": (
        """
        def f(x):
            if x[x > 0]:
                return 1.0
            return 2.0
        """,
        (np.ones(3),),
    ),
    "size_unknown_to_a_call": (
        """
        def f(x):
            return np.hypot(*x[x > 0])
        """,
        (np.ones(3),),
    ),
    "size_unknown_to_grad": (
        """
        def f(x):
            def g(w):
                return w @ w
            return myia.grad(g)(x[x > 0]).sum()
        """,
        (np.ones(3),),
    ),
    "size_unknown_and_transposed": (
        """
        def f(x, n):
            t = x[:int(n), 1:].T
            x[0, 0] = 1.0
            return t.sum()
        """,
        (np.ones((3, 3)), 2.0),
    ),
    "sizes_that_are_never_equal": (
        """
        def f(x, n):
            return (x[:int(n)] + np.ones(9)).sum()
        """,
        (np.ones(3), 2.0),
    ),
}
DIFFERENTIATED = {
    "rule_of_its_own_derivative": (
        """
        @myia.custom_vjp
        def q(x):
            return x * x

        def bwd(x, ct):
            return (ct * myia.grad(q)(x),)

        q.defvjp(lambda x: (q(x), x), bwd)

        def f(x):
            return q(x) + 1.0
        """,
        (2.0,),
    ),
    "rules_of_each_others_derivatives": (
        """
        @myia.custom_jvp
        def q(x):
            return x * x

        @myia.custom_jvp
        def r(x):
            return x * x * x

        @q.defjvp
        def q_jvp(primals, tangents):
            return myia.jvp(r, primals, tangents)

        @r.defjvp
        def r_jvp(primals, tangents):
            return r(*primals), tangents[0] * myia.jacfwd(q)(*primals)

        def f(x):
            return q(x) + 1.0
        """,
        (2.0,),
    ),
    "rules_on_tangents_of_tangents": (
        """
        def linear(g):
            @myia.custom_jvp
            def h(t):
                return 2.0 * t

            h.defjvp(lambda primals, tangents: (h(*primals), g(tangents[0])))
            return h

        @myia.custom_jvp
        def q(x):
            return 2.0 * x

        @q.defjvp
        def q_jvp(primals, tangents):
            h = linear(linear(linear(lambda t: 2.0 * t)))
            return q(*primals), h(tangents[0])

        def f(x):
            return q(x) + 1.0
        """,
        (2.0,),
    ),
    "derivative_of_a_host_call": (
        """
        @myia.host(like=0.0)
        def lookup(x):
            return x * x

        def f(x):
            for i in range(3):
                x = x + lookup(x)
            return x
        """,
        (2.0,),
    ),
    "host_call_in_a_loop_without_bound": (
        """
        rate = myia.host(lambda: 0.5, like=0.0)

        def f(x):
            while x < 100.0:
                x = x + rate() * x
            return x
        """,
        (2.0,),
    ),
    "host_call_on_a_tangent": (
        """
        h = myia.host(lambda t: 2.0 * t, like=0.0)

        @myia.custom_jvp
        def q(x):
            return 2.0 * x

        q.defjvp(lambda primals, tangents: (q(*primals), h(tangents[0])))

        def f(x):
            return q(x) + 1.0
        """,
        (2.0,),
    ),
    "host_call_in_the_adjoint_of_a_loop": (
        """
        slope = myia.host(np.cos, like=0.0)

        @myia.custom_vjp
        def q(x):
            return np.sin(x)

        q.defvjp(lambda x: (np.sin(x), x), lambda x, ct: (ct * slope(x),))

        def f(x):
            for i in range(3):
                x = q(x)
            return x
        """,
        (2.0,),
    ),
    "host_call_in_a_jacobian": (
        """
        rate = myia.host(lambda: 0.5, like=0.0)

        def f(x):
            return myia.jacrev(lambda y: np.array([y, y * rate()]))(x).sum()
        """,
        (2.0,),
    ),
    "host_call_in_a_pullback": (
        """
        rate = myia.host(lambda: 0.5, like=0.0)

        def f(x):
            y, pull = myia.vjp(lambda y: y * rate(), x)
            return pull(y)[0]
        """,
        (2.0,),
    ),
    "structure_of_a_rule_with_vjp": (
        """
        @myia.custom_vjp
        def q(x, y):
            return x * y

        def fwd(x, y):
            return myia.vjp(lambda x: x * y, x)

        q.defvjp(fwd, lambda pull, ct: pull(ct))

        def f(x):
            return q(x, x) + 1.0
        """,
        (2.0,),
    ),
    "grad_of_int": (
        """
        def f(n):
            return n * 2.0
        """,
        (3,),
    ),
    "grad_of_array_result": (
        """
        def f(x):
            return x * 2.0
        """,
        (np.ones(3),),
    ),
    "grad_of_int_array": (
        """
        def f(x):
            return x[0] * 2.0
        """,
        (np.arange(3),),
    ),
    "grad_of_tuple": (
        """
        def f(x):
            return x, x
        """,
        (1.0,),
    ),
    "grad_of_int_in_dict": (
        """
        def f(p):
            return p['w'] * p['n']
        """,
        ({"w": 1.0, "n": 3},),
    ),
    "grad_of_class": (
        """
        def f(k):
            return k.rate * 2.0
        """,
        (Settings,),
    ),
    "grad_of_function_in_instance": (
        """
        def f(x, p):
            return p.act(p.w) * x
        """,
        (1.0, types.SimpleNamespace(w=1.0, act=leaky)),
        {"argnums": (0, 1)},
    ),
    "grad_of_deque_in_dict": (
        """
        def f(p):
            return p["w"] * 2.0
        """,
        ({"w": 1.0, "last": [collections.deque([0.5])]},),
    ),
    "grad_of_object_that_holds_itself": (
        """
        def f(p):
            return p["w"] * 2.0
        """,
        (cyclic(),),
    ),
    "grad_of_instance_of_ints": (
        """
        def f(p):
            return p.n * 2.0
        """,
        (types.SimpleNamespace(n=3),),
    ),
    "grad_of_nothing": (
        """
        def f(x):
            y = x
        """,
        (1.0,),
    ),
}

FILE = "<program>"


def define(source: str):
    """The function `f` of a program, its source at hand as that of a file would be."""
    source = textwrap.dedent(source).strip()
    lines = [line + "\n" for line in source.split("\n")]
    linecache.cache[FILE] = (len(source), None, lines, FILE)
    namespace = {"__name__": "program", "np": np, "myia": myia, "dataclass": dataclass}
    exec(compile(source, FILE, "exec"), namespace)
    return namespace["f"]


def refusal(transform, source: str, args: tuple, options: dict | None = None) -> str:
    with pytest.raises(myia.MyiaError) as info:
        transform(define(source), **(options or {}))(*args)
    return f"{textwrap.dedent(source).strip()}\n\n{info.value}\n"


@pytest.mark.parametrize("name", PROGRAMS)
def test_refused(name, golden):
    golden(refusal(myia.jit, *PROGRAMS[name]))


@pytest.mark.parametrize("name", DIFFERENTIATED)
def test_derivative_refused(name, golden):
    golden(refusal(myia.grad, *DIFFERENTIATED[name]))


def test_a_recursion_names_the_call_that_is_refused():
    """The message points to the recursive call."""
    message = refusal(myia.jit, *PROGRAMS["recursion"])
    assert "sum(map(f, [x - 1.0, x - 2.0]))" in message and "^^^^^^" in message
