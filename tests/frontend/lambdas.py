"""Lambdas that are hard to find in their source."""
# ruff: noqa: E731
# fmt: off


def plain(fn):
    return fn


def pair(*fns):
    return fns


ON_ONE_LINE = [lambda x: x + 1, lambda x: x + 2, lambda y: y + 1, lambda x: (x if x else 2)]

BY_LINES = [
    lambda x: x
    + 1,
    lambda x: x * (
        2
    ),
]

ALIKE = [lambda x: -1, lambda x: -2, lambda x: x, lambda x: (x)]

CURRIED = lambda x: lambda y: x + y

PAIR = pair(lambda x: x + 1, lambda x: x + 2)


@plain
@plain
def decorated(x):
    # on the fourth line
    return [x,
            x * 3]


def non_ascii(é):
    return "éé" + str(é * 2)
# fmt: on
