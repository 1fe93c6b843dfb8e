"""Lowering of expressions: core Python -> ops of IR(py), in Python's order of evaluation.

a[i] + f(x)      ->      %0 = py.getitem %a, %i
                         %1 = py.call %f, %x
                         py.binary {op="+"} %0, %1
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gast

from myia.frontend.core import variables
from myia.frontend.frame import Frame
from myia.frontend.generators import GeneratorFunction
from myia.frontend.scopes import assigned
from myia.ir.builder import at, emit, emit1
from myia.ir.core import Value
from myia.ir.primitive import Primitive
from myia.primitives.core import desugared, py

BINARY = {
    gast.Add: "+",
    gast.Sub: "-",
    gast.Mult: "*",
    gast.Div: "/",
    gast.FloorDiv: "//",
    gast.Mod: "%",
    gast.Pow: "**",
    gast.MatMult: "@",
    gast.LShift: "<<",
    gast.RShift: ">>",
    gast.BitAnd: "&",
    gast.BitOr: "|",
    gast.BitXor: "^",
}
NO_ACTS = (gast.Constant, gast.Name, gast.FormattedValue, gast.JoinedStr)
CONVERSIONS = {ord("s"): str, ord("r"): repr, ord("a"): ascii}


def expression(frame: Frame, node: gast.expr) -> Value:
    with at(frame.spans.of(node)):
        return EXPRESSIONS[type(node)](frame, node)


def expressions(frame: Frame, nodes: Sequence[gast.expr]) -> list[Value]:
    return [expression(frame, node) for node in nodes]


def const(value: Any) -> Value:
    return emit1(py.const, value=value)


def optional(frame: Frame, node: gast.expr | None) -> Value:
    return const(None) if node is None else expression(frame, node)


# ----- Names and operators


def _constant(frame: Frame, node: gast.Constant) -> Value:
    return const(node.value)


def _name(frame: Frame, node: gast.Name) -> Value:
    return frame.read(node)


def _named(frame: Frame, node: gast.NamedExpr) -> Value:
    value = expression(frame, node.value)
    frame.write(node.target.id, value)
    return value


def _binary(frame: Frame, node: gast.BinOp) -> Value:
    if (text := _percent(node)) is not None:
        return _joined_string(frame, text)
    left, right = expression(frame, node.left), expression(frame, node.right)
    return emit1(py.binary, left, right, op=BINARY[type(node.op)])


def _attribute(frame: Frame, node: gast.Attribute) -> Value:
    return emit1(py.getattr_, expression(frame, node.value), name=node.attr)


def _subscript(frame: Frame, node: gast.Subscript) -> Value:
    obj, key = expression(frame, node.value), expression(frame, node.slice)
    return emit1(py.getitem, obj, key)


def _slice(frame: Frame, node: gast.Slice) -> Value:
    return emit1(py.slice_, *(optional(frame, n) for n in (node.lower, node.upper, node.step)))


# ----- Calls and functions


EXCEPTIONS = {desugared.caught: py.caught, desugared.discard: py.discard}


def _call(frame: Frame, node: gast.Call) -> Value:
    if _is_bare_super(frame, node):
        return _super(frame)
    if isinstance(node.func, gast.Constant) and node.func.value in EXCEPTIONS:
        return emit1(EXCEPTIONS[node.func.value])
    f = expression(frame, node.func)
    args, spec = [], []
    for arg in node.args:
        starred = isinstance(arg, gast.Starred)
        args.append(expression(frame, arg.value if starred else arg))
        spec.append("*" if starred else None)
    for keyword in node.keywords:
        args.append(expression(frame, keyword.value))
        spec.append(keyword.arg or "**")
    return emit1(py.call, f, *args, spec=tuple(spec))


def _is_bare_super(frame: Frame, node: gast.Call) -> bool:
    is_super = isinstance(node.func, gast.Name) and node.func.id == "super"
    return is_super and not (node.args or node.keywords) and "__class__" in frame.scope.free


def _super(frame: Frame) -> Value:
    """`super()` is `super(__class__, self)`, as in Python's compiler."""
    super_, cls = emit1(py.global_, name="super"), emit1(py.free, name="__class__")
    itself = frame.read(gast.Name(frame.scope.parameters[0], gast.Load(), None, None))
    return emit1(py.call, super_, cls, itself, spec=(None, None))


def _lambda(frame: Frame, node: gast.Lambda) -> Value:
    return frame.lower_function(frame, node)


