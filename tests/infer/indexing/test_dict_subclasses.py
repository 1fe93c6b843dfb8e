"""Copies and unions of dicts, of which some are subclasses: class, factory, order."""

import copy
from collections import Counter, OrderedDict, defaultdict

import pytest

import myia


class Table(dict):
    pass


ARGUMENTS = {
    "dict": lambda: {"b": 2.0},
    "defaultdict": lambda: defaultdict(float, a=1.0),
    "OrderedDict": lambda: OrderedDict(z=1.0, a=2.0),
    "Table": lambda: Table(a=1.0),
    "Counter": lambda: Counter(a=1, b=2),
}


def union(d, e):
    return d | e


def in_place(d, e):
    same = d
    d |= e
    return d, len(same)


def missing_in_union(d, e):
    return (defaultdict(float, a=1.0) | e)["zz"] + (d | defaultdict(float, b=4.0))["b"]


def factory_of_union(d, e):
    made = defaultdict(list, a=[1.0]) | {"b": [2.0]}
    made["c"].append(3.0)
    return made, made.default_factory is list


def without_factory(d, e):
    made = defaultdict()
    made["a"] = 1.0
    return made, made.default_factory is None


def missing_without_factory(d, e):
    return defaultdict(None, a=1.0)["b"]


def method_copy(d, e):
    return d.copy()


def copy_of_module(d, e):
    return copy.copy(d)


def own_copies(d, e):
    made = defaultdict(float, a=1.0).copy()
    counted = Counter("ab").copy()
    counted["z"] += 1
    return made, made["new"], counted, counted["none"]


def from_keys(d, e):
    return dict.fromkeys(d, 1.0), d.fromkeys(["a"], 2.0)


def types(d, e):
    return [type(d | e) is dict, isinstance(d | e, defaultdict), isinstance(d | e, OrderedDict)]


FUNCTIONS = [union, in_place, missing_in_union, factory_of_union, without_factory, method_copy]
FUNCTIONS += [missing_without_factory, copy_of_module, own_copies, from_keys, types]


def shown(x):
    if isinstance(x, dict):
        items = [(k, shown(v)) for k, v in x.items()]
        return type(x), items, getattr(x, "default_factory", None)
    return type(x), list(map(shown, x)) if isinstance(x, (list, tuple)) else x


def outcome(f, d, e):
    args = ARGUMENTS[d](), ARGUMENTS[e]()
    try:
        return shown(f(*args)), shown(args)
    except (KeyError, TypeError, AttributeError) as error:
        return type(error).__name__


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.filterwarnings("ignore::myia.CompileWarning")
def test_as_python_or_refused(f):
    compiled = myia.jit(f)
    same = 0
    for d in ARGUMENTS:
        for e in ARGUMENTS:
            try:
                found = outcome(compiled, d, e)
            except myia.MyiaError:
                continue
            assert found == outcome(f, d, e), (d, e)
            same += 1
    assert same >= (1 if f is from_keys else 5)


def test_a_copy_with_the_factory_of_an_argument_is_refused():
    with pytest.raises(myia.MyiaError, match="a new defaultdict made of that of an argument"):
        myia.jit(union)(defaultdict(float, a=1.0), {"b": 2.0})
    with pytest.raises(myia.MyiaError, match="a new Table"):
        myia.jit(copy_of_module)(Table(a=1.0), {})
    given = defaultdict(float, a=1.0)
    assert myia.jit(lambda d, x: (d | {"b": x})["b"])(given, 3.0) == 3.0


def ordered(x):
    d, e = OrderedDict([("a", x), ("b", 2.0)]), OrderedDict()
    d["c"] = x * x
    d.move_to_end("a")
    e["k"], e["a"] = 1.0, x
    e.move_to_end("a", last=False)
    f = OrderedDict(d, z=x)
    first, last = f.popitem(last=False), f.popitem()
    same = [d == f, OrderedDict(f) == f, e == {"k": 1.0, "a": x}, e == OrderedDict(k=1.0, a=x)]
    return d, list(e), f, first, last, same, [k for k in reversed(d)], type(e) is OrderedDict


def least_recently_used(x):
    """A cache of two."""
    cache, misses = OrderedDict(), 0
    for k in (1, 2, 1, 3, 1, 2):
        if k in cache:
            cache.move_to_end(k)
        else:
            misses += 1
            cache[k] = x**k
            if len(cache) > 2:
                cache.popitem(last=False)
    return misses * x + sum(cache.values())


def test_ordered_dicts():
    assert shown(myia.jit(ordered)(0.7)) == shown(ordered(0.7))
    found = myia.jit(lambda d, e: (d == e, d != e))(
        OrderedDict(a=1.0, b=2.0), OrderedDict(b=2.0, a=1.0)
    )
    assert found == (False, True)
    assert myia.jit(least_recently_used)(0.7) == least_recently_used(0.7)
    h = 1e-6
    slope = (least_recently_used(0.7 + h) - least_recently_used(0.7 - h)) / (2 * h)
    assert myia.grad(least_recently_used)(0.7) == pytest.approx(slope, rel=1e-7)


@pytest.mark.parametrize(
    "f",
    [
        lambda d, x: OrderedDict().popitem(),
        lambda d, x: OrderedDict(a=x).move_to_end("b"),
        lambda d, x: d.move_to_end("a"),
        lambda d, x: d.popitem(False),
    ],
)
def test_what_raises(f):
    with pytest.raises((KeyError, AttributeError, TypeError)) as wanted:
        f({"a": 1.0}, 0.7)
    with pytest.raises(wanted.type) as found:
        myia.jit(f)({"a": 1.0}, 0.7)
    if wanted.type is AttributeError:
        assert str(found.value).partition("\n")[0] == str(wanted.value)
