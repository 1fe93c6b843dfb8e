"""Tiny programs, one thing each: `@on(args, ...)` gives the inputs they are run on."""
# ruff: noqa

from __future__ import annotations

from tests.frontend.compare import t

ZOO = []


def on(*inputs):
    """Each input is a tuple of arguments; none: called once without."""

    def register(fn):
        ZOO.extend((fn, args) for args in (inputs or [()]))
        return fn

    return register


LIMIT = 3
TABLE = [10, 20, 30]

# ----- Expressions


@on()
def falls_off_the_end():
    t(1)


@on((3,))
def only_docstring(x):
    """Nothing else."""


@on()
def literals():
    return 1, 2.5, 1j, "a", b"b", None, True, ..., -3, ()


@on((7, 3))
def arithmetic(a, b):
    return a + b, a - b, a * b, a / b, a // b, a % b, a**b, a << b, a >> b, a & b, a | b, a ^ b


@on((5,), (0,))
def unary(a):
    return -a, +a, ~a, not a


@on((1, 2), (2, 2), (3, 2))
def comparisons(a, b):
    return a < b, a <= b, a > b, a >= b, a == b, a != b, a is b, a is not b, a in [b], a not in (b,)


@on((1, 2, 3), (3, 2, 1), (2, 2, 2))
def chained_compare(a, b, c):
    return t(a) < t(b) < t(c), t(a) == t(b) != t(c), a < b > c <= 4


@on((0, 0), (0, 1), (1, 0), (1, 1))
def short_circuit_values(a, b):
    return t(a) and t(b), t(a) or t(b), (t(a) or t(b)) and t(3), not (t(a) and t(b))


@on((0,), (5,))
def ternary(a):
    return t(1) if t(a) else t(2)


@on((0,), (1,), (2,))
def nested_ternary(a):
    return "zero" if a == 0 else "one" if a == 1 else "many"


@on((4,))
def walrus(a):
    y = (b := a + 1) * b
    return y, b


@on((0,), (4,))
def walrus_in_branch(a):
    b = 10
    c = a and (b := a + 1)
    return b, c


@on((0,), (4,))
def walrus_maybe_undefined(a):
    a and (b := 3)
    return b


@on((3,))
def walrus_in_ternary(a):
    return (b := 1) + b if (c := a) > 2 else c


@on(([3, 1, 0, 5],))
def walrus_in_while(xs):
    s = 0
    while (x := xs.pop()) > 0:
        s += x
    return s, x, xs


@on(([3, 1, 0, 5],), ([3, 9, 1],))
def walrus_in_while_with_else(xs):
    s = 0
    while xs and (x := xs.pop()) > 0:
        if x == 9:
            break
        s += x
    else:
        s += 100
    return s, x


@on(([1, 2, 3, 4],))
def walrus_in_comprehension(xs):
    last = None
    ys = [last for x in xs if (last := x * x) > 2]
    return ys, last


@on((3, "é"))
def f_strings(x, s):
    w = 6
    return f"{x} {x!r:>4} {s!a} {s!s:^5} {x:{w}.2f} {x!r:>{w}} {{}} {x + 1=}{t(x)}{t(s)}"


@on(([1],))
def f_string_order(x):
    return f"{x}{x.append(2)}{x!r}{len(x)}"


@on(([1, 2, 3, 4, 5],))
def slices(x):
    return x[1:3], x[:2], x[::2], x[-1], x[::-1], x[1:], x[:]


@on(({(1, 2): 3, (0, slice(1, 2, None) == 0): 4},))
def tuple_index(d):
    return d[1, 2]


@on((1, [2, 3], {"a": 1}))
def displays(a, b, c):
    return [a, *b, 4], (a, *b), {a, *b}, {"x": a, **c, "a": t(2)}, {**c, "b": 3}, [*b, *b], ()


@on()
def evaluation_order():
    d = {t(1): t(2), t(3): t(4)}
    return [t(5), t(6)][t(0)] + t(7) * t(8), d


# ----- Calls and parameters


@on((1, 2))
def call_forms(a, b):
    def f(*args, **kwargs):
        return args, kwargs

    xs, d = [3, 4], {"k": 5}
    return f(), f(a, *xs, b, *xs), f(a, k=1, *xs), f(**d, z=2), f(a, *xs, x=b, **d)


@on()
def call_order():
    def f(*args, **kwargs):
        return args, sorted(kwargs)

    return f(t(1), *t([2]), a=t(3), **t({"b": 4}))


