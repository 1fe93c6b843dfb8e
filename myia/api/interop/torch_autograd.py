"""Functions of tensors, which torch's autograd differentiates by our adjoint.

    y = F(x, data)       one call of a `torch.autograd.Function`: the program of `f`
    y.backward()         the same, of the pullback of `f`: so of any order
    torch.func.vmap      the same, of `myia.vmap` of it

The tensors in the arguments are the inputs that torch sees. Everything else in them is kept for the
backward pass as it was.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from myia.api.jvp_vjp import FunctionState, rule_of
from myia.api.options import CompileOptions
from myia.api.pickling import P, R, Wrapper
from myia.api.sharing import Transform, transform_of
from myia.infer.batching.over_arrays import mapped_over_arrays
from myia.infer.batching.vmap import MapOptions
from myia.infer.boundary.instances import copied, is_state, new_instance, state_of
from myia.infer.derivatives.by_arrays import (
    Hole,
    Place,
    flat_call,
    pullback_by_arrays,
    pushforward_by_arrays,
)
from myia.infer.derivatives.derivatives import GradOptions
from myia.infer.domain.facts import Held
from myia.infer.domain.values import Abstract
from myia.infer.eval.calls import CALLABLE_TYPES, Args, Kwargs
from myia.infer.eval.interpreter import Interpreter
from myia.infer.registry import TRANSPARENT_TYPES
from myia.infer.tuple_classes import can_be_remade, new_tuple

PULLBACK = transform_of(pullback_by_arrays, GradOptions())
PUSHFORWARD = transform_of(pushforward_by_arrays, GradOptions())

Inputs = Sequence[Any]


class TorchFunction(Wrapper[P, R]):
    """`torch_function(f)`; in compiled code it is `f`."""

    def __init__(self, f: Callable[..., Any], options: CompileOptions):
        super().__init__(f)
        self.options, self._programs = options, _Programs(f, options)

    def parts(self) -> tuple[Any, ...]:
        return self.f, self.options

    def __repr__(self) -> str:
        return f"myia.torch_function({getattr(self.f, '__qualname__', repr(self.f))})"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        call = _Call(self._programs, (args, kwargs))
        return _filled(call.numbers(), call.template)


def _infer_call(ctx: Interpreter, function: Any, args: Args, kwargs: Kwargs) -> Abstract:
    return ctx.call(ctx.root(Held(function.f), "f"), args, kwargs)


CALLABLE_TYPES[TorchFunction] = _infer_call
TRANSPARENT_TYPES.add(TorchFunction)


class _Programs:
    """The programs of a function, and of what transforms make of it."""

    def __init__(self, f: Any, options: CompileOptions):
        self.options, self._transformed = options, dict[Transform, _Programs]()
        self.rule, self.f = rule_of(flat_call, f, False, options)

    def of(self, transform: Transform) -> _Programs:
        found = self._transformed.get(transform)
        if found is None:
            f = functools.partial(transform, self.f)
            found = self._transformed[transform] = _Programs(f, self.options)
        return found


class _Call:
    """One call: what its program is run with, and what its backward pass must know."""

    def __init__(self, programs: _Programs, given: tuple[Any, dict[str, Any]]):
        self.programs, self.given = programs, given
        self.originals = list(_inputs_in(self.given, set()))
        self.recorded = torch.is_grad_enabled()
        self.state: FunctionState | None = None
        self.checked: FunctionState | None = None  # of the forward pass
        self.template: Any = None
        if self.recorded:  # the caller may change what is no tensor before the backward pass
            self.kept = self._kept()

    def numbers(self) -> tuple[Any, ...]:
        """Those of the result, as torch records them."""
        inputs = (x.resolve_conj().resolve_neg() for x in self.originals)
        found: tuple[Any, ...] = CompiledFunction.apply(self, *inputs)
        return found

    def run(self, inputs: Inputs) -> tuple[Any, ...]:
        """The numbers of the result, by the program. Transforms of torch do not see it."""
        if self.checked is not None:
            self.checked.check()
        args = self.with_inputs(inputs)
        rule, f = self.programs.rule, self.programs.f
        numbers, self.template = rule(f, *args)
        if self.recorded:
            refuse = functools.partial(_refuse_parameters, inputs=inputs, name=rule.called)
            self.state = FunctionState(rule, f, args, refuse)
        return tuple(map(_tensor, numbers))

    # ----- The tensors in the arguments

    def _kept(self) -> Any:
        self.holes = [Hole() for _ in self.originals]
        return copied(self.given, {id(x): hole for x, hole in zip(self.originals, self.holes)})

    def with_inputs(self, inputs: Inputs) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, with tensors in the places of those that were given; None: its hole."""
        if all(x is y for x, y in zip(inputs, self.originals)):
            args, kwargs = self.given
            return args, kwargs
        if not self.recorded:
            self.kept = self._kept()
        found = zip(self.holes, inputs)
        args, kwargs = copied(self.kept, {id(h): h if x is None else x for h, x in found})
        return args, kwargs

    # ----- Its transforms

    def of(self, transform: Transform, inputs: Inputs, chosen: Sequence[int], *more: Any) -> _Call:
        """The call of what a transform makes of the function, by the chosen tensors."""
        arrays = tuple(inputs[i] for i in chosen)
        others = [None if i in chosen else x for i, x in enumerate(inputs)]
        args, kwargs = self.with_inputs(others)
        holes = tuple(self.holes[i] for i in chosen)
        call = _Call(self.programs.of(transform), ((arrays, holes, args, kwargs, *more), {}))
        call.checked = self.state or self.checked
        return call


