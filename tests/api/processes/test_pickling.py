"""Compiled functions, and what belongs to them, are pickled, copied and sent to other processes."""

from __future__ import annotations

import copy
import functools
import multiprocessing
import os
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import cloudpickle  # joblib needs it
import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.model_selection import cross_val_score

import myia
from myia.frontend.source_text import texts
from tests.api.processes import portable_programs as programs
from tests.api.processes.portable_programs import FUNCTIONS, Loss, Model, decorated

PICKLERS = [pickle, cloudpickle]


def sent(x, pickler=pickle):
    return pickle.loads(pickler.dumps(x))


# ----- Functions


@pytest.mark.parametrize("pickler", PICKLERS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_pickled_before_a_call(name, pickler):
    f, _, _ = FUNCTIONS[name]
    made = sent(f, pickler)
    assert type(made) is type(f)
    if name.startswith(("decorated", "in a")):
        assert made is f
    elif isinstance(f, myia.api.transformed.Transformed):
        assert made is not f and made.options == f.options
        assert vars(made).get("__name__") == vars(f).get("__name__")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_pickled_after_a_call(name):
    f, args, value = FUNCTIONS[name]
    assert f(*args) == value
    assert sent(f)(*args) == value
    assert f(*args) == value


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_copies(name, copied):
    f, args, value = FUNCTIONS[name]
    assert f(*args) == value
    g = copied(f)
    assert g(*args) == value
    made_of_an_object = name in ("method", "bound method", "instance", "partial", "pullback")
    if not made_of_an_object:
        assert g is f


def test_a_deep_copy_of_an_object_has_its_own_function():
    """As of a bound method: the copy calls the copy."""
    loss = Loss(2)
    other = copy.deepcopy(loss)
    other.power = 3
    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(other.gradient(x), 3 * x**2)
    np.testing.assert_array_equal(loss.gradient(x), 2 * x)
    assert other.gradient.f.__self__ is other


@pytest.mark.parametrize("pickler", PICKLERS)
def test_an_object_that_holds_a_function_of_its_own(pickler):
    loss = sent(Loss(2), pickler)
    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(loss.gradient(x), 2 * x)
    assert loss.gradient.f.__self__ is loss


@pytest.mark.parametrize("pickler", PICKLERS[1:])
def test_local_functions_and_their_closures(pickler):
    def make(k):
        @myia.jit
        def power(x, n):
            return x * k if n == 0 else power.f(x, n - 1) * k  # it names itself

        return power

    f = sent(make(3.0), pickler)
    assert f(2.0, 1) == 18.0
    with pytest.raises((AttributeError, pickle.PicklingError), match="local"):
        pickle.dumps(make(3.0))


@pytest.mark.parametrize("pickler", PICKLERS[1:])
def test_local_rules(pickler):
    @myia.custom_vjp
    def f(x):
        return x * x

    f.defvjp(lambda x: (f(x), None), lambda _, ct: (9.0 * ct,))

    @myia.custom_jvp
    def g(x, y):
        return x * y

    g.defjvps(lambda t, result, x, y: 4.0 * t, None)
    f, g = sent((f, g), pickler)
    assert (f(3.0), g(3.0, 2.0)) == (9.0, 6.0)
    assert (myia.grad(f)(3.0), myia.grad(g)(3.0, 2.0)) == (9.0, 4.0)


def test_rules_are_copied_with_the_objects_that_they_belong_to():
    class Layer:
        def __init__(self, by):
            self.by = by
            self.run = myia.custom_jvp(self.apply)
            self.run.defjvp(self.rule)

        def apply(self, x):
            return x * self.by

        def rule(self, primals, tangents):
            return self.apply(*primals), self.by * 10.0 * tangents[0]

    layer = Layer(2.0)
    other = copy.deepcopy(layer)
    other.by = 3.0
    assert (layer.run(1.0), other.run(1.0)) == (2.0, 3.0)
    assert (myia.grad(layer.run)(1.0), myia.grad(other.run)(1.0)) == (20.0, 30.0)


def test_staged_functions_and_marks():
    f = sent(myia.staged(lambda x: x * 2.0), cloudpickle)
    assert myia.jit(lambda x: f(x))(3.0) == 6.0


# ----- What belongs to them


def test_programs_compiled_ahead_of_time_are_refused_and_shared():
    lowered = myia.jit(programs.square).lower(3.0)
    for x in (lowered, lowered.compile()):
        assert copy.copy(x) is copy.deepcopy(x) is x
        with pytest.raises(TypeError, match="pickle the function, and lower it in the other"):
            pickle.dumps(x)


def test_texts_and_plans():
    def total(x):
        y = x
        while y < 100.0:
            y = y * x
        return y

    F = myia.grad(total)
    for x in (F.ir(3.0), F.plan(3.0)):
        assert str(sent(x)) == str(x) == str(copy.deepcopy(x))


def error_of(f, *args):
    with pytest.raises(Exception) as info:
        f(*args)
    return info.value


ERRORS = {
    "refused": (myia.jit(programs.is_refused), (1.0,)),
    "static": (myia.jit(programs.needs_static), (1.0,)),
    "index": (myia.jit(programs.fails), (5,)),
    "type": (myia.jit(lambda x: x + "a"), (1.0,)),
    "attribute": (myia.jit(lambda x: np.nothing_of_this_name(x)), (1.0,)),
    "key": (myia.jit(lambda x: {"a": x}["b"]), (1.0,)),
    "derivative": (myia.grad(lambda x: (x, x)), (1.0,)),
    "budget": (myia.grad(lambda x: (np.exp(x @ x)).sum(), memory=1), (np.ones((40, 40)),)),
    "run time": (myia.jit(lambda x: [1.0, 2.0][int(x)]), (5.0,)),
    "source": (myia.jit(eval("lambda x: x")), (1.0,)),
}


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.parametrize("pickler", PICKLERS)
def test_errors_are_pickled(name, pickler):
    f, args = ERRORS[name]
    error = error_of(f, *args)
    made = sent(error, pickler)
    assert type(made) is type(error)
    assert (str(made), made.args) == (str(error), error.args)
    assert getattr(made, "__notes__", None) == getattr(error, "__notes__", None)
    assert isinstance(made, myia.MyiaError) == isinstance(error, myia.MyiaError)
    if isinstance(error, myia.MyiaError):
        assert type(made.diagnostic) is type(error.diagnostic)
        assert len(pickler.dumps(error)) < 10_000  # not the whole file
    assert str(copy.copy(made)) == str(error)


def test_an_error_with_what_cannot_be_pickled():
    class Local(myia.source.diagnostics.Diagnostic):
        title = "{what} is odd"
        what: object

    error = myia.MyiaError(Local(None, lambda: 1))
    made = sent(error)
    assert str(made) == str(error) and type(made) is myia.MyiaError


# ----- Other processes


SCRIPT = """
import sys
import myia, pickle, cloudpickle

def helper(x):
    return x * 2.0

@myia.jit
def f(x):
    return helper(x) + 1.0

@myia.custom_jvp
def q(x):
    return helper(x)

@q.defjvp
def rule(primals, tangents):
    return q(*primals), 9.0 * tangents[0]

if __name__ == "__main__":
    g = myia.grad(lambda x: f(x) * x)
    with open("by_value.pickle", "wb") as file:
        file.write(cloudpickle.dumps([f, g, {"q": q}]))
    assert pickle.loads(pickle.dumps(f)) is f and pickle.loads(pickle.dumps(q)) is q
"""
READER = """
import os, pickle, sys
import cloudpickle, myia
if len(sys.argv) == 1:
    os.remove("script.py")
with open("by_value.pickle", "rb") as file:
    f, g, other = pickle.load(file)
assert f(3.0) == 7.0 and g(3.0) == 13.0 and myia.grad(other["q"])(3.0) == 9.0
if len(sys.argv) == 1:
    with open("by_value.pickle", "wb") as file:
        file.write(cloudpickle.dumps([f, g, other]))
try:
    f("text")
except myia.MyiaError as error:
    assert "script.py:6:12" in str(error), error
    print("right")
"""


def test_functions_of_a_script_that_the_reader_has_not(tmp_path):
    """By value, with their text: the script is not there, or was a notebook."""
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "reader.py").write_text(READER)
    for command in (["script.py"], ["reader.py"], ["reader.py", "of a reader"]):
        command, env = [sys.executable, *command], os.environ | {"PYTHONPATH": os.getcwd()}
        run = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
    assert run.stdout == "right\n"


