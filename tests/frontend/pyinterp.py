"""A direct interpreter of IR(py): each op is what Python does, on real Python objects."""

from __future__ import annotations

import builtins
import inspect
import operator
import sys

from myia.primitives.core import py
from myia.primitives.core.structured import Loop, if_p, loop_p

UNDEFINED = type("Undefined", (), {"__repr__": lambda self: "UNDEFINED"})()

BINARY = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
INPLACE = {
    "+": operator.iadd,
    "-": operator.isub,
    "*": operator.imul,
    "/": operator.itruediv,
    "//": operator.ifloordiv,
    "%": operator.imod,
    "**": operator.ipow,
    "@": operator.imatmul,
    "<<": operator.ilshift,
    ">>": operator.irshift,
    "&": operator.iand,
    "|": operator.ior,
    "^": operator.ixor,
}
UNARY = {
    "+": operator.pos,
    "-": operator.neg,
    "~": operator.invert,
    "not": operator.not_,
    "truth": operator.truth,
}
COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "is": operator.is_,
    "is not": operator.is_not,
    "in": lambda x, y: x in y,
    "not in": lambda x, y: x not in y,
}
CONVERT = {None: lambda x: x, "s": str, "r": repr, "a": ascii}


class Cell:
    def __init__(self):
        self.value = UNDEFINED


