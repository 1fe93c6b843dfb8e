"""What users see of the API beside numbers: names, texts, options, documentation, logs."""

import doctest
import importlib.metadata
import importlib.resources
import inspect
import logging
from dataclasses import dataclass

import numpy as np
import pytest

import myia

TRANSFORMS = [
    *(myia.jit, myia.grad, myia.value_and_grad, myia.jacfwd, myia.jacrev),
    *(myia.hessian, myia.hvp, myia.elementwise_grad),
]
DERIVATIVES = TRANSFORMS[1:]


def loss(w, x, *, scale=1.0):
    s = 0.0
    for i in range(len(x)):
        s += scale * np.sum((x[i] @ w) ** 2)
    return s


W, X = np.array([1.0, 2.0]), np.array([[1.0, 0.5], [2.0, -1.0]])


def test_version_and_types():
    assert myia.__version__ == importlib.metadata.version("myia")
    assert (importlib.resources.files("myia") / "py.typed").is_file()


def test_every_public_name_is_there_and_documented():
    for name in set(myia.__all__) - {"__version__"}:
        assert inspect.getdoc(getattr(myia, name)), name
    assert set(myia.errors.__all__) <= set(dir(myia.errors))


@pytest.mark.parametrize("f", [*TRANSFORMS, myia.jvp, myia.vjp], ids=lambda f: f.__name__)
def test_docstrings_name_arguments_and_errors_and_have_an_example(f):
    text = inspect.getdoc(f)
    assert "Args" in text and "Raises" in text and "Example:\n    >>> import" in text


PUBLIC = sorted(set(myia.__all__) - set(myia.errors.__all__) - {"__version__", "errors"})


@pytest.mark.parametrize("name", PUBLIC)
def test_the_example_of_a_docstring_runs(name):
    text = inspect.getdoc(getattr(myia, name))
    if "import torch" in text:
        pytest.importorskip("torch")
    found = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert found.examples
    told = []
    doctest.DocTestRunner().run(found, out=told.append)
    assert told == []


def test_objects_show_what_they_are():
    assert repr(myia.jit(loss)) == "myia.jit(loss)"
    assert repr(myia.grad(loss, argnums=(0, 1))) == "myia.grad(loss, argnums=(0, 1))"
    assert repr(myia.hessian(loss)) == "myia.hessian(loss)"
    assert repr(myia.jit(myia.grad(loss))) == "myia.jit(myia.grad(loss))"
    assert repr(myia.hvp(loss, argnames="w")) == "myia.hvp(loss, argnames='w')"
    assert myia.grad(loss).__name__ == "loss"
    assert repr(myia.jit(Model(np.ones(1000)))) == "myia.jit(Model)"
    assert repr(myia.grad(Model(W).loss)) == "myia.grad(Model.loss)"


@dataclass
class Model:
    w: np.ndarray

    def __call__(self, x):
        return x @ self.w

    def loss(self, x):
        return np.sum(self(x))


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda f: f.__name__)
def test_unknown_options_are_answered(transform):
    with pytest.raises(TypeError, match="did you mean 'donate_argnums'"):
        transform(loss, donate_argnum=0)
    with pytest.raises(TypeError, match=r"'holomorphic'.* The options are .*checkpoint.*memory"):
        transform(loss, holomorphic=True)
    for what in (3, "f", np.ones(2)):
        with pytest.raises(TypeError, match=f"myia.{transform.__name__} takes a function, not"):
            transform(what)
    with pytest.raises(TypeError, match="takes a function"):
        transform(None)(1.0)
    with pytest.raises(TypeError, match="static_argnums='x' is neither an int nor a tuple"):
        transform(loss, static_argnums="x")
    with pytest.raises(TypeError, match="loss has no parameter 'y'"):
        transform(loss, static_argnames="y")


def test_options_of_derivatives_are_named_too():
    with pytest.raises(TypeError, match=r"did you mean 'argnames'\? The options are argnames"):
        myia.grad(loss, argname="w")
    with pytest.raises(TypeError, match="argnums or argnames"):
        myia.grad(loss, argnums=1, argnames="w")
    with pytest.raises(TypeError, match="no parameter 'z'"):
        myia.grad(loss, argnames="z")
    with pytest.raises(ValueError, match="names argument w twice"):
        myia.grad(loss, argnames=("w", "w"))
    with pytest.raises(TypeError, match="takes a function"):
        myia.vjp(3, 1.0)


