"""The functions of `operator` that change their first argument: `iadd`, `iconcat` and the rest."""

import operator

import numpy as np
import pytest

import myia

VALUES = {
    "list": lambda: [1.0, 2.0],
    "tuple": lambda: (4.0, 5.0),
    "array": lambda: np.array([1.0, 2.0]),
    "integers": lambda: np.array([5, 2]),
    "matrix": lambda: np.array([[1.0, 2.0], [3.0, 4.0]]),
    "float": lambda: 2.0,
    "int": lambda: 2,
    "dict": lambda: {"a": 1.0},
    "other dict": lambda: {"b": 2.0},
}
NAMES = ["add", "and", "concat", "floordiv", "lshift", "matmul", "mod", "mul", "or", "pow"]
NAMES += ["rshift", "sub", "truediv", "xor"]
PAIRS = [("array", "array"), ("integers", "integers"), ("matrix", "matrix"), ("array", "float")]
PAIRS += [("integers", "int"), ("float", "float"), ("list", "int"), ("tuple", "int")]
ALL = [(a, b) for a in VALUES for b in VALUES]


def shown(x):
    if isinstance(x, dict):
        return {k: shown(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return type(x), list(map(shown, x))
    return (type(x), x.dtype, x.tolist()) if isinstance(x, np.ndarray) else float(x)


def outcome(f, a, b):
    args = VALUES[a](), VALUES[b]()
    try:
        found = f(*args)
        return shown(found), shown(args), [found is x for x in args]
    except (TypeError, ValueError):
        return "an error"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore::myia.CompileWarning")
def test_as_python(name):
    for function in (f"i{name}", *(["concat"] if name == "concat" else [])):
        in_place = getattr(operator, function)

        def f(x, y, in_place=in_place):
            return in_place(x, y)

        compiled = myia.jit(f)
        for a, b in ALL if name in ("concat", "add", "or") else PAIRS:
            try:
                found = outcome(compiled, a, b)
            except myia.MyiaError:
                continue
            assert found == outcome(f, a, b), (function, a, b)


def test_a_list_is_changed_for_all_its_names():
    def f(x):
        xs = [x, 2.0]
        ys = xs
        zs = operator.iconcat(xs, (x * x, 3.0))
        return len(ys) * sum(zs)

    assert myia.jit(f)(1.5) == f(1.5)
    assert myia.grad(f)(1.5) == pytest.approx((f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6)