def _yield(frame: Frame, node: gast.Yield) -> Value:
    params = {"delegates": True} if hasattr(node, "delegates") else {}
    return emit1(py.yield_, optional(frame, node.value), **params)


# ----- Displays and f-strings


def _display(primitive: Primitive) -> Callable[[Frame, gast.expr], Value]:
    def lower(frame: Frame, node: gast.expr) -> Value:
        stars = tuple(isinstance(item, gast.Starred) for item in node.elts)
        items = [item.value if star else item for item, star in zip(node.elts, stars)]
        return emit1(primitive, *expressions(frame, items), stars=stars)

    return lower


def _dict(frame: Frame, node: gast.Dict) -> Value:
    operands = []
    for key, value in zip(node.keys, node.values):
        operands += [optional(frame, key), expression(frame, value)]
    return emit1(py.dict_, *operands, stars=tuple(key is None for key in node.keys))


def _joined_string(frame: Frame, node: gast.JoinedStr) -> Value:
    values, parts = [], []
    for i, part in enumerate(node.values):
        if isinstance(part, gast.Constant):
            parts.append(part.value)
            continue
        value, spec = expression(frame, part.value), _static_spec(part)
        how = (chr(part.conversion) if part.conversion in CONVERSIONS else None, spec)
        if spec is None:
            value, how = _format_dynamically(frame, value, part), (None, "")
        elif _may_act(node.values[i + 1 :]):  # it may change the value: first make it text
            value, how = emit1(py.format_, value, parts=(how,)), (None, "")
        values.append(value)
        parts.append(how)
    return emit1(py.format_, *values, parts=tuple(parts))


def _may_act(nodes: Sequence[gast.expr]) -> bool:
    """May evaluating them run code, such as that of a property or of an operator?"""
    return any(isinstance(n, gast.expr) and not isinstance(n, NO_ACTS) for n in _all_of(nodes))


def _all_of(nodes: Sequence[gast.expr]) -> Iterator[gast.AST]:
    return (n for node in nodes for n in gast.walk(node))


# Parts of a template of `%` that Python's compiler makes an f-string of.
PERCENT = re.compile(
    r"(?P<text>[^%]+|%%)"
    r"|%(?P<flags>[-+ #0]*)(?P<width>\d{0,3})(?P<precision>(\.\d{0,3})?)(?P<type>[sra])"
)


def _percent(node: gast.BinOp) -> gast.JoinedStr | None:
    """`"%s, %r" % (a, f())` is `f"{a!s}, {f()!r}"`: `a` is made text before `f` is called."""
    template, items = node.left, node.right
    if not (isinstance(node.op, gast.Mod) and isinstance(items, gast.Tuple)):
        return None
    if not (isinstance(template, gast.Constant) and isinstance(template.value, str)):
        return None
    if any(isinstance(x, gast.Starred) for x in items.elts) or not _may_act(items.elts[1:]):
        return None
    parts, rest, at = list[gast.expr](), list(items.elts), 0
    while at < len(template.value):
        found = PERCENT.match(template.value, at)
        if found is None or (found["type"] and not rest):
            return None
        at = found.end()
        if not found["type"]:
            parts.append(gast.Constant("%" if found["text"] == "%%" else found["text"], None))
            continue
        side = ">" if found["width"] and "-" not in found["flags"] else ""
        spec = gast.Constant(side + found["width"] + found["precision"], None)
        parts.append(gast.FormattedValue(rest.pop(0), ord(found["type"]), gast.JoinedStr([spec])))
    return None if rest else gast.copy_location(gast.JoinedStr(parts), node)


def _static_spec(part: gast.FormattedValue) -> str | None:
    """The text of a format specification, None if it has values in it."""
    if part.format_spec is None:
        return ""
    texts = part.format_spec.values
    if not all(isinstance(t, gast.Constant) for t in texts):
        return None
    return "".join(t.value for t in texts)


def _format_dynamically(frame: Frame, value: Value, part: gast.FormattedValue) -> Value:
    """`f"{x:{width}}"` is `format(x, f"{width}")`."""
    if part.conversion in CONVERSIONS:
        value = emit1(py.call, const(CONVERSIONS[part.conversion]), value, spec=(None,))
    spec = expression(frame, part.format_spec)
    return emit1(py.call, const(format), value, spec, spec=(None, None))


# ----- Comprehensions