# ----- Arguments by name


@pytest.mark.parametrize("transform", DERIVATIVES, ids=lambda f: f.__name__)
def test_argnames(transform):
    last = (np.array([1.0, -1.0]),) if transform is myia.hvp else ()
    want = transform(loss)(W, X, *last, scale=2.0)
    by_name = transform(loss, argnames="w")
    np.testing.assert_equal(by_name(W, X, *last, scale=2.0), want)
    np.testing.assert_equal(by_name(*last, w=W, x=X, scale=2.0), want)
    np.testing.assert_equal(by_name(*last, x=X, w=W, scale=2.0), want)


def test_argnames_of_keyword_only_parameters():
    gradient = myia.grad(loss, argnames=("scale", "x"))
    by_scale, by_x = gradient(W, X, scale=2.0)
    assert by_scale == loss(W, X)
    np.testing.assert_allclose(by_x, myia.grad(loss, argnums=1)(W, X, scale=2.0))
    again = gradient(w=W, x=X, scale=2.0)
    np.testing.assert_equal(again[1], by_x)
    with pytest.raises(myia.MyiaError, match="the argument `scale` is missing"):
        gradient(W, X)


def test_argnames_of_collected_keywords():
    def f(x, **more):
        return x * more["y"] ** 2

    assert myia.grad(f, argnames="y")(3.0, y=2.0) == 12.0


def test_static_argnames():
    def f(x, n):
        return x * n

    for by_name in (False, True):
        f_static = myia.jit(f, static_argnames="n")
        for n in range(6):
            assert (f_static(1.0, n=n) if by_name else f_static(1.0, n)) == n
        assert f_static.compiles == 6  # each value is a program
    changing = myia.jit(f)
    for n in range(6):
        changing(1.0, n)
    assert changing.compiles < 6


# ----- Texts and logs


def test_stages_and_plans_show_as_they_print():
    texts = myia.grad(loss).ir(W, X)
    assert repr(texts) == str(texts)
    assert all(f"# ----- {name}\n{text}".rstrip() in repr(texts) for name, text in texts.items())
    assert repr(texts["finish"]) == texts["finish"] and "\n" in texts["finish"]
    shown = texts._repr_html_()
    assert shown.count("<details") == len(texts) and shown.count("<details open>") == 1
    assert "-&gt; f64[2] {" in shown  # escaped
    plan = myia.grad(loss).plan(W, X)
    assert repr(plan) == str(plan) and "forward runs" in repr(plan)


def test_compilations_are_logged(caplog):
    f = myia.jit(loss)
    with caplog.at_level(logging.INFO, logger="myia"):
        f(W, X)
        first = [record.getMessage() for record in caplog.records]
        f(W, X)
    assert [record.getMessage() for record in caplog.records] == first  # nothing for a warm call
    assert first[0] == "myia.jit(loss): compiling program 1"
    assert first[1].startswith("myia.jit(loss): inference and lowering took ")
    assert first[2].startswith("myia.jit(loss): first run, with XLA's compilation, took ")


def test_errors_have_public_names():
    def needs_an_int(x):
        return np.sum(np.ones((2, 2)), axis=int(x)) * x

    def wrong_type(x):
        return x + "a"

    with pytest.raises(myia.MyiaError) as found:
        myia.jit(needs_an_int)(2.0)
    assert type(found.value) is myia.errors.MyiaError
    assert type(found.value).__module__ == "myia.errors"
    for show in (myia.jit(needs_an_int).ir, myia.jit(needs_an_int).lower):
        with pytest.raises(myia.MyiaError) as found:
            show(2.0)
        assert type(found.value) is myia.errors.MyiaError
    with pytest.raises(TypeError) as found:
        myia.jit(wrong_type)(2.0)
    assert isinstance(found.value, myia.MyiaError)
    assert type(found.value).__module__ == "myia.errors"
    assert type(found.value).__name__ == "TypeError"


@pytest.mark.parametrize("ndim", [32, 33, 64])
def test_arrays_of_many_dimensions(ndim):
    x = np.ones((1,) * ndim)
    if ndim == 32:
        assert myia.jit(lambda x: x * 2)(x).shape == x.shape
        return
    with pytest.raises(myia.MyiaError, match=f"an argument of {ndim} dimensions is not supported"):
        myia.jit(lambda x: x * 2)(x)