@on((1, 2), (1, 2, 3), (1, 2, 3, 4, 5))
def parameters(a, b, c=10, *rest):
    return a, b, c, rest


@on((1,))
def keyword_only(a, *, b=2, c: int = 3):
    return a, b, c


@on((1, 2))
def positional_only(a, /, b):
    return a - b


@on((5,))
def inner_parameters(x):
    def f(a, /, b, c=x, *args, d, e=x + 1, **kwargs):
        return a, b, c, args, d, e, kwargs

    return f(1, 2, d=3), f(1, b=2, d=0, e=4, z=9), f(1, 2, 3, 4, 5, d=6, a=7)


@on((2,))
def missing_argument(x):
    def f(a, b):
        return a

    return f(x)


@on((3,))
def defaults_bound_at_definition(x):
    def f(y=x):
        return y

    x = 100
    return f(), f(1), x


@on()
def mutable_default():
    def f(x, acc=[]):
        acc.append(x)
        return acc

    f(1)
    return f(2), f(3, [])


@on()
def default_in_loop():
    fs = []
    for i in range(3):
        fs.append(lambda i=i: i)
    return [f() for f in fs]


@on((3,))
def globals_and_builtins(x):
    return min(x, LIMIT), len(TABLE), TABLE[x - 3], abs(-x)


@on()
def unknown_global():
    return no_such_name  # noqa: F821


@on(([3, 1, 2],))
def methods(xs):
    xs.sort()
    return xs, "a-b".split("-"), xs.index(t(2))


@on(([1, 2, 3],))
def generator_arguments(xs):
    return sum(x * x for x in xs), max((x for x in xs if x < 3), default=0), tuple(x for x in xs)


# ----- Assignment


@on((1, 2))
def swap(a, b):
    a, b = b, a
    return a, b


@on((1, 2, 3))
def rotate(a, b, c):
    a, b, c = c, a, b
    (a, b), c = (c, a), b
    return a, b, c


@on((1,))
def multiple_targets(x):
    a = b = c = t(x)
    a += 1
    return a, b, c


@on(([1, 2, 3],))
def multiple_targets_with_items(x):
    i = x[i] = t(1)
    return i, x


@on(([1, 2, 3],))
def name_then_item_target(x):
    i, x[i] = 2, 9
    return i, x


@on(([1, (2, 3), [4, 5, 6]],))
def nested_unpacking(x):
    a, (b, c), [d, *e] = x
    return a, b, c, d, e


@on(([1, 2, 3, 4],), ([1, 2],), ([1],), (range(5),), ("ab",))
def star_unpacking(x):
    first, *middle, last = x
    return first, middle, last


@on(([1, 2],), ([1, 2, 3],), ([1],))
def unpack_errors(x):
    a, b = x
    return a + b


@on(([],))
def empty_unpacking(x):
    () = x
    [] = x
    return x


@on()
def right_side_before_subscript():
    x = [0, 0, 0]
    t(x)[t(1)] = t(5)
    return x


@on()
def augmented_subscript_order():
    x = [1, 2, 3]

    def index():
        t("index")
        return 0

    def g():
        x[0] = 100
        return t(10)

    t(x)[index()] += g()
    return x


@on((5,))
def augmented_name_reads_first(x):
    def f():
        nonlocal x
        x = 100
        return 1

    x += f()
    return x


@on((6,))
def augmented_operators(x):
    x += 1
    x -= 2
    x *= 3
    x //= 2
    x **= 2
    x %= 7
    x <<= 2
    x >>= 1
    x |= 8
    x &= 12
    x ^= 5
    x /= 4
    return x


@on(([1],))
def augmented_list_in_place(x):
    y = x
    y += [2]
    z = x
    z = z + [3]
    return x, y, z


@on()
def augmented_tuple_item():
    x = [1, [2]]
    x[1] += [3]
    return x


class Box:
    def __init__(self, value):
        self.value = value
        self.items = [0, 0]

    def __repr__(self):
        return f"Box({self.value}, {self.items})"

    def __eq__(self, other):
        return repr(self) == repr(other)


@on((Box(1),))
def attributes(box):
    box.value = 5
    box.value += t(2)
    box.items[1] += box.value
    box.a, box.items[0] = t(1), t(2)
    return box, box.a


@on((Box(1),))
def chained_attributes(box):
    box.inner = Box(2)
    box.inner.value *= 10
    del box.inner.items
    return box.inner.value, hasattr(box.inner, "items")


