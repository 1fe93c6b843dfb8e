"""`np.einsum`: operands are contracted pair by pair, from the left.

    ij,jk,kl->il     (ij,jk->ik), then (ik,kl->il)

An index that neither the result nor a later operand names is summed as soon as it can be.
"""

from __future__ import annotations

import numpy as np

from myia.infer.context import Context
from myia.infer.errors import BadValue, Unsupported
from myia.infer.layout import frozen_view
from myia.infer.library.numpy_arguments import array, refuse, static, value_of
from myia.infer.library.numpy_products import contract
from myia.infer.numbers import promote
from myia.infer.operands import operand_dtype
from myia.infer.registry import function
from myia.infer.values import NONE, Abstract, Ref
from myia.ir.core import Value
from myia.primitives import logic, reductions, shaping
from myia.primitives.define import constant

Term = tuple[str, Value]  # the letters of the axes, and the operand


@function(np.einsum)
def _einsum(
    ctx: Context,
    subscripts: Abstract,
    *operands: Abstract,
    optimize: Abstract = NONE,
    **options: Abstract,
) -> Abstract:
    refuse(ctx, "numpy.einsum", options)
    inputs, output = _parsed(ctx, static(ctx, subscripts, "the subscripts"), len(operands))
    xs = [array(ctx, x) for x in operands]
    dtype, _ = promote(*(operand_dtype(ctx, x) for x in xs))
    if dtype.kind == "b":
        ctx.fail(Unsupported, what="`numpy.einsum` of booleans")
    terms = [(letters, value_of(ctx, x, dtype)) for letters, x in zip(inputs, xs)]
    _check_extents(ctx, terms)
    done = _without_repeats(*terms[0])
    for k, term in enumerate(terms[1:], 2):
        later = output + "".join(inputs[k:])
        done = _pair(done, _without_repeats(*term), later)
    value = _arranged(_summed(*done, output), output)
    if len(xs) == 1 and isinstance(xs[0], Ref) and set(inputs[0]) == set(output):
        return frozen_view(ctx, xs[0], value, "a view made by `np.einsum`")
    return ctx.array(value, contiguous=False)


def _parsed(ctx: Context, text: object, count: int) -> tuple[list[str], str]:
    """The letters of each operand and of the result."""
    if not isinstance(text, str) or "." in text:
        ctx.fail(
            Unsupported,
            what="this form of `numpy.einsum`",
            help_text="name every axis: `np.einsum('ij,jk->ik', a, b)`",
        )
    left, arrow, output = text.replace(" ", "").partition("->")
    inputs = left.split(",")
    if not arrow:  # the letters that appear once, in alphabetical order
        output = "".join(sorted(c for c in set(left) - {","} if left.count(c) == 1))
    if len(inputs) != count:
        message = f"einsum: {len(inputs)} operands are named, {count} are given"
        ctx.fail(BadValue, message=message)
    if len(set(output)) < len(output) or not set(output) <= set(left):
        ctx.fail(BadValue, message=f"einsum: the result {output!r} does not follow from {left!r}")
    return inputs, output


def _check_extents(ctx: Context, terms: list[Term]) -> None:
    extents: dict[str, int] = {}
    for letters, value in terms:
        if len(letters) != len(value.shape):
            message = f"einsum: {letters!r} names the axes of an array of shape {value.shape}"
            ctx.fail(BadValue, message=message)
        for letter, n in zip(letters, value.shape):
            if extents.setdefault(letter, n) != n:
                ctx.fail(BadValue, message=f"einsum: index {letter!r} is {extents[letter]} and {n}")


def _without_repeats(letters: str, x: Value) -> Term:
    """Diagonals: of axes with one name only the first is kept."""
    for letter in dict.fromkeys(letters):
        while letters.count(letter) > 1:
            i = letters.index(letter)
            j = letters.index(letter, i + 1)
            here = logic.eq(
                *(
                    shaping.iota(shape=x.shape, axis=axis, dtype=np.dtype(np.int64))
                    for axis in (i, j)
                )
            )
            kept = logic.select(here, x, constant(0, x.dtype, x.shape))
            x = reductions.reduce_sum(kept, axes=(j,))
            letters = letters[:j] + letters[j + 1 :]
    return letters, x


def _summed(letters: str, x: Value, kept: str) -> Term:
    """Without the axes that nobody needs."""
    axes = tuple(i for i, letter in enumerate(letters) if letter not in kept)
    x = reductions.reduce_sum(x, axes=axes) if axes else x
    return "".join(letter for letter in letters if letter in kept), x


def _pair(left: Term, right: Term, later: str) -> Term:
    """The product of two operands, summed over what only they name."""
    a, x = _summed(*left, right[0] + later)
    b, y = _summed(*right, left[0] + later)
    shared = [letter for letter in a if letter in b]
    over = [letter for letter in shared if letter not in later]
    batch = [letter for letter in shared if letter in later]
    product = contract(
        x,
        y,
        (tuple(map(a.index, over)), tuple(map(b.index, over))),
        (tuple(map(a.index, batch)), tuple(map(b.index, batch))),
    )
    free = [letter for letter in a + b if letter not in shared]
    return "".join(batch + free), product


def _arranged(term: Term, output: str) -> Value:
    """The axes in the order of the result."""
    letters, x = term
    order = tuple(map(letters.index, output))
    return x if order == tuple(range(len(order))) else shaping.transpose(x, permutation=order)
