"""A program for each kind of refusal that `tests/infer/test_refusals.py` has no program for, and
more programs for kinds that stand for much.

The last line is the call that is refused.
"""

EXAMPLES = {
    "closed-over": """
        def loss(w):
            @myia.custom_vjp
            def scaled(x):
                return x * w

            scaled.defvjp(lambda x: (x * w, None), lambda _, ct: (ct * w,))
            return scaled(2.0)

        myia.grad(loss)(3.0)
        """,
    "dynamic-size-escapes": """
        def positive(x):
            return x[x > 0.0]

        jax.jit(myia.jit(positive))(np.array([1.0, -1.0, 2.0]))
        """,
    "needs-capacity": """
        def steps(x):
            found = []
            while x > 1.0:
                x = x / 2.0
                found.append(x)
            return np.array(found).sum()

        jax.jit(myia.jit(steps))(10.0)
        """,
    "new-key": """
        def count(x):
            counts = {}
            kind = "small" if x < 1.0 else "large"
            counts[kind] = counts.get(kind, 0.0) + x
            return x

        myia.jit(count)(0.7)
        """,
    "no-bound": """
        def halve(x):
            while x > 1.0:
                x = x / np.sqrt(x + 1.0)
            return x

        myia.grad(halve, checkpoint="tape")(10.0)
        """,
    "no-forward-rule": """
        @myia.custom_vjp
        def clipped(x):
            return x

        clipped.defvjp(lambda x: (x, None), lambda _, ct: (np.clip(ct, -1.0, 1.0),))
        myia.jvp(clipped, (2.0,), (1.0,))
        """,
    "no-matrix-derivative": """
        import scipy.linalg

        def f(a):
            return np.sum(scipy.linalg.schur(a)[0])

        myia.grad(f)(np.array([[2.0, 1.0], [0.0, 1.0]]))
        """,
    "no-source": """
        namespace = {}
        exec("def double(x): return 2.0 * x", namespace)
        myia.jit(namespace["double"])(1.0)
        """,
    "no-transposed-solver": """
        @myia.staged
        def solved(a, b):
            def solve(matvec, b):
                return jnp.linalg.solve(a, b)

            return jax.lax.custom_linear_solve(lambda x: a @ x, b, solve)

        myia.grad(lambda a: np.sum(solved(a, np.ones(2))))(2.0 * np.eye(2))
        """,
    "nonlinear-rule": """
        @myia.custom_vjp
        def clipped(x):
            return x * x

        clipped.defvjp(lambda x: (x * x, x), lambda x, ct: (np.clip(2.0 * x * ct, -1.0, 1.0),))

        def f(x):
            for _ in range(1000):
                x = clipped(x)
            return x

        myia.grad(myia.grad(f))(0.9)
        """,
    "option-inside": """
        def f(x):
            return myia.grad(lambda y: y * y, checkpoint="tape")(x)

        myia.jit(f)(2.0)
        """,
    "over-budget": """
        def f(x):
            for _ in range(1000):
                x = np.sin(x)
            return np.sum(x)

        myia.grad(f, memory=1000)(np.ones(100))
        """,
    "recursion-differs": """
        def f(x, n):
            if n <= 0:
                return np.sum(x)
            return f(x.astype(np.float32), n - 1) + 1.0

        myia.jit(lambda n: f(np.ones(2), n))(np.float64(3.0))
        """,
    "too-many-calls": """
        def paths(n, m):
            return 1.0 if n == 0 or m == 0 else paths(n - 1, m) + paths(n, m - 1)

        myia.jit(lambda x: x * paths(12, 12))(1.0)
        """,
    "tracing-failed": """
        @myia.staged
        def branch(x):
            return x if x > 0.0 else -x

        myia.jit(lambda x: branch(x) + 1.0)(1.0)
        """,
    "unsupported-batch": """
        def f(x, total):
            total[0] += x
            return x

        myia.vmap(f, in_axes=(0, None))(np.ones(3), np.zeros(1))
        """,
    "unsupported-class": """
        def f(x):
            @dataclass(slots=True)
            class Point:
                x: float

            return Point(x).x

        myia.jit(f)(1.0)
        """,
    "unsupported-context": """
        import threading

        lock = threading.Lock()

        def f(x):
            with lock:
                return 2.0 * x

        myia.jit(f)(1.0)
        """,
    "unsupported-context-function": """
        import contextlib

        @contextlib.contextmanager
        def either(x):
            if x > 0.0:
                yield x
            else:
                yield -x

        def f(x):
            with either(x) as y:
                return y

        myia.jit(f)(1.0)
        """,
    "unsupported-derivative": """
        @myia.custom_jvp
        def double(x):
            return 2.0 * x

        myia.grad(double)(1.0)
        """,
    "unsupported-exception": """
        def f(x):
            try:
                if x > 1.0:
                    raise ValueError(x)
                if x > 0.0:
                    raise KeyError(x)
            except (ValueError, KeyError) as e:
                return 1.0 if type(e) is KeyError else 2.0
            return x

        myia.jit(f)(1.0)
        """,
    "unsupported-index": """
        def f(x):
            del x[0]
            return x

        myia.jit(f)(np.ones(3))
        """,
    "unsupported-jax": """
        def f(x):
            return jax.grad(jnp.sin)(x)

        myia.jit(f)(1.0)
        """,
    "unsupported-random": """
        def f(seed):
            return np.random.default_rng(seed).normal()

        myia.jit(f)(1.5)
        """,
    "user-function-traced": """
        def f(x):
            return jax.lax.associative_scan(lambda a, b: a * b, x)

        myia.jit(f)(np.ones(3))
        """,
    "wide-integer": """
        def f(x):
            k = 2**63
            if x > 3.0:
                k = 1
            return k

        myia.jit(f)(1.0)
        """,
}

MORE = {
    "not-differentiable": (
        """
        def loss(w, n):
            return np.sum(w) * n

        myia.grad(loss, argnums=1)(np.ones(3), 2)
        """,
        """
        def loss(w):
            return np.argmax(w)

        myia.grad(loss)(np.array([1.0, 3.0, 2.0]))
        """,
        """
        def loss(params):
            return np.sum(params["w"]) * params["steps"]

        myia.grad(loss)({"w": np.ones(3), "steps": 10})
        """,
        """
        def loss(w):
            return np.sum(w * w), w

        myia.grad(loss)(np.ones(3))
        """,
        """
        def loss(w):
            np.sum(w * w)

        myia.grad(loss)(np.ones(3))
        """,
    ),
    "unsupported-function": (
        """
        import scipy.optimize

        def fitted(x):
            return scipy.optimize.minimize(lambda p: np.sum((p - x) ** 2), x).x

        myia.jit(fitted)(np.ones(3))
        """,
        """
        import scipy.integrate

        def area(x):
            return scipy.integrate.quad(np.sin, 0.0, x)[0]

        myia.grad(area)(1.0)
        """,
        """
        def total(scale):
            return scale * np.sum(np.loadtxt("numbers.txt"))

        myia.grad(total)(2.0)
        """,
        """
        import scipy.interpolate

        def between(t, y):
            return scipy.interpolate.CubicSpline(np.arange(4.0), y)(t)

        myia.grad(between)(1.5, np.array([0.0, 1.0, 0.0, 2.0]))
        """,
    ),
}