def _comprehension(frame: Frame, node: gast.expr) -> Value:
    """Loops that fill a new container.

    The items of a set are collected in a list first, and those of a generator expression, which is
    an argument.
    """
    first = expression(frame, node.generators[0].iter)
    container, add = CONTAINERS[type(node)]
    result = emit1(container, stars=())
    names = variables(*node.generators)
    carried = [*assigned(node), *_read_before_assignment(frame, node, names)]
    for name in names:
        if name in frame.scope.cells:
            frame.new_cell(name)

    def generate(generators: Sequence[gast.comprehension], iterable: Value) -> None:
        head, *rest = generators

        def inside() -> None:
            if rest:
                generate(rest, expression(frame, rest[0].iter))
            else:
                add(frame, node, result)

        def body(item: Value) -> None:
            assign(frame, head.target, item)
            _filtered(frame, head.ifs, inside, carried)

        frame.loop(iterable, None, body, [*carried, *variables(head)], carried)

    with frame.inside(node, names):
        generate(node.generators, first)
    if isinstance(node, gast.GeneratorExp):
        return emit1(py.generator, result, first)
    return emit1(py.set_, result, stars=(True,)) if isinstance(node, gast.SetComp) else result


def _filtered(
    frame: Frame, tests: Sequence[gast.expr], inside: Callable[[], None], carried: list[str]
) -> None:
    """`inside` runs if all `tests` hold."""
    if not tests:
        inside()
        return

    def then() -> list[Value]:
        _filtered(frame, tests[1:], inside, carried)
        return []

    frame.branch(expression(frame, tests[0]), then, lambda: [], carried)


def _read_before_assignment(frame: Frame, node: gast.expr, names: list[str]) -> list[str]:
    """Variables that the comprehension may read in an iteration before it assigns them."""
    maybe_unbound = {n.id for n in gast.walk(node) if n in frame.maybe_unbound}
    return [name for name in names if name in maybe_unbound]


def _append(frame: Frame, node: gast.expr, result: Value) -> None:
    item = expression(frame, node.elt)
    if isinstance(node, gast.SetComp):
        # Its items must be compile-time constants: a set of one item checks it in the loop.
        emit1(py.set_, item, stars=(False,))
    emit1(py.call, emit1(py.getattr_, result, name="append"), item, spec=(None,))


def _set_item(frame: Frame, node: gast.DictComp, result: Value) -> None:
    key, value = expression(frame, node.key), expression(frame, node.value)
    emit(py.setitem, result, key, value)


CONTAINERS = {
    gast.ListComp: (py.list_, _append),
    gast.GeneratorExp: (py.list_, _append),
    gast.SetComp: (py.list_, _append),
    gast.DictComp: (py.dict_, _set_item),
}


# ----- Targets of assignments


def assign(frame: Frame, target: gast.expr, value: Value) -> None:
    """`target = value`: a name, an item, an attribute, or a tuple of targets."""
    if isinstance(target, gast.Name):
        frame.write(target.id, value)
        return
    with at(frame.spans.of(target)):
        if isinstance(target, gast.Attribute):
            emit(py.setattr_, expression(frame, target.value), value, name=target.attr)
        elif isinstance(target, gast.Subscript):
            obj, key = expression(frame, target.value), expression(frame, target.slice)
            emit(py.setitem, obj, key, value)
        else:
            _unpack(frame, target.elts, value)


def _unpack(frame: Frame, targets: Sequence[gast.expr], value: Value) -> None:
    starred = [isinstance(t, gast.Starred) for t in targets]
    before = starred.index(True) if any(starred) else len(targets)
    after = len(targets) - before - any(starred)
    items = emit(py.unpack, value, before=before, starred=int(any(starred)), after=after)
    for target, item in zip(targets, items):
        assign(frame, target.value if isinstance(target, gast.Starred) else target, item)


EXPRESSIONS: dict[type, Callable[[Frame, Any], Value]] = {  # `conditions.py` adds others
    gast.Constant: _constant,
    gast.Name: _name,
    gast.NamedExpr: _named,
    gast.BinOp: _binary,
    gast.Attribute: _attribute,
    gast.Subscript: _subscript,
    gast.Slice: _slice,
    gast.Call: _call,
    gast.Lambda: _lambda,
    GeneratorFunction: _lambda,
    gast.Yield: _yield,
    gast.Tuple: _display(py.tuple_),
    gast.List: _display(py.list_),
    gast.Set: _display(py.set_),
    gast.Dict: _dict,
    gast.JoinedStr: _joined_string,
    gast.ListComp: _comprehension,
    gast.SetComp: _comprehension,
    gast.DictComp: _comprehension,
    gast.GeneratorExp: _comprehension,
}
