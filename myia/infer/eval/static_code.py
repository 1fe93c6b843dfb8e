"""Static code: loops and calls of which all inputs are known when compiling, run by Python itself.

    rows = [[1]]                                    rows = [[1], [1, 1], [1, 2, 1], ...]
    for n in range(20):                       ->
        rows.append(next_row(rows[-1]))             inference has nothing to do

Inference would compile such a loop, or unroll it: at a hundred times the cost of an operation of
Python's, and with integers of 64 bits in the loop. The operations here are few
(`static_operations.py`), so that nothing outside the program is read or changed.

*What it guarantees*: the values, objects and names are those that Python would have.

*When it gives up*: something is not known, an operation is none of these, an error is raised, or
a limit is reached. Nothing has been changed then, and the code is inferred as usual. Errors of
arithmetic are raised, which the loop would raise at run time.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from myia.infer.domain import values
from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadValue, TooManyCalls
from myia.infer.domain.heap import CellObject, DictObject, ListObject
from myia.infer.domain.values import UNDEFINED, Abstract, Ref, Scalar
from myia.infer.eval import static_operations as operations
from myia.infer.eval.static_objects import CachedFunction, Function, Objects, Variable
from myia.infer.eval.static_operations import NotKnown, require
from myia.ir.builder import at
from myia.ir.core import Op, Region, Value, captures, walk
from myia.primitives.core import py
from myia.primitives.core.py import Code, Parameter
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.source.span import Span

# Ops that are run, and items that they take. A longer loop costs less when it is compiled; a longer
# recursion costs more.
MAX_STEPS_OF_LOOP = 300_000
MAX_STEPS_OF_CALL = 1_500_000
MAX_STEPS_OF_PROGRAM = 4_000_000
# Calls of functions in themselves that are inferred, each by itself.
MAX_RECURSIVE_CALLS = 50_000
MAX_FAILURES = 2  # of one loop or function: then it is not tried again
MAX_DEPTH = 900  # of calls of one function

Env = dict[Value, Any]
HANDLERS: dict[str, Callable[[Run, Op, Env], None]] = {}
_repeating: weakref.WeakKeyDictionary[Code, bool] = weakref.WeakKeyDictionary()


def run_loop(ctx: Context, op: Op, env: dict[Value, Abstract]) -> list[Abstract] | None:
    """What a loop of IR(py) yields; None: it is not static."""
    inputs = {x: env[x] for x in (*op.operands, *captures(*op.regions))}
    iterated = op.operands[0] if op.params["counted"] else None

    def run(python: Run) -> list[Any]:
        of, of_iterator = python.objects.of, python.objects.of_iterator
        known = {
            x: of_iterator(y) if x is iterated and isinstance(y, values.Iterator) else of(y)
            for x, y in inputs.items()
        }
        HANDLERS[loop_p.name](python, op, known)
        return [known[x] for x in op.results]

    return _attempt(ctx, op, inputs.values(), run)


def run_call(
    ctx: Context,
    code: Code,
    captured: Sequence[Abstract],
    bound: Sequence[Abstract],
    cells: dict[str, Abstract] | None,
) -> Abstract | None:
    """The result of a function that repeats something; None: the call is not static."""
    if not ctx.frames or not _repeats(code):
        return None

    def run(python: Run) -> list[Any]:
        objects = python.objects
        variables = tuple(map(objects.of, captured))
        f = Function(code, variables, (), cells, python.call)
        return [python.run_code(f, list(map(objects.of, bound)))]

    found = _attempt(ctx, code, bound, run)
    return None if found is None else found[0]


def _repeats(code: Code) -> bool:
    """Whether code has loops or calls, and is the user's: other code costs little."""
    if code not in _repeating:
        of_library = code.namespace.globals.get("__name__", "").startswith("myia.library.")
        repeats = any(op.primitive in (loop_p, py.call) for op in walk(code.region))
        _repeating[code] = repeats and not of_library
    return _repeating[code]


def _attempt(
    ctx: Context, key: Any, inputs: Any, run: Callable[[Run], list[Any]]
) -> list[Abstract] | None:
    failures = ctx.failures_of_static_code
    if ctx.debug or failures.get(key, 0) >= MAX_FAILURES or not all(_may_be_known(ctx, inputs)):
        return None
    python, calling = Run(ctx), ctx.calling
    try:
        return python.objects.commit(run(python))
    except ArithmeticError as error:  # Python's; XLA may crash when it evaluates such a loop
        if ctx.handlers.catches(type(error)):
            return None
        with at(python.span):
            ctx.fail(BadValue, message=str(error), exception=type(error).__name__)
    except Exception:  # whatever else the program raises: inference says it better
        with at(python.span):
            limit_recursion(ctx, python.recursive_calls, python.recursion)
        if python.steps:
            failures[key] = failures.get(key, 0) + 1
        return None
    finally:
        ctx.static_steps += python.steps
        ctx.calling = calling  # names are looked up in frames that are no calls


