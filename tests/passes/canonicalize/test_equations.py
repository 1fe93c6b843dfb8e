"""Each equation has an example here, on which it fires, and holds on special values."""

import itertools

import numpy as np
import pytest

from myia.backends.reference.interpreter import evaluate
from myia.ir.avals import aval_of
from myia.ir.equality import same
from myia.ir.parser import parse
from myia.ir.verifier import verify
from myia.passes.canonicalize.equations.define import EQUATIONS
from myia.passes.canonicalize.simplify import simplify
from tests.passes.random_ir import FLOATS, INTS, identical

# (primitive, equation): arguments, ops; the last value is returned.
EXAMPLES = {
    # ----- Arithmetic
    ("add", "x + 0 == x (integers); x + -0.0 == x"): [
        ("x: f64[]", "%0 = -0.0: f64[]; %1 = add %x, %0"),
        ("x: i64[]", "%0 = 0: i64[]; %1 = add %0, %x"),
    ],
    ("add", "x + 0.0 == x (reassociable sums)"): [
        # On a value that is never -0.0: for -0.0 the equation gives another zero than the sum.
        ("x: f64[]", "%y = mul %x, %x; %0 = 0.0: f64[]; %1 = add %0, %y {reassoc=True}"),
        ("x: f64[]", "%y = mul %x, %x; %0 = 0.0: f64[]; %1 = add %y, %0 {reassoc=True}"),
    ],
    ("add", "select(p, 0, x) + select(p, x, 0) == x + 0"): [
        (
            "p: bool[], x: f64[]",
            "%0 = 0.0: f64[]; %1 = select %p, %0, %x; %2 = select %p, %x, %0; %3 = add %1, %2",
        ),
        (
            "p: bool[], x: i64[]",
            "%0 = 0: i64[]; %1 = select %p, %0, %x; %2 = select %p, %x, %0; %3 = add %2, %1",
        ),
    ],
    ("add", "x + -y == x - y"): [
        ("x: f64[], y: f64[]", "%0 = neg %y; %1 = add %x, %0"),
        ("x: f64[], y: f64[]", "%0 = neg %x; %1 = add %0, %y"),
    ],
    ("sub", "x - 0 == x; x - 0.0 == x"): [
        ("x: f64[]", "%0 = 0.0: f64[]; %1 = sub %x, %0"),
        ("x: i32[]", "%0 = 0: i32[]; %1 = sub %x, %0"),
    ],
    ("sub", "0 - x == -x (integers); -0.0 - x == -x"): [
        ("x: f64[]", "%0 = -0.0: f64[]; %1 = sub %0, %x"),
        ("x: i64[]", "%0 = 0: i64[]; %1 = sub %0, %x"),
    ],
    ("sub", "x - -y == x + y"): [("x: f64[], y: f64[]", "%0 = neg %y; %1 = sub %x, %0")],
    ("sub", "x - x == 0 (integers)"): [("x: i64[2]", "%1 = sub %x, %x")],
    ("neg", "--x == x"): [("x: f64[]", "%0 = neg %x; %1 = neg %0")],
    ("add", "(x + a) + b == x + (a + b), (a - x) + b == (a + b) - x (integers)"): [
        ("x: i64[]", "%0 = 5: i64[]; %1 = add %x, %0; %2 = 7: i64[]; %3 = add %1, %2"),
        ("x: i64[]", "%0 = 5: i64[]; %1 = sub %x, %0; %2 = 7: i64[]; %3 = add %2, %1"),
        ("x: i64[]", "%0 = 5: i64[]; %1 = sub %0, %x; %2 = 7: i64[]; %3 = add %2, %1"),
        ("x: i8[]", "%0 = 100: i8[]; %1 = add %0, %x; %2 = 100: i8[]; %3 = add %1, %2"),
    ],
    ("sub", "(x + a) - b == x + (a - b), (a - x) - b == (a - b) - x (integers)"): [
        ("x: i64[]", "%0 = 5: i64[]; %1 = add %x, %0; %2 = 7: i64[]; %3 = sub %1, %2"),
        ("x: i64[]", "%0 = 5: i64[]; %1 = sub %0, %x; %2 = 7: i64[]; %3 = sub %1, %2"),
    ],
    ("sub", "a - (x + b) == (a - b) - x, a - (b - x) == x + (a - b) (integers)"): [
        ("x: i64[]", "%0 = 5: i64[]; %1 = add %0, %x; %2 = 7: i64[]; %3 = sub %2, %1"),
        ("x: i64[]", "%0 = 5: i64[]; %1 = sub %x, %0; %2 = 7: i64[]; %3 = sub %2, %1"),
        ("x: i8[]", "%0 = -100: i8[]; %1 = sub %0, %x; %2 = 100: i8[]; %3 = sub %2, %1"),
    ],
    ("mul", "x * 1 == x"): [
        ("x: f64[]", "%0 = 1.0: f64[]; %1 = mul %x, %0"),
        ("x: i64[]", "%0 = 1: i64[]; %1 = mul %0, %x"),
    ],
    ("mul", "x * -1 == -x"): [("x: f64[]", "%0 = -1.0: f64[]; %1 = mul %x, %0")],
    ("mul", "x * 0 == 0 (integers)"): [("x: i64[2]", "%0 = 0: i64[2]; %1 = mul %x, %0")],
    ("div", "x / 1 == x"): [("x: f64[]", "%0 = 1.0: f64[]; %1 = div %x, %0")],
    ("div", "x / 2^n == x * 2^-n (both are the rounded quotient)"): [
        ("x: f64[]", "%0 = -8.0: f64[]; %1 = div %x, %0"),
        ("x: f32[]", "%0 = 0.25: f32[]; %1 = div %x, %0"),
    ],
    ("integer_pow", "x^0 == 1, also where x is NaN"): [("x: f64[]", "%0 = integer_pow %x {y=0}")],
    ("integer_pow", "x^1 == x"): [("x: f64[]", "%0 = integer_pow %x {y=1}")],
    ("integer_pow", "x^2 == x * x"): [("x: f64[]", "%0 = integer_pow %x {y=2}")],
    # ----- Logic
    ("and", "x & x == x"): [("x: i64[]", "%0 = and %x, %x")],
    ("or", "x | x == x"): [("p: bool[]", "%0 = or %p, %p")],
    ("or", "x | (x | y) == x | y; x | (x & y) == x"): [
        ("p: bool[], q: bool[]", "%0 = or %p, %q; %1 = or %0, %q"),
        ("x: i64[], y: i64[]", "%0 = and %x, %y; %1 = or %y, %0"),
    ],
    ("and", "x & (x & y) == x & y; x & (x | y) == x"): [
        ("p: bool[], q: bool[]", "%0 = and %p, %q; %1 = and %q, %0"),
        ("x: i64[], y: i64[]", "%0 = or %x, %y; %1 = and %0, %x"),
    ],
    ("or", "x | select(p, 0, x) == x"): [
        ("p: bool[], x: bool[]", "%f = False: bool[]; %0 = select %p, %f, %x; %1 = or %0, %x"),
    ],
    ("and", "x & select(p, x, ones) == x"): [
        ("p: bool[], x: bool[]", "%t = True: bool[]; %0 = select %p, %x, %t; %1 = and %x, %0"),
        ("p: bool[], x: i64[]", "%t = -1: i64[]; %0 = select %p, %x, %t; %1 = and %x, %0"),
    ],
    ("and", "x & ones == x"): [
        ("p: bool[]", "%0 = True: bool[]; %1 = and %p, %0"),
        ("x: i64[]", "%0 = -1: i64[]; %1 = and %0, %x"),
        ("x: u8[]", "%0 = 255: u8[]; %1 = and %0, %x"),
    ],
    ("and", "x & 0 == 0"): [("p: bool[]", "%0 = False: bool[]; %1 = and %p, %0")],
    ("or", "x | ones == ones"): [
        ("p: bool[]", "%0 = True: bool[]; %1 = or %p, %0"),
        ("x: i64[]", "%0 = -1: i64[]; %1 = or %0, %x"),
        ("x: u8[]", "%0 = 255: u8[]; %1 = or %x, %0"),
    ],
    ("or", "x | 0 == x"): [("p: bool[]", "%0 = False: bool[]; %1 = or %0, %p")],
    ("xor", "x ^ 0 == x"): [("x: i64[]", "%0 = 0: i64[]; %1 = xor %x, %0")],
    ("xor", "x ^ x == 0"): [("p: bool[2]", "%0 = xor %p, %p")],
    ("xor", "x ^ ones == ~x"): [("p: bool[]", "%0 = True: bool[]; %1 = xor %p, %0")],
    ("not", "not x == y is x != y, and back; also for NaN"): [
        ("x: f64[], y: f64[]", "%0 = eq %x, %y; %1 = not %0"),
        ("x: f64[], y: f64[]", "%0 = ne %x, %y; %1 = not %0"),
    ],
    ("not", "not x < y is x >= y, and so on (not for floats: NaN)"): [
        (f"x: {a}[], y: {a}[]", f"%0 = {c} %x, %y; %1 = not %0")
        for a in ("i64", "bool")
        for c in ("lt", "le", "gt", "ge")
    ],
    ("lt", "x < x is False, also for NaN"): [("x: f64[]", "%0 = lt %x, %x")],
    ("gt", "x > x is False, also for NaN"): [("x: f64[]", "%0 = gt %x, %x")],
    ("eq", "x == x is True (integers)"): [("x: i64[]", "%0 = eq %x, %x")],
    ("eq", "select(p, 1, 2) == 1 is p, and so on (integers)"): [
        (
            "p: bool[]",
            "%0 = 3: i32[]; %1 = 0: i32[]; %2 = select %p, %0, %1; %3 = 3: i32[]; %4 = eq %2, %3",
        ),
        ("p: bool[]", "%0 = 3: i32[]; %1 = 0: i32[]; %2 = select %p, %0, %1; %3 = eq %1, %2"),
        (
            "p: bool[]",
            "%0 = 3: i32[]; %1 = 0: i32[]; %2 = select %p, %0, %1; %3 = 4: i32[]; %4 = eq %2, %3",
        ),
    ],
    ("ne", "select(p, 1, 2) != 1 is not p, and so on (integers)"): [
        ("p: bool[]", "%0 = 3: i64[]; %1 = 0: i64[]; %2 = select %p, %0, %1; %3 = ne %2, %0"),
        ("p: bool[]", "%0 = 3: i64[]; %1 = 0: i64[]; %2 = select %p, %0, %1; %3 = ne %1, %2"),
    ],
    ("le", "x <= x is True (integers)"): [("x: i64[]", "%0 = le %x, %x")],
    ("ge", "x >= x is True (integers)"): [("x: i64[]", "%0 = ge %x, %x")],
    ("ne", "x != x is False (integers)"): [("x: i64[]", "%0 = ne %x, %x")],
    ("select", "select(p, x, x) == x"): [("p: bool[], x: f64[]", "%0 = select %p, %x, %x")],
    ("select", "select(True, x, y) == x; select(False, x, y) == y"): [
        ("x: f64[], y: f64[]", "%0 = True: bool[]; %1 = select %0, %x, %y"),
        ("x: f64[], y: f64[]", "%0 = False: bool[]; %1 = select %0, %x, %y"),
    ],
    ("select", "select(not p, x, y) == select(p, y, x)"): [
        ("p: bool[], x: f64[], y: f64[]", "%0 = not %p; %1 = select %0, %x, %y")
    ],
    ("select", "select(a != b, x, y) == select(a == b, y, x); also for NaN"): [
        ("a: f64[], x: f64[], y: f64[]", "%0 = ne %a, %x; %1 = select %0, %x, %y")
    ],
    ("select", "select(p, q, False) == p & q; select(p, True, q) == p | q"): [
        ("p: bool[], q: bool[]", "%0 = False: bool[]; %1 = select %p, %q, %0"),
        ("p: bool[], q: bool[]", "%0 = True: bool[]; %1 = select %p, %0, %q"),
    ],
    ("select", "select(p, p, q) == p | q; select(p, q, p) == p & q"): [
        ("p: bool[], q: bool[]", "%0 = select %p, %p, %q"),
        ("p: bool[], q: bool[]", "%0 = select %p, %q, %p"),
    ],
    ("select", "select(x == c, c, x) == x (integers)"): [
        ("x: i64[]", "%0 = 0: i64[]; %1 = eq %x, %0; %2 = 0: i64[]; %3 = select %1, %2, %x"),
        ("x: i64[], y: i64[]", "%0 = eq %y, %x; %1 = select %0, %y, %x"),
    ],
    ("select", "select(p, True, False) == p; select(p, False, True) == not p"): [
        ("p: bool[]", "%0 = True: bool[]; %1 = False: bool[]; %2 = select %p, %0, %1"),
        ("p: bool[]", "%0 = True: bool[]; %1 = False: bool[]; %2 = select %p, %1, %0"),
    ],
    ("select", "select(p, select(p, x, y), z) == select(p, x, z)"): [
        ("p: bool[], x: f64[], y: f64[]", "%0 = select %p, %x, %y; %1 = select %p, %0, %y"),
    ],
    ("select", "select(p, x + t, x) == x + select(p, t, -0.0): the form of a reduction"): [
        ("p: bool[], x: f64[], t: f64[]", "%0 = add %x, %t; %1 = select %p, %0, %x"),
        ("p: bool[], x: f64[], t: f64[]", "%0 = add %t, %x; %1 = select %p, %x, %0"),
        ("p: bool[2], x: f32[2], t: f32[2]", "%0 = add %x, %t; %1 = select %p, %0, %x"),
    ],
    ("select", "select(p, x + t, x + u) == x + select(p, t, u)"): [
        (
            "p: bool[], x: f64[], t: f64[], u: f64[]",
            "%0 = add %x, %t; %1 = add %u, %x; %2 = select %p, %0, %1",
        ),
        (
            "p: bool[], x: f64[], t: f64[], u: f64[]",
            "%0 = add %t, %x; %1 = add %x, %u; %2 = select %p, %0, %1",
        ),
    ],
    ("select", "select(p, select(p & q, x, z), z) == select(p & q, x, z)"): [
        (
            "p: bool[], q: bool[], x: f64[], z: f64[]",
            "%0 = and %q, %p; %1 = select %0, %x, %z; %2 = select %p, %1, %z",
        ),
    ],
    ("select", "select(p, x, select(p, y, z)) == select(p, x, z)"): [
        ("p: bool[], x: f64[], y: f64[]", "%0 = select %p, %x, %y; %1 = select %p, %y, %0"),
    ],
    ("convert", "x as a wider dtype, as another == x as the other"): [
        (f"x: {a}[]", f"%0 = convert %x {{dtype={b}}}; %1 = convert %0 {{dtype={c}}}")
        for a, b, c in [
            ("bool", "f64", "i64"),
            ("i32", "f64", "i32"),
            ("i8", "i64", "u8"),
            ("f32", "f64", "f32"),
            ("u8", "f32", "f64"),
        ]
    ],
    # ----- Shapes
    ("reshape", "reshape(x, its shape) == x"): [("x: f64[2]", "%0 = reshape %x {shape=(2,)}")],
    ("transpose", "transpose(x, (0, 1, ...)) == x"): [
        ("x: f64[1,2]", "%0 = transpose %x {permutation=(0, 1)}")
    ],
    ("broadcast", "broadcast(x, its shape) == x"): [
        ("x: f64[2]", "%0 = broadcast %x {dims=(0,), shape=(2,)}")
    ],
    ("slice", "slice(x, all of it) == x"): [
        ("x: f64[2]", "%0 = slice %x {limit=(2,), start=(0,), stride=(1,)}")
    ],
    ("pad", "pad(x, by nothing) == x"): [
        ("x: f64[2], y: f64[]", "%0 = pad %x, %y {high=(0,), interior=(0,), low=(0,)}")
    ],
    **{
        (f"reduce_{name}", "reduce(x, no axes) == x"): [
            (f"x: {dtype}[2]", f"%0 = reduce_{name} %x {{axes=()}}")
        ]
        for name, dtype in [
            ("prod", "f64"),
            ("max", "f64"),
            ("min", "f64"),
            ("and", "bool"),
            ("or", "bool"),
        ]
    },
    ("reshape", "reshape(reshape(x)) == reshape(x)"): [
        ("x: f64[2]", "%0 = reshape %x {shape=(1, 2)}; %1 = reshape %0 {shape=(2, 1)}")
    ],
    ("transpose", "transpose(transpose(x, p), q) == transpose(x, p[q])"): [
        (
            "x: f64[1,2,1]",
            "%0 = transpose %x {permutation=(1, 2, 0)}; %1 = transpose %0 {permutation=(2, 1, 0)}",
        )
    ],
    ("broadcast", "broadcast(broadcast(x, d), e) == broadcast(x, e[d])"): [
        (
            "x: f64[1]",
            "%0 = broadcast %x {dims=(1,), shape=(2, 1)}; "
            "%1 = broadcast %0 {dims=(0, 2), shape=(2, 3, 2)}",
        )
    ],
    ("dot_general", "dot_general(x, broadcast(c)) == broadcast(reduce_sum(x * c))"): [
        (
            "x: f64[4,3]",
            "%0 = 2.0: f64[3,5]; %1 = dot_general %x, %0 {batch=((), ()), contract=((1,), (0,))}",
        ),
        (
            "c: f64[], x: f64[3,5]",
            "%0 = broadcast %c {dims=(), shape=(4, 3)}; "
            "%1 = dot_general %0, %x {batch=((), ()), contract=((1,), (0,))}",
        ),
        (
            "c: f64[], x: f64[3,2,4]",
            "%0 = broadcast %c {dims=(), shape=(4, 3, 5)}; "
            "%1 = dot_general %x, %0 {batch=((2,), (0,)), contract=((0,), (1,))}",
        ),
        (
            "c: f64[], x: f64[3,2,4]",
            "%0 = broadcast %c {dims=(), shape=(4, 3, 5)}; "
            "%1 = dot_general %0, %x {batch=((0,), (2,)), contract=((1,), (0,))}",
        ),
    ],
    ("dot_general", "dot_general(transpose(x), y) == dot_general(x, y) over other axes"): [
        *(
            (
                f"x: {t}[2,1], y: {t}[2]",
                "%0 = transpose %x {permutation=(1, 0)}; "
                "%1 = dot_general %0, %y {batch=((), ()), contract=((1,), (0,))}",
            )
            for t in ("f64", "i64")
        ),
        (
            "x: f64[1], y: f64[2,1]",
            "%0 = transpose %y {permutation=(1, 0)}; "
            "%1 = dot_general %x, %0 {batch=((), ()), contract=((0,), (0,))}",
        ),
        (  # a batch axis, and two free axes whose order stays
            "x: f64[2,1], y: i64[], z: f64[1,2,2,1]",
            "%0 = transpose %z {permutation=(2, 1, 3, 0)}; "
            "%1 = dot_general %x, %0 {batch=((0,), (1,)), contract=((1,), (3,))}",
        ),
    ],
    ("reshape", "reshape(reshape(x) + reshape(product)) == x + product"): [
        (
            "x: f64[2,1], y: f64[2], z: f64[1]",
            "%0 = dot_general %y, %z {batch=((), ()), contract=((), ())}; "
            "%1 = reshape %0 {shape=(1, 2, 1)}; %2 = reshape %x {shape=(1, 2, 1)}; "
            "%3 = add %2, %1 {reassoc=True}; %4 = reshape %3 {shape=(2, 1)}",
        )
    ],
    ("neg", "-transpose(x) == transpose(-x)"): [
        ("x: f64[1,2]", "%0 = transpose %x {permutation=(1, 0)}; %1 = neg %0")
    ],
    ("add", "transpose(x) + transpose(y) == transpose(x + y)"): [
        (
            "x: f64[2,1], y: f64[2,1]",
            "%0 = transpose %x {permutation=(1, 0)}; %1 = transpose %y {permutation=(1, 0)}; "
            "%2 = add %0, %1 {reassoc=True}",
        )
    ],
    ("sub", "transpose(x) - transpose(y) == transpose(x - y)"): [
        (
            "x: f64[2,1]",
            "%0 = transpose %x {permutation=(1, 0)}; %1 = 2.0: f64[1,2]; %2 = sub %1, %0",
        )
    ],
    ("mul", "transpose(x) * transpose(y) == transpose(x * y)"): [
        ("x: f64[2,1]", "%0 = transpose %x {permutation=(1, 0)}; %1 = mul %0, %0"),
        (
            "x: f64[2,3,2], y: f64[2,2]",
            "%0 = transpose %x {permutation=(2, 0, 1)}; "
            "%1 = broadcast %y {dims=(0, 1), shape=(2, 2, 3)}; %2 = mul %1, %0",
        ),
    ],
    ("reduce_sum", "reduce_sum(transpose(x)) == reduce_sum(x) over other axes"): [
        ("x: f64[2,1]", "%0 = transpose %x {permutation=(1, 0)}; %1 = reduce_sum %0 {axes=(1,)}"),
        (
            "x: f64[1,2,3]",
            "%0 = transpose %x {permutation=(2, 1, 0)}; %1 = reduce_sum %0 {axes=(2,)}",
        ),
    ],
    ("transpose", "transpose(outer(x, y)) == outer(y, x)"): [
        (
            "x: f64[2], y: f64[1,1]",
            "%0 = dot_general %x, %y {batch=((), ()), contract=((), ())}; "
            "%1 = transpose %0 {permutation=(1, 2, 0)}",
        )
    ],
    ("slice", "slice(slice(x)) == slice(x)"): [
        (
            "x: i64[4]",
            "%0 = slice %x {limit=(4,), start=(1,), stride=(2,)}; "
            "%1 = slice %0 {limit=(2,), start=(1,), stride=(1,)}",
        ),
        (
            "x: i64[4]",
            "%0 = slice %x {limit=(4,), start=(0,), stride=(3,)}; "
            "%1 = slice %0 {limit=(2,), start=(0,), stride=(2,)}",
        ),
    ],
    ("reduce_sum", "reduce_sum(reshape(x) with axes of length 1) == reshape(reduce_sum(x))"): [
        ("x: f64[2,3]", "%0 = reshape %x {shape=(1, 2, 3)}; %1 = reduce_sum %0 {axes=(0, 2)}"),
    ],
    ("reshape", "reshape(empty) == empty"): [
        ("x: f64[]", "%0 = empty {dtype=f64, shape=(4,)}; %1 = reshape %0 {shape=(2, 2)}")
    ],
    ("transpose", "transpose(empty) == empty"): [
        ("x: f64[]", "%0 = empty {dtype=f64, shape=(4, 2)}; %1 = transpose %0 {permutation=(1, 0)}")
    ],
    ("broadcast", "broadcast(empty) == empty"): [
        (
            "x: f64[]",
            "%0 = empty {dtype=f64, shape=(4,)}; %1 = broadcast %0 {dims=(1,), shape=(2, 4)}",
        )
    ],
    ("reshape", "reshape(broadcast(number)) == broadcast(number)"): [
        ("x: f64[]", "%0 = broadcast %x {dims=(), shape=(4,)}; %1 = reshape %0 {shape=(2, 2)}")
    ],
    ("transpose", "transpose(broadcast(number)) == broadcast(number)"): [
        (
            "x: f64[]",
            "%0 = broadcast %x {dims=(), shape=(4, 2)}; %1 = transpose %0 {permutation=(1, 0)}",
        )
    ],
    ("flip", "flip(broadcast(number)) == broadcast(number)"): [
        ("x: f64[]", "%0 = broadcast %x {dims=(), shape=(4,)}; %1 = flip %0 {axes=(0,)}")
    ],
    ("slice", "slice(broadcast(number)) == broadcast(number)"): [
        (
            "x: f64[]",
            "%0 = broadcast %x {dims=(), shape=(4,)}; "
            "%1 = slice %0 {limit=(4,), start=(1,), stride=(2,)}",
        )
    ],
    ("dynamic_slice", "dynamic_slice(broadcast(number), i) == broadcast(number)"): [
        (
            "x: f64[], i: i64[]",
            "%0 = broadcast %x {dims=(), shape=(4,)}; %1 = dynamic_slice %0, %i {sizes=(2,)}",
        )
    ],
    # ----- Windows
    ("dynamic_slice", "read(x, all of it) == x"): [
        ("x: f64[2], i: i64[]", "%0 = dynamic_slice %x, %i {sizes=(2,)}")
    ],
    ("dynamic_slice", "read(write(x, u, i), i) == u"): [
        (
            "x: i64[3], u: i64[1], i: i64[]",
            "%0 = dynamic_update_slice %x, %u, %i; %1 = dynamic_slice %0, %i {sizes=(1,)}",
        ),
        (
            "x: i64[3], u: i64[1]",
            "%a = 1: i64[]; %b = 1: i64[]; "
            "%0 = dynamic_update_slice %x, %u, %a; %1 = dynamic_slice %0, %b {sizes=(1,)}",
        ),
    ],
    ("slice", "slice of write(x, u, i) == u, if it is the slice that is written"): [
        (
            "x: i64[3,3], u: i64[2,3]",
            "%a = 1: i64[]; %b = 0: i64[]; %0 = dynamic_update_slice %x, %u, %a, %b; "
            "%1 = slice %0 {limit=(3, 3), start=(1, 0), stride=(1, 1)}",
        )
    ],
    ("dynamic_update_slice", "write(x, slice of x, at its own start) == x"): [
        (
            "x: i64[3]",
            "%a = 1: i64[]; %0 = slice %x {limit=(3,), start=(1,), stride=(1,)}; "
            "%1 = dynamic_update_slice %x, %0, %a",
        )
    ],
    ("dynamic_update_slice", "write(x, u of its size) == u"): [
        ("x: f64[1], u: f64[1], i: i64[]", "%0 = dynamic_update_slice %x, %u, %i")
    ],
    ("dynamic_update_slice", "write(x, read(x, i), i) == x"): [
        (
            "x: i64[3], i: i64[]",
            "%0 = dynamic_slice %x, %i {sizes=(2,)}; %1 = dynamic_update_slice %x, %0, %i",
        )
    ],
    ("dynamic_update_slice", "write(write(x, u, i), v, i) == write(x, v, i)"): [
        (
            "x: i64[2], u: i64[1], v: i64[1], i: i64[]",
            "%0 = dynamic_update_slice %x, %u, %i; %1 = dynamic_update_slice %0, %v, %i",
        )
    ],
    # ----- Branches
    ("if", "if not p {A} else {B} == if p {B} else {A}"): [
        (
            "p: bool[], x: f64[], y: f64[]",
            "%0 = not %p; %1 = if %0 { %2 = neg %x; yield %2 } else { yield %y }",
        )
    ],
    ("if", "if p {x} else {x} == x; if p {True} else {False} == p"): [
        ("p: bool[], x: f64[]", "%1 = if %p { yield %x } else { yield %x }"),
        (
            "p: bool[]",
            "%1 = if %p { %2 = False: bool[]; yield %2 } else { %3 = True: bool[]; yield %3 }",
        ),
        (
            "p: bool[]",
            "%1 = if %p { %2 = nan: f64[]; yield %2 } else { %3 = nan: f64[]; yield %3 }",
        ),
    ],
    ("if", "two results that are equal in both branches are one"): [
        (
            "p: bool[], x: f64[], y: f64[]",
            "%a, %b = if %p { yield %x, %x } else { yield %y, %y }; %c = add %a, %b",
        )
    ],
    ("if", "if p {... p ...} else {... p ...} is if p {... True ...} else {... False ...}"): [
        (
            "p: bool[], q: bool[]",
            "%0 = if %p { %1 = and %q, %p; yield %1 } else { %2 = or %q, %p; yield %2 }",
        ),
        ("p: bool[], q: bool[]", "%0 = if %p { yield %p } else { yield %q }"),
    ],
    ("if", "if p {x = if p {a} else {b}} ... is x = a"): [
        (
            "p: bool[], x: f64[], y: f64[]",
            "%a = if %p { yield %x } else { %0 = neg %y; yield %0 }; "
            "%b = if %p { %1 = neg %a; yield %1 } else { yield %a }; %c = add %b, %x",
        )
    ],
    ("loop", "while p and not q: ... p, q ... is while p and not q: ... True, False ..."): [
        (
            "x: f64[]",
            "%n = 5: i64[]; %f = False: bool[]; "
            "%y, %p = for %k < %n (%a = %x, %b = %f) { cond { %0 = not %b; yield %0 } "
            "body { %1 = add %a, %x; %2 = 2.0: f64[]; %3 = gt %1, %2; %4 = or %3, %b; "
            "yield %1, %4 } }",
        ),
        (
            "x: f64[], p: bool[]",
            "%f = False: bool[]; "
            "%y, %q, %r = while (%a = %x, %b = %p, %c = %f) { cond { %0 = not %c; "
            "%1 = and %b, %0; yield %1 } body { %2 = if %b { %3 = add %a, %x; yield %3 } "
            "else { yield %a }; %4 = 2.0: f64[]; %5 = lt %2, %4; %6 = not %c; "
            "yield %2, %5, %6 } }",
        ),
    ],
    ("loop", "for ... while True == for ..."): [
        (
            "x: f64[]",
            "%n = 3: i64[]; %y = for %k < %n (%y = %x) { cond { %0 = True: bool[]; yield %0 } "
            "body { %1 = add %y, %x; yield %1 } }",
        )
    ],
    ("rev", "while p and not q: ... p, q ... is while p and not q: ... True, False ..."): [
        (
            "x: f64[]",
            "%n = 3: i64[]; %f = False: bool[]; %y, %z = rev for %k < %n (%v = %x, %b = %f) "
            "ct (%ct = %x of %v) acc (%a = %x) "
            "{ cond { %0 = not %b; yield %0 } "
            "body { %1 = mul %v, %v; %2 = 2.0: f64[]; %3 = gt %1, %2; %4 = or %3, %b; "
            "yield %1, %4 } "
            "adjoint { %5 = mul %ct, %v; %6 = select %b, %ct, %5; %7 = add %a, %6; "
            "yield %6, %7 } }",
        )
    ],
    ("rev", "for ... while True == for ..."): [
        (
            "x: f64[]",
            "%n = 3: i64[]; %y = rev for %k < %n () acc (%a = %x) "
            "{ cond { %0 = True: bool[]; yield %0 } body { } "
            "adjoint { %1 = add %a, %a; yield %1 } }",
        )
    ],
}

