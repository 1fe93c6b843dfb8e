"""Diagnostics of inference."""

from __future__ import annotations

import builtins
import functools
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from myia.infer.domain.checks import Check, check_of
from myia.source.diagnostics import PUBLIC, Diagnostic, MyiaError, render


class NeedsStatic(MyiaError):
    """Raised where only a compile-time value will do: a loop around may unroll and try again."""

    def told(self) -> MyiaError:
        return MyiaError(self.diagnostic, self.calls)


class NeedsChoice(NeedsStatic):
    """The same, where a choice of objects (`infer/paths/choice.py`) might do."""


class CertainError(MyiaError):
    """Python raises here, if the program comes here.

    `check`: what it raises. On a path that run-time values select it becomes a run-time check
    (`infer/paths/branches.py`). What reaches the caller is an error of Python's type, too
    (`catchable`), as at run time.
    """

    def __init__(self, diagnostic: Diagnostic, check: Check) -> None:
        super().__init__(diagnostic)
        self.check = check

    @property
    def exception(self) -> type[BaseException]:
        return self.check.exception

    def leave_region(self) -> None:
        """Forget its run-time values: the region that computes them is dropped or closed."""
        if self.check.values:
            error = self.check.error()
            self.check = replace(self.check, values=(), make=lambda numbers: error)

    def __reduce__(self) -> tuple[Any, ...]:  # the check serves inference alone
        restored, args, state = super().__reduce__()
        return restored, args, {name: x for name, x in state.items() if name != "check"}


class Slip(CertainError):
    """Python raises here, too, and no program means it to: reported wherever it stands.

    In a loop that is where every iteration has it: the state of the first one may be another than
    that of the later ones (`best = None`; a name that the first iteration binds).
    """


SLIPS = (TypeError, NameError, AttributeError)  # their errors are `Slip`s, but `Unbound`


def python_error(found: BadValue) -> MyiaError:
    """The error to raise where Python raises: it can be caught as Python's."""
    exception: type = found.python_exception()
    is_slip = issubclass(exception, SLIPS) and not isinstance(found, Unbound)
    error = Slip if is_slip else CertainError
    arguments = found.arguments or ((found.message,) if found.message else ())
    check = check_of(exception(*arguments))
    return catchable(error, exception)(found, check)


@functools.cache
def catchable(error: type, exception: type) -> type:
    """The class of errors that are an `exception` of Python's as well."""
    return type(exception.__name__, (_Catchable, error, exception), {"__module__": PUBLIC})


class _Catchable(MyiaError):
    """An error of a class that is made of two, and has no name of its own.

    A KeyError has the arguments of Python's: the key that a handler asks for.
    """

    def __init__(self, diagnostic: Diagnostic, check: Check) -> None:
        super().__init__(diagnostic, check)  # type: ignore[arg-type]  # of a `CertainError`
        if isinstance(self, UnicodeError):  # its attributes are its arguments
            found: Any = check.error()
            type(found).__init__(self, *found.args)
        has_key = isinstance(self, KeyError) and not check.values
        self.arguments = check.error().args if has_key else ()
        self.show_again()

    def show_again(self) -> None:
        super().show_again()
        self.args = self.arguments or self.args

    def __str__(self) -> str:  # KeyError would show its argument's repr
        return render(self.diagnostic, self.calls)

    def __reduce__(self) -> tuple:
        _, (cls, args), state = super().__reduce__()
        return _restored, (cls.__bases__[1:], args), state


def _restored(classes: tuple[type, type], args: tuple) -> MyiaError:
    cls = catchable(*classes)
    return cls.__new__(cls, *args)


class RaiseReached(CertainError):
    """A `raise` statement: no mistake, even where it is sure to be reached."""


class AlreadyRaised(RaiseReached):
    """Nothing more is reached: the error code is set."""


class WideInteger(Diagnostic):
    """A Python int beyond 64 bits where the program computes with integers of 64 bits."""

    title = "an int of more than 64 bits meets numbers known at run time"
    label = "{value} is needed as an integer of 64 bits"
    help = "make it a float (`float(n)`), or compute it outside and pass it in"

    value: int