class CompiledFunction(torch.autograd.Function):  # type: ignore[misc]
    """What torch records: a call as a function of its tensors."""

    @staticmethod
    def forward(call: _Call, *inputs: Any) -> tuple[Any, ...]:
        return call.run(inputs)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Any, ...]) -> None:
        ctx.call = inputs[0]
        ctx.save_for_backward(*inputs[1:])
        ctx.save_for_forward(*inputs[1:])
        ctx.set_materialize_grads(False)
        ctx.floats = [_is_float(y) for y in output]
        ctx.mark_non_differentiable(*(y for y in output if not _is_float(y)))

    @staticmethod
    def backward(ctx: Any, *cts: Any) -> tuple[Any, ...]:
        call, inputs = ctx.call, ctx.saved_tensors
        found: list[Any] = [None] * len(inputs)
        chosen = [i for i, needed in enumerate(ctx.needs_input_grad[1:]) if needed]
        given = tuple(
            _conjugated(ct) if is_float else None for ct, is_float in zip(cts, ctx.floats)
        )
        if chosen and any(ct is not None for ct in given):
            for i, ct in zip(chosen, call.of(PULLBACK, inputs, chosen, given).numbers()):
                found[i] = _conjugated(ct)
        return (None, *found)

    @staticmethod
    def jvp(ctx: Any, _: None, *tangents: Any) -> tuple[Any, ...]:
        call, inputs = ctx.call, ctx.saved_tensors
        chosen = [i for i, t in enumerate(tangents) if t is not None]
        given = tuple(tangents[i] for i in chosen)
        found = iter(call.of(PUSHFORWARD, inputs, chosen, given).numbers())
        return tuple(next(found) if is_float else None for is_float in ctx.floats)

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], call: _Call, *inputs: Any) -> tuple[Any, Any]:
        chosen = [i for i, axis in enumerate(in_dims[1:]) if axis is not None]
        axes = MapOptions(tuple(in_dims[1 + i] for i in chosen))
        mapped = call.of(transform_of(mapped_over_arrays, axes), inputs, chosen)
        numbers = mapped.numbers()
        call.template, call.state = mapped.template, mapped.state
        return numbers, (0,) * len(numbers)


# ----- Inputs


def _is_float(x: Any) -> bool:
    return bool(x.is_floating_point() or x.is_complex())


def _conjugated(ct: Any) -> Any:
    """A cotangent of ours as one of torch, and back: torch's are conjugates."""
    return ct if ct is None else ct.conj().resolve_conj()


def _tensor(x: Any) -> Any:
    if isinstance(x, torch.Tensor):
        return x
    array = np.asarray(x)
    return torch.from_numpy(array if array.flags.writeable else array.copy())


def _inputs_in(x: Any, seen: set[int]) -> Iterator[Any]:
    """The tensors in a structure, each once."""
    if id(x) in seen:
        return
    if isinstance(x, torch.Tensor):
        seen.add(id(x))
        yield x
        return
    if isinstance(x, (tuple, list, set)):
        parts = iter(x)
    elif isinstance(x, dict):
        parts = iter(x.values())
    elif is_state(x):
        parts = iter([*state_of(x).values()])
    else:
        return
    seen.add(id(x))
    for part in parts:
        yield from _inputs_in(part, seen)


def _refuse_parameters(objects: list[Any], inputs: Inputs, name: str) -> None:
    given = {id(x) for x in inputs}
    for x in objects:
        if isinstance(x, torch.Tensor) and x.requires_grad and id(x) not in given:
            raise TypeError(
                f"`{name}` reads a tensor of shape {tuple(x.shape)} that requires a gradient and "
                "is in none of its arguments: pass it as one, or `x.detach()` of it"
            )


def _filled(numbers: Sequence[Any], template: Any) -> Any:
    """The result: a template with numbers in their places."""
    if isinstance(template, Place):
        return numbers[template.index]
    if isinstance(template, tuple):
        parts = [_filled(numbers, x) for x in template]
        cls: Any = type(template)
        return new_tuple(cls, parts) if can_be_remade(cls) else tuple(parts)
    if isinstance(template, (list, set)):
        return type(template)(_filled(numbers, x) for x in template)
    if isinstance(template, dict):
        for key, x in template.items():
            template[key] = _filled(numbers, x)
        return template
    if is_state(template):
        state = {name: _filled(numbers, x) for name, x in state_of(template).items()}
        return new_instance(type(template), state)
    return template