CASES = [(*key, *case) for key, cases in EXAMPLES.items() for case in cases]


def program(arguments: str, body: str):
    """A function that returns the value defined last."""
    lines = body.split("; ")
    last = next(x for x in reversed(lines) if x.startswith("%") and "}" not in x.split("{")[0])
    if lines[-1].startswith("yield"):  # the last op has regions
        last = next(
            x for x in lines if any(f" = {op} " in x for op in ("if", "for", "while", "rev"))
        )
    name = last.split(" = ")[0]
    args = ", ".join(f"%{a}" for a in arguments.split(", "))
    newline = "\n"
    f = parse(f"func @f({args}) {{ {newline.join(lines)}\n return {name} }}")
    verify(f)
    return f


def special_values(aval):
    if aval.dtype.kind == "b":
        choices = [False, True]
    elif aval.dtype.kind == "u":
        choices = [0, 1, 255]
    else:
        choices = FLOATS if aval.dtype.kind == "f" else sorted({*INTS, 100, -100})
    if aval.size <= 1:
        return [np.full(aval.shape, x, aval.dtype) for x in choices]
    rng = np.random.default_rng(0)
    return [rng.choice(choices, aval.shape).astype(aval.dtype) for _ in range(8)]


@pytest.mark.parametrize(
    "primitive, text, arguments, body", CASES, ids=[f"{p}: {t}" for p, t, _, _ in CASES]
)
def test_equation(primitive, text, arguments, body, monkeypatch):
    for p, equations in list(EQUATIONS.items()):
        chosen = [e for e in equations if (p.name, e.text) == (primitive, text)]
        monkeypatch.setitem(EQUATIONS, p, chosen)
    f = program(arguments, body)
    g = simplify(f)
    verify(g)
    assert not same(f, g), "the equation does not apply"
    assert same(simplify(g), g), "the equation applies to its own result"
    for args in itertools.product(*(special_values(x.aval) for x in f.args)):
        assert [aval_of(x) for x in args] == [x.aval for x in f.args]
        for x, y in zip(evaluate(f, args), evaluate(g, args)):
            assert identical(x, y), (args, x, y)


