"""Backtracking over arrays: sudoku, queens, and the best way to pack a knapsack."""

import numpy as np


def find_empty(grid):
    for i in range(len(grid)):
        for j in range(len(grid)):
            if grid[i, j] == 0:
                return i, j
    return None


def is_valid(grid, row, col, num):
    if num in grid[row] or num in grid[:, col]:
        return False
    size = int(len(grid) ** 0.5)
    r, c = size * (row // size), size * (col // size)
    return num not in grid[r : r + size, c : c + size]


def solve(grid):
    """Fills the zeros of a sudoku in place; False if that cannot be."""
    empty = find_empty(grid)
    if empty is None:
        return True
    row, col = empty
    for num in range(1, len(grid) + 1):
        if is_valid(grid, row, col, num):
            grid[row, col] = num
            if solve(grid):
                return True
            grid[row, col] = 0
    return False


def count_queens(n):
    """The number of ways to place n queens."""
    columns, rising, falling = np.zeros(n, bool), np.zeros(2 * n, bool), np.zeros(2 * n, bool)

    def place(row):
        if row == n:
            return 1
        count = 0
        for col in range(n):
            if columns[col] or rising[row + col] or falling[row - col + n]:
                continue
            columns[col] = rising[row + col] = falling[row - col + n] = True
            count += place(row + 1)
            columns[col] = rising[row + col] = falling[row - col + n] = False
        return count

    return place(0)


def pack(values, weights, capacity):
    """The largest value of items that are not heavier than the capacity, and these items."""
    n = len(values)
    chosen = np.zeros(n, dtype=bool)
    best = {"value": 0.0, "chosen": chosen.copy()}

    def visit(i, value, weight):
        if value > best["value"]:
            best["value"] = value
            best["chosen"] = chosen.copy()
        if i == n or value + np.sum(values[i:]) <= best["value"]:
            return
        if weight + weights[i] <= capacity:
            chosen[i] = True
            visit(i + 1, value + values[i], weight + weights[i])
            chosen[i] = False
        visit(i + 1, value, weight)

    visit(0, 0.0, 0.0)
    return best["value"], best["chosen"]
