"""Every tiny program of the zoo does the same as IR(py) as it does in Python."""

import pytest

from myia.frontend.load import load
from tests.frontend.compare import check, outcome
from tests.frontend.pyinterp import make_function
from tests.frontend.zoo import ZOO, Account, Savings


@pytest.mark.parametrize("fn, args", [pytest.param(f, a, id=f.__name__) for f, a in ZOO])
def test_zoo(fn, args):
    check(fn, *args)


def test_the_zoo_is_large():
    assert len({fn for fn, _ in ZOO}) >= 120


@pytest.mark.parametrize(
    "method", [Account.add, Account(3).add, Savings.add, Savings.add_by_lambda]
)
def test_methods(method):
    plain = getattr(method, "__func__", method)
    compiled = make_function(load(method))
    for cls in (Account, Savings) if plain is Account.add else (Savings,):
        a, b = cls(3), cls(3)
        assert (plain(a, 2), vars(a)) == (compiled(b, 2), vars(b))


def test_class_and_static_methods():
    assert make_function(load(Account.make))(Account, 4) == Account.make(4)
    assert make_function(load(Account.twice))(4) == 8
    assert make_function(load(vars(Account)["make"]))(Savings, 4) == Savings.make(4)


def test_keywords_are_not_private_names():
    assert make_function(load(Account.keywords))(Account(3), 4) == Account(3).keywords(4)


def test_private_name_in_comprehension_of_method():
    f = lambda n, k: n + k  # noqa: E731
    account = Account(3)
    assert outcome(make_function(load(Account.apply)), (account, f)) == outcome(
        Account.apply, (account, f)
    )