def limit_recursion(ctx: Context, calls: int, code: Code | None) -> None:
    """An error if inference makes so many calls of functions in themselves, the last of `code`."""
    if calls > MAX_RECURSIVE_CALLS and code is not None:
        ctx.fail(TooManyCalls, name=code.name, limit=MAX_RECURSIVE_CALLS)


def _may_be_known(ctx: Context, inputs: Iterable[Abstract]) -> Iterator[bool]:
    kinds = (ListObject, DictObject, CellObject)
    for x in inputs:
        yield isinstance(ctx.heap[x.id], kinds) if isinstance(x, Ref) else not isinstance(x, Scalar)


class Run:
    """One run of static code."""

    def __init__(self, ctx: Context) -> None:
        self.objects = Objects(ctx, self.call)
        self.steps = 0
        self.calls: Counter[Code] = Counter()  # in progress
        # Calls of functions in themselves, in no loop; the last of them.
        self.recursive_calls = self.loop_depth = 0
        self.recursion: Code | None = None
        self.span: Span | None = None  # of the present op
        self.max_steps = min(MAX_STEPS_OF_CALL, MAX_STEPS_OF_PROGRAM - ctx.static_steps)
        frame = ctx.frames[-1]
        self.function = Function(frame.code, (), (), frame.cells, self.call)
        self.loops: dict[Op, Loop] = {}

    def step(self, count: int) -> None:
        """Count operations, or items that an operation takes."""
        self.steps += count
        require(self.steps <= self.max_steps)

    def region(self, region: Region, env: Env) -> list[Any]:
        self.step(len(region.ops))
        for op in region.ops:
            self.span = op.span
            HANDLERS[op.primitive.name](self, op, env)
        return [env[y] for y in region.yields]

    def call(self, f: Function, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        return self.run_code(f, bind(f, args, kwargs))

    def run_code(self, f: Function, bound: Sequence[Any]) -> Any:
        code, caller = f.code, self.function
        require(code.closing is None)
        if self.calls[code] and not self.loop_depth:
            self.recursive_calls, self.recursion = self.recursive_calls + 1, code
        self.calls[code] += 1
        require(self.calls[code] <= MAX_DEPTH)
        self.function = f
        env = dict(zip(code.region.args, (*f.captured, *bound)))
        (result,) = self.region(code.region, env)
        self.function = caller
        self.calls[code] -= 1
        return result

    def loop(self, loop: Loop, env: Env) -> list[Any]:
        xs = [env[x] for x in loop.carries]
        items = None if loop.count is None else env[loop.count]
        if items is not None:
            if type(items) is range and loop.cond is None:
                require(len(items) * len(loop.body.ops) <= MAX_STEPS_OF_LOOP)
            items = operations.items(items)
        start = self.steps
        while True:
            self.step(1)
            require(self.steps - start <= MAX_STEPS_OF_LOOP)
            if loop.cond is not None:  # it reads no item
                env.update(zip(loop.cond.args, (None, *xs)))
                if not self.region(loop.cond, env)[0]:
                    return xs
            item = None
            if items is not None:
                try:
                    item = next(items)
                except StopIteration:
                    return xs
            env.update(zip(loop.body.args, (item, *xs)))
            xs = self.region(loop.body, env)


def bind(f: Function, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
    """The arguments in the order of the parameters."""
    rest, named, defaults = list(args), dict(kwargs), iter(f.defaults)
    bound = []
    for p in f.code.parameters:
        default = next(defaults) if p.has_default else UNDEFINED
        bound.append(_argument(p, rest, named, default))
    require(not rest and not named)
    return bound


def _argument(p: Parameter, rest: list[Any], named: dict[str, Any], default: Any) -> Any:
    if p.kind == "VAR_POSITIONAL":
        found = tuple(rest)
        rest.clear()
        return found
    if p.kind == "VAR_KEYWORD":
        keywords = dict(named)
        named.clear()
        return keywords
    by_name = p.kind != "POSITIONAL_ONLY" and p.name in named
    if rest and p.kind != "KEYWORD_ONLY":
        require(not by_name)
        return rest.pop(0)
    found = named.pop(p.name) if by_name else default
    require(found is not UNDEFINED)
    return found


# ----- One handler for each op of IR(py)


def _handles(primitive: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register `(run, op, *operands) -> result`."""

    def register(handler: Callable[..., Any]) -> Callable[..., Any]:
        def handle(run: Run, op: Op, env: Env) -> None:
            result = handler(run, op, *[env[x] for x in op.operands])
            if op.results:
                env[op.results[0]] = result

        HANDLERS[primitive.name] = handle
        return handler

    return register


def _load_cell(run: Run, op: Op, variable: Variable) -> Any:
    return run.objects.value_of(variable)


def _store_cell(run: Run, op: Op, variable: Variable, x: Any) -> None:
    variable.value, variable.is_changed = x, variable.ref is not None


def _defined(run: Run, op: Op, x: Any) -> Any:
    require(x is not UNDEFINED)
    return x


def _function(run: Run, op: Op, *operands: Any) -> Function:
    code = op.params["code"]
    n = len(code.captured)
    return Function(code, operands[:n], operands[n:], run.function.cells, run.call)


def _global(run: Run, op: Op) -> Any:
    return run.objects.global_value(run.function.code, op.params["name"])


def _free(run: Run, op: Op) -> Any:
    return run.objects.free_value(run.function.code, run.function.cells, op.params["name"])


def _call(run: Run, op: Op, f: Any, *operands: Any) -> Any:
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for spec, x in zip(op.params["spec"], operands):
        if spec is None:
            args.append(x)
        elif spec == "*":
            args += operations.items(x)
        elif spec == "**":
            require(type(x) is dict and not kwargs.keys() & x.keys())
            kwargs.update(x)
        else:
            kwargs[spec] = x
    if type(f) is Function:
        return run.call(f, args, kwargs)
    if type(f) is CachedFunction:
        return f(*args, **kwargs)
    return operations.call(f, args, kwargs, run.step)


def _getattr(run: Run, op: Op, x: Any) -> Any:
    if isinstance(x, operations.MODULE):
        return run.objects.attribute_of_module(x, op.params["name"])
    return operations.attribute(x, op.params["name"])


def _unstarred(op: Op, items: Sequence[Any]) -> list[Any]:
    found: list[Any] = []
    for starred, item in zip(op.params["stars"], items):
        found += operations.items(item) if starred else [item]
    return found


def _dict(run: Run, op: Op, *items: Any) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for starred, key, value in zip(op.params["stars"], items[::2], items[1::2]):
        if starred:
            require(type(value) is dict)
            found.update(value)
        else:
            found[key] = value
    return found


def _assert(run: Run, op: Op, condition: Any, message: Any) -> None:
    require(bool(condition))


def _raise(run: Run, op: Op, exception: Any) -> None:
    raise NotKnown


SIMPLE: dict[Any, Callable[..., Any]] = {
    py.const: lambda run, op: run.objects.of_constant(op.params["value"]),
    py.global_: _global,
    py.free: _free,
    py.undefined: lambda run, op: UNDEFINED,
    py.defined: _defined,
    py.cell: lambda run, op: Variable(),
    py.load_cell: _load_cell,
    py.store_cell: _store_cell,
    py.function: _function,
    py.call: _call,
    py.unary: lambda run, op, x: operations.unary(op.params["op"], x),
    py.binary: lambda run, op, x, y: operations.binary(op.params["op"], x, y),
    py.inplace: lambda run, op, x, y: operations.binary(op.params["op"], x, y, operations.INPLACE),
    py.compare: lambda run, op, x, y: operations.compare(op.params["op"], x, y),
    py.getattr_: _getattr,
    py.getitem: lambda run, op, x, key: operations.getitem(x, key),
    py.setitem: lambda run, op, x, key, value: operations.setitem(x, key, value),
    py.delitem: lambda run, op, x, key: operations.delitem(x, key),
    py.slice_: lambda run, op, *parts: slice(*parts),
    py.tuple_: lambda run, op, *items: tuple(_unstarred(op, items)),
    py.list_: lambda run, op, *items: _unstarred(op, items),
    py.set_: lambda run, op, *items: set(_unstarred(op, items)),
    py.dict_: _dict,
    py.generator: lambda run, op, items, iterable: iter(items),
    py.format_: lambda run, op, *xs: operations.formatted(op.params["parts"], list(xs)),
    py.assert_: _assert,
    py.raise_: _raise,
}
for primitive, handler in SIMPLE.items():
    _handles(primitive)(handler)


def _unpack(run: Run, op: Op, env: Env) -> None:
    items = list(operations.items(env[op.operands[0]]))
    before, after = op.params["before"], op.params["after"]
    if op.params["starred"]:
        end = len(items) - after
        require(before <= end)
        items[before:end] = [items[before:end]]
    require(len(items) == len(op.results))
    env.update(zip(op.results, items))


def _if(run: Run, op: Op, env: Env) -> None:
    then, other = op.regions
    env.update(zip(op.results, run.region(then if env[op.operands[0]] else other, env)))


def _loop(run: Run, op: Op, env: Env) -> None:
    if op not in run.loops:
        run.loops[op] = Loop.of(op)
    run.loop_depth += 1
    env.update(zip(op.results, run.loop(run.loops[op], env)))
    run.loop_depth -= 1


HANDLERS[py.unpack.name] = _unpack
HANDLERS[if_p.name] = _if
HANDLERS[loop_p.name] = _loop
