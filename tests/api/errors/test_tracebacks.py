"""Tracebacks: the user's frames and one of ours; all of them where the error is a bug of ours."""

import operator
import pickle
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import myia
from myia.api.variant import Variant
from myia.source import tracebacks

PACKAGE = str(Path(myia.__file__).parent)
X, READ_ONLY = np.ones(3), np.broadcast_to(1.0, 3)


def out_of_range(x):
    return x[10]


def item(x, i):
    return x[i]


def write(x):
    x[0] = 2.0


def refused(x):
    return np.loadtxt("numbers.txt") * x


def inverse(x):
    return np.linalg.inv(x)


def on_host(x):
    return myia.host(inverse, like=x)(x)


def aot(x, i):
    return myia.jit(item).lower(X, np.int64(1)).compile()(x, i)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "item.myia"
    myia.jit(item).lower(X, np.int64(1)).compile().save(path)
    return myia.load(path)


def again(f, *args):
    """A call by its guard."""
    for i in (0, 1, 0):
        f(args[0], np.int64(i))
    return f(*args)


CALLS = {
    "compile time": (IndexError, lambda: myia.jit(out_of_range)(X)),
    "refusal": (myia.MyiaError, lambda: myia.grad(refused)(1.0)),
    "first run": (IndexError, lambda: myia.jit(item)(X, np.int64(9))),
    "guarded run": (IndexError, lambda: again(myia.jit(item), X, np.int64(9))),
    "write back": (ValueError, lambda: myia.jit(write)(READ_ONLY)),
    "ahead of time": (IndexError, lambda: aot(X, np.int64(9))),
    "other arguments": (TypeError, lambda: aot(X, 1.0)),
    "lower": (IndexError, lambda: myia.jit(out_of_range).lower(X)),
    "trace": (IndexError, lambda: myia.jit(out_of_range).trace(X).lower()),
    "ir": (IndexError, lambda: myia.jit(out_of_range).ir(X)),
    "plan": (IndexError, lambda: myia.grad(out_of_range).plan(X)),
    "jvp": (IndexError, lambda: myia.jvp(out_of_range, (X,), (X,))),
    "vjp": (IndexError, lambda: myia.vjp(out_of_range, X)),
    "hessian": (myia.MyiaError, lambda: myia.hessian(refused)(1.0)),
    "vmap": (myia.MyiaError, lambda: myia.vmap(refused)(X)),
    "option": (ValueError, lambda: myia.jit(item, checkpoint="none")),
    "argnums": (ValueError, lambda: myia.grad(item, argnums=4)),
    "save": (TypeError, lambda: myia.save("program.myia", item)),
    "load": (FileNotFoundError, lambda: myia.load("no such folder/program.myia")),
    "compiled inside": (IndexError, lambda: myia.jit(lambda x: out_of_range(x) + 1.0)(X)),
}


def frames_of(error):
    return traceback.extract_tb(error.__traceback__)


def ours(error):
    return [frame for frame in frames_of(error) if frame.filename.startswith(PACKAGE)]


@pytest.mark.parametrize("name", CALLS)
def test_one_frame_is_ours_and_it_is_the_last(name):
    expected, call = CALLS[name]
    with pytest.raises(expected) as caught:
        call()
    assert [*ours(caught.value)] == frames_of(caught.value)[-1:]
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_calls_of_a_saved_program(saved):
    for args, expected in (((X, np.int64(9)), IndexError), ((X, 1.0), TypeError)):
        with pytest.raises(expected) as caught:
            saved(*args)
        assert [*ours(caught.value)] == frames_of(caught.value)[-1:]


def test_frames_of_functions_on_the_host_stay():
    F = myia.jit(on_host)
    F(np.eye(2))
    for _ in range(3):
        with pytest.raises(np.linalg.LinAlgError) as caught:
            F(np.zeros((2, 2)))
        names = [frame.name for frame in frames_of(caught.value)]
        assert len(ours(caught.value)) == 1 and names[2:4] == ["inverse", "inv"]


def test_causes_and_contexts_are_kept():
    def chained(x):
        try:
            raise KeyError("first")
        except KeyError as error:
            raise ValueError("second") from (error if x > 0.0 else None)

    def unchained(x):
        try:
            raise KeyError("first")
        except KeyError:
            raise ValueError("second")  # noqa: B904

    cases = (
        (chained, 1.0, True, True),
        (chained, -1.0, False, True),
        (unchained, 1.0, False, False),
    )
    for f, x, has_cause, hides in cases:
        with pytest.raises(ValueError, match="second") as caught:
            myia.jit(lambda x, f=f: myia.host(f, like=x)(x))(x)
        assert isinstance(caught.value.__cause__, KeyError) == has_cause
        assert isinstance(caught.value.__context__, KeyError)
        assert caught.value.__suppress_context__ == hides
    F = myia.jit(item)
    with pytest.raises(IndexError) as caught:
        try:
            raise KeyError("of the caller")
        except KeyError:
            F(X, np.int64(9))
    assert isinstance(caught.value.__context__, KeyError)


@pytest.mark.parametrize("bug", [operator.methodcaller("missing"), staticmethod(np.linalg.lstsq)])
def test_a_bug_keeps_all_frames(monkeypatch, bug):
    """An operation of ours fails; a function of a library fails that is ours to call."""
    monkeypatch.setattr(Variant, "run", bug)
    with pytest.raises((TypeError, ValueError)) as caught:
        myia.jit(item)(X, 1)
    assert len(ours(caught.value)) > 2


def test_internal_errors_keep_all_frames(monkeypatch):
    def broken(self, *args):
        raise myia.InternalError("an invariant")

    monkeypatch.setattr(Variant, "run", broken)
    with pytest.raises(myia.InternalError) as caught:
        myia.jit(item)(X, 1)
    assert len(ours(caught.value)) > 2


def test_all_frames_on_request(monkeypatch):
    monkeypatch.setenv(tracebacks.VARIABLE, "full")
    for name in ("first run", "refusal", "lower"):
        expected, call = CALLS[name]
        with pytest.raises(expected) as caught:
            call()
        assert len(ours(caught.value)) > 3


def test_threads_and_pickles():
    F = myia.jit(item)
    F(X, np.int64(1))

    def failed(i):
        try:
            F(X, np.int64(i))
        except IndexError as error:
            return len(ours(error)), pickle.loads(pickle.dumps(error))

    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(failed, range(3, 35))]
    assert [count for count, _ in found] == [1] * 32
    assert all(f"index {i} " in str(error) for i, (_, error) in zip(range(3, 35), found))
    with pytest.raises(myia.MyiaError) as caught:
        myia.jit(refused)(1.0)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_edges_keep_names_and_signatures():
    assert myia.jvp.__name__ == "jvp" and myia.load.__doc__.startswith("The callable that")
    assert myia.jit(lambda f: myia.jvp(f, (2.0,), (1.0,))[1])(np.sin) == np.cos(2.0)
