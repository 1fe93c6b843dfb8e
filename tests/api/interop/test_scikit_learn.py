"""Estimators of scikit-learn whose `fit` uses our gradients."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import myia

sklearn = pytest.importorskip("sklearn")
from scipy.optimize import minimize  # noqa: E402
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone  # noqa: E402
from sklearn.datasets import make_classification, make_regression  # noqa: E402
from sklearn.linear_model import LogisticRegression, Ridge  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402
from sklearn.utils.validation import check_is_fitted, validate_data  # noqa: E402


def squares(w, x, y, alpha):
    """Ridge regression, written with loops."""
    total = 0.0
    for i in range(len(y)):
        r = w[-1] - y[i]
        for j in range(x.shape[1]):
            r += w[j] * x[i, j]
        total += r * r
    return total + alpha * np.sum(w[:-1] ** 2)


@myia.jit
def affine(x, w):
    return x @ w[:-1] + w[-1]


class OurRidge(RegressorMixin, BaseEstimator):
    """The gradient is a function of the module."""

    def __init__(self, alpha=1.0, loss=squares):
        self.alpha, self.loss = alpha, loss

    def fit(self, X, y):
        X, y = validate_data(self, X, y, y_numeric=True)
        X, y = X.astype(np.float64), np.asarray(y, np.float64)
        start = np.zeros(X.shape[1] + 1)
        value_and_grad = myia.value_and_grad(self.loss)
        args = (X, y, float(self.alpha))
        found = minimize(value_and_grad, start, args, jac=True, method="BFGS", tol=1e-8)
        self.w_ = found.x
        return self

    def predict(self, X):
        check_is_fitted(self)
        return affine(validate_data(self, X, reset=False).astype(np.float64), self.w_)


class Logistic(ClassifierMixin, BaseEstimator):
    """Compiled functions are attributes, and a method is compiled."""

    def __init__(self, penalty=1.0, steps=40):
        self.penalty, self.steps = penalty, steps

    def loss(self, w, x, t):
        return np.sum(np.logaddexp(0.0, -t * (x @ w))) + 0.5 * self.penalty * np.sum(w * w)

    def fit(self, X, y):
        X, y = validate_data(self, X, y)
        self.classes_ = np.unique(y)
        t = np.where(y == self.classes_[-1], 1.0, -1.0)
        self.slope_, self.curvature_ = myia.grad(self.loss), myia.hessian(self.loss)
        self.score_ = myia.jit(lambda w, x: x @ w)
        self.w_ = np.zeros(X.shape[1])
        for _ in range(self.steps):
            step = np.linalg.solve(self.curvature_(self.w_, X, t), self.slope_(self.w_, X, t))
            self.w_ -= step
            if np.max(np.abs(step)) < 1e-12:
                break
        return self

    def predict(self, X):
        scores = self.score_(self.w_, validate_data(self, X, reset=False))
        return self.classes_[(scores > 0).astype(int)]


@pytest.fixture(scope="module")
def regression():
    return make_regression(60, 3, noise=5.0, random_state=0)


@pytest.fixture(scope="module")
def classification():
    return make_classification(60, 4, random_state=0)


def test_the_estimates_are_those_of_scikit_learn(regression, classification):
    x, y = regression
    ours, theirs = OurRidge(2.0).fit(x, y), Ridge(2.0).fit(x, y)
    np.testing.assert_allclose(ours.w_, [*theirs.coef_, theirs.intercept_], rtol=1e-6)
    np.testing.assert_allclose(ours.score(x, y), theirs.score(x, y), rtol=1e-9)
    x, t = classification
    found = Logistic(2.0).fit(x, t)
    wanted = LogisticRegression(C=0.5, fit_intercept=False, tol=1e-10).fit(x, t)
    np.testing.assert_allclose(found.w_, wanted.coef_[0], rtol=1e-5)


def test_clones_and_pickles(classification):
    x, t = classification
    model = Logistic(2.0).fit(x, t)
    other = clone(model)
    assert other.penalty == 2.0 and not hasattr(other, "w_")
    assert clone(OurRidge(loss=squares)).loss is squares
    again = pickle.loads(pickle.dumps(OurRidge(loss=squares).fit(x, t)))
    assert np.array_equal(again.predict(x), OurRidge(loss=squares).fit(x, t).predict(x))
    other.set_params(penalty=0.1).fit(x, t)
    assert not np.allclose(other.w_, model.w_)
    # The slope of the fitted one is that of its own penalty.
    signs = np.where(t == 1, 1.0, -1.0)
    np.testing.assert_allclose(model.slope_(model.w_, x, signs), np.zeros(4), atol=1e-9)
    model.penalty = 3.0
    np.testing.assert_allclose(model.slope_(model.w_, x, signs), model.w_, rtol=1e-6)


def test_cross_validation_in_two_processes(regression):
    """joblib sends the estimators to processes of its own, by cloudpickle."""
    x, y = regression
    grid = {"ourridge__alpha": [0.1, 10.0]}
    search = GridSearchCV(make_pipeline(StandardScaler(), OurRidge()), grid, cv=2, n_jobs=2)
    theirs = GridSearchCV(
        make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [0.1, 10.0]}, cv=2
    )
    search.fit(x, y)
    found, wanted = search.cv_results_, theirs.fit(x, y).cv_results_
    np.testing.assert_allclose(found["mean_test_score"], wanted["mean_test_score"], rtol=1e-6)
    assert search.best_params_ == {"ourridge__alpha": 0.1}


def test_cross_validation_of_fitted_attributes(classification):
    x, t = classification
    assert cross_val_score(Logistic(), x, t, cv=3).mean() > 0.8
    assert cross_val_predict(Logistic(), x, t, cv=2, n_jobs=2).shape == t.shape


@pytest.mark.slow
def test_check_estimator():
    check_estimator(OurRidge(), expected_failed_checks={})
