"""A module that a function imports is the one that is there at the call."""

# ruff: noqa: PLC0415

import sys
import types

import pytest

import myia

NAME, PACKAGE = "a_module_to_import", "a_package_to_import"


def whole(x):
    import a_module_to_import

    return x * a_module_to_import.number


def part(x):
    from a_module_to_import import number

    return x * number


def renamed(x):
    import a_package_to_import.inner as inner

    return x * inner.number


def of_package(x):
    import a_package_to_import.inner

    return x * a_package_to_import.inner.number


def of_inner(x):
    from a_package_to_import import inner

    return x * inner.number


def where_there_is_one(x):
    try:
        import a_module_to_import
    except ImportError:
        return -x
    return x * a_module_to_import.number


def install(monkeypatch, number):
    """New modules, which hold this number."""
    module, package, inner = map(types.ModuleType, (NAME, PACKAGE, f"{PACKAGE}.inner"))
    module.number = inner.number = number
    package.inner, package.__path__ = inner, []
    for found in (module, package, inner):
        monkeypatch.setitem(sys.modules, found.__name__, found)


@pytest.mark.parametrize("f", [whole, part, renamed, of_package, of_inner, where_there_is_one])
def test_modules_that_are_replaced(f, monkeypatch):
    compiled = myia.jit(f)
    for number in (2.0, 5.0, 3, 2.0):
        install(monkeypatch, number)
        assert compiled(1.5) == f(1.5) == 1.5 * number
        assert compiled(2.5) == 2.5 * number
    sys.modules[NAME].number = sys.modules[f"{PACKAGE}.inner"].number = 9.0
    assert compiled(1.5) == f(1.5) == 13.5


@pytest.mark.parametrize("f", [whole, part, of_package, of_inner])
def test_modules_that_are_gone(f, monkeypatch):
    install(monkeypatch, 2.0)
    compiled = myia.jit(f)
    assert compiled(1.5) == 3.0
    monkeypatch.undo()
    with pytest.raises(ModuleNotFoundError):
        f(1.5)
    with pytest.raises(myia.MyiaError, match="No module named"):
        compiled(1.5)


def test_a_module_that_comes(monkeypatch):
    compiled = myia.jit(where_there_is_one)
    assert compiled(1.5) == -1.5
    install(monkeypatch, 2.0)
    assert compiled(1.5) == 3.0
