"""Suggestions for misspelled words: edit distances over arrays of bytes."""

import numpy as np


def edit_distance(a, b, limit):
    """Levenshtein's distance; `limit` where it is at least that."""
    if abs(len(a) - len(b)) >= limit:
        return limit
    previous = list(range(len(b) + 1))
    for i in range(1, len(a) + 1):
        current = [i]
        for j in range(1, len(b) + 1):
            substitution = previous[j - 1] + (a[i - 1] != b[j - 1])
            current.append(min(previous[j] + 1, current[j - 1] + 1, substitution))
        if min(current) >= limit:
            return limit
        previous = current
    return min(previous[-1], limit)


def suggest(word, dictionary, limit=4):
    """The number of the nearest word, and its distance; None if none is near."""
    best = None
    best_distance = limit
    for k, candidate in enumerate(dictionary):
        distance = edit_distance(word, candidate, best_distance)
        if distance < best_distance:
            best, best_distance = k, distance
            if distance == 0:
                break
    return best, best_distance


def keyboard_distance(a, b, cost_of_gap, positions):
    """A distance with costs of keys that are far apart: positions[letter] is where a key is."""
    m, n = len(a), len(b)
    d = np.zeros((m + 1, n + 1))
    d[:, 0] = cost_of_gap * np.arange(m + 1)
    d[0, :] = cost_of_gap * np.arange(n + 1)
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            p, q = positions[a[i - 1] - ord("a")], positions[b[j - 1] - ord("a")]
            replace = d[i - 1, j - 1] + (0.0 if a[i - 1] == b[j - 1] else np.hypot(*(p - q)))
            d[i, j] = min(d[i - 1, j] + cost_of_gap, d[i, j - 1] + cost_of_gap, replace)
    return d[m, n]


def as_bytes(word):
    return np.frombuffer(word.encode(), dtype=np.uint8)
