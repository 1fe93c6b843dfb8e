"""What a program reads outside its arguments: is it still what it was?

Every call asks this of every global, closure and default that its program reads. Most hold modules,
functions and numbers, which change only by being replaced; for these it is enough to look whether
the object is the one of the last call.
"""

from __future__ import annotations

import types
from typing import Any

from myia.infer.arguments import Root
from myia.infer.signature import Constant, Flattener, FunctionSignature, Identity, Leaf


class Watch:
    """One root of a program."""

    __slots__ = ("_last", "_lasting", "_read", "_signature")

    def __init__(self, root: Root):
        self._read, self._signature = root.read, root.signature
        self._lasting = _lasting(root.signature)
        self._last = (object(), None, None, Flattener())  # object, code, defaults, taken apart

    def now(self) -> Flattener | None:
        """What is there, taken apart; None when the program does not fit it."""
        x = self._read()
        last, code, defaults, flat = self._last
        if x is last and (code is None or _is_still(x, code, defaults)):
            return flat
        flat = Flattener()
        if flat.add(x) != self._signature:
            return None
        if self._lasting:
            function = type(x) is types.FunctionType
            state = (x.__code__, x.__defaults__) if function else (None, None)
            self._last = (x, *state, flat)
        return flat


def _is_still(f: types.FunctionType, code: types.CodeType, defaults: tuple | None) -> bool:
    """A function without a closure still has its code and its defaults."""
    return f.__code__ is code and f.__defaults__ is defaults and not f.__kwdefaults__


def _lasting(signature: Any) -> bool:
    """Is all there is to be known of an object that it is the same object?"""
    if isinstance(signature, Leaf):
        return signature.kind != "array"
    if isinstance(signature, Constant):
        return not isinstance(signature.value, frozenset)  # a set's, maybe
    if isinstance(signature, FunctionSignature):
        function = signature.function
        plain = function.__closure__ is None and not function.__kwdefaults__
        nested = any(isinstance(part, FunctionSignature) for part in signature.parts)
        return plain and not nested and all(map(_lasting, signature.parts))
    return isinstance(signature, Identity)
