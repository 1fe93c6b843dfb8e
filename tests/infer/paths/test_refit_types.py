"""A loop that is visited again with numbers of another type keeps these types."""

import myia


def test_integers_after_floats():
    def program(x):
        found = []
        for start, step, bound in ((x, 2.0 * x, x), (1, 2, x), (True, 1, x)):
            best, k = start, 0
            while bound * k < 3.0 * x:
                best = best + step
                k += 1
            found.append(best)
        return found

    got, want = myia.jit(program)(1.5), program(1.5)
    assert got == want
    assert list(map(type, got)) == list(map(type, want)) == [float, int, int]


def test_extrema_of_floats_and_of_indices():
    def program(xs):
        return max(xs, key=lambda x: -abs(x - 3.5)), max(range(len(xs)), key=lambda i: xs[i])

    xs = [float((7 * i) % 23) for i in range(20)]
    assert myia.jit(program)(xs) == program(xs)
    assert type(myia.jit(program)(xs)[1]) is int