def called(f, *args):
    return f(*args)


@pytest.mark.parametrize(
    "way",
    [
        pytest.param("spawn"),
        pytest.param("forkserver", marks=pytest.mark.slow),
    ],
)
def test_pools_of_processes(way):
    """Functions and arguments go there, results and errors come back."""
    with ProcessPoolExecutor(1, multiprocessing.get_context(way)) as pool:
        for name in ("decorated", "grad", "custom_vjp", "method", "bound method"):
            f, args, value = FUNCTIONS[name]
            assert pool.submit(f, *args).result(120) == value
        loss = pool.submit(called, Loss, 3).result(120)
        np.testing.assert_array_equal(loss.gradient(np.array([2.0])), [12.0])
        for f, kind in ((programs.fails, IndexError), (programs.is_refused, myia.MyiaError)):
            F = myia.jit(f)
            error = error_of(pool.submit(F, 5).result, 120)
            assert isinstance(error, kind) and str(error) == str(error_of(F, 5))


class Ridge(RegressorMixin, BaseEstimator):
    """An estimator that holds a compiled function, and is given one."""

    def __init__(self, gradient=None, steps=50):
        self.gradient, self.steps = gradient, steps

    def fit(self, X, y):
        self.w_ = np.zeros(X.shape[1])
        for _ in range(self.steps):
            self.w_ = self.w_ - 0.1 * self.gradient(self.w_, X, y)
        self.predict_ = myia.jit(functools.partial(predicted, self.w_))
        return self

    def predict(self, X):
        return self.predict_(X)