class UnsupportedDtype(Diagnostic):
    title = "numbers of dtype {dtype} are not supported"
    label = "{what} has them"
    help = "convert it before the call: `{name}.astype({native})`"

    what: str
    name: str
    dtype: str
    native: str


class BadValue(Diagnostic):
    """An exception of Python's or NumPy's, found at compile time."""

    title = "{message}"
    label = "this would raise {exception}"
    code = ""

    message: str
    exception: str = "ValueError"
    arguments: tuple[Any, ...] = ()  # of the exception, if it has not only `message`

    def python_exception(self) -> type[Exception]:
        """What Python raises when the program comes here."""
        modules = (builtins, np.exceptions, np.linalg, sys.modules.get("statistics"))
        found = (getattr(m, self.exception) for m in modules if hasattr(m, self.exception))
        return next(found, ValueError)


class Untraceable(BadValue):
    """What a function of JAX's raised in the place of the one called, which need not raise."""

    code = ""


class BadType(BadValue):
    """A Python TypeError, found at compile time."""

    code = ""

    exception: str = "TypeError"


class Unbound(BadValue):
    """A variable that is read before it has a value."""

    code = ""

    exception: str = "UnboundLocalError"


class Raises(Diagnostic):
    """A `raise` statement that is reached."""

    title = "{message}"
    label = "raised here"
    code = ""

    message: str


class NotStatic(Diagnostic):
    title = "{what} must be known at compile time"
    label = "this depends on values that are known only at run time"
    help = "{help_text}"

    what: str
    help_text: str = "pass it as a Python int (a static argument) or take it from a shape"


class NewKey(Diagnostic):
    title = "the dict may get a key that is known only at run time"
    label = "which keys a dict has is known when compiling"
    help = "give it all its keys first: `d = dict.fromkeys(names, 0.0)`"


class NeedsCapacity(Diagnostic):
    title = "{what} grows without a bound"
    label = "the room for it is found by running the program again with more"
    notes = ("{why} a program is not run again",)
    help = "bound the loop: `for i in myia.bounded(range(n), most)`"

    what: str
    why: str


class DynamicSizeEscapes(Diagnostic):
    title = "an array whose size is known only at run time is a result"
    label = "what is transformed by JAX has results of shapes known at compile time"
    help = (
        "return an array of the full size and the number of elements that count "
        "(`out = np.zeros(n); out[:k] = y; return out, k`), or what is computed from it"
    )


class BranchesDiffer(Diagnostic):
    title = "the branches give {a} and {b}"
    label = "both branches of a condition known only at run time must give one type"
    notes = ("the value depends on which branch runs",)
    help = "{help_text}"

    a: str
    b: str
    help_text: str = "make both branches give the same type and shape"


class LoopChangesType(Diagnostic):
    title = "a value carried by this loop changes from {a} to {b}"
    label = "the loop is compiled once, for one type and shape of every value it carries"
    notes = ("at the start of the loop it is the first, after one iteration the second",)
    help = "{help_text}"

    a: str
    b: str
    help_text: str = "give it its final type and shape before the loop"


class InvalidatedRead(Diagnostic):
    title = "this may have been changed through another name"
    label = "the write at {where} may or may not have changed what is read here"
    help = (
        "give one of the two names a copy: `y = x.copy()`; of objects that have none, as "
        "generators, use each in a branch of its own"
    )

    where: str
    has_moved: bool = False


class ReadOnlyWrite(Diagnostic):
    title = "cannot write into {what}"
    label = "assigned here"
    help = "{help_text}"

    what: str
    help_text: str = "write into a copy: `y = x.copy()`"


class TooManyIterations(Diagnostic):
    title = "this loop must be unrolled, but has more than {limit} iterations"
    label = "its body needs a value at compile time that changes in every iteration"
    notes = ("{reason}",)
    help = "{help_text}"

    limit: int
    reason: str
    help_text: str = "use an array indexed by the loop variable instead of a Python list or a shape"


