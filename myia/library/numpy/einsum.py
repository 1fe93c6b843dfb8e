"""`np.einsum`, traced from JAX; of one operand without sums it is a view."""

from __future__ import annotations

import string

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import promote
from myia.infer.domain.memory_order import readonly_snapshot
from myia.infer.domain.values import NONE, Abstract, Ref, Static
from myia.infer.numeric.promotion import operand_dtype
from myia.infer.registry import function, is_given
from myia.ir.core import Value
from myia.library.numpy.arrays.diagonals import diagonal_of_axes
from myia.library.support.arguments import (
    array,
    boxed,
    common_with_out,
    dtype_argument,
    store_out,
    value_of,
)
from myia.library.support.traced import apply_traced, python_value
from myia.library.support.value_formulas import truth
from myia.library.support.ways import TRACED, defined_by


@function(np.einsum)
def _einsum(
    ctx: Context,
    *operands: Abstract,
    out: Abstract = NONE,
    dtype: Abstract = NONE,
    optimize: Abstract = NONE,
) -> Abstract:
    text, given = _subscripts_and_operands(ctx, operands)
    xs = [array(ctx, x) for x in given]
    wanted = dtype_argument(ctx, dtype)
    if wanted is None:
        wanted = promote(*(operand_dtype(ctx, x) for x in xs))[0]
        wanted = common_with_out(ctx, wanted, out) or wanted
    computed = np.dtype(np.int64) if wanted.kind == "b" else wanted  # any of all: sums of products
    values = [value_of(ctx, x, computed) for x in xs]
    subscripts, values = _on_diagonals(text, values)
    layout = ((None, None),) * len(values)
    (value,) = apply_traced(ctx, "numpy.einsum", layout, values, {"subscripts": subscripts})
    value = truth(value) if wanted.kind == "b" else value
    x, *others = xs
    if isinstance(x, Ref) and not (others or is_given(out)) and _is_view(ctx, text, x, wanted):
        return readonly_snapshot(ctx, x, value, "a view made by `np.einsum`")
    result = ctx.array(value, contiguous=False)
    if not value.shape and is_given(optimize) and _is_array_without_axes(ctx, text, xs, optimize):
        result = boxed(ctx, result)
    return store_out(ctx, result, out)


defined_by(TRACED, _einsum)


def _subscripts_and_operands(
    ctx: Context, operands: tuple[Abstract, ...]
) -> tuple[str, tuple[Abstract, ...]]:
    """The subscripts and the arrays: `"ij,j", a, b`, or `a, [0, 1], b, [1]`."""
    first = operands[0] if operands else NONE
    if isinstance(first, Static) and isinstance(first.value, str):
        return first.value, operands[1:]
    text = ",".join(_letters(ctx, axes) for axes in operands[1::2])
    if len(operands) % 2:
        return f"{text}->{_letters(ctx, operands[-1])}", operands[:-1:2]
    return text, operands[::2]


LETTERS = string.ascii_uppercase + string.ascii_lowercase


def _letters(ctx: Context, axes: Abstract) -> str:
    """`[0, ..., 1]` as `"A...B"`, in the order of the numbers."""
    numbers = python_value(ctx, axes, "the subscripts of `numpy.einsum`")
    return "".join("..." if i is Ellipsis else LETTERS[i] for i in numbers)


def _on_diagonals(text: str, values: list[Value]) -> tuple[str, list[Value]]:
    """The subscripts and operands of which none names an axis twice: diagonals are taken first.

    So `"ii,ij->j"` reads the diagonal of its first operand, not the matrix.
    """
    terms, output = _terms(text)
    if "." in text or [len(term) for term in terms] != [x.aval.ndim for x in values]:
        return text, values  # an ellipsis; or an error, which JAX states
    taken = [_on_diagonal(term, x) for term, x in zip(terms, values)]
    return f"{','.join(term for term, _ in taken)}->{output}", [x for _, x in taken]


def _terms(text: str) -> tuple[list[str], str]:
    """The subscripts of each operand and of the result: by default, what is named once, sorted."""
    inputs, arrow, output = text.replace(" ", "").partition("->")
    once = sorted(letter for letter in inputs if letter.isalpha() and inputs.count(letter) == 1)
    return inputs.split(","), output if arrow else "".join(once)


def _on_diagonal(term: str, x: Value) -> tuple[str, Value]:
    for letter in term:
        while term.count(letter) > 1:
            i, j = term.index(letter), term.rindex(letter)
            if x.shape[i] != x.shape[j]:
                return term, x  # an error, which JAX states
            term = term[:i] + term[i + 1 : j] + term[j + 1 :] + letter
            x = diagonal_of_axes(x, i, j)
    return term, x


def _is_array_without_axes(ctx: Context, text: str, xs: list[Abstract], optimize: Abstract) -> bool:
    """Does NumPy return an array where it could a number? It does of small operands, too."""
    samples = [np.zeros([min(n, 2) for n in ctx.shape(x)]) for x in xs]
    how = python_value(ctx, optimize, "`optimize` of `numpy.einsum`")
    how = list(how) if isinstance(how, tuple) else how
    return isinstance(np.einsum(text, *samples, optimize=how), np.ndarray)


def _is_view(ctx: Context, text: str, x: Ref, dtype: np.dtype) -> bool:
    """Does NumPy return a view? Of a small array with the same axes it would, too."""
    sample = np.zeros([min(n, 2) for n in ctx.shape(x)])
    shares = np.may_share_memory(np.einsum(text, sample), sample)
    return shares and operand_dtype(ctx, x)[0] == dtype
