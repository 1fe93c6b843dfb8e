"""`np.einsum`: operands are contracted pair by pair, from the left.

    ij,jk,kl->il     (ij,jk->ik), then (ik,kl->il)

An index that occurs neither in the result nor in a later operand is summed as early as possible.
"""

from __future__ import annotations

import string

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import promote
from myia.infer.domain.errors import BadValue
from myia.infer.domain.memory_order import readonly_snapshot
from myia.infer.domain.values import NONE, Abstract, Ref, Static
from myia.infer.domain.views import reshape
from myia.infer.numeric.promotion import operand_dtype
from myia.infer.registry import function
from myia.ir.core import Value
from myia.library.numpy.products import contract
from myia.library.support.arguments import (
    array,
    dtype_argument,
    integer,
    is_given,
    refuse_options,
    store_out,
    value_of,
)
from myia.library.support.value_formulas import truth
from myia.primitives.arrays import reductions, shaping
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic

Term = tuple[str, Value]  # the letters of the axes, and the operand


@function(np.einsum)
def _einsum(
    ctx: Context,
    *operands: Abstract,
    out: Abstract = NONE,
    dtype: Abstract = NONE,
    optimize: Abstract = NONE,
    **options: Abstract,
) -> Abstract:
    refuse_options(ctx, "numpy.einsum", options)
    text, operands = _subscripts_and_operands(ctx, operands)
    xs = [array(ctx, x) for x in operands]
    inputs, output = _parse_subscripts(ctx, text, [len(ctx.shape(x)) for x in xs])
    wanted = dtype_argument(ctx, dtype) or promote(*(operand_dtype(ctx, x) for x in xs))[0]
    computed = np.dtype(np.int64) if wanted.kind == "b" else wanted  # any of all: sums of products
    terms = [(letters, value_of(ctx, x, computed)) for letters, x in zip(inputs, xs)]
    terms = _drop_broadcast_axes(ctx, terms)
    done = _without_repeats(*terms[0])
    for k, term in enumerate(terms[1:], 2):
        later = output + "".join(letters for letters, _ in terms[k:])
        done = _contract_pair(done, _without_repeats(*term), later)
    value = _order_axes(_sum_unneeded_axes(*done, output), output)
    value = truth(value) if wanted.kind == "b" else value
    if not is_given(out) and _is_view(ctx, xs, inputs, output, wanted):
        return readonly_snapshot(ctx, xs[0], value, "a view made by `np.einsum`")
    return store_out(ctx, ctx.array(value, contiguous=False), out)


def _is_view(ctx: Context, xs: list[Abstract], inputs, output: str, dtype: np.dtype) -> bool:
    """True for one operand without sums: NumPy returns a view."""
    whole = len(xs) == 1 and isinstance(xs[0], Ref) and set(inputs[0]) == set(output)
    return whole and operand_dtype(ctx, xs[0])[0] == dtype


# ----- Subscripts

ELLIPSIS = "..."
UNNAMED = "αβγδεζηθικλμνξοπρστυφχψω"  # for the axes that an ellipsis stands for, up to the last


def _subscripts_and_operands(ctx: Context, operands: tuple) -> tuple[str, tuple]:
    """The subscripts and the arrays: `"ij,j", a, b`, or `a, [0, 1], b, [1]`."""
    first = operands[0] if operands else NONE
    if isinstance(first, Static) and isinstance(first.value, str):
        return first.value, operands[1:]
    text = ",".join(_letters(ctx, axes) for axes in operands[1::2])
    if len(operands) % 2:
        return f"{text}->{_letters(ctx, operands[-1])}", operands[:-1:2]
    return text, operands[::2]


def _letters(ctx: Context, axes: Abstract) -> str:
    """`[0, ..., 1]` as `"A...B"`, in the order of the numbers."""
    named = []
    for axis in ctx.list_items(axes):
        is_rest = isinstance(axis, Static) and axis.value is Ellipsis
        named.append(ELLIPSIS if is_rest else LETTERS[integer(ctx, axis, "a subscript")])
    return "".join(named)


LETTERS = string.ascii_uppercase + string.ascii_lowercase


def _parse_subscripts(ctx: Context, text: str, ndims: list[int]) -> tuple[list[str], str]:
    """The letters of each operand and of the result; axes of an ellipsis have letters too."""
    left, arrow, output = text.replace(" ", "").partition("->")
    inputs = left.split(",")
    if len(inputs) != len(ndims):
        message = f"einsum: {len(inputs)} operands are named, {len(ndims)} are given"
        ctx.fail(BadValue, message=message)
    if not arrow:  # the letters that appear once, in alphabetical order
        named = left.replace(ELLIPSIS, "").replace(",", "")
        once = "".join(sorted(c for c in set(named) if named.count(c) == 1))
        output = (ELLIPSIS if ELLIPSIS in left else "") + once
    rests = [n - len(names.replace(ELLIPSIS, "")) for names, n in zip(inputs, ndims)]
    rests = [max(rest, 0) if ELLIPSIS in names else 0 for names, rest in zip(inputs, rests)]
    unnamed = UNNAMED[: max(rests, default=0)]
    inputs = [
        names.replace(ELLIPSIS, unnamed[len(unnamed) - rest :])
        for names, rest in zip(inputs, rests)
    ]
    output = output.replace(ELLIPSIS, unnamed)
    if len(set(output)) < len(output) or not {*unnamed} <= {*output} <= {*"".join(inputs)}:
        ctx.fail(BadValue, message=f"einsum: the result {output!r} does not follow from {left!r}")
    return inputs, output


def _drop_broadcast_axes(ctx: Context, terms: list[Term]) -> list[Term]:
    """Drop axes of length 1 from operands where another operand has a longer one."""
    lengths: dict[str, int] = {}
    for letters, value in terms:
        if len(letters) != len(value.shape):
            message = f"einsum: {letters!r} names the axes of an array of shape {value.shape}"
            ctx.fail(BadValue, message=message)
        for letter, n in zip(letters, value.shape):
            known = lengths.setdefault(letter, n)
            if 1 not in (known, n) and known != n:
                ctx.fail(BadValue, message=f"einsum: index {letter!r} is {known} and {n}")
            lengths[letter] = n if known == 1 else known
    return [_without_unit_axes(letters, value, lengths) for letters, value in terms]


def _without_unit_axes(letters: str, x: Value, lengths: dict[str, int]) -> Term:
    kept = [i for i, letter in enumerate(letters) if x.shape[i] == lengths[letter]]
    shape = tuple(x.shape[i] for i in kept)
    return "".join(letters[i] for i in kept), reshape(x, shape)


def _without_repeats(letters: str, x: Value) -> Term:
    """Take diagonals: of axes with the same letter only the first is kept."""
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


def _sum_unneeded_axes(letters: str, x: Value, kept: str) -> Term:
    """Sum over the axes that occur nowhere else."""
    axes = tuple(i for i, letter in enumerate(letters) if letter not in kept)
    x = reductions.reduce_sum(x, axes=axes) if axes else x
    return "".join(letter for letter in letters if letter in kept), x


def _contract_pair(left: Term, right: Term, later: str) -> Term:
    """The product of two operands, summed over the letters that only they have."""
    a, x = _sum_unneeded_axes(*left, right[0] + later)
    b, y = _sum_unneeded_axes(*right, left[0] + later)
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


def _order_axes(term: Term, output: str) -> Value:
    """Transpose the axes into the order of the result."""
    letters, x = term
    order = tuple(map(letters.index, output))
    return x if order == tuple(range(len(order))) else shaping.transpose(x, permutation=order)