def test_every_equation_has_an_example():
    known = {(p.name, e.text) for p, equations in EQUATIONS.items() for e in equations}
    assert known == set(EXAMPLES)


# What must not be simplified: true for real numbers, false for those of the machine.
UNTRUE = {
    "the free axes of a product in another order": (
        "x: f64[2,3,4], y: f64[4]",
        "%0 = transpose %x {permutation=(1, 0, 2)}; "
        "%1 = dot_general %0, %y {batch=((), ()), contract=((2,), (0,))}",
    ),
    "x + 0.0 is not x (-0.0)": ("x: f64[]", "%0 = 0.0: f64[]; %1 = add %x, %0"),
    "x - -0.0 is not x (-0.0)": ("x: f64[]", "%0 = -0.0: f64[]; %1 = sub %x, %0"),
    "select(p, 0.0, 0.0 + t) is not 0.0 + select(p, -0.0, t), as XLA adds": (
        "p: bool[], t: f64[]",
        "%0 = 0.0: f64[]; %1 = add %0, %t; %2 = select %p, %0, %1",
    ),
    "0.0 - x is not -x (0.0)": ("x: f64[]", "%0 = 0.0: f64[]; %1 = sub %0, %x"),
    "x * 0.0 is not 0.0 (NaN)": ("x: f64[]", "%0 = 0.0: f64[]; %1 = mul %x, %0"),
    "x - x is not 0.0 (NaN)": ("x: f64[]", "%0 = sub %x, %x"),
    "x / x is not 1.0 (NaN)": ("x: f64[]", "%0 = div %x, %x"),
    "x / 3 is not x * (1/3)": ("x: f64[]", "%0 = 3.0: f64[]; %1 = div %x, %0"),
    "select(a != b, x, 0.0) is the mask of a cotangent": (
        "a: f64[], b: f64[], x: f64[]",
        "%0 = ne %a, %b; %1 = 0.0: f64[]; %2 = select %0, %x, %1",
    ),
    "x & select(p, x, 1) is not x (integers)": (
        "p: bool[], x: i64[]",
        "%1 = 1: i64[]; %2 = select %p, %x, %1; %3 = and %x, %2",
    ),
    "x == x is not True (NaN)": ("x: f64[]", "%0 = eq %x, %x"),
    "-(x - y) is not y - x (0.0)": ("x: f64[], y: f64[]", "%0 = sub %x, %y; %1 = neg %0"),
    "not x < y is not x >= y (NaN)": ("x: f64[], y: f64[]", "%0 = lt %x, %y; %1 = not %0"),
    "(x + a) + b is not x + (a + b)": (
        "x: f64[]",
        "%0 = 0.1: f64[]; %1 = add %x, %0; %2 = 0.2: f64[]; %3 = add %1, %2",
    ),
    "i64 -> f64 loses digits": (
        "x: i64[]",
        "%0 = convert %x {dtype=f64}; %1 = convert %0 {dtype=i64}",
    ),
    "a negative float does not wrap around": (
        "x: i8[]",
        "%0 = convert %x {dtype=f64}; %1 = convert %0 {dtype=u8}",
    ),
    "f64 -> f32 rounds": (
        "x: f64[]",
        "%0 = convert %x {dtype=f32}; %1 = convert %0 {dtype=f64}",
    ),
    "if p {0.0} else {-0.0}": (
        "p: bool[]",
        "%1 = if %p { %2 = 0.0: f64[]; yield %2 } else { %3 = -0.0: f64[]; yield %3 }",
    ),
    "a slice that starts elsewhere, or skips elements": (
        "x: i64[5], u: i64[2]",
        "%a = 2: i64[]; %0 = dynamic_update_slice %x, %u, %a; "
        "%1 = slice %0 {limit=(3,), start=(1,), stride=(1,)}; "
        "%2 = slice %0 {limit=(5,), start=(2,), stride=(2,)}; "
        "%3 = add %1, %2",
    ),
    "slices of different sizes are clamped differently": (
        "x: i64[3], u: i64[2], i: i64[]",
        "%0 = dynamic_update_slice %x, %u, %i; %1 = dynamic_slice %0, %i {sizes=(1,)}",
    ),
}


@pytest.mark.parametrize("arguments, body", UNTRUE.values(), ids=list(UNTRUE))
def test_false_equations_are_not_applied(arguments, body):
    f = program(arguments, body)
    assert same(simplify(f), f)
