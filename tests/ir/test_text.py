"""The text form: goldens, and that it is read back exactly."""

import pytest

from myia.ir.avals import PY
from myia.ir.builder import build_region, emit1
from myia.ir.code import Code, Namespace
from myia.ir.core import Function
from myia.ir.equality import same
from myia.ir.lexer import ParseError
from myia.ir.parser import parse
from myia.ir.printer import to_text
from myia.primitives.core import py
from tests.ir import programs


@pytest.fixture(params=programs.ALL, ids=lambda p: p.__name__)
def program(request):
    return request.param()


def test_text(program, golden):
    golden(to_text(program))


def test_read_back(program):
    text = to_text(program)
    again = parse(text)
    assert same(program, again)
    assert to_text(again) == text


def test_spans_can_be_left_out():
    assert "power.py" in to_text(programs.power())
    assert "#" not in to_text(programs.power(), spans=False)


def test_one_op_shows_what_it_reads():
    (_, loop) = programs.power().region.ops
    assert to_text(loop).startswith("%y = for %0 < %?n (%1 = %?")


def test_namespace_is_passed_on():
    namespace = Namespace({}, {})
    main = parse(to_text(programs.python()), namespace)
    assert main.namespace is namespace


def test_python_objects_cannot_be_read_back():
    region = build_region([], lambda: [emit1(py.const, value=[1, 2])])
    text = to_text(Code("f", (), (), region, Namespace({}, {})))
    assert "{value=<[1, 2]>}" in text
    with pytest.raises(ParseError, match=r"line 2: .* cannot be read back"):
        parse(text)


MISTAKES = {
    "func @f() { return %x }": "line 1: %x is not defined here",
    "func @f(%x: f64[]) -> i64[] {\n return %x }": r"@f returns f64\[\]",
    "func @f(%x: f65[]) { }": "'f65' is no dtype",
    "func @f(%x: f64[]) { %y = frobnicate %x }": "no primitive 'frobnicate'",
    "func @f(%x: f64[]) {\n\n %y: f32[] = neg %x }": r"line 3: %y is f64\[\], not f32\[\]",
    "func @f(%x: f64[], %y: f32[]) { %z = add %x, %y }": "add: operands differ",
    "func @f(%x: f64[]) { %y, %z = neg %x }": "neg has 1 results",
    "func @f(%x: f64[]) { $ }": "cannot read",
    "func @f(%x: f64[])": "expected '{'",
    "code @f() { %x = py.function {code=@g} }": "no section of the code @g",
    "@f": "expected 'func' or 'code'",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_are_located(text):
    with pytest.raises(ParseError, match=MISTAKES[text]):
        parse(text)


# ----- Equality


def test_names_and_spans_do_not_matter():
    assert same(
        parse("func @f(%x: f64[]) -> f64[] { %y = neg %x # a.py:1\n return %y }"),
        parse("func @f(%a: f64[]) -> f64[] { %b = neg %a\n return %b }"),
    )


@pytest.mark.parametrize(
    "other",
    [
        "func @g(%x: f64[]) -> f64[] { %y = 0.0: f64[]\n return %y }",
        "func @f(%x: f64[]) -> f64[] { %y = -0.0: f64[]\n return %y }",
        "func @f(%x: f64[]) -> f64[] { %y = 0: f64[]\n return %y }",
        "func @f(%x: f64[]) -> f64[] { %y = 0.0: f64[]\n return %x }",
        "func @f(%x: f64[], %z: f64[]) -> f64[] { %y = 0.0: f64[]\n return %y }",
        "func @f(%x: f64[]) -> f32[] { %y = 0.0: f32[]\n return %y }",
        "func @f(%x: f64[]) -> f64[] { %y = neg %x\n return %y }",
        "func @f(%x: f64[]) -> f64[] { %y = 0.0: f64[]\n %z = neg %y\n return %y }",
    ],
)
def test_differences_are_seen(other):
    f = parse("func @f(%x: f64[]) -> f64[] { %y = 0.0: f64[]\n return %y }")
    assert not same(f, parse(other))


def test_nan_is_the_same_as_itself():
    text = "func @f() -> f64[] { %y = nan: f64[]\n return %y }"
    assert same(parse(text), parse(text))


def test_kinds_of_programs_differ():
    code = Code("f", (), (), build_region([], lambda: []), Namespace({}, {}))
    assert not same(code, Function("f", code.region))


def test_regions_around_values_that_are_the_same():
    x = build_region([PY], lambda x: [x])
    assert same(x, build_region([PY], lambda y: [y]))
    assert not same(x, build_region([PY, PY], lambda x, y: [x]))
