"""`str.join` of strings with run-time numbers in them."""

import pytest

import myia


def of_a_list(x, n):
    print(", ".join([f"{x}", "a", f"{x * 2:.2f}"]))


def of_a_generator(x, n):
    print(", ".join(str(v) for v in (x, n, "b")))


def of_a_map(x, n):
    print("|".join(map(str, [x, x * 2])), "".join([]), "-".join(["a"]))


def with_braces(x, n):
    print("{}".join([str(x), "{0}", str(2 * x)]))


def in_an_f_string(x, n):
    print(f"<{', '.join([str(x)])}>" + "\n".join(["q", str(x)]))


def of_known_texts(x, n):
    print(",".join("abc"), ",".join({"k": 1}), ",".join(("x", "y")))


def of_a_list_that_grows(x, n):
    found = []
    for i in range(3):
        found.append(f"{x * i:.1f}")
    print(" ".join(found))


def of_a_number(x, n):
    try:
        print(",".join(["a", x]))
    except TypeError as e:
        print(e)


def of_a_message(x, n):
    try:
        raise ValueError(", ".join(f"{k}={v}" for k, v in {"a": x, "b": n}.items()))
    except ValueError as e:
        print(e)


@pytest.mark.parametrize(
    "f",
    [
        of_a_list,
        of_a_generator,
        of_a_map,
        with_braces,
        in_an_f_string,
        of_known_texts,
        of_a_list_that_grows,
        of_a_number,
        of_a_message,
    ],
)
def test_printed(f, capsys):
    f(1.5, 2)
    wanted = capsys.readouterr().out
    myia.jit(f)(1.5, 2)
    assert capsys.readouterr().out == wanted


def test_what_is_no_text():
    with pytest.raises(TypeError, match="sequence item 0: expected str instance, float found"):
        myia.jit(lambda x: print(",".join([x, "a"])))(1.5)
    with pytest.raises(TypeError, match="can only join an iterable"):
        myia.jit(lambda x: print(",".join(5)))(1.5)
