"""The calls of programs of other habits, as in `cases.py`."""

from __future__ import annotations

import numpy as np

from tests.programs.cases import Case, derivative_of, rng, value_of
from tests.programs.habits import (
    climate,
    functional,
    matrices,
    particles,
    recipes,
    shapes,
    signals,
    tables,
    texts,
    training,
)

CASES: list[Case] = []
value, derivative = value_of(CASES), derivative_of(CASES)

# ----- Numerical recipes

value(recipes.kepler, 1.3, 0.6)
value(recipes.betacf, 2.5, 1.5, 0.4)
MATRIX = rng().normal(size=(4, 4))
value(recipes.ludcmp, MATRIX)
value(recipes.ludcmp, np.zeros((2, 2)), label="singular")
value(recipes.determinant, MATRIX)
derivative(recipes.kepler, 1.3, 0.6, argnums=(0, 1))
derivative(recipes.betacf, 2.5, 1.5, 0.4, argnums=(0, 1, 2))
derivative(recipes.determinant, MATRIX)

# ----- Shapes

value(shapes.balance, 0.5, 1.2, 0.7)
value(shapes.lightest, 0.5, 1.2)
value(shapes.lightest, 3.5, 0.4, label="square")
value(shapes.lightest, -0.5, 1.2, label="error")
derivative(shapes.imbalance, 0.5, 1.2, 0.7, argnums=(0, 1, 2))

# ----- Functions of functions

NUMBERS = [0.7, 1.2, -0.4, 0.9, 1.6]
value(functional.report, NUMBERS)
value(functional.total, NUMBERS)
value(functional.kth_root, 5.0, 3)
derivative(functional.total, NUMBERS)
derivative(functional.kth_root, 5.0, 3)

# ----- A climate

value(climate.run, 5.0, {"scheme": "leapfrog"}, label="unknown")

# ----- Training

NET = training.init_params([3, 5, 2])
XS, YS = rng(1).normal(size=(20, 3)), rng(2).integers(0, 2, 20)
value(training.loss_fn, NET, (XS, YS))
value(training.fit, NET, XS, YS)
derivative(training.loss_fn, NET, (XS, YS))
derivative(training.last_loss, NET, XS, YS, slow=True)

# ----- Tables

value(tables.lcs, [3, 1, 4, 1, 5, 9], [1, 4, 5, 9, 2])
value(tables.lcs, np.array([3, 1, 4, 1, 5]), np.array([1, 4, 5]), label="arrays")
value(tables.matrix_chain, [30.0, 35.0, 15.0, 5.0, 10.0])
value(tables.knapsack, [60.0, 100.0, 120.0], [1, 2, 3], 5)
EDGES = np.array([[0, 1, 2.5], [1, 2, 0.5], [0, 2, 4.0], [2, 3, 1.0]])
value(tables.floyd_warshall, EDGES, 4)
value(tables.longest_run, NUMBERS)
START, TRANSITION = [0.6, 0.4], [[0.7, 0.3], [0.4, 0.6]]
EMISSION, SEEN = [[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]], [0, 1, 2, 2]
value(tables.viterbi, SEEN, START, TRANSITION, EMISSION)
derivative(tables.cheapest_chain, [30.0, 35.0, 15.0, 5.0, 10.0])
derivative(tables.knapsack, [60.0, 100.0, 120.0], [1, 2, 3], 5)
derivative(tables.greatest_sum, NUMBERS)
derivative(tables.likelihood, START, TRANSITION, EMISSION, SEEN, argnums=(1, 2))

# ----- Matrices

SYMMETRIC = MATRIX @ MATRIX.T + np.diag([1.0, 2.0, 3.0, 4.0])
VECTOR = np.array([1.0, -2.0, 0.5, 3.0])
value(matrices.power_iteration, SYMMETRIC)
value(matrices.solution, SYMMETRIC, VECTOR)
value(matrices.conjugate_gradients, -SYMMETRIC, VECTOR, label="indefinite")
value(matrices.jacobi_eigenvalues, SYMMETRIC[:3, :3])
value(matrices.row_echelon, np.vstack([MATRIX[:2], MATRIX[0] + MATRIX[1]]))
derivative(matrices.energy, SYMMETRIC, VECTOR, argnums=(1,))

# ----- Texts


def codes(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), dtype=np.uint8).astype(np.int64)


TEXT = codes("A man, a plan, a canal: Panama")
value(texts.words, TEXT)
value(texts.letter_frequencies, TEXT)
value(texts.run_lengths, codes("aaabccd"))
value(texts.caesar, TEXT, 3)
value(texts.find_all, codes("abababa"), codes("aba"))
value(texts.find_all, codes("abababa"), codes(""), label="empty")
value(texts.parse_numbers, codes("12 -7 345\n6"))
value(texts.parse_numbers, codes("12 x"), label="error")
value(texts.is_palindrome, TEXT)
value(texts.is_palindrome, codes("Not one"), label="no")
derivative(texts.surprise, TEXT, np.linspace(0.01, 0.07, 26), argnums=(1,))

# ----- Particles

PLACES = np.array([[0.5, 0.3], [0.7, 0.42], [1.5, 1.0]])
SPEEDS = np.array([[0.3, -1.0], [-0.4, 0.2], [-2.0, 0.1]])
value(particles.bouncing, PLACES, SPEEDS, 0.9)
SHOCKS = np.array([0.01, -0.02, 0.03, 0.01, -0.01, 0.02])
value(particles.market, 10.0, SHOCKS)
derivative(particles.last_energy, PLACES, SPEEDS, 0.9, argnums=(0, 1, 2))
derivative(particles.final_price, 10.0, SHOCKS, argnums=(0, 1))

# ----- Signals

SIGNAL = np.sin(0.31 * np.arange(48.0)) + 0.5 * np.cos(1.3 * np.arange(48.0))
value(signals.find_peaks, SIGNAL, 0.2, 3)
value(signals.detect, SIGNAL, 0.8, 0.3)
