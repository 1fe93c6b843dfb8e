"""`np.random` in compiled code: its generators, by stand-ins (`infer/stand_ins.py`).

rng = np.random.default_rng(7)     the state that NumPy makes of 7, a constant of the program
np.random.default_rng(n)           made of a run-time n by the program
np.random.default_rng()            seeded at each call, by a generator that is a hidden argument
"""

from __future__ import annotations

import functools
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from myia.infer.boundary.instances import state_of
from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadValue
from myia.infer.domain.facts import Question
from myia.infer.domain.heap import InstanceObject, ListObject
from myia.infer.domain.values import NONE, Abstract, Ref, Scalar, Static, Tuple
from myia.infer.numeric.promotion import is_numeric
from myia.infer.registry import function
from myia.infer.stand_ins import StandIn, in_python, register
from myia.infer.unsupported import UnsupportedRandom
from myia.library.random.constants import fresh
from myia.library.random.generator import Generator
from myia.library.random.words import seeds
from myia.library.random.words.pcg64 import PCG64
from myia.library.support.from_source import call_source
from myia.primitives.core.define import constant

GIVE_INT = "give it an int, or make the generator outside and pass it as an argument"
HALF = 2**64 - 1
BIT_GENERATORS = (np.random.PCG64, np.random.MT19937)


def _read_bits(x: Any) -> Mapping[str, Any]:
    state = x.state
    words, increment = state["state"]["state"], state["state"]["inc"]
    return {
        "high": np.uint64(words >> 64),
        "low": np.uint64(words & HALF),
        "increment_high": np.uint64(increment >> 64),
        "increment_low": np.uint64(increment & HALF),
        "kept": np.uint64(state["has_uint32"]),
        "half": np.uint64(state["uinteger"]),
    }


def _write_bits(x: Any, state: Mapping[str, Any]) -> None:
    of = {name: int(word) for name, word in state.items()}
    x.state = {
        "bit_generator": "PCG64",
        "state": {
            "state": of["high"] << 64 | of["low"],
            "inc": of["increment_high"] << 64 | of["increment_low"],
        },
        "has_uint32": of["kept"],
        "uinteger": of["half"],
    }


def _make_bits(state: Mapping[str, Any]) -> Any:
    made = np.random.PCG64(0)
    _write_bits(made, state)
    return made


def _read(x: Any) -> Mapping[str, Any] | None:
    bits = x.bit_generator
    return {"bit_generator": bits} if type(bits) in BIT_GENERATORS else None


def _write(x: Any, state: Mapping[str, Any]) -> None:
    if state["bit_generator"] is not x.bit_generator:
        raise AttributeError("attribute 'bit_generator' of 'Generator' objects is not writable")


def _make(state: Mapping[str, Any]) -> Any:
    return np.random.Generator(state["bit_generator"])


register(StandIn(np.random.PCG64, PCG64, _read_bits, _write_bits, _make_bits))
register(StandIn(np.random.Generator, Generator, _read, _write, _make))


def refuse_others(cls: Any, original: type) -> None:
    """The methods that a stand-in has not are those of the original, which are refused by name."""
    for name in dir(original):
        if not name.startswith("_") and not hasattr(cls, name):
            setattr(cls, name, getattr(original, name))


def locate_errors(cls: Any, original: type) -> None:
    """Errors in methods of a stand-in, also those at run time, name that of the original, and point
    to the user's call."""
    for name in dir(cls):
        method = getattr(cls, name)
        if isinstance(method, types.FunctionType) and not name.startswith("_"):
            setattr(cls, name, _located(method, original))


def _located(method: Any, original: type) -> Any:
    @functools.wraps(method)
    def called(*args: Any, **kwargs: Any) -> Any:
        return method(*args, **kwargs)

    public = ".".join(original.__module__.split(".")[:2])  # of `numpy.random._generator`
    called.__module__, called.__qualname__ = public, f"{original.__name__}.{method.__name__}"

    @function(called)
    def _called(ctx: Context, *args: Abstract, **kwargs: Abstract) -> Abstract:
        return call_source(ctx, method, args, kwargs)

    return called


for _cls, _original in ((Generator, np.random.Generator), (PCG64, np.random.PCG64)):
    locate_errors(_cls, _original)
    refuse_others(_cls, _original)


# ----- Generators made in the program


class FreshEntropy(Question):
    """A generator that the system seeds: another one each time it is asked."""

    def read(self) -> Any:
        return np.random.PCG64()

    @property
    def is_fixed(self) -> bool:
        return False


FRESH = FreshEntropy(np.random.PCG64)


@function(fresh)
def _fresh(ctx: Context) -> Abstract:
    return ctx.root(FRESH, "entropy")


@function(np.random.PCG64)
def _pcg64(ctx: Context, seed: Abstract = NONE) -> Abstract:
    if isinstance(seed, Scalar) and seed.dtype.kind in "iu":
        return call_source(ctx, seeds.seeded, (seed,), {})
    known = static_seed(ctx, seed)
    if known is None:
        return call_source(ctx, seeds.drawn, (ctx.root(FRESH, "entropy"),), {})
    try:
        state = state_of(np.random.PCG64(known))
    except (TypeError, ValueError) as error:
        ctx.fail(BadValue, message=str(error), exception=type(error).__name__)
    words = tuple(Scalar(constant(word, np.uint64), weak=False) for word in state.values())
    return ctx.new(InstanceObject(PCG64, tuple(state), words))


def static_seed(ctx: Context, seed: Abstract) -> Any:
    """A seed that is known at compile time: an int, or a sequence of ints."""
    if isinstance(seed, Static) and (seed.value is None or isinstance(seed.value, (int, float))):
        return seed.value
    items = seed.items if isinstance(seed, Tuple) else None
    if isinstance(seed, Ref) and isinstance(contents := ctx.contents(seed), ListObject):
        items = contents.items
    if items is None or not all(isinstance(x, Static) for x in items):
        ctx.fail(UnsupportedRandom, what=f"{ctx.describe(seed)} as a seed", help_text=GIVE_INT)
    return [x.value for x in items if isinstance(x, Static)]


@function(np.random.Generator)
def _generator(ctx: Context, bit_generator: Abstract) -> Abstract:
    if _class(ctx, bit_generator) not in BIT_GENERATORS:
        ctx.fail(UnsupportedRandom, what=f"a generator of {ctx.describe(bit_generator)}")
    return ctx.new(InstanceObject(Generator, ("bit_generator",), (bit_generator,)))


@function(np.random.default_rng)
def _default_rng(ctx: Context, seed: Abstract = NONE) -> Abstract:
    cls = _class(ctx, seed)
    if cls is np.random.Generator:
        return seed
    bits = seed if cls in BIT_GENERATORS else _pcg64(ctx, seed)
    return _generator(ctx, bits)


def _class(ctx: Context, x: Abstract) -> type | None:
    """The class in Python of an instance."""
    if is_numeric(ctx, x) or not isinstance(x, Ref):
        return None
    contents = ctx.contents(x)
    return in_python(contents.cls) if isinstance(contents, InstanceObject) else None