@on((1,))
def annotated(x):
    y: int = x + 1
    z: "no such type"  # noqa
    y += 1
    return y


@on((1,))
def annotation_alone_makes_local(x):
    LIMIT: int
    return LIMIT


@on(([1, 2, 3, 4],))
def delete(x):
    y = 3
    del x[0], x[1:2]
    del y
    return x


@on((0,), (1,))
def delete_then_read(c):
    y = 3
    if c:
        del y
    return y


@on()
def delete_undefined():
    del y
    y = 1


# ----- If


@on((0,), (1,), (-1,))
def if_elif_else(x):
    if x > 0:
        y = "positive"
    elif x < 0:
        y = "negative"
    else:
        y = "zero"
    return y


@on((0,), (5,))
def if_without_else(x):
    y = 1
    if x:
        y = x
    return y


@on((0,), (1,))
def maybe_undefined(c):
    if c:
        x = 1
    return x


@on((0,), (1,))
def maybe_undefined_but_not_read(c):
    if c:
        x = 1
    if c:
        return x
    return 0


@on((0, 0), (0, 1), (1, 0), (1, 1))
def defined_under_the_same_test(a, b):
    if a:
        x = 1
    if b and a:
        return x
    return x if a else None


@on((0,), (1,))
def defined_unless_raised(c):
    if c:
        x = 1
    else:
        raise ValueError("no")
    return x


@on((0,), (3,))
def assert_statement(x):
    assert x, t("message")
    assert x > 1, f"{x}"
    assert t(x) == 3
    return x


@on((0,), (3,))
def assert_message_only_when_needed(x):
    assert x, TABLE[x + 3]
    return x


@on((-1,), (1,))
def raise_statement(x):
    if x < 0:
        raise ValueError(f"negative: {x}")
    return x


# ----- Early return


@on((0,), (1,), (2,))
def early_return(x):
    if x == 0:
        return "zero"
    t(x)
    if x == 1:
        return "one"
    return "many"


@on((0,), (1,), (2,))
def early_return_with_else(x):
    if x == 0:
        return "zero"
    else:
        t("else")
    return "after"


@on((0, 0), (0, 1), (1, 0), (1, 1))
def early_return_in_nested_if(a, b):
    if a:
        if b:
            return "both"
        t("a only")
    t("rest")
    return "end"


@on((0, 0), (0, 1), (1, 0), (1, 1))
def early_return_in_both_but_one(a, b):
    if a:
        if b:
            return 1
        t("here")
    else:
        if b:
            return 2
        t("there")
    return 3


@on((0,), (1,))
def all_branches_return(x):
    if x:
        return 1
    else:
        return 2
    t("unreachable")


@on((0,), (1,))
def return_none(x):
    if x:
        return
    t("rest")


@on(([1, 2, 3],), ([],), ([5],))
def return_in_loop(xs):
    for x in xs:
        if x > 1:
            return x
        t(x)
    return "none"


@on((0,), (3,), (7,), (20,))
def return_in_nested_loops(n):
    for i in range(4):
        for j in range(4):
            if i * j > n:
                return i, j
            t((i, j))
        t(i)
    return "none"


@on((2,), (7,))
def return_in_loop_in_while_in_if(n):
    i = 0
    if n > 1:
        while i < 5:
            for j in range(3):
                if i + j == n:
                    return "found", i, j
            i += 1
        t("not found")
    return i


@on((0,), (3,))
def return_from_while_true(n):
    while True:
        if n == 3:
            return n
        n += 1


@on((5,))
def unconditional_return_in_loop(n):
    for i in range(n):
        return i
    return -1


@on((0,), (5,))
def return_value_is_evaluated_once(n):
    for i in range(n):
        return t(i)
    return t(-1)


@on((3,), (-3,))
def recursion_of_inner_function(n):
    def f(k):
        if k <= 0:
            return 1
        return k * f(k - 1)

    return f(n)


@on((10,))
def mutual_recursion(n):
    def even(k):
        return True if k == 0 else odd(k - 1)

    def odd(k):
        return False if k == 0 else even(k - 1)

    return even(n), odd(n)


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@on((5,))
def recursion_of_global(n):
    return factorial(n)


# ----- Loops


@on((0,), (4,))
def for_range(n):
    s = 0
    for i in range(n):
        s += i
    return s


@on((0,), (4,))
def loop_variable_after(n):
    for i in range(n):
        pass
    return i


