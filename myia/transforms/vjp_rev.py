"""Reverse mode of adjoint loops: the second derivative of a loop.

Let s be the state that a `rev` transforms (λ and the accumulators), A its adjoint, and σ the
cotangent of s. As A is linear in s, σ is transformed by A's transpose, which reads x but not s; and
σ goes the other way, from the first iteration to the last:

    loop  (x, σ) -> (f(x), Aᵀ(x) σ)                 its last σ is the cotangent of the seeds of s
    rev   of that: (x̄, s) -> (f'ᵀ x̄ + ∂/∂x <σ, A(x) s>, A(x) s)

The supports of σ (`supports/`) go with it, where the cotangent of the seeds goes on to an op with a
pole. With f' the loop of the first line, this is vjp(rev f) = loop f', then rev f': never a tape of
tapes. It is derived from what `rev` means, its adjoint, so it holds however passes have rewritten
the adjoint, and also where a custom rule gave it. (A custom rule that is not linear in cotangents,
which clips them for instance, is refused here.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from myia.ir.builder import append, current_span
from myia.ir.core import Op, Region, Tangents, Value, Values, captures
from myia.primitives.core.emit_structured import emit_loop
from myia.primitives.core.region_dataflow import adjoint_state, adjoint_state_args
from myia.primitives.core.structured import Loop
from myia.rewriting.common_subexpressions import eliminate_common_subexpressions
from myia.rewriting.liveness import eliminate_dead_values
from myia.source.diagnostics import MyiaError
from myia.transforms.activity import useful_values
from myia.transforms.clone import clone, clone_with_args, with_unused_args
from myia.transforms.cotangents import Accumulators, Reverse, like_cotangents, or_zeros
from myia.transforms.errors import NonlinearRule
from myia.transforms.supports.slices import Support, as_array
from myia.transforms.supports.tracked import Supports, masks_of, nowhere, settled
from myia.transforms.vjp_loops import LoopSupports, Start, closed_region


def pull_back_rev(
    reverse: Reverse, op: Op, cts: Tangents, supports: Sequence[Support], acc: Accumulators
) -> None:
    _Pullback(reverse, op, cts, supports, acc).emit()


class _Pullback:
    def __init__(
        self,
        reverse: Reverse,
        op: Op,
        cts: Tangents,
        supports: Sequence[Support],
        acc: Accumulators,
    ):
        self.reverse, self.acc = reverse, acc
        self.parts = parts = Loop.of(op)
        self.args = parts.body.args[1:]
        # Positions: of the x that have a cotangent, and of the s that have one.
        self.active = [i for i in range(len(parts.carries)) if _wants_carry(acc, parts, i)]
        self.linear = _useful_state(parts, cts)
        self.captured = [x for x in captures(parts.body, parts.adjoint_region) if acc.wants(x)]
        self.seeds = [adjoint_state(parts)[j] for j in self.linear]
        self.flags = [j for j, s in enumerate(adjoint_state(parts)) if _is_support(s)]
        self.sigmas = tuple(or_zeros(cts[j], s) for j, s in zip(self.linear, self.seeds))
        # The supports of σ where one is of use, by the position of s; those that are carried.
        state, poles = adjoint_state_args(parts), acc.tracked.poles
        self.later = [j for j, s in zip(self.linear, self.seeds) if s in poles]
        self.asked = [j for j in self.linear if self.later and state[j] in poles]
        self.of_sigmas = {
            j: nowhere(adjoint_state(parts)[j]) if cts[j] is None else supports[j]
            for j in self.asked
        }
        self.carried: Sequence[int] = ()
        # Placeholders for s where s must not be read: the region is linear in it. They are defined
        # nowhere; `linear_region` checks that no use of them is left.
        self.outside = [Value(x.aval) for x in adjoint_state(parts)]

    def emit(self) -> None:
        parts, n = self.parts, len(self.args)
        known = [j for j, support in self.of_sigmas.items() if support is not None]
        body, carried = settled(self.dual_region, known, self.later)
        self.carried = list(carried)
        masks = [as_array(self.of_sigmas[j], adjoint_state(parts)[j].aval) for j in self.carried]
        more = (*self.sigmas, *masks)
        loop = Loop(
            count=parts.count,
            carries=parts.carries + more,
            cond=parts.cond and with_unused_args(clone(parts.cond, replay=True), more),
            body=body,
            bound=parts.bound,
        )
        results = emit_loop(loop)[n:]
        if self.active or self.captured:
            self.emit_rev(loop)
        found = dict(zip(self.carried, results[len(self.sigmas) :]))
        self.acc.by_position.update(found.values())
        for j, s, ct in zip(self.linear, self.seeds, results):
            with self.acc.contribute({s: found.get(j)}):
                self.acc.add(s, ct)

    def dual_region(self, carried: Sequence[int]) -> tuple[Region, dict[int, Support]]:
        """`dual` with the supports of σ that are `carried`, and those that are known after it."""
        self.carried = carried
        region = self.linear_region(self.dual, self.args, self.sigmas, self.masks())
        return region, {j: s for j, s in self.after.items() if s is not None}

    def masks(self) -> list[Value]:
        """New values for the supports of σ that are carried."""
        state = adjoint_state(self.parts)
        return [mask for j in self.carried for mask in masks_of([state[j]]).values()]

    def emit_rev(self, loop: Loop) -> None:
        acc, carries, n = self.acc, self.parts.carries, len(self.args)
        inside = self.parts.body.args[1:]
        poles = acc.tracked.poles
        starts = [
            Start(x, arg, False, asked=not poles.isdisjoint((x, arg)))
            for x, arg in ((carries[i], inside[i]) for i in self.active)
        ]
        self.tracked = LoopSupports(self.parts, starts, self.captured, acc)
        x_args = like_cotangents(self.args[i] for i in self.active)
        s_args = [adjoint_state_args(self.parts)[j] for j in self.linear]
        x_like = self.args, self.sigmas, self.masks()
        groups = *x_like, x_args, s_args, like_cotangents(self.captured)
        flags = [adjoint_state(self.parts)[j] for j in self.flags]
        adjoint = self.tracked.settled(
            lambda: self.linear_region(self.adjoint, *groups, self.tracked.masks, flags)
        )
        # x̄ starts from zero: a `rev` does not return the last x.
        zeros = (or_zeros(None, carries[i]) for i in self.active)
        rev = replace(
            loop,
            cond=loop.cond and clone(loop.cond),
            body=clone(loop.body),
            adjoint=adjoint,
            # s takes the place of the cotangents of σ: ∂/∂σ <σ, A(x) s> = A(x) s.
            active=(*self.active, *range(n, n + len(self.linear))),
            seeds=(*zeros, *self.seeds),
            accumulators=(*(acc.buffer(x) for x in self.captured), *self.tracked.masks, *flags),
        )
        results = emit_loop(rev)
        self.tracked.add_results(results, results[len(rev.seeds) : len(results) - len(flags)])

    def dual(self, k: Value, xs: Values, sigmas: Values, masks: Values) -> list[Value]:
        """(x, σ) -> (f(x), Aᵀ(x) σ), and the supports of σ."""
        step = clone_with_args(self.parts.body, (k, *xs), replay=True)
        for op in step.ops:
            append(op)
        adjoint = clone_with_args(
            self.parts.adjoint_region, (k, *xs, *_without_supports(self.outside)), replay=True
        )
        wanted = [self.outside[j] for j in self.linear]
        cts = [(adjoint.yields[j], ct) for j, ct in zip(self.linear, sigmas)]
        supports = Supports(
            of_cts=self.of_cts(masks),
            wanted=[self.outside[j] for j in self.asked],
            outside=self.acc.tracked.also_of(zip(self.args, xs)),
            by_position=self.acc.by_position,
            in_loop=True,
        )
        total = self.reverse(adjoint.ops, wanted, cts, supports=supports)
        outside = {j: self.outside[j] for j in self.asked}
        self.after = {j: total.supports.get(s, nowhere(s)) for j, s in outside.items()}
        after = [total.support(outside[j]) for j in self.carried]
        return [*step.yields, *map(total.buffer, wanted), *after]

    def of_cts(self, masks: Values) -> list[Support]:
        """The supports of σ in an iteration."""
        self.acc.by_position.update(masks)
        carried = dict(zip(self.carried, masks))
        return [carried.get(j) for j in self.linear]

    def adjoint(
        self,
        k: Value,
        xs: Values,
        sigmas: Values,
        of_sigmas: Values,
        xs_ct: Values,
        s: Values,
        sums: Values,
        masks: Values,
        flags: Values,
    ) -> list[Value]:
        """(x̄, s) -> (f'ᵀ x̄ + ∂/∂x <σ, A(x) s>, A(x) s), and the cotangents of captured values.

        `flags`: the supports in the state of `rev`, which go the same way as s.
        """
        before = [*self.outside]
        for j, x in zip((*self.linear, *self.flags), (*s, *flags)):
            before[j] = x
        step = clone_with_args(self.parts.body, (k, *xs), replay=True)
        adjoint = clone_with_args(self.parts.adjoint_region, (k, *xs, *before), replay=True)
        state = (*self.linear, *self.flags)
        yields = [step.yields[i] for i in self.active] + [adjoint.yields[j] for j in state]
        # The adjoint recomputes the step: equal ops are merged, so that they are reversed once.
        both = Region((), (*step.ops, *adjoint.ops), tuple(yields))
        both = eliminate_common_subexpressions(both)
        wanted = [xs[i] for i in self.active]
        supports = self.tracked.inside(wanted, masks)
        total = self.reverse(
            both.ops,
            [*wanted, *self.captured],
            list(zip(both.yields, [*xs_ct, *sigmas])),
            dict(zip(self.captured, sums)),
            replace(supports, of_cts=[*supports.of_cts, *self.of_cts(of_sigmas)]),
        )
        after = both.yields[len(self.active) :]
        after, flags_after = after[: len(self.linear)], after[len(self.linear) :]
        captured = map(total.buffer, self.captured)
        masks = self.tracked.after(wanted, total)
        return [*map(total.buffer, wanted), *after, *captured, *masks, *flags_after]

    def linear_region(self, body: Callable[..., Values], *groups: Sequence[Value]) -> Region:
        region = eliminate_dead_values(
            # x and σ may occur nonlinearly, and the supports of σ. In all other groups the region
            # is linear.
            closed_region(body, *groups, carries=3, linear_in=self.outside)
        )
        if any(x in self.outside for x in captures(region)):
            raise MyiaError(NonlinearRule(current_span()))
        return region


def _is_support(s: Value) -> bool:
    """Is it the support of a cotangent (`vjp_loops.py`)?"""
    return s.dtype.kind == "b"


def _without_supports(state: Sequence[Value]) -> list[Value]:
    """The state, with supports everywhere.

    They depend on the iterations after this one, which σ has yet to come to.
    """
    return [as_array(None, s.aval) if _is_support(s) else s for s in state]


def _useful_state(parts: Loop, cts: Tangents) -> list[int]:
    """The positions of s on which a result with a cotangent depends, in any iteration."""
    adjoint = parts.adjoint_region
    again = list(zip(adjoint.yields, adjoint_state_args(parts)))
    useful = useful_values(
        adjoint.ops, [y for y, ct in zip(adjoint.yields, cts) if ct is not None], again
    )
    return [j for j, y in enumerate(adjoint.yields) if y in useful]


def _wants_carry(acc: Accumulators, parts: Loop, i: int) -> bool:
    return acc.wants(parts.body.args[1 + i]) or acc.wants(parts.adjoint_region.args[1 + i])
