"""The calls of the programs: of which the outcome is compared, and which are differentiated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.programs.classics import (
    backtracking,
    game,
    gpt,
    kd_tree,
    lstm,
    parser,
    quadrature,
    queueing,
    simplex,
    spelling,
)


@dataclass(frozen=True)
class Case:
    """A call; with `argnums`, the arguments whose derivatives are compared, one after the other."""

    f: Callable
    args: tuple
    argnums: tuple[int, ...] | None = None
    label: str = ""
    slow: bool = False

    @property
    def name(self) -> str:
        kind = "value" if self.argnums is None else "derivative"
        program = self.f.__module__.rpartition(".")[2]
        return ".".join(filter(None, (program, self.f.__name__, self.label, kind)))


def value_of(cases: list[Case]) -> Callable[..., None]:
    """Adds a call to `cases`."""

    def value(f: Callable, *args: Any, label: str = "", slow: bool = False) -> None:
        cases.append(Case(f, args, None, label, slow))

    return value


def derivative_of(cases: list[Case]) -> Callable[..., None]:
    """Adds a call to `cases`, and the arguments that it is differentiated in."""

    def derivative(
        f: Callable,
        *args: Any,
        argnums: tuple[int, ...] = (0,),
        label: str = "",
        slow: bool = False,
    ) -> None:
        cases.append(Case(f, args, argnums, label, slow))

    return derivative


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


CASES: list[Case] = []
value, derivative = value_of(CASES), derivative_of(CASES)

# ----- A GPT

PARAMS = gpt.init(rng())
value(gpt.lm_loss, PARAMS, [3, 1, 4, 1, 5, 9, 2, 6], 2)
value(gpt.generate, [3, 1, 4], PARAMS, 2, 4, slow=True)
derivative(gpt.lm_loss, PARAMS, [3, 1, 4, 1, 5, 9, 2, 6], 2)

# ----- Quadrature

for width, a, b in ((0.3, -1.0, 2.0), (1.0, 1.0, 0.0), (0.1, 0.5, 0.5)):
    value(quadrature.peak, width, a, b, label=f"{a}_{b}")
value(quadrature.arc_length, 2.0, 0.7)
derivative(quadrature.peak, 0.3, -1.0, 2.0, argnums=(0, 1, 2))
derivative(quadrature.arc_length, 2.0, 0.7, argnums=(0, 1))

# ----- A queue

GAPS, SERVICE = rng().exponential(1.0, 25), rng(1).exponential(1.7, 25)
value(queueing.simulate, GAPS, SERVICE)
value(queueing.simulate, GAPS, SERVICE, 1, 5.0, label="closing")
value(queueing.simulate, GAPS, SERVICE, 2, 0.0, label="closed")
derivative(queueing.mean_wait, GAPS, SERVICE, 2, argnums=(0, 1))

# ----- Linear programs

COSTS = np.array([3.0, 2.0, 4.0])
ROWS = np.array([[1.0, 1.0, 2.0], [2.0, 0.0, 3.0], [2.0, 1.0, 3.0]])
BOUNDS = np.array([4.0, 5.0, 7.0])
AT_LEAST = np.array([[-1.0, -1.0, -1.0], [1.0, 2.0, 1.0]])
value(simplex.maximize, COSTS, ROWS, BOUNDS)
value(simplex.maximize, COSTS, AT_LEAST, np.array([-1.0, 5.0]), label="two_phases")
value(simplex.maximize, COSTS, AT_LEAST, np.array([-7.0, 5.0]), label="infeasible")
value(simplex.maximize, COSTS, -AT_LEAST[:1] * 0.0, np.array([1.0]), label="unbounded")
value(simplex.value_or_penalty, COSTS, ROWS, BOUNDS)
value(simplex.value_or_penalty, COSTS, AT_LEAST, np.array([-7.0, 5.0]), label="infeasible")
value(simplex.value_or_penalty, COSTS, AT_LEAST[:1], np.array([-7.0]), label="unbounded")
derivative(simplex.value_or_penalty, COSTS, ROWS, BOUNDS, argnums=(0, 1, 2))
derivative(
    simplex.value_or_penalty,
    COSTS,
    AT_LEAST,
    np.array([-7.0, 5.0]),
    argnums=(2,),
    label="infeasible",
)

# ----- Spelling

WORDS = [
    spelling.as_bytes(w)
    for w in ["gradient", "compile", "tape", "adjoint", "array", "python", "loop", "tap"]
]
KEYS = np.array([[k % 9, k // 9] for k in range(26)]) * 0.3 + rng().normal(size=(26, 2)) * 0.1
for misspelt in ("gradeint", "tape", "xyzzyxyzzy", "lop", ""):
    value(spelling.suggest, spelling.as_bytes(misspelt), WORDS, label=misspelt or "empty")
PAIR = spelling.as_bytes("compile"), spelling.as_bytes("conpiler")
value(spelling.keyboard_distance, *PAIR, 0.7, KEYS)
derivative(spelling.keyboard_distance, *PAIR, 0.7, KEYS, argnums=(2, 3))

# ----- Trees

POINTS, TARGETS = rng().normal(size=(13, 2)), rng(1).normal(size=(5, 2))
value(kd_tree.distance, POINTS[:7], TARGETS[0])
value(kd_tree.query_all, POINTS, TARGETS)
value(kd_tree.query_all, POINTS[:1], TARGETS, label="one")
value(kd_tree.query_all, POINTS[:0], TARGETS, label="none")
derivative(kd_tree.distance, POINTS[:5], TARGETS[0], argnums=(0, 1), slow=True)
derivative(kd_tree.chamfer, POINTS, TARGETS, argnums=(0, 1))

# ----- Formulas

FORMULA = "sin ( x * 2 ) / ( 1 + x ^ 2 ) - exp ( - y ) * - x ^ 3 + 2 ^ - y"
value(parser.evaluate, *parser.tokens(FORMULA, x=0.7, y=1.3))
for wrong in ("( 1 + 2", "1 + + * 2", "1 2", ""):
    value(parser.evaluate, *parser.tokens(wrong), label=wrong.replace(" ", "") or "empty")
derivative(parser.evaluate, *parser.tokens(FORMULA, x=0.7, y=1.3), argnums=(1,))

# ----- An LSTM

MODEL = lstm.LSTM(7, 3, 4, rng())
SENTENCES = [[0, 3, 2, 6], [0, 1, 6], [0, 5, 4, 1, 2, 6]]
value(lstm.corpus_loss, MODEL, SENTENCES)
value(lstm.perplexity, MODEL, [np.array(s) for s in SENTENCES], label="arrays")
value(lstm.LSTM.generate, MODEL, 0, 6)
derivative(lstm.corpus_loss, MODEL, SENTENCES)
derivative(lstm.corpus_loss, MODEL, [np.array(s) for s in SENTENCES], label="arrays")

# ----- Backtracking

SUDOKU = np.array([[0, 2, 0, 0], [0, 0, 0, 1], [3, 0, 0, 0], [0, 0, 4, 0]])
value(backtracking.solve, SUDOKU)
value(
    backtracking.solve,
    np.array([[1, 2, 3, 0], [0, 0, 0, 4], [0, 0, 0, 0], [0, 0, 0, 0]]),
    label="no",
)
value(backtracking.count_queens, 5)
VALUES, WEIGHTS = rng().uniform(1, 2, 8), rng(1).uniform(1, 2, 8)
value(backtracking.pack, VALUES, WEIGHTS, 5.5)
value(backtracking.pack, VALUES, WEIGHTS, 0.5, label="nothing")


def packed(values: np.ndarray, weights: np.ndarray, capacity: float) -> float:
    return backtracking.pack(values, weights, capacity)[0]


derivative(packed, VALUES, WEIGHTS, 5.5)

# ----- Games

POLICY, START = np.array([0.5, 1.0, 20.0, 3.0]), np.array([0.01, 0.0, 0.03, -0.02])
value(game.play, POLICY, START)
value(game.play, POLICY * 30, START, label="refused")
value(game.play, -POLICY, START, label="fell")
derivative(game.total_reward, POLICY, START, argnums=(0, 1))
derivative(game.total_reward, -POLICY, START, label="fell")
WALLS = np.zeros((3, 4), dtype=bool)
WALLS[1, 1] = True
for label, actions in (
    ("goal", [1, 1, 1, 2, 2, 0]),
    ("outside", [0, 1, 2, 3]),
    ("invalid", [1, 7, 1]),
    ("none", []),
):
    value(game.walk, WALLS, (2, 3), np.array(actions, dtype=int), label=label)