@on((0,), (4,))
def loop_variable_after_with_value_before(n):
    i = "before"
    for i in range(n):
        pass
    return i


@on((4,))
def loop_variable_reassigned(n):
    out = []
    for i in range(n):
        out.append(i)
        i = i * 10
        out.append(i)
    return out, i


@on(([1, 2, 3],))
def iterable_is_evaluated_once(xs):
    for x in t(xs):
        xs = []
    return xs, x


@on(([1, 2, 3],))
def list_grows_in_loop(xs):
    for x in xs:
        if len(xs) < 8:
            xs.append(x * 2)
    return xs


@on(({"a": 1, "b": 2},))
def tuple_target(d):
    s = ""
    for k, v in d.items():
        s += k * v
    return s, k, v


@on(([[1, 2, 3], [4, 5]],))
def star_target(xss):
    out = []
    for first, *rest in xss:
        out.append((first, rest))
    return out


@on(([0, 0, 0],))
def subscript_target(x):
    for x[0] in range(5):
        x[1] += x[0]
    return x


@on((0,), (5,))
def maybe_undefined_after_loop(n):
    for i in range(n):
        y = i * 2
    return y


@on((4,))
def undefined_in_first_iteration(n):
    for i in range(n):
        if i > 0:
            t(y)
        y = i
    return y


@on((4,))
def read_before_assignment_in_loop(n):
    for i in range(n):
        t(y)
        y = i


@on((0,), (27,))
def while_loop(n):
    iterations = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        iterations += 1
    return iterations


@on((0,), (3,))
def while_test_effects(n):
    while t(n) > 0:
        n -= 1
    return n


@on((3,))
def while_and_test(n):
    xs = list(range(n))
    while xs and t(xs[-1]) > 0:
        xs.pop()
    return xs


@on((6,), (2,))
def break_in_for(n):
    for i in range(n):
        if i == 3:
            break
        t(i)
    return i


@on((6,), (2,))
def break_in_if_in_while(n):
    i = 0
    while t(i) < n:
        if i > 1:
            if i == 3:
                t("break")
                break
            t("not yet")
        i += 1
    return i


@on((4,))
def test_is_not_evaluated_after_break(n):
    while t(n):
        n -= 1
        if n == 1:
            break
    return n


@on()
def break_takes_no_more_items():
    it = iter([1, 2, 3, 4])
    for x in it:
        if x == 2:
            break
    return list(it)


@on()
def return_takes_no_more_items():
    it = iter([1, 2, 3, 4])

    def first(limit):
        for x in it:
            if x == limit:
                return x

    return first(2), list(it)


@on((5,))
def while_true_with_break(n):
    while True:
        n -= 1
        x = n * 2
        if x < 4:
            break
    return n, x


@on((6,))
def continue_in_for(n):
    out = []
    for i in range(n):
        if i % 2:
            continue
        out.append(i)
    return out


@on((6,))
def continue_in_while(n):
    out = []
    while n > 0:
        n -= 1
        if n % 2:
            continue
        out.append(n)
    return out


@on((6,))
def continue_in_nested_if(n):
    out = []
    for i in range(n):
        if i > 1:
            if i < 4:
                continue
            out.append("late")
        out.append(i)
    return out


@on((8,))
def break_and_continue(n):
    out = []
    for i in range(n):
        if i == 2:
            continue
        elif i == 6:
            break
        out.append(i)
        if i == 4:
            continue
        out.append(-i)
    return out, i


@on((0,), (2,), (5,))
def for_else(n):
    for i in range(n):
        if i == 3:
            break
    else:
        return "exhausted"
    return "broken"


@on((0,), (2,), (5,))
def while_else(n):
    i = 0
    while i < n:
        i += 1
        if i == 3:
            break
    else:
        i = "exhausted"
    return i


@on((3,))
def else_without_break(n):
    for i in range(n):
        t(i)
    else:
        t("else")
    return i


@on((20,))
def primes_by_loop_else(n):
    found = []
    for k in range(2, n):
        for d in found:
            if k % d == 0:
                break
        else:
            found.append(k)
    return found


@on((5,), (1,))
def else_with_continue_of_outer_loop(n):
    out = []
    for i in range(n):
        for j in range(3):
            if j == i:
                break
        else:
            continue
        out.append((i, j))
    return out


@on((3,), (0,))
def else_with_break_of_outer_loop(n):
    for i in range(5):
        for j in range(i):
            if j == n:
                break
        else:
            t(("else", i))
            if i == 3:
                break
        t(i)
    return i