def make_function(code, cells=(), defaults=()):
    """A Python callable that interprets `code`."""
    defaults = iter(defaults)
    signature = inspect.Signature(
        [
            inspect.Parameter(
                p.name,
                getattr(inspect.Parameter, p.kind),
                default=next(defaults) if p.has_default else inspect.Parameter.empty,
            )
            for p in code.parameters
        ]
    )

    def function(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = [bound.arguments[p.name] for p in code.parameters]
        (result,) = run_region(code.region, [*cells, *arguments], {}, code.namespace)
        return result

    function.__name__ = code.name
    return function


def run_region(region, args, env, namespace):
    assert len(args) == len(region.args)
    env.update(zip(region.args, args))
    for op in region.ops:
        results = run_op(op, [env[x] for x in op.operands], env, namespace)
        assert len(results) == len(op.results), op
        env.update(zip(op.results, results))
    return [env[y] for y in region.yields]


def run_op(op, xs, env, namespace):
    if op.primitive is if_p:
        return run_region(op.regions[0 if truth(xs[0]) else 1], [], env, namespace)
    if op.primitive is loop_p:
        return run_loop(op, xs, env, namespace)
    if op.primitive in (py.try_, py.finally_):
        return run_try(op, env, namespace)
    result = OPS[op.primitive](*xs, namespace=namespace, **op.params)
    if op.primitive is py.unpack:
        return result
    return [result] if op.results else []


def truth(x):
    assert x is not UNDEFINED
    return bool(x)


def run_loop(op, xs, env, namespace):
    parts = Loop.of(op)
    items = iter(xs[0]) if parts.count is not None else None
    carries = xs[parts.count is not None :]
    while True:
        if parts.cond is not None:
            # Before the next item is taken: after a `break` none is.
            (go,) = run_region(parts.cond, [UNDEFINED, *carries], env, namespace)
            if not truth(go):
                return carries
        item = UNDEFINED
        if items is not None:
            try:
                item = next(items)
            except StopIteration:
                return carries
        carries = run_region(parts.body, [item, *carries], env, namespace)


class Discarded:
    """An exception that goes through a `finally`, until a jump forgets it."""

    def __init__(self, error):
        self.error = error


pending = []


def discard(**_):
    pending[-1].error = None


def run_try(op, env, namespace):
    def run(region):
        return run_region(region, [], env, namespace)

    body, second, *handlers = op.regions
    if op.primitive is py.finally_:
        held = Discarded(None)
        try:
            run(body)
        except BaseException as error:
            held.error = error
        pending.append(held)
        try:
            run(second)
        finally:
            pending.pop()
        if held.error is not None:
            raise held.error
        return []
    try:
        run(body)
    except BaseException as error:
        for test, handler in zip(handlers[::2], handlers[1::2]):
            if not test.yields or isinstance(error, run(test)[0]):
                run(handler)
                return []
        raise
    run(second)
    return []


# ----- One function per op; `namespace` is where global and free names are


def defined(x, name, captured=False, **_):
    if x is UNDEFINED:
        raise (NameError if captured else UnboundLocalError)(name)
    return x


def load_cell(cell, name, captured=False, **_):
    return defined(cell.value, name, captured)


def free(name, namespace):
    try:
        return namespace.cells[name].cell_contents
    except ValueError:
        raise NameError(name) from None


def global_(name, namespace):
    if name in namespace.globals:
        return namespace.globals[name]
    if hasattr(builtins, name):
        return getattr(builtins, name)
    raise NameError(name)


def function(*operands, code, **_):
    n = len(code.captured)
    return make_function(code, operands[:n], operands[n:])


def call(f, *args, spec, **_):
    positional, named = [], {}
    for arg, how in zip(args, spec):
        if how is None:
            positional.append(arg)
        elif how == "*":
            positional.extend(arg)
        else:
            named = dict(**named, **(arg if how == "**" else {how: arg}))
    return f(*positional, **named)


def items(xs, stars):
    return [y for x, star in zip(xs, stars) for y in (x if star else [x])]


def display(kind):
    return lambda *xs, stars, **_: kind(items(xs, stars))


def dict_(*operands, stars, **_):
    result = {}
    for key, value, star in zip(operands[::2], operands[1::2], stars):
        result.update(value if star else {key: value})
    return result


def unpack(x, before, starred, after, **_):
    xs = list(x)
    if len(xs) < before + after or (not starred and len(xs) > before + after):
        raise ValueError("unpack")
    middle = [xs[before : len(xs) - after]] if starred else []
    return [*xs[:before], *middle, *xs[len(xs) - after :]]


def format_(*values, parts, **_):
    values = iter(values)
    texts = (p if isinstance(p, str) else format(CONVERT[p[0]](next(values)), p[1]) for p in parts)
    return "".join(texts)


def assert_(condition, message, **_):
    if not condition:
        raise AssertionError(message)


def raise_(exception, cause=UNDEFINED, **_):
    if cause is UNDEFINED:
        raise exception
    raise exception from cause


def store_cell(cell, x, **_):
    cell.value = x


OPS = {
    py.const: lambda value, **_: value,
    py.global_: global_,
    py.free: free,
    py.undefined: lambda **_: UNDEFINED,
    py.defined: defined,
    py.cell: lambda **_: Cell(),
    py.load_cell: load_cell,
    py.store_cell: store_cell,
    py.function: function,
    py.call: call,
    py.unary: lambda x, op, **_: UNARY[op](x),
    py.binary: lambda x, y, op, **_: BINARY[op](x, y),
    py.inplace: lambda x, y, op, **_: INPLACE[op](x, y),
    py.compare: lambda x, y, op, **_: COMPARE[op](x, y),
    py.getattr_: lambda x, name, **_: getattr(x, name),
    py.setattr_: lambda x, value, name, **_: setattr(x, name, value),
    py.getitem: lambda x, key, **_: x[key],
    py.setitem: lambda x, key, value, **_: operator.setitem(x, key, value),
    py.delitem: lambda x, key, **_: operator.delitem(x, key),
    py.slice_: lambda start, stop, step, **_: slice(start, stop, step),
    py.tuple_: display(tuple),
    py.list_: display(list),
    py.set_: display(set),
    py.dict_: dict_,
    py.generator: lambda items, iterable, **_: iter(items),
    py.unpack: unpack,
    py.format_: format_,
    py.assert_: assert_,
    py.raise_: raise_,
    py.caught: lambda **_: sys.exception(),
    py.discard: discard,
}
