"""Types and values of the arrays and views of a heap; how inference reads and writes objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, TypeGuard, TypeVar

from myia.infer.domain import swapped_arrays
from myia.infer.domain.dynamic_axes import DynamicAxes
from myia.infer.domain.dynamic_views import PaddedValue
from myia.infer.domain.errors import InvalidatedRead, NeedsStatic, ReadOnlyWrite
from myia.infer.domain.heap import (
    VIEW_OF_ONE_PATH,
    ArrayObject,
    BufferObject,
    Contents,
    DynamicArray,
    DynamicView,
    Heap,
    Invalidated,
    PointsTo,
    SelectedArray,
    ViewObject,
)
from myia.infer.domain.values import Abstract, Number, Ref, Scalar
from myia.infer.domain.views import composed_slice, reshape
from myia.ir.avals import Aval
from myia.ir.builder import current_span
from myia.ir.core import Value
from myia.source.diagnostics import InternalError, MyiaError
from myia.source.span import Span

STATIC_ARRAYS = (ArrayObject, ViewObject, SelectedArray)
DYNAMIC_ARRAYS = (DynamicArray, DynamicView)
ARRAYS = (*STATIC_ARRAYS, *DYNAMIC_ARRAYS)

Kind = TypeVar("Kind", bound=Contents)
ITEM_OF_LIST = "an item of a list that is stacked for a loop"  # why an array is read-only

WRITE_TO_THE_ARRAY = "keep the index of the view, and write to the array: `A[k][0] = v`"
IN_ROWS = -1  # a step of the path of an item


@dataclass(frozen=True, slots=True, eq=False)
class RowObject(Contents):
    """A list of numbers that is item `index` of the buffer `base` (`infer/lists/list_rows.py`)."""

    PARTS = ("index",)
    base: int
    index: Number

    @property
    def bases(self) -> tuple[int, ...]:
        return (self.base,)

    def key(self) -> Any:
        return (RowObject, self.base)


@dataclass(frozen=True, slots=True, eq=False)
class ItemObject(Contents):
    """A list, dict or instance that is an item of the buffer `base` (`lists/item_objects.py`).

    `indices`: of the item, and of those along `path` that are rows of a list in it (`IN_ROWS`);
    the others are numbers of its parts.
    """

    PARTS = ("indices",)
    base: int
    indices: tuple[Number, ...]
    path: tuple[int, ...] = ()

    @property
    def bases(self) -> tuple[int, ...]:
        return (self.base,)

    def key(self) -> Any:
        return (ItemObject, self.base, self.path)


def array_aval(heap: Heap, id: int) -> Aval:
    """The aval of an array or view, without emitting anything."""
    contents = heap[id]
    if isinstance(contents, ViewObject):
        return contents.step.aval(array_aval(heap, contents.base))
    if isinstance(contents, SelectedArray):
        return array_aval(heap, contents.options[0])
    assert isinstance(contents, (ArrayObject, DynamicArray))
    return contents.value.aval


def type_of_array(heap: Heap, id: int) -> tuple[Aval, DynamicAxes]:
    """Dtype and greatest shape; the dynamic axes, None for a static axis."""
    contents = heap[id]
    if isinstance(contents, DynamicArray):
        return contents.value.aval, contents.dynamic_axes
    if isinstance(contents, DynamicView):
        aval, _ = type_of_array(heap, contents.base)
        return aval.with_shape(contents.step.shape), contents.step.dynamic_axes
    aval = array_aval(heap, id)
    return aval, (None,) * aval.ndim


def read_array(heap: Heap, id: int) -> Value:
    """The value of an array or a view of static size."""
    return _Reads(heap).array(id)


def read_view(heap: Heap, base: int, step: Any) -> Value:
    """The value of a view of an array; of a selected array, the view of each option."""
    return _Reads(heap).view(base, step)


class _Reads:
    """Reads of arrays, each once: selected arrays may be options of several others."""

    def __init__(self, heap: Heap):
        self.heap = heap
        self.found: dict[Any, Value] = {}

    def array(self, id: int) -> Value:
        contents = self.heap[id]
        if isinstance(contents, ViewObject):
            return self.view(contents.base, contents.step)
        if isinstance(contents, SelectedArray):
            return self.selected(contents, id, None)
        assert isinstance(contents, ArrayObject)
        return contents.value

    def view(self, base: int, step: Any) -> Value:
        contents = self.heap[base]
        if isinstance(contents, SelectedArray):
            return self.selected(contents, base, step)
        return step.read(self.array(base))

    def selected(self, contents: SelectedArray, id: int, step: Any) -> Value:
        fields = () if step is None else tuple(vars(step).values())
        key = (id, type(step), *fields)
        if key not in self.found:
            if step is None:
                values = [self.array(id) for id in contents.options]
            else:
                options = [composed_view(self.heap, id, step) for id in contents.options]
                values = [self.view(*option) for option in options]
            self.found[key] = swapped_arrays.selected_value(contents.index, values)
        return self.found[key]


def composed_view(heap: Heap, base: int, step: Any) -> tuple[int, Any]:
    """The same view as one step from the base of `base`, where one step can express it."""
    contents = heap[base]
    if isinstance(contents, ViewObject):
        shape = array_aval(heap, contents.base).shape
        if (found := composed_slice(contents.step, step, shape)) is not None:
            return contents.base, found
    return base, step


def padded_value(heap: Heap, id: int) -> PaddedValue:
    """The elements of an array of any size."""
    contents = heap[id]
    if isinstance(contents, DynamicArray):
        return PaddedValue(contents.value, contents.dynamic_axes)
    if isinstance(contents, DynamicView):
        base = padded_value(heap, contents.base).packed()
        return PaddedValue(contents.step.read(base.value), contents.step.dynamic_axes)
    value = read_array(heap, id)
    return PaddedValue(value, (None,) * len(value.shape))


class Uses(NamedTuple):
    """Objects of which the elements or items are read; those that are written to, and where.

    `compared`: pairs of objects that `is` has told apart.
    """

    read: set[int]
    written: dict[int, Span | None]
    compared: set[frozenset[int]]


class Objects:
    """The objects of one inference, which are read and written as Python would."""

    fail: Callable[..., NoReturn]  # raise a located error
    # Rows of nested lists that are one array (`infer/lists/list_rows.py`).
    row_contents: Callable[[RowObject], Contents]
    write_row: Callable[[RowObject, Contents], None]
    # Objects that are items of lists (`infer/lists/item_objects.py`).
    item_contents: Callable[[ItemObject], Contents]
    write_item: Callable[[ItemObject, Contents, bool], None]
    forget_items: Callable[[int], None]
    # Results under `functools.cache` (`infer/eval/cached_functions.py`): an error, if the object is
    # one, or outlives one; `id` holds the same in another form now.
    refuse_change: Callable[[int], None]
    keep_in_form: Callable[[int, Contents, Contents], None]

    def __init__(self, heap: Heap) -> None:
        self.heap = heap
        self.uses: Uses | None = None  # while it is not None: what is read and written to

    @contextmanager
    def recorded_uses(self) -> Iterator[Uses]:
        """The objects that are read and written to inside, also on paths inferred in vain."""
        outer, self.uses = self.uses, Uses(set(), {}, set())
        try:
            yield self.uses
        finally:
            if outer is not None:
                outer.read.update(self.uses.read)
                outer.written.update(self.uses.written)
                outer.compared.update(self.uses.compared)
            self.uses = outer

    def new(self, contents: Contents) -> Ref:
        return Ref(self.heap.new(contents))

    def contents(self, ref: Ref) -> Contents:
        """What the object holds; an error if it has been invalidated."""
        contents = self.heap[ref.id]
        if self.uses is not None and not isinstance(contents, ARRAYS):
            self.uses.read.add(ref.id)
        if isinstance(contents, (Invalidated, PointsTo, RowObject, ItemObject)):
            self.check_valid(ref)
        if isinstance(contents, ItemObject):
            return self.item_contents(contents)
        return self.row_contents(contents) if isinstance(contents, RowObject) else contents

    def check_valid(self, ref: Ref) -> None:
        """An error if the object, or one that it is read from, has been invalidated."""
        if self.uses is not None:
            self.uses.read.update(self.heap.owners(ref.id))
        invalidated = self.heap.invalidation(ref.id)
        if invalidated is not None:
            where, has_moved = str(invalidated.span or "an earlier line"), invalidated.has_moved
            self.fail(InvalidatedRead, where=where, has_moved=has_moved)

    def contents_as(self, x: Abstract, kind: type[Kind]) -> Kind:
        """What the object `x` holds, which is of this kind."""
        assert isinstance(x, Ref)
        contents = self.contents(x)
        assert isinstance(contents, kind)
        return contents

    def held(self, x: Abstract) -> Contents | None:
        """What the object `x` holds; None: `x` is an immutable value."""
        return self.contents(x) if isinstance(x, Ref) else None

    def write(self, ref: Ref, contents: Contents, moves: bool = True) -> None:
        """Give the object other contents; `moves`: items of a list have other places then."""
        self.refuse_change(ref.id)
        if self.uses is not None:
            self.uses.written.setdefault(ref.id, current_span())
        if isinstance(row := self.heap[ref.id], RowObject):
            self.write_row(row, contents)
        elif isinstance(row, ItemObject):
            self.check_valid(ref)
            self.write_item(row, contents, moves)
        else:
            holds = isinstance(contents, BufferObject) and contents.template.has_objects
            self.heap.write(ref.id, contents, current_span(), same_items=holds)
            if moves and holds:
                self.forget_items(ref.id)

    # ----- Arrays

    reshape = staticmethod(reshape)

    def is_array(self, x: Abstract) -> TypeGuard[Ref]:
        is_row = isinstance(x, Ref) and isinstance(self.heap[x.id], (RowObject, ItemObject))
        return isinstance(x, Ref) and not is_row and isinstance(self.contents(x), STATIC_ARRAYS)

    def array(self, value: Value, *, contiguous: bool = True) -> Abstract:
        """A new array with this value; of no dimension: a NumPy scalar."""
        if value.shape == ():
            return Scalar(value, weak=False)
        return self.new(ArrayObject(value, contiguous=contiguous))

    def read(self, ref: Ref) -> Value:
        """The present value of an array or a view."""
        self.check_valid(ref)
        return read_array(self.heap, ref.id)

    def store(self, ref: Ref, value: Value) -> None:
        """Change an array (or, through a view, its base) to `value`, of the same aval."""
        contents = self.prepare_store(ref)
        if isinstance(contents, ViewObject):
            self.store_view(Ref(contents.base), contents.step, value)
            return
        if isinstance(contents, SelectedArray):
            # The option is known only at run time, so each is stored to under a condition.
            for id in contents.options:
                old = self.read(Ref(id))
                self.store(Ref(id), swapped_arrays.value_after_store(contents, id, value, old))
            return
        assert isinstance(contents, ArrayObject)
        if contents.readonly is not None:
            self.fail_read_only(contents.readonly)
        if contents.value.aval != value.aval:
            raise InternalError(f"store of {value.aval} into {contents.value.aval}")
        self.write(ref, ArrayObject(value, None, contents.contiguous))

    def fail_read_only(self, reason: str) -> NoReturn:
        """Refuse a store; `reason`: the flag of the array (`readonly`)."""
        # An item of a stacked list could be written to if the loop were unrolled.
        error = NeedsStatic if reason == ITEM_OF_LIST else MyiaError
        of_path = reason == VIEW_OF_ONE_PATH
        help_text = {"help_text": WRITE_TO_THE_ARRAY} if of_path else {}
        self.fail(ReadOnlyWrite, error=error, what=reason, **help_text)

    def store_view(self, base: Ref, step: Any, value: Value) -> None:
        """Change a view of an array; of a selected array, conditionally the view of each option."""
        contents = self.prepare_store(base)
        if not isinstance(contents, SelectedArray):
            self.store(base, step.write(self.read(base), value))
            return
        for id in contents.options:
            part = self.composed_view(Ref(id), step)
            self.check_valid(part[0])  # the store before may have changed it
            old = read_view(self.heap, part[0].id, step=part[1])
            self.store_view(*part, swapped_arrays.value_after_store(contents, id, value, old))

    def prepare_store(self, ref: Ref) -> Contents:
        """What the object holds, before a write: a name gives up its value for its points-to set.

        The value is not read again. If another array of the set is the one that is written to, the
        value may belong to a path that was not taken.
        """
        contents = self.contents(ref)
        if isinstance(contents, ArrayObject) and contents.points_to is not None:
            contents = contents.points_to
            self.write(ref, contents)
        for base in contents.bases:
            self.prepare_store(Ref(base))
        return contents

    def view(self, base: Ref, step: Any, *, boxed: bool = False) -> Abstract:
        """A view of `base`; of no dimension: the element, a NumPy scalar, unless `boxed`."""
        base, step = self.composed_view(base, step)
        aval = step.aval(array_aval(self.heap, base.id))
        if aval.shape == () and not boxed:
            self.check_valid(base)
            return Scalar(read_view(self.heap, base.id, step), weak=False)
        return self.new(ViewObject(base.id, step))

    def number(self, x: Abstract) -> Abstract:
        """A view without dimensions as the number that it shows now; all else as it is."""
        if not isinstance(x, Ref):
            return x
        contents = self.heap[x.id]
        if not isinstance(contents, STATIC_ARRAYS):
            return x
        if isinstance(contents, SelectedArray) and self.heap.invalidation(x.id) is not None:
            return x
        if array_aval(self.heap, x.id).shape:
            return x
        return Scalar(self.read(x), weak=False, boxed=True)

    def composed_view(self, base: Ref, step: Any) -> tuple[Ref, Any]:
        """The same view as one step from the base of `base`, where one step can express it."""
        self.contents(base)
        id, step = composed_view(self.heap, base.id, step)
        return Ref(id), step

    def shape(self, x: Abstract) -> tuple[int, ...]:
        return array_aval(self.heap, x.id).shape if isinstance(x, Ref) else ()