@on((2,), (9,))
def return_skips_else(n):
    for i in range(5):
        if i == n:
            return "returned"
    else:
        t("else")
    return "end"


@on((9,))
def break_leaves_one_loop(n):
    out = []
    for i in range(3):
        for j in range(n):
            if j > i:
                break
            out.append((i, j))
    return out


@on((5,))
def continue_before_statement_with_new_name(n):
    s = 0
    for i in range(n):
        if i == 2:
            continue
        u = i + 1
        s += u
    return s, u


@on((-1,), (3,))
def raise_in_for(n):
    for i in range(5):
        if i == n:
            raise KeyError(i)
        t(i)
    return "end"


@on((-1,), (3,))
def raise_in_while(n):
    i = 0
    while i < 5:
        if i == n:
            raise KeyError(i)
        i += 1
    else:
        t("else")
    return i


@on((3, 4))
def loop_nest_with_swap(a, b):
    for _ in range(a):
        a, b = b, a + b
        for _ in range(2):
            b, a = a, b
    return a, b


@on((4,))
def loop_carries_through_if(n):
    a = b = 0
    for i in range(n):
        if i % 2:
            a, b = b, i
        else:
            b += a
    return a, b


@on((5,))
def temporary_is_not_carried(n):
    s = 0
    for i in range(n):
        u = i * 2
        if u > 4:
            v = u
        else:
            v = -u
        s += v
    return s


# ----- Closures


@on((3,))
def closure(x):
    def f(y):
        return x + y

    return f(1)


@on()
def late_binding():
    fs = [lambda: i for i in range(3)]
    gs = []
    for i in range(3):
        gs.append(lambda: i)
    i = 10
    return [f() for f in fs], [g() for g in gs]


@on((1,))
def closure_sees_later_assignment(x):
    def f():
        return x

    x = 2
    a = f()
    x = 3
    return a, f()


@on()
def nonlocal_counter():
    n = 0

    def count():
        nonlocal n
        n += 1
        return n

    count()
    count()
    return n, count()


@on((5,))
def nonlocal_parameter(x):
    def f():
        nonlocal x
        x *= 2

    f()
    f()
    return x


@on()
def counters_are_separate():
    def make():
        n = 0

        def count():
            nonlocal n
            n += 1
            return n

        return count

    a, b = make(), make()
    return a(), a(), b(), a()


@on((2,))
def captured_through_two_levels(x):
    def f():
        def g():
            nonlocal x
            x += 1
            return x

        return g() + x

    return f(), x


@on()
def captured_before_assignment():
    def f():
        return y

    t(1)
    r = f()
    y = 1
    return r


@on((0,), (1,))
def captured_and_maybe_undefined(c):
    if c:
        y = 1
    f = lambda: y
    return f()


@on()
def lambdas_in_list():
    fs = [lambda x: x + 1, lambda x: x * 2, lambda x, *y, k=3: (x, y, k)]
    return fs[0](1), fs[1](4), fs[2](1, 2, k=4), (lambda: 5)()


@on((2,))
def curried(x):
    return (lambda a: lambda b: lambda c: (a, b, c, x))(1)(2)(3)


@on((3,))
def function_in_loop(n):
    out = []
    for i in range(n):

        def f(k):
            return k * i

        out.append(f(10))
    return out, f(1)


@on((3,))
def function_in_branch(n):
    if n > 2:

        def f():
            return "big"

    else:

        def f():
            return "small"

    return f()


@on((3,))
def loop_variable_captured(n):
    fs = []
    for i in range(n):
        j = i * i
        fs.append(lambda: (i, j))
    return [f() for f in fs], i


@on((4,))
def return_in_inner_loop_function(n):
    def find(k):
        for i in range(n):
            if i == k:
                return i
            if i > 10:
                break
        return -1

    return find(2), find(9)


@on((4,))
def decorated_inner_function(n):
    def twice(f):
        t("twice")
        return lambda *a: f(f(*a))

    def add(k):
        t("add")
        return lambda f: lambda x: f(x) + k

    @twice
    @add(t(10))
    def g(x):
        return x * 2

    return g(n)


@on((3,))
def parameter_shadows(x):
    f = lambda x: x + 1
    g = lambda y, x=x: x + y
    return f(10), g(1), x


@on((3,))
def sorted_by_lambda(n):
    return sorted(range(-n, n), key=lambda v: (v * v, v)), list(map(lambda v: -v, [1, 2]))


