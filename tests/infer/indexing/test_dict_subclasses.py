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
