"""Static code: abstract values as Python objects, and back.

    [1, 2.5, "a"] in the heap, all of it static    <->   a list of Python's
    a variable that functions share                <->   a `Variable`
    a function of the program                      <->   a `Function`

Each object of the heap is one Python object, however often it is met, so that names alias as they
do in the program. `Objects.commit` writes what has changed to the heap: either all of it or, if
there is something that has no abstract value, nothing.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from myia.infer.domain.context import Context
from myia.infer.domain.heap import CellObject, Contents, DictObject, ListObject
from myia.infer.domain.values import (
    UNDEFINED,
    Abstract,
    Closure,
    Iterator,
    PyFunction,
    Range,
    Ref,
    SliceValue,
    Static,
    Tuple,
    UndefinedType,
    is_none,
)
from myia.infer.eval.closures import closure_parts, compiles_source, load
from myia.infer.eval.static_operations import FUNCTIONS, PLAIN, NotKnown, require
from myia.infer.loops.iterators import UNUSED
from myia.primitives.core.py import Code

MAX_LEAVES = 4096  # of the objects that static code makes or changes: each is an abstract value
UNREAD: Any = object()
CACHED = type(functools.cache(len))

ITERATORS: dict[str, Callable[..., Any]] = {
    "zip": zip,
    "enumerate": enumerate,
    "reversed": lambda x, length: reversed(x),
    "iter": iter,
    "keys": dict.keys,
    "values": dict.values,
    "items": dict.items,
}


class Variable:
    """A variable that functions share. Its value may be unknown, as long as it is not read."""

    __slots__ = ("is_changed", "ref", "value")

    def __init__(self, ref: Ref | None = None) -> None:
        self.ref = ref
        self.value: Any = UNDEFINED if ref is None else UNREAD
        self.is_changed = False


@dataclass(eq=False, slots=True)
class Function:
    """A function of the program. `cells`: the variables of the Python closure, None: its frame's.

    `abstract`: what it was in the heap, if it was there.
    """

    code: Code
    captured: tuple[Variable, ...]
    defaults: tuple[Any, ...]
    cells: dict[str, Abstract] | None
    call: Callable[..., Any]
    abstract: Abstract | None = None

    is_static_function = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.call(self, args, kwargs)

    def __eq__(self, other: object) -> bool:
        raise NotKnown  # one Python function may be two of these

    def __hash__(self) -> int:
        raise NotKnown

    def __repr__(self) -> str:
        raise NotKnown  # its address


@dataclass(eq=False, slots=True)
class CachedFunction:
    """A function under `functools.cache`, with its results."""

    function: Any
    wrapped: Any
    objects: Objects
    results: dict[Any, Any]

    is_static_function = True
    __eq__, __hash__, __repr__ = Function.__eq__, Function.__hash__, Function.__repr__

    def __call__(self, *args: Any) -> Any:
        # With the types: 1, 1.0 and True are equal. -0.0 and 0.0 are, too.
        key = tuple((type(x), repr(x) if isinstance(x, (float, complex)) else x) for x in args)
        require(all(type(x) in PLAIN for x in args))
        if key not in self.results:  # a list would be one list, in the rest of the program, too
            before = self.objects.state()
            self.results[key] = self.objects.of_constant(self.wrapped(*args))
            require(not self.objects.has_changed_since(before))  # an effect: refused elsewhere
        return self.results[key]


def _items(x: Any) -> Sequence[Any]:
    return tuple(x.items() if isinstance(x, dict) else x)


class Objects:
    """The Python objects of one run of static code."""

    def __init__(self, ctx: Context, call: Callable[[Function, Sequence[Any], dict], Any]) -> None:
        self.ctx, self.call = ctx, call
        # By id in the heap: the object, and the items that it had.
        self.found: dict[int, tuple[Any, Sequence[Any]]] = {}
        self.variables: dict[int, Variable] = {}
        self.functions: dict[int, tuple[Any, Any]] = {}  # by id: the function, and what it became
        self.names: dict[Any, Any] = {}
        self.made: dict[int, Ref] = {}  # by id of a Python object
        self.being_made: set[int] = set()
        self.leaves = 0

    # ----- From abstract values

    def of(self, x: Abstract) -> Any:
        """The Python object of an abstract value."""
        if isinstance(x, Static):
            return self.of_constant(x.value)
        if isinstance(x, Ref):
            return self._of_heap(x)
        if isinstance(x, Tuple) and x.cls is None:
            return tuple(map(self.of, x.items))
        if isinstance(x, (Range, SliceValue)):
            parts = [self.of(part) for part in x.children()]
            require(isinstance(x, SliceValue) or all(type(part) is int for part in parts))
            return range(*parts) if isinstance(x, Range) else slice(*parts)
        if isinstance(x, (Closure, PyFunction)):
            return self._of_function(x, lambda: self._function(x))
        require(isinstance(x, UndefinedType))
        return x

    def of_constant(self, x: Any) -> Any:
        """A Python object that abstract values hold as it is."""
        cls = type(x)
        if cls in PLAIN or cls is types.ModuleType or cls is range or FUNCTIONS.get(id(x)) is x:
            return x
        if cls in (tuple, frozenset):
            for item in x:
                self.of_constant(item)
            return x
        if cls is CACHED:
            return self._of_function(
                x, lambda: CachedFunction(x, self.of_constant(x.__wrapped__), self, {})
            )
        require(cls is types.FunctionType and compiles_source(x))
        return self._of_function(x, lambda: self._python_function(x, None))

    def of_iterator(self, x: Iterator) -> Any:
        """An iterator of which nothing has been taken."""
        state = None if is_none(x.state) else self.ctx.contents_as(x.state, CellObject).content
        require(x.kind in ITERATORS and (state is None or state is UNUSED))
        parts = [self.of_iterator(y) if isinstance(y, Iterator) else self.of(y) for y in x.items]
        return ITERATORS[x.kind](*parts)

    def _of_heap(self, ref: Ref) -> Any:
        heap = self.ctx.heap
        if ref.id in self.variables:
            return self.variables[ref.id]
        if ref.id in self.found:
            return self.found[ref.id][0]
        contents = heap[ref.id]
        if isinstance(contents, CellObject):
            return self.variables.setdefault(ref.id, Variable(ref))
        # A write to another object may be one to this: here they would be two Python objects.
        require(not any(ref.id in others for others in heap.alias_edges.values()))
        if isinstance(contents, ListObject):
            x: Any = []
            self.found[ref.id] = (x, ())
            x += map(self.of, contents.items)
            self.found[ref.id] = (x, tuple(x))
            return x
        require(isinstance(contents, DictObject) and contents.cls is dict)
        assert isinstance(contents, DictObject)
        x = {}
        self.found[ref.id] = (x, ())
        x.update(zip(map(self.of_constant, contents.keys), map(self.of, contents.values)))
        self.found[ref.id] = (x, tuple(x.items()))
        return x

    def _of_function(self, x: Any, make: Callable[[], Any]) -> Any:
        if id(x) not in self.functions:
            self.functions[id(x)] = (x, make())
        return self.functions[id(x)][1]

    def _function(self, x: Closure | PyFunction) -> Any:
        if isinstance(x, PyFunction):
            return self._python_function(x.function, x)
        captured = tuple(map(self.of, x.captured))
        defaults = tuple(map(self.of, x.defaults))
        return Function(x.code, captured, defaults, None, self.call, x)

    def _python_function(self, f: types.FunctionType, x: PyFunction | None) -> Any:
        require(compiles_source(f))
        parts = closure_parts(self.ctx, f) if x is None else x.parts
        names = f.__code__.co_freevars
        code = load(self.ctx, f)
        cells, defaults = dict(zip(names, parts)), parts[len(names) :]
        return Function(code, (), tuple(map(self.of, defaults)), cells, self.call, x or Static(f))

    # ----- Names

    def value_of(self, variable: Variable) -> Any:
        if variable.value is UNREAD:
            assert variable.ref is not None
            content = self.ctx.contents_as(variable.ref, CellObject).content
            variable.value = self.of(content)
        require(variable.value is not UNDEFINED)
        return variable.value

    def global_value(self, code: Code, name: str) -> Any:
        key = id(code.namespace), name
        if key not in self.names:
            with self.ctx.frame(code, {}):
                self.names[key] = self.of(self.ctx.global_value(name))
        return self.names[key]

    def free_value(self, code: Code, cells: dict[str, Abstract] | None, name: str) -> Any:
        key = id(code.namespace), id(cells), name
        if key not in self.names:
            with self.ctx.frame(code, cells):
                self.names[key] = self.of(self.ctx.free_value(name))
        return self.names[key]

    def attribute_of_module(self, x: types.ModuleType, name: str) -> Any:
        key = id(x), name
        if key not in self.names:
            self.names[key] = self.of(self.ctx.getattr(Static(x), name))
        return self.names[key]

    # ----- To abstract values

    def commit(self, results: Sequence[Any]) -> list[Abstract]:
        """The abstract values of the results. The heap holds what the code has made and changed."""
        ctx, saved = self.ctx, self.ctx.heap.copy()
        try:
            found = [self.abstract_of(x) for x in results]
            changes = [(Ref(id), self._contents(x)) for id, x in self._changed().items()]
            for variable in self.variables.values():
                if variable.is_changed:
                    assert variable.ref is not None
                    changes.append((variable.ref, CellObject(self.abstract_of(variable.value))))
        except NotKnown:
            ctx.heap.restore(saved)
            raise
        for ref, contents in changes:
            ctx.write(ref, contents)
        return found

    def state(self) -> dict[int, Any]:
        """What there is in the objects and variables of the heap that have been met."""
        held = {i: _items(x) for i, (x, _) in self.found.items()}
        return held | {i: x.value for i, x in self.variables.items()}

    def has_changed_since(self, state: dict[int, Any]) -> bool:
        """Whether an object or a variable of the heap has been changed since then."""
        variables = (state.get(i, UNREAD) for i, x in self.variables.items() if x.is_changed)
        now = (x.value for x in self.variables.values() if x.is_changed)
        if any(x is not before for x, before in zip(now, variables)):
            return True
        return bool(self._changed(state))

    def _changed(self, state: dict[int, Any] | None = None) -> dict[int, Any]:
        changed = {}
        for id, (x, before) in self.found.items():
            now, before = _items(x), before if state is None else state.get(id, before)
            same = len(now) == len(before) and all(
                (a[0] is b[0] and a[1] is b[1]) if isinstance(x, dict) else a is b
                for a, b in zip(now, before)
            )
            if not same:
                changed[id] = x
        return changed

    def abstract_of(self, x: Any) -> Abstract:
        self.leaves += 1
        require(self.leaves <= MAX_LEAVES)
        cls = type(x)
        if cls in PLAIN or cls in (frozenset, types.ModuleType) or FUNCTIONS.get(id(x)) is x:
            return Static(x)
        if cls is tuple:
            return Tuple(tuple(map(self.abstract_of, x)))
        if cls is range:
            return Range(Static(x.start), Static(x.stop), Static(x.step))
        if cls in (list, dict):
            return self._ref(x)
        if cls is CachedFunction:
            return Static(x.function)
        if cls is Function:
            x.abstract = x.abstract or self._closure(x)
            return x.abstract
        require(x is UNDEFINED)
        return UNDEFINED

    def _ref(self, x: Any) -> Ref:
        if not self.made:
            self.made = {id(y): Ref(i) for i, (y, _) in self.found.items()}
        if id(x) not in self.made:
            ref = self.made[id(x)] = self.ctx.new(CellObject(UNDEFINED))
            self.being_made.add(id(x))
            self.ctx.heap.objects[ref.id] = self._contents(x)
            self.being_made.remove(id(x))
        require(id(x) not in self.being_made)  # a list that contains itself
        return self.made[id(x)]

    def _contents(self, x: Any) -> Contents:
        if isinstance(x, dict):
            for key in x:
                self.of_constant(key)
            return DictObject(tuple(x), tuple(map(self.abstract_of, x.values())))
        return ListObject(tuple(map(self.abstract_of, x)))

    def _closure(self, x: Function) -> Abstract:
        captured = tuple(map(self._variable, x.captured))
        return Closure(x.code, captured, tuple(map(self.abstract_of, x.defaults)))

    def _variable(self, x: Variable) -> Ref:
        if x.ref is None:
            x.ref = self.ctx.new(CellObject(UNDEFINED))
            self.ctx.heap.objects[x.ref.id] = CellObject(self.abstract_of(x.value))
        return x.ref
