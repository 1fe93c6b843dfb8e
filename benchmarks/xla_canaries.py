"""The measured reasons for the emission rules of the XLA backend (docs/emission.md).

Run it when the version of JAX changes. Each function times one program of hand-built IR under
variants of the emission and, for some, against the loop as JAX's users write it.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp

from benchmarks.harness import compare
from myia.backends.xla.cpu.emission_options import Rules
from myia.backends.xla.emit import emit
from myia.backends.xla.executable import compile_function
from myia.ir.avals import F64, I64, Aval
from myia.ir.builder import build_region
from myia.ir.core import Function, Value
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import concatenate, reduce_sum, reshape
from myia.primitives.core.define import constant, zeros
from myia.primitives.core.emit_structured import loop
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.arithmetic import mul, sub
from myia.primitives.pointwise.transcendental import cos, sin, tanh

NO_RULE = Rules()
OP_BY_OP = Rules(opaque_barriers=True, region_analysis=True)
WITHOUT_BARRIERS = Rules(whole_loop_calls=True, region_analysis=True)
WITHOUT_OPTIONS = Rules(opaque_barriers=True, whole_loop_calls=True)


def array(*shape: int) -> Aval:
    return F64.with_shape(shape)


def function(name: str, avals, body: Callable) -> Function:
    return Function(name, build_region(avals, body))


def integer(value: int) -> Value:
    return constant(value, np.int64)


def read(buffer: Value, *indices: Value) -> Value:
    element = dynamic_slice(buffer, *indices, sizes=(1,) * buffer.aval.ndim)
    return reshape(element, shape=())


def write(buffer: Value, x: Value, *indices: Value) -> Value:
    return dynamic_update_slice(buffer, reshape(x, shape=(1,) * buffer.aval.ndim), *indices)


def ours(f: Function, *args) -> Callable[[], object]:
    executable = compile_function(f)
    return lambda: jax.block_until_ready(executable(*args))


def variant(f: Function, rules: Rules, *args) -> Callable[[], object]:
    jitted = jax.jit(emit(f, rules), compiler_options=rules.compiler_options)
    return _with_x64(lambda: jax.block_until_ready(jitted(*args)))


def _with_x64(f: Callable[[], object]) -> Callable[[], object]:
    def call():
        with jax.enable_x64(True):
            return f()

    return call


def variants(f: Function, *args) -> dict[str, Callable[[], object]]:
    return {
        "all rules": ours(f, *args),
        "without whole loops": variant(f, OP_BY_OP, *args),
        "without barriers": variant(f, WITHOUT_BARRIERS, *args),
        "without region analysis": variant(f, WITHOUT_OPTIONS, *args),
        "no rule": variant(f, NO_RULE, *args),
    }


# ----- Scalar loops and tapes


def scalar_gradient(count: int, tape: Callable) -> Function:
    """The gradient of 1,000 iterations of x = sin(x) * 1.01 + c by a tape of x."""
    empty, push, top = tape(count)

    def body(x, c):
        def forward(k, x, t):
            return [sin(x) * 1.01 + c, push(t, x, k)]

        def reverse(k, ct_x, ct_c):
            x = top(t, sub(integer(count - 1), k))
            return [ct_x * 1.01 * cos(x), ct_c + ct_x]

        n = integer(count)
        _, t = loop([x, empty()], forward, count=n)
        return loop([constant(1, np.float64), constant(0, np.float64)], reverse, count=n)

    return function("scalar_gradient", [F64, F64], body)


def flat_tape(n: int):
    return lambda: zeros(array(n)), write, read


def column_tape(n: int):
    def push(t, x, k):
        return write(t, x, k, integer(0))

    return lambda: zeros(array(n, 1)), push, lambda t, k: read(t, k, integer(0))


def scalar_loop() -> None:
    """The target: at most 1.2 times `jax.grad` of the scan."""
    count = 1_000

    def scanned(x, c):
        return lax.scan(lambda x, _: (jnp.sin(x) * 1.01 + c, None), x, None, length=count)[0]

    args = (np.float64(0.3), np.float64(0.1))
    by_jax = jax.jit(jax.grad(scanned, argnums=(0, 1)))
    compare(
        "gradient of a scalar loop, 1,000 iterations",
        {
            "jax.grad of lax.scan": _with_x64(lambda: jax.block_until_ready(by_jax(*args))),
            "a tape of shape (n,)": ours(scalar_gradient(count, flat_tape), *args),
            "a tape of shape (n, 1)": ours(scalar_gradient(count, column_tape), *args),
        },
    )


def many_values(count: int, width: int, packed: bool) -> Function:
    """Each iteration records `width` scalars: into tapes of their own, or as one row of a tape."""

    def record(values, tapes, k):
        if not packed:
            return [write(t, x, k) for t, x in zip(tapes, values)]
        row = concatenate(*(reshape(x, shape=(1, 1)) for x in values), axis=1)
        return [dynamic_update_slice(tapes[0], row, k, integer(0))]

    def body(x):
        def body(k, x, *tapes):
            values = [x]
            for _ in range(width - 1):
                values.append(sin(values[-1]))
            return [values[-1], *record(values, tapes, k)]

        tapes = [zeros(array(count, width))] if packed else [zeros(array(count))] * width
        return loop([x, *tapes], body, count=integer(count))

    return function("many_values", [F64], body)


def tape_of_many_values() -> None:
    x = np.float64(0.3)
    for width in (4, 16):
        compare(
            f"recording {width} scalars per iteration, 1,000 iterations",
            {
                "a tape each": ours(many_values(1_000, width, False), x),
                "one tape of rows": ours(many_values(1_000, width, True), x),
            },
        )


# ----- Loops that read and write one array


def recurrence_gradient(n: int) -> Function:
    """The reverse sweep of x[i] = sin(x[i]) * x[i - 1] + x[i] with an undo log."""

    def body(x, ct):
        def forward(k, x, log):
            i = k + 1
            old = read(x, i)
            return [write(x, sin(old) * read(x, k) + old, i), write(log, old, k)]

        def reverse(k, x, ct):
            j = sub(integer(n - 2), k)
            i = j + 1
            x = write(x, read(log, j), i)
            old, left, t = read(x, i), read(x, j), read(ct, i)
            ct = write(ct, constant(0, np.float64), i)
            ct = write(ct, read(ct, i) + t * (cos(old) * left + 1.0), i)
            return [x, write(ct, read(ct, j) + t * sin(old), j)]

        count = integer(n - 1)
        y, log = loop([x, zeros(array(n - 1))], forward, count=count)
        return loop([y, ct], reverse, count=count)[1:]

    return function("recurrence_gradient", [array(n), array(n)], body)


def recurrence_in_place() -> None:
    n = 4_000
    args = (np.linspace(-1, 1, n), np.ones(n))
    compare(
        f"reverse of x[i] = sin(x[i]) * x[i-1] + x[i], n = {n}",
        variants(recurrence_gradient(n), *args),
    )


def seidel_adjoint(n: int) -> Function:
    """The reverse sweep of a[i, j] = mean of a[i, j] and its neighbours, cell by cell."""
    stencil = ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0))

    def body(ct):
        def row(r, ct):
            i = sub(integer(n - 2), r)

            def cell(c, ct):
                j = sub(integer(n - 2), c)
                share = read(ct, i, j) * 0.2
                ct = write(ct, constant(0, np.float64), i, j)
                for di, dj in stencil:
                    at = (i + di, j + dj)
                    ct = write(ct, read(ct, *at) + share, *at)
                return [ct]

            return loop([ct], cell, count=integer(n - 2))

        return loop([ct], row, count=integer(n - 2))

    return function("seidel_adjoint", [array(n, n)], body)


def seidel() -> None:
    n = 60
    compare(f"adjoint of 2-D Gauss-Seidel, {n} x {n}", variants(seidel_adjoint(n), np.ones((n, n))))


def overwritten_values(n: int) -> Function:
    """a[i, j] = (a[i, j] + a[i, j - 1]) / 2, recording what is overwritten."""

    def body(a):
        def row(i, a, log):
            def cell(j, a, log):
                old, left = read(a, i, j + 1), read(a, i, j)
                p = mul(i, integer(n - 1)) + j
                return [write(a, (old + left) * 0.5, i, j + 1), write(log, old, p)]

            return loop([a, log], cell, count=integer(n - 1))

        return loop([a, zeros(array(n * n))], row, count=integer(n))

    return function("overwritten_values", [array(n, n)], body)


def undo_log() -> None:
    n = 100
    compare(
        f"recording overwritten values, {n} x {n}", variants(overwritten_values(n), np.ones((n, n)))
    )


# ----- Whole loops


def network_gradient(units: int, steps: int) -> Function:
    """Both sweeps of a recurrent network h = tanh(w h + u x[k]), and its gradient by w."""

    def product(a, b, i, j):
        return dot_general(a, b, contract=((i,), (j,)), batch=((), ()))

    def body(w, x):
        def forward(k, h, tape):
            h = tanh(product(w, h, 1, 0) + reshape(row(x, k), shape=(units,)))
            return [h, dynamic_update_slice(tape, reshape(h, shape=(1, units)), k, integer(0))]

        def row(a, k):
            return dynamic_slice(a, k, integer(0), sizes=(1, units))

        def reverse(k, ct, ct_w):
            i = sub(integer(steps - 1), k)
            h = reshape(row(tape, i), shape=(units,))
            before = reshape(row(tape, i - 1), shape=(units,))
            t = ct * (1 - h * h)
            outer = dot_general(t, before, contract=((), ()), batch=((), ()))
            return [product(w, t, 0, 0), ct_w + outer]

        n = integer(steps)
        h, tape = loop([zeros(array(units)), zeros(array(steps, units))], forward, count=n)
        ct_w = loop([h, zeros(array(units, units))], reverse, count=n)[1]
        return [ct_w, reduce_sum(h, axes=(0,))]

    return function("network_gradient", [array(units, units), array(steps, units)], body)


def network() -> None:
    for units in (14, 32):
        args = (np.eye(units) * 0.5, np.full((500, units), 0.1))
        f = network_gradient(units, 500)
        compare(
            f"gradient of a recurrent network of {units} units, 500 steps",
            {
                "all rules": ours(f, *args),
                "without whole loops": variant(f, OP_BY_OP, *args),
                "no rule": variant(f, NO_RULE, *args),
            },
        )


def vectors(size: int, count: int) -> Function:
    def body(v, n):
        return loop([v], lambda k, v: [v * 0.9 + 0.1], count=n)

    return function("vectors", [array(size), I64], body)


def small_vectors() -> None:
    for size in (16, 64, 256, 1024):
        args = (np.ones(size), np.int64(1_000))
        f = vectors(size, 1_000)
        compare(
            f"v = v * 0.9 + 0.1, {size} elements, 1,000 iterations",
            {
                "all rules": ours(f, *args),
                "without whole loops": variant(f, OP_BY_OP, *args),
                "no rule": variant(f, NO_RULE, *args),
            },
        )


def main() -> None:
    scalar_loop()
    tape_of_many_values()
    recurrence_in_place()
    seidel()
    undo_log()
    network()
    small_vectors()


if __name__ == "__main__":
    main()
