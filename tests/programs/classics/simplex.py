"""Linear programs by the simplex method, in two phases; what has no solution raises."""

import numpy as np


class LinearProgramError(Exception):
    """Base class."""


class Infeasible(LinearProgramError):
    def __init__(self, violation):
        super().__init__(f"constraints are violated by at least {violation:.3g}")
        self.violation = violation


class Unbounded(LinearProgramError):
    def __init__(self, column):
        super().__init__(f"no bound in the direction of variable {column}")
        self.column = column


def pivot(tableau, basis, row, col):
    tableau[row] /= tableau[row, col]
    for i in range(len(tableau)):
        if i != row and tableau[i, col] != 0:
            tableau[i] -= tableau[i, col] * tableau[row]
    basis[row] = col


def entering(costs, tol=1e-9):
    """Bland's rule."""
    for j, cost in enumerate(costs):
        if cost < -tol:
            return j
    return None


def leaving(tableau, basis, col, tol=1e-9):
    best, best_row = np.inf, None
    for i in range(len(basis)):
        if tableau[i, col] > tol:
            ratio = tableau[i, -1] / tableau[i, col]
            if ratio < best - tol or (abs(ratio - best) <= tol and basis[i] < basis[best_row]):
                best, best_row = ratio, i
    if best_row is None:
        raise Unbounded(col)
    return best_row


def iterate(tableau, basis, n_columns, max_iterations=100):
    for _ in range(max_iterations):
        col = entering(tableau[-1, :n_columns])
        if col is None:
            return
        pivot(tableau, basis, leaving(tableau, basis, col), col)
    raise LinearProgramError("too many iterations")


def maximize(c, A, b):
    """The largest c @ x with A @ x <= b and x >= 0, and where it is."""
    m, n = A.shape
    tableau = np.zeros((m + 1, n + m + m + 1))
    basis = np.zeros(m, dtype=int)
    for i in range(m):
        sign = -1.0 if b[i] < 0 else 1.0
        tableau[i, :n] = sign * A[i]
        tableau[i, n + i] = sign
        tableau[i, -1] = sign * b[i]
        if sign < 0:
            tableau[i, n + m + i] = 1.0
            tableau[-1] -= tableau[i]
            tableau[-1, n + m + i] = 0.0
            basis[i] = n + m + i
        else:
            basis[i] = n + i

    iterate(tableau, basis, n + m)
    if tableau[-1, -1] < -1e-9:
        raise Infeasible(-tableau[-1, -1])

    tableau[-1] = 0.0
    tableau[-1, :n] = -c
    for i, col in enumerate(basis):
        if tableau[-1, col] != 0:
            tableau[-1] -= tableau[-1, col] * tableau[i]
    iterate(tableau, basis, n + m)

    x = np.zeros(n)
    for i in range(m):
        if basis[i] < n:
            x[basis[i]] = tableau[i, -1]
    return tableau[-1, -1], x


def value_or_penalty(c, A, b):
    try:
        value, x = maximize(c, A, b)
    except Unbounded:
        return np.inf
    except Infeasible as error:
        return -100.0 * error.violation
    else:
        return value