class TooManyOperations(Diagnostic):
    title = "this loop is unrolled, and makes more than {limit:,} operations"
    label = "{reason}"
    help = (
        "compute what is known before the call outside, and pass it as an argument; else use an "
        "array indexed by the loop variable instead of a Python list"
    )

    limit: int
    reason: str


class TooManyCalls(Diagnostic):
    title = "a recursion makes more than {limit:,} calls"
    label = "`{name}` is called by itself, and each call is compiled by itself"
    help = (
        "compute it outside and pass its result as an argument, or write it as a loop with a list "
        "or an array as the stack; `functools.cache` keeps the results for equal arguments"
    )

    name: str
    limit: int


class DeepRecursion(Diagnostic):
    title = "recursion does not end at compile time"
    label = "call number {depth} of `{name}` inside itself"
    notes = (
        "on run-time values its arguments, its results and what is used after a call must have "
        "one type and shape in all calls",
    )
    help = "write it as a loop with a list or an array as the stack"

    name: str
    depth: int


class RecursiveGenerator(Diagnostic):
    title = "a generator calls itself to a depth that is known only at run time"
    label = "call number {depth} of `{name}` inside itself"
    help = (
        "write a function that appends the items to a list: "
        "`walk(left[i], found); found.append(x[i]); walk(right[i], found)`"
    )

    name: str
    depth: int


class RecursionDiffers(Diagnostic):
    title = "a recursion on run-time values has {a} in one call and {b} in another"
    label = "a value of a recursive call must have one type in all calls"
    notes = ("arguments, results and what is used after a call count",)
    help = "give it one type and shape, or write a loop with a list or an array as the stack"

    a: str
    b: str


class NotDifferentiable(Diagnostic):
    title = "{what} is {kind}"
    label = "a derivative is taken here"
    help = "{help_text}"

    what: str
    kind: str
    help_text: str


class RuleTooDeep(Diagnostic):
    """A rule of forward mode, inside of another, whose transpose would need a third."""

    title = "the transpose of derivative rules inside of rules needs the rule of `{name}`"
    label = "called here on a tangent"
    help = "call it on primal values only, or apply what it computes without a rule"

    name: str


class NoDerivative(Diagnostic):
    """An object that is not taken apart into numbers, where a derivative is taken."""

    title = "`{path}` is {kind}, which has no derivative"
    label = "a derivative is taken here"
    notes = ("{detail}",)
    help = "{help_text}"

    path: str
    kind: str
    detail: str
    help_text: str


class BadRule(Diagnostic):
    """A derivative rule of the user's that does not fit its function."""

    title = "the derivative rule of `{name}` gives {given} where {wanted} is wanted"
    label = "the derivative of this call is taken"
    help = "{help_text}"

    name: str
    given: str
    wanted: str
    help_text: str = (
        "a tangent has the shape of the result, a cotangent that of the argument (or is None)"
    )


class OptionInside(Diagnostic):
    """An option of a transform that is applied inside compiled code."""

    title = "the option `{name}` has no meaning inside compiled code"
    label = "this becomes part of the program around it"
    help = "give it to the outermost `myia.jit` or `myia.grad`: it holds for the whole program"

    name: str


class TracingFailed(Diagnostic):
    """A function of a JAX library raised an error when it was traced."""

    title = "{name}: {message}"
    label = "this raises {exception}"
    help = "{help_text}"

    name: str
    message: str
    exception: str
    help_text: str = ""


class UserFunctionTraced(Diagnostic):
    """A function of the user's that a JAX library would call."""

    title = "{name} would call {what}"
    label = "JAX would run it once, to trace it, and never read its source"
    help = "{help_text}"

    name: str
    what: str
    help_text: str = (
        "write the loop or the call yourself: it is compiled; or mark the function with "
        "`@myia.staged`, if it is written to be traced"
    )