def predicted(w, X):
    return X @ w


def squares(w, X, y):
    return np.mean((predicted(w, X) - y) ** 2)


def data():
    X = np.random.default_rng(0).normal(size=(60, 3))
    return X, X @ np.array([1.0, -2.0, 0.5])


def test_estimators_of_scikit_learn():
    X, y = data()
    estimator = Ridge(myia.grad(squares))
    cloned = clone(estimator)
    assert cloned.gradient is estimator.gradient  # and its programs
    fitted = estimator.fit(X, y)
    for made in (copy.deepcopy(fitted), sent(fitted), clone(fitted).fit(X, y)):
        np.testing.assert_allclose(made.predict(X), fitted.predict(X))
    assert cross_val_score(estimator, X, y, cv=3).min() > 0.99


@pytest.mark.slow
def test_joblib_and_cross_validation_with_processes():
    X, y = data()
    scores = cross_val_score(Ridge(myia.grad(squares)), X, y, cv=2, n_jobs=2)
    assert scores.min() > 0.99
    local = myia.grad(lambda x: x**3)
    found = joblib.Parallel(2)(
        joblib.delayed(f)(2.0) for f in (local, decorated, Model(3.0).scaled)
    )
    assert found == [12.0, 5.0, 6.0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork.*")
def test_a_forked_pool():
    """Its processes run what is compiled."""
    assert decorated(3.0) == 10.0
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        assert pool.submit(decorated, 3.0).result(120) == 10.0


def test_texts_go_only_where_nothing_can_be_imported():
    assert texts.texts_without_module([programs.square]) == {}
    namespace = {"__name__": "__main__", "np": np}
    text = "def f(x):\n    return x\n"
    name = "<a cell>"
    exec(compile(text, name, "exec"), namespace)
    texts.keep(name, text)
    assert texts.texts_without_module([myia.jit(namespace["f"])]) == {name: (text,)}
