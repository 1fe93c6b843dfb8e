"""What is known of a recursion: its functions as blocks, and the forms of their values.

It grows in rounds, until a round of the machine (`machine.py`) tells nothing new.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from myia.infer.domain.context import Context
from myia.infer.domain.errors import NeedsStatic, RecursionDiffers
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import Abstract
from myia.infer.recursion import forms
from myia.infer.recursion.blocks import Block, blocks_of
from myia.infer.recursion.forms import Form
from myia.infer.unsupported import UnsupportedRecursion
from myia.ir.core import Op
from myia.primitives.core.py import Code

Cells = dict[str, Abstract]


class Learned(Exception):
    """What is known of a recursion has grown: another round."""

    def __init__(self, of: Knowledge) -> None:
        super().__init__()
        self.of = of


@dataclass
class Member:
    """A function of the recursion."""

    code: Code
    cells: Cells
    entry: Block


class Knowledge:
    """Of a recursion of the functions `codes`, which are cut at the calls `sites`.

    `forms` has those of the inputs of blocks, of the frames of calls (by op) and of results.
    """

    def __init__(self, ctx: Context, sites: set[Op], codes: set[Code]) -> None:
        self.ctx = ctx
        self.sites, self.codes = sites, codes
        self.before = ctx.heap.copy()
        self.forms: dict[object, tuple[Form, ...]] = {}
        self.members: dict[Code, Member] = {}
        self.callees: dict[Op, Code] = {}
        self.points: list[Block] = []  # where an iteration may begin: pc is the index
        self.owners: dict[Block, Code] = {}
        self.calls: dict[Block, Op] = {}  # blocks that go on after a call
        self.learned = False

    def cut(self, sites: set[Op], codes: set[Code]) -> NoReturn:
        """Functions are cut at further calls."""
        self.sites |= sites
        self.codes |= codes
        self.members.clear()
        self.points.clear()
        self.calls.clear()
        self.callees.clear()
        self.forms = {key: form for key, form in self.forms.items() if isinstance(key, tuple)}
        raise Learned(self)

    def member(self, code: Code, cells: Cells) -> Member:
        if code not in self.members:
            entry = blocks_of(code, frozenset(self.sites))
            self.owners[entry] = code
            self.members[code] = Member(code, cells, entry)
        member = self.members[code]
        same = member.cells.keys() == cells.keys()
        if not same or not all(forms.is_same(member.cells[k], x) for k, x in cells.items()):
            self.ctx.fail(
                UnsupportedRecursion, what="a recursion of functions with different closures"
            )
        return member

    def learn(self, key: object, xs: Sequence[Abstract], held: frozenset[int]) -> None:
        """The form of a group of values, as wide as all its visits; `held`: by others as well."""
        try:
            found = forms.Former(self.ctx, self.before, held).forms(xs)
            if key in self.forms:
                found = tuple(map(forms.unify, self.forms[key], found))
        except Mismatch as m:
            self.ctx.fail(RecursionDiffers, error=NeedsStatic, a=m.a, b=m.b)
        known = self.forms.get(key)
        if known is None or not all(map(forms.is_equal, known, found)):
            self.learned = True
            self.forms[key] = found
        if isinstance(key, Block) and key not in self.points:
            self.points.append(key)

    def held(self, xs: Sequence[Abstract], ys: Sequence[Abstract]) -> frozenset[int]:
        """Objects made in the recursion that both groups hold, or older objects, or views."""
        heap, before = self.ctx.heap, self.before
        one, other = (forms.reachable(heap, group, before) for group in (xs, ys))
        changed = (c for i, c in heap.objects.items() if i in before and c is not before[i])
        older = forms.reachable(heap, (x for c in changed for x in c.children()), before)
        viewed = {i for id in (*one, *other) for i in forms.origins(heap, id)}
        return frozenset((one.keys() & other.keys()) | older.keys() | viewed)
