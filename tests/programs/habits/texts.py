"""Texts as lists and arrays of characters' codes: words, counts, compression, search."""

import numpy as np

SPACE, NEWLINE = ord(" "), ord("\n")


def is_letter(c):
    return 97 <= c <= 122 or 65 <= c <= 90


def words(text):
    """Where the words begin and end."""
    start = None
    spans = []
    for i, c in enumerate(text):
        if is_letter(c):
            if start is None:
                start = i
        elif start is not None:
            spans.append((start, i))
            start = None
    if start is not None:
        spans.append((start, len(text)))
    return spans


def letter_frequencies(text):
    counts = [0] * 26
    for c in text:
        if 65 <= c <= 90:
            c += 32
        if 97 <= c <= 122:
            counts[c - 97] += 1
    n = sum(counts)
    return [k / n for k in counts] if n else counts


def run_lengths(text):
    out = []
    i = 0
    while i < len(text):
        j = i
        while j < len(text) and text[j] == text[i]:
            j += 1
        out.append((int(text[i]), j - i))
        i = j
    return out


def caesar(text, shift):
    result = text.copy()
    for i, c in enumerate(text):
        for base in (65, 97):
            if base <= c < base + 26:
                result[i] = (c - base + shift) % 26 + base
    return result


def failure_table(pattern):
    table = [0] * len(pattern)
    k = 0
    for i in range(1, len(pattern)):
        while k > 0 and pattern[k] != pattern[i]:
            k = table[k - 1]
        if pattern[k] == pattern[i]:
            k += 1
        table[i] = k
    return table


def find_all(text, pattern):
    """All places of a pattern, by Knuth, Morris and Pratt."""
    if len(pattern) == 0:
        raise ValueError("empty pattern")
    table, k, found = failure_table(pattern), 0, []
    for i, c in enumerate(text):
        while k > 0 and pattern[k] != c:
            k = table[k - 1]
        if pattern[k] == c:
            k += 1
        if k == len(pattern):
            found.append(i - k + 1)
            k = table[k - 1]
    return found


def parse_numbers(text):
    """The integers of a text; what is neither digit, sign nor space is an error."""
    numbers, value, sign, inside = [], 0, 1, False
    for position, c in enumerate(list(text) + [SPACE]):
        if 48 <= c <= 57:
            value = 10 * value + int(c) - 48
            inside = True
        elif c == 45 and not inside:
            sign = -1
        elif c in (SPACE, NEWLINE):
            if inside:
                numbers.append(sign * value)
            value, sign, inside = 0, 1, False
        else:
            raise ValueError(f"unexpected character {c} at {position}")
    return numbers


def is_palindrome(text):
    i, j = 0, len(text) - 1
    while i < j:
        if not is_letter(text[i]):
            i += 1
        elif not is_letter(text[j]):
            j -= 1
        elif (text[i] | 32) != (text[j] | 32):
            return False
        else:
            i, j = i + 1, j - 1
    return True


def surprise(text, probabilities):
    """The information in a text, given the probabilities of its letters."""
    total = 0.0
    for c in text:
        if is_letter(c):
            total -= np.log2(probabilities[(c | 32) - 97])
    return total
