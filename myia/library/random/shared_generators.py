"""The generators that functions of modules share: `np.random.normal()`, `random.random()`.

They are objects of `np.random.RandomState` and `random.Random`, which may also be arguments,
globals or attributes, or be made in the program of a seed that is known at compile time.
"""

from __future__ import annotations

import random
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from myia.infer.boundary.instances import state_of
from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadValue
from myia.infer.domain.facts import Held
from myia.infer.domain.heap import InstanceObject
from myia.infer.domain.values import NONE, Abstract, Scalar, Static
from myia.infer.registry import function
from myia.infer.stand_ins import STAND_INS, StandIn, register
from myia.infer.unsupported import UnsupportedRandom
from myia.library.random.numpy_random import locate_errors, refuse_others, static_seed
from myia.library.random.python_random import Random, take_over
from myia.library.random.random_state import RandomState
from myia.library.random.words.mt19937 import MT19937, key_of, ring_of
from myia.primitives.core.define import array_constant, constant

SHARED: Any = np.random.mtrand._rand
OF_PYTHON: Any = random._inst
GIVE_SEED = "make it outside and pass it as an argument"


def _words(key: np.ndarray, position: int) -> Mapping[str, Any]:
    at = np.int64(position)
    return {"ring": ring_of(key), "start": at, "position": at}


def _key(state: Mapping[str, Any]) -> tuple[np.ndarray, int]:
    position = int(state["position"])
    return key_of(np.asarray(state["ring"]), int(state["start"]), position), position


# ----- NumPy


def _read_bits(x: Any) -> Mapping[str, Any]:
    state = x.state["state"]
    return _words(state["key"], state["pos"])


def _write_bits(x: Any, state: Mapping[str, Any]) -> None:
    key, position = _key(state)
    words = {"key": key, "pos": position}
    x.state = {"bit_generator": "MT19937", "state": words}


def _make_bits(state: Mapping[str, Any]) -> Any:
    made = np.random.MT19937(0)
    _write_bits(made, state)
    return made


def _read_state(x: Any) -> Mapping[str, Any] | None:
    bits = x._bit_generator
    if type(bits) is not np.random.MT19937:
        return None
    state = x.get_state(legacy=False)
    kept = np.int64(state["has_gauss"])
    return {"_bit_generator": bits, "has_gauss": kept, "gauss": float(state["gauss"])}


def _write_state(x: Any, state: Mapping[str, Any]) -> None:
    has_gauss, gauss = int(state["has_gauss"]), float(state["gauss"])
    x.set_state({**x.get_state(legacy=False), "has_gauss": has_gauss, "gauss": gauss})


def _make_state(state: Mapping[str, Any]) -> Any:
    made = np.random.RandomState(state["_bit_generator"])
    _write_state(made, state)
    return made


register(StandIn(np.random.MT19937, MT19937, _read_bits, _write_bits, _make_bits))
register(StandIn(np.random.RandomState, RandomState, _read_state, _write_state, _make_state))
for _stand_in, _original in ((MT19937, np.random.MT19937), (RandomState, np.random.RandomState)):
    locate_errors(_stand_in, _original)
    refuse_others(_stand_in, _original)


# ----- Python


def _read_random(x: Any) -> Mapping[str, Any]:
    _, words, kept = x.getstate()
    return {**_words(np.array(words[:-1], np.uint32), words[-1]), "gauss_next": kept}


def _write_random(x: Any, state: Mapping[str, Any]) -> None:
    kept = state["gauss_next"]
    key, position = _key(state)
    words = (*key.tolist(), position)
    x.setstate((3, words, None if kept is None else float(kept)))


def _make_random(state: Mapping[str, Any]) -> Any:
    made = random.Random(0)
    _write_random(made, state)
    return made


locate_errors(Random, random.Random)
OWN_SOURCE = (
    *("uniform", "triangular", "normalvariate", "lognormvariate", "expovariate", "gauss"),
    *("vonmisesvariate", "betavariate", "paretovariate", "weibullvariate"),
)
for _name in (*OWN_SOURCE, "seed"):
    setattr(Random, _name, getattr(random.Random, _name))
refuse_others(Random, random.Random)  # or compiled from Python's source, too
register(StandIn(random.Random, Random, _read_random, _write_random, _make_random))


# ----- Made in the program


def _made(ctx: Context, x: Any) -> Abstract:
    """A generator with this state, as constants of the program."""
    state = state_of(x)
    return ctx.new(InstanceObject(STAND_INS[type(x)].cls, tuple(state), _parts(ctx, state)))


def _parts(ctx: Context, state: Mapping[str, Any]) -> tuple[Abstract, ...]:
    def part(x: Any) -> Abstract:
        if type(x) in STAND_INS:
            return _made(ctx, x)
        if isinstance(x, np.ndarray):
            return ctx.array(array_constant(x))
        if x is None:
            return NONE
        return Scalar(constant(x, np.asarray(x).dtype), weak=isinstance(x, float))

    return tuple(map(part, state.values()))


def _of_seed(cls: Any) -> Any:
    def handler(ctx: Context, seed: Abstract = NONE) -> Abstract:
        found = None if isinstance(seed, Scalar) else static_seed(ctx, seed)
        if found is None:
            what = f"`{cls.__name__}` without a seed that is known at compile time"
            ctx.fail(UnsupportedRandom, what=what, help_text=GIVE_SEED)
        try:
            return _made(ctx, cls(found))
        except (TypeError, ValueError) as error:
            ctx.fail(BadValue, message=str(error), exception=type(error).__name__)

    return handler


for _cls in (np.random.MT19937, np.random.RandomState, random.Random):
    function(_cls)(_of_seed(_cls))


# ----- Functions of modules


def _of_shared(shared: Any, label: str, name: str) -> Any:
    def handler(ctx: Context, *args: Abstract, **kwargs: Abstract) -> Abstract:
        rng = ctx.root(Held(shared), label)
        return ctx.call(ctx.getattr(rng, name), args, kwargs)

    return handler


@function(random.Random.seed)
def _seed_python(ctx: Context, self: Abstract, a: Abstract = NONE) -> Abstract:
    """`rng.seed(a)`"""
    return ctx.call(Static(take_over), (self, _of_seed(random.Random)(ctx, a)), {})


def _method(name: str) -> Any:
    """A method in Python, which is found by itself where a module has it: `random.sample`."""

    def handler(ctx: Context, self: Abstract, *args: Abstract, **kwargs: Abstract) -> Abstract:
        return ctx.call(Static(vars(Random)[name]), (self, *args), kwargs)

    return handler


ALIASES = {"ranf": "random_sample", "sample": "random_sample"}
OF_NUMPY = [name for name in dir(RandomState) if hasattr(np.random, name)]
for _name in (*OF_NUMPY, *ALIASES):
    _alias = ALIASES.get(_name, _name)
    if isinstance(getattr(RandomState, _alias), types.FunctionType):
        function(getattr(np.random, _name))(_of_shared(SHARED, "numpy.random", _alias))
for _name in ("random", "getrandbits"):
    function(getattr(random, _name))(_of_shared(OF_PYTHON, "random", _name))
for _name in ("randrange", "randint", "choice", "shuffle", "sample"):
    function(getattr(random.Random, _name))(_method(_name))