@on((2,))
def del_in_function_with_closure(x):
    y = x
    f = lambda: x
    del y
    return f()


# ----- Comprehensions


@on(([1, 2, 3],))
def list_comprehension(xs):
    return [x * x for x in xs]


@on(([1, 2, 3, 4],))
def comprehension_with_ifs(xs):
    return [t(x) for x in xs if t(x > 1) if x != 3]


@on((3,))
def nested_comprehensions(n):
    return [[i * j for j in range(i)] for i in range(n)], [
        (i, j) for i in range(n) for j in range(i)
    ]


@on(([[1, 2], [3]],))
def flattening(xss):
    return [x for xs in xss for x in xs]


@on((["a", "bb"],))
def dict_comprehension(xs):
    return {t(x): t(len(x)) for x in xs}, {k: v for k, v in zip(xs, range(5)) if v}


@on(([1, 1, 2],))
def set_comprehension(xs):
    return {x * 2 for x in xs}


@on(([1, 2],))
def comprehension_scope(x):
    y = 5
    z = [y for y in x]
    w = [x for x in x]
    return x, y, z, w


@on(([3, 4],))
def comprehension_reads_local(xs):
    k = 10
    return [k * x + i for i, x in enumerate(xs)]


@on(([(1, [2, 3]), (4, [])],))
def comprehension_star_target(xs):
    return [(a, b) for a, (*b,) in xs]


@on((3,))
def comprehension_in_loop(n):
    out = []
    for i in range(n):
        out.append([i * k for k in range(i)])
        i = [i for i in "ab"]
    return out, i


@on((3,))
def comprehension_in_condition(n):
    if [k for k in range(n) if k > 1]:
        return max(k == 2 for k in range(n))
    return min(k < 2 for k in range(n))


@on((3,))
def lambdas_in_comprehension(n):
    return [[f() for f in [lambda: (i, j) for j in range(2)]] for i in range(n)]


@on((3,))
def comprehension_calls_itself_apart(n):
    make = lambda k: [lambda: (i, k) for i in range(k)]
    a, b = make(2), make(3)
    return a[0](), b[0]()


@on(([[], [1]],), ([[2], [3]],))
def comprehension_reads_too_early(xs):
    return [y for x in xs for y in ([y] if x == [3] else x)]


@on(([1, 2],))
def comprehension_reads_undefined(xs):
    return [y for x in xs for y in [y]]


@on(([1, 2, 3],))
def lambda_parameters_in_comprehension(xs):
    x = 7
    f = [(lambda x: x * 2)(x + 1) for x in xs]
    g = [(lambda y=x: y + x)() for x in xs]
    return x, f, g, [(lambda: (x := 4) + x)() for x in xs]


@on(([1, 2, 3],))
def comprehension_over_comprehension(xs):
    return [a + 1 for a in [a * 2 for a in xs if a > 1]]


# ----- Classes are used, not defined


class Account:
    rate = 2

    def __init__(self, n=0):
        self.__n = n

    def __repr__(self):
        return f"Account({self.__n})"

    def add(self, k):
        self.__n += k * self.rate
        return self.__n

    @classmethod
    def make(cls, n):
        return cls(n).add(1)

    @staticmethod
    def twice(x):
        return x * 2

    def keywords(self, __k):
        return dict(__k=__k, k=self.__n)

    def apply(self, f):
        return [f(self.__n, k) for k in range(2)]


class Savings(Account):
    rate = 3

    def add(self, k):
        return super().add(k) + 1

    def add_by_lambda(self, k):
        return (lambda s: super().add(k))(self), (lambda s: super(Savings, s).add(k))(self)


# ----- Exceptions


@on(([1, 0, 3], 1), ([1, 2], 5), ([], 0))
def exceptions_in_a_loop(xs, k):
    found = []
    for i, x in enumerate(xs):
        try:
            if x > 2:
                raise KeyError(x)
            found.append(6 // x)
            if i == k:
                break
        except ZeroDivisionError:
            found.append(-1)
            continue
        except LookupError as e:
            found.append(e.args[0])
            if k == 5:
                return found
        else:
            found.append(i)
        finally:
            found.append("end")
    return found


@on((1,), (2,), (3,))
def jumps_out_of_finally(x):
    try:
        try:
            if x > 1:
                raise ValueError("a")
            return 1
        finally:
            for i in range(3):
                if i == x:
                    return i + 10
    except ValueError as e:
        return str(e)
