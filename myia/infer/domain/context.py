"""The state of one inference: heap, run-time checks, hidden arguments, and how to fail."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from myia.infer.capacities import Capacities, Known
from myia.infer.domain.checks import Check, Handlers, Try
from myia.infer.domain.describe import describe
from myia.infer.domain.errors import (
    AlreadyRaised,
    BadValue,
    CertainError,
    NeedsStatic,
    NotStatic,
    Slip,
    python_error,
)
from myia.infer.domain.facts import Question
from myia.infer.domain.heap import (
    CellObject,
    Heap,
)
from myia.infer.domain.heap_arrays import Objects
from myia.infer.domain.values import (
    Abstract,
    Choice,
    Iterator,
    Optional,
    Ref,
    Scalar,
    Static,
    chosen_iterator,
    is_static_int,
)
from myia.ir.builder import Builder, current_builder, current_span, emit
from myia.ir.core import Op, Region, Value
from myia.primitives.core.define import constant
from myia.primitives.core.effects import debug_print
from myia.primitives.core.py import Code
from myia.primitives.core.structured import if_p
from myia.primitives.pointwise import logic
from myia.source.diagnostics import Diagnostic, InternalError, MyiaError
from myia.source.hidden import Hidden

NO_ERROR = Static(np.int32(0))  # the error code of what has not failed


@dataclass(frozen=True)
class Report:
    """What an inference is repeated for: the run-time values of the check with this number.

    `receive(*numbers)` is called when the program runs and the check is the first that fails.
    """

    number: int
    receive: Callable[..., None]

    def format(self, *numbers: Any) -> str:
        """The numbers arrive as the arguments of a text to print, which is empty."""
        self.receive(*numbers)
        return ""


def is_report(op: Op) -> bool:
    return isinstance(op.params.get("fmt"), Report)


@dataclass
class Frame:
    """A call in progress."""

    code: Code
    cells: dict[str, Abstract]  # the variables of the Python closure that the code reads
    consume: Callable[[Abstract], Abstract] | None = None  # of a generator: what takes its items
    # Of a call that is inlined: captured variables and arguments, the op that makes it, and how
    # many run-time conditions and loops are around it; and how many calls of the same there are in
    # it under more of them (`infer/recursion/calls.py`).
    arguments: tuple[Abstract, ...] | None = None
    call: Op | None = None
    open_paths: int = 0
    calls: int = 0


class Context(Objects):
    """The mutable state of the inference of one program."""

    def __init__(
        self,
        load: Callable[[Any], Code],
        *,
        tracks_points_to: bool = False,
        names_are_exact: bool = False,
        keeps_apart: bool = False,
        debug: bool = False,
        report: Report | None = None,
        choose: Callable[[Any, int], bool] | None = None,
        unrolls_resizing_loops: bool = False,
        takes_any_step: bool = False,
        stacks_lists: bool | None = None,
        resumed: frozenset[object] = frozenset(),
        capacities: Known | None = None,
        derivatives: int = 0,
    ) -> None:
        self._load = load
        self._codes: dict[int, Code] = {}  # kept: loops know the functions around them by identity
        # Which ints in answers are arguments (`infer/boundary/integers.py`); None: none of them.
        self.choose = choose or (lambda path, value: False)
        self.report = report
        # Debug mode: the first number that is not finite, or that is subnormal, is an error
        # (`infer/numeric/nonfinite_checks.py`, `subnormal_checks.py`).
        self.debug = debug
        # Names of several arrays have points-to sets, not copies (`infer/eval/program.py`).
        # Names of arrays of several types are choices, lists of objects hold their numbers.
        self.tracks_points_to, self.names_are_exact = tracks_points_to, names_are_exact
        self.keeps_apart = keeps_apart  # and so are those of several objects of one kind
        super().__init__(Heap())
        # Run-time checks. The code of the first one that fails is in the cell `error_id`.
        self.checks: list[Check] = []
        # It is in the heap, so that branches and loops merge it like any variable.
        self.error_id = self.heap.new(CellObject(NO_ERROR))
        # Which of NumPy's floating-point errors raise (`infer/numeric/floating_point_errors.py`),
        # and what is checked when the present op has stored its result.
        self.raising_id = self.heap.new(CellObject(Static(frozenset())))
        self.deferred: list[tuple[Value, str]] | None = None
        self.frames: list[Frame] = []
        # The call stack and the loops around the present op, as a key.
        self.path: tuple[Any, ...] = ()
        self.last_fixed_points: dict[Any, Any] = {}  # of loops, by path
        # Loop -> how often its body was inferred.
        self.visits: dict[Any, int] = {}
        # What was asked (`infer/boundary/arguments.py`), and the answers: as abstract values, and
        # objects as they are.
        self.facts: list[Any] = []
        self.root_values: dict[Question, Abstract] = {}
        self.answers: dict[Question, Any] = {}
        # The mutable objects of the arguments and of the answers, as abstract values.
        self.objects: list[Abstract] = []
        self.assigned_globals: dict[Question, Ref] = {}  # their variables
        # How many derivatives may be taken of the code that is inferred.
        self.differentiating = derivatives
        # How many calls of the host have been inferred (`infer/boundary/host_calls.py`).
        self.host_calls = 0
        # Derivative rules of users that are being inferred (`infer/custom/rules.py`).
        self.rules: dict[Any, Any] = {}
        # What differentiated functions change in their copies (`infer/derivatives/lost_state.py`).
        self.lost_state: dict[int, Any] = {}
        # Objects of which they change a copy (`infer/derivatives/argument_copies.py`).
        self.changed_in_copies: set[int] = set()
        # Results under `functools.cache` (`infer/eval/cached_functions.py`); None: there are none.
        self.cached_results: Any = None
        self._entered: set[Any] = set()  # what walks through parts are inside of (`inside`)
        self.shown_at: dict[Any, Static] = {}  # progress bars, by place
        # Loops and functions -> how often they were run in vain (`infer/eval/static_code.py`).
        self.failures_of_static_code: dict[Any, int] = {}
        # Steps of static code, inferred ops, calls of functions in themselves: all are limited.
        self.static_steps = self.inferred_ops = self.recursive_calls = 0
        # Traced calls of JAX's functions (`infer/jax/objects/calls.py`).
        self.traced_calls: dict[Any, Any] = {}
        # Counters for loops, which compare them before and after an iteration: paths that are sure
        # to raise, and dynamic slices, of long arrays or of any.
        self.dead_paths = 0
        self.dynamic_slices = self.long_dynamic_slices = 0
        # The indices at which loops read arrays that are stacked for them.
        self.stacked_reads: set[Value] = set()
        # How many loops are being inferred around the present op, and the slips in their branches.
        self.loop_depth = 0
        # Recursions without an end that were met, and steps of generators deep inside themselves.
        self.deep_recursions = self.deep_steps = 0
        # How many of them change the sizes of arrays; whether there has been one; whether they are
        # unrolled all the same, since something was refused in their loop.
        self.resizing_loops = 0
        self.has_resizing_loops = False
        self.unrolls_resizing_loops = unrolls_resizing_loops
        # Steps of ranges that are known only at run time: may there be some, has there been one?
        self.takes_any_step, self.met_any_step = takes_any_step, False
        self.slips: list[Slip] = []
        # Lengths of lists, and by how much they grow: there must be room (`loops/list_steps.py`).
        self.checked_lengths: dict[Value, int] = {}
        # Whether lists become buffers where a run-time index needs that; None: long ones of
        # numbers (`infer/lists/list_edits.py`). And what None has meant so far.
        self.stacks_lists = stacks_lists
        self.stacking_choices: set[bool] = set()
        # Where iterators are made that go on where they stopped (`infer/generators/`); where those
        # are made that should; and where each is made, by the id of its state. And the states of
        # generators that are running.
        self.resumed = resumed
        self.to_resume: set[object] = set()
        self.places: dict[int, object] = {}
        # The handlers that there were where items were prefetched (`infer/loops/prefetching.py`).
        self.prefetched_in: dict[int, tuple[Try, ...]] = {}
        self.made_by: dict[Abstract, Op | None] = {}  # the calls that make generators, by state
        self.running: list[int] = []
        self.capacities = Capacities(capacities)  # of lists without a bound
        # Leaves of items of lists that have been read (`infer/lists/item_objects.py`).
        self.item_leaves: dict[Any, Any] = {}
        # The heaps before the loops and branches that are being inferred.
        self.scopes: list[Heap] = []
        self.handlers = Handlers()
        # In loops whose form is not known yet; and whether that has made a difference.
        self.prefers_static = self.is_static_preferred = False
        # How many branches on run-time conditions are being inferred around the present op.
        self.open_paths = 0
        # Whether x is there, by `x is None` (True) and `x is not None` (False).
        self.tests_of_none: dict[Value, tuple[Value, bool]] = {}
        # The op that makes the present call, until its frame begins; recursions that are being
        # inferred as state machines; functions whose recursion has to be unrolled.
        self.calling: Op | None = None
        self.machines: list[Any] = []
        # In loops: objects of several kinds on two paths become a choice (`paths/choice.py`).
        self.takes_objects = False
        # Dicts, run-time keys of which an item has been read, and in how many branches that was
        # (`indexing/dict_items.py`).
        self.keys_read: dict[Any, int] = {}
        self.unrolled: set[Code] = set()
        # Functions whose tail calls are calls for now (`eval/tail_calls.py`).
        self.not_loops: frozenset[Code] = frozenset()

    def load(self, f: Any) -> Code:
        """The code of a Python function."""
        code = self._load(f)
        return self._codes.setdefault(id(code), code)

    # ----- What an interpreter does (`eval/interpreter.py`)

    flat: Any  # the objects of the arguments (`infer/boundary/signature.py`)
    frame: Callable[..., AbstractContextManager[None]]
    cells_of: Callable[[Code], dict[str, Abstract]]
    run: Callable[[Region, dict[Value, Abstract]], list[Abstract]]
    call: Callable[[Abstract, Sequence[Abstract], dict[str, Abstract]], Abstract]
    global_value: Callable[[str], Abstract]
    free_value: Callable[[str], Abstract]
    is_code_of: Callable[[Any, Code], bool]
    root: Callable[..., Abstract]
    special_method: Callable[[Abstract, str], Abstract | None]
    getattr: Callable[[Abstract, str], Abstract]
    fact: Callable[[Question], Any]
    items_of: Callable[[Abstract], Any]
    list_items: Callable[..., tuple[Abstract, ...]]
    length: Callable[[Abstract], Abstract]
    matmul: Callable[[Abstract, Abstract], Abstract]
    on_options: Callable[[Choice, Callable[[Abstract], Abstract]], Abstract]
    as_array: Callable[[Abstract], Abstract]
    any: Callable[[Value], Value]

    # ----- Failing

    def fail(
        self, diagnostic: type[Diagnostic], *, error: type[MyiaError] = MyiaError, **fields: Any
    ) -> NoReturn:
        """Raise a located error."""
        found = diagnostic(span=current_span(), **fields)
        if isinstance(found, BadValue) and error is MyiaError:
            raise python_error(found)
        raise error(found)

    def needs_static(self, what: str) -> NoReturn:
        """Raise the error that an enclosing loop answers by unrolling."""
        self.fail(NotStatic, error=NeedsStatic, what=what)

    def prefer_static(self, what: str) -> None:
        """In loops whose form is not known yet, the same: they may be unrolled."""
        if self.prefers_static:
            self.is_static_preferred = True
            self.needs_static(what)

    def describe(self, x: Abstract) -> str:
        return describe(x, self.heap)

    @contextmanager
    def inside(self, walk: str, x: Abstract) -> Generator[bool]:
        """In a walk through the parts of `x`; True where it comes to `x` again."""
        key = (walk, x.id) if isinstance(x, Ref) else None
        is_again = key in self._entered
        if key is not None:
            self._entered.add(key)
        try:
            yield is_again
        finally:
            if not is_again:
                self._entered.discard(key)

    def mark(self) -> tuple[int, int, int]:
        """How many ops, checks and slips there are: where `rewind` goes back to."""
        return len(current_builder().ops), len(self.checks), len(self.slips)

    def rewind(self, heap: Heap, mark: tuple[int, int, int]) -> None:
        """Go back to a heap and a `mark`."""
        self.heap.restore(heap)
        del current_builder().ops[mark[0] :]
        del self.checks[mark[1] :]
        del self.slips[mark[2] :]

    # ----- Numbers

    def static(self, x: Abstract, what: str) -> Any:
        """A compile-time object, or the error that makes a loop unroll."""
        if not isinstance(x, Static):
            self.needs_static(what)
        return x.value

    def int_of(self, x: Abstract, what: str) -> int:
        """A compile-time integer, or the error that makes a loop unroll."""
        if is_static_int(x):
            return int(x.value)
        if isinstance(x, Static):
            self.fail(NotStatic, what=what)
        return self.needs_static(what)

    def bound(
        self,
        x: Abstract,
        error: type[NameError] = UnboundLocalError,
        message: str = "no value here",
    ) -> Abstract:
        """What a name holds that may be unbound, which is a run-time error: a value or None."""
        if not isinstance(x, Optional) or isinstance(x.absent, Static):
            return x
        if isinstance(x.present, Scalar):
            self.check(logic.not_(x.present.value), error, message)
        return x.value

    def force(self, x: Abstract) -> Abstract:
        """The value of an optional; of a view without dimensions the number that it shows now."""
        return self.number(self.present(x))

    def present(self, x: Abstract) -> Abstract:
        """The value of an optional: reading it where it is absent is a run-time error.

        An iterator over one of several objects is one of several iterators.
        """
        if isinstance(x, Iterator):
            return chosen_iterator(x)
        x = self.bound(x)
        if not isinstance(x, Optional):
            return x
        if isinstance(x.present, Scalar):
            # Python's error depends on what is done with it.
            failed = logic.not_(x.present.value)
            self.check(failed, TypeError, "this is None here", is_python=False)
        return x.value

    # ----- Run-time checks

    def check(
        self,
        failed: Value,
        exception: type[Exception],
        message: str,
        *values: Value,
        of_int64: bool = False,
        is_python: bool = True,
    ) -> None:
        """At run time, if `failed` (a bool scalar) holds and nothing failed before: the error.

        With `values`, integers, `message` is a template of `str.format`. `of_int64`, `is_python`:
        as in `Check`.
        """
        check = Check(exception, message, current_span(), of_int64=of_int64, is_python=is_python)
        if values:
            check = replace(
                check,
                message=message.format(*[Hidden()] * len(values)),
                values=values,
                make=lambda numbers: exception(message.format(*numbers)),
            )
        self.add_check(failed, check)

    def check_certain(self, error: CertainError) -> None:
        """The run-time check of an error that is certain if the program comes here."""
        if isinstance(error, AlreadyRaised):
            if self.error_code() is None:
                raise InternalError(f"an exception was lost: {error.check.message}")
            return
        check = replace(error.check, span=error.diagnostic.span)
        self.add_check(constant(True, bool), check)

    def add_check(self, failed: Value, check: Check) -> None:
        self.checks.append(check)
        code = constant(len(self.checks), np.int32)
        before = self.error_code()
        old = constant(0, np.int32) if before is None else before
        # The first failure is kept: Python would have stopped there, and after it any value is
        # possible.
        first = logic.and_(failed, logic.eq(old, constant(0, np.int32)))
        if self.report is not None and self.report.number == len(self.checks):
            self._report_values(self.report, failed, check.values)
        self._set_error_code(logic.select(first, code, old))

    def _report_values(self, report: Report, failed: Value, values: tuple[Value, ...]) -> None:
        """Report the values of a check, if it is the first that failed."""
        before = self.whole_error_code()
        if before is not None:
            failed = logic.and_(failed, logic.eq(before, constant(0, np.int32)))
        with Builder() as builder:
            debug_print(report, *values, end="")
        emit(if_p, failed, regions=[Region((), tuple(builder.ops), ()), Region((), (), ())])

    def merge_error_code(self, code: Value) -> None:
        """Merge the error code of a part of the program that was inferred by itself."""
        before = self.error_code()
        if before is not None:
            code = _first_of(before, code)
        self._set_error_code(code)

    def _set_error_code(self, code: Value) -> None:
        self.write(Ref(self.error_id), CellObject(Scalar(code, weak=False)))

    def is_of_checks(self, id: int) -> bool:
        """Whether an object is no object of Python's, but one with a state of run-time checks."""
        own = (self.error_id, self.raising_id)
        return id in own or id in self.capacities.cells.values()

    @property
    def raising(self) -> frozenset[str]:
        """The floating-point errors of NumPy that raise here (`np.errstate`)."""
        (content,) = self.heap[self.raising_id].children()
        return self.static(content, "the state of `np.errstate`")

    def error_code(self) -> Value | None:
        """The code of the first failed check (0: none), or None when nothing is checked."""
        (content,) = self.heap[self.error_id].children()
        return content.value if isinstance(content, Scalar) else None

    def whole_error_code(self) -> Value | None:
        """The same, also of what failed before the body of the `try` that this is in."""
        code = self.error_code()
        for before in reversed(self.handlers.earlier):
            code = before if code is None else _first_of(before, code)
        return code


def _first_of(earlier: Value, later: Value) -> Value:
    """The code of what failed first."""
    return logic.select(logic.eq(earlier, constant(0, np.int32)), later, earlier)
