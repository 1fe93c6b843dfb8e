"""Inverse rendering: where two mirror balls are, found from a picture by a small ray tracer.

For each pixel a ray is followed: to the sky, to a floor that is one of scikit-learn's photographs,
or to the closer ball, which reflects it: the tracer calls itself. Edges of balls and shadows are
soft, so that the picture is a continuous function of the scene. SciPy's BFGS fits places, radii,
colours and the sun to a picture that was rendered from others.

What makes it hard elsewhere: branches for each ray (which ball, sky or floor, shadow), recursion,
and two loops over pixels: array code must compute all sides of all branches for all pixels.

Checked: the gradient against central differences of the tracer as plain Python; the parameters
found against those that the picture was rendered with.
"""

from __future__ import annotations

from math import floor
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.ndimage import gaussian_filter
from scipy.optimize import minimize
from sklearn.datasets import load_sample_image

import myia

EYE, BOUNCES, BALL = np.array([0.0, 1.3, -3.2]), 2, 6
# Of each ball its place x and z, its radius and its colour; the direction of the sun.
TRUTH = np.array([-0.7, 0.5, 0.8, 0.95, 0.7, 0.4, 0.75, -0.3, 0.5, 0.5, 0.75, 0.95, 0.4, -0.5])
AWAY = 0.4 * np.array([0.15, 0.2, -0.1, -0.2, 0.1, 0.2, -0.1, 0.2, 0.1, 0.2, -0.1, -0.2, 0.2, 0.2])


# ----- The compiled functions


def unit(v):
    return v / np.sqrt(v @ v)


def hit(scene, k, origin, ray):
    """The centre of ball k, how far along the ray is closest to it, and how much it is hit."""
    x, z, radius = scene[BALL * k], scene[BALL * k + 1], scene[BALL * k + 2]
    to_centre = np.array([x, radius, z]) - origin
    along = to_centre @ ray
    beside = np.sqrt(max(to_centre @ to_centre - along * along, 1e-12))
    share = min(max((radius - beside) / 0.1 + 0.5, 0.0), 1.0)
    share = share * share * (3 - 2 * share)
    return origin + to_centre, along, share if along > 1e-3 else 0.0


def photographed(photo, x, z):
    """The photograph's colour at a place of the floor, between four pixels; it is repeated."""
    rows, columns = len(photo), len(photo[0])
    y, x = z * 8.0, x * 8.0
    i, j = floor(y), floor(x)
    a, b = y - i, x - j
    i, j = i % rows, j % columns
    below, right = (i + 1) % rows, (j + 1) % columns
    upper = (1 - b) * photo[i, j] + b * photo[i, right]
    lower = (1 - b) * photo[below, j] + b * photo[below, right]
    return (1 - a) * upper + a * lower


def world(scene, photo, origin, ray):
    """The colour of sky or floor, in the shadow of the balls."""
    sky = np.array([0.6, 0.75, 1.0]) * (0.6 + 0.4 * ray[1])
    if ray[1] > -0.02:
        return sky
    place = origin - origin[1] / ray[1] * ray
    sun = unit(np.array([scene[2 * BALL], 1.0, scene[2 * BALL + 1]]))
    light = 1.0
    for k in range(2):
        light *= 1 - 0.7 * hit(scene, k, place, sun)[2]
    haze = min((-0.02 - ray[1]) / 0.2, 1.0)  # the floor begins where the sky ends
    return (1 - haze) * sky + haze * light * photographed(photo, place[0], place[2])


def traced(scene, photo, origin, ray, bounces):
    """The colour that comes along a ray."""
    colour = world(scene, photo, origin, ray)
    if bounces == 0:
        return colour
    first, closest, share, nearest = -1, 1e9, 0.0, np.zeros(3)
    for k in range(2):
        centre, along, part = hit(scene, k, origin, ray)
        if part > 0.0 and along < closest:
            first, closest, share, nearest = k, along, part, centre
    if first >= 0:
        radius, tint = scene[BALL * first + 2], scene[BALL * first + 3 : BALL * first + 6]
        beside = nearest - origin - closest * ray
        depth = np.sqrt(max(radius**2 - beside @ beside, 1e-3 * radius**2))
        place = origin + (closest - depth) * ray
        normal = unit(place - nearest)
        mirrored = unit(ray - 2 * (ray @ normal) * normal)
        reflection = traced(scene, photo, place, mirrored, bounces - 1)
        colour = (1 - share) * colour + share * tint * reflection
    return colour


def picture(scene, photo, rows, columns):
    found = np.empty((rows, columns, 3))
    for i in range(rows):
        for j in range(columns):
            x, y = (j + 0.5) / columns - 0.5, (0.5 - (i + 0.5) / rows) * rows / columns
            found[i, j] = traced(scene, photo, EYE, unit(np.array([x, y - 0.2, 0.7])), BOUNCES)
    return found


def mismatch(scene, photo, target):
    return np.mean((picture(scene, photo, target.shape[0], target.shape[1]) - target) ** 2)


def plot(pictures, path):
    figure = Figure(figsize=(11, 2.8), layout="tight")
    for axes, (title, image) in zip(figure.subplots(1, 3), pictures.items()):
        axes.imshow(np.clip(image, 0, 1))
        axes.set(title=title, xticks=[], yticks=[])
    figure.savefig(path, dpi=120)


def main(folder: str = ".", quick: bool = False) -> dict[str, float]:
    """The error of the gradient, and the largest error of the parameters, before and after."""
    rows, columns = (36, 48) if quick else (72, 96)
    photo = gaussian_filter(load_sample_image("flower.jpg") / 255.0, (6, 6, 0))[::12, ::12]
    render, start = myia.jit(picture), TRUTH + AWAY
    target = render(TRUTH, photo, rows, columns)
    value_and_grad = myia.value_and_grad(mismatch)

    direction, h = np.random.default_rng(0).normal(size=len(start)), 1e-8
    before, slope = value_and_grad(start, photo, target)
    ends = [mismatch(start + s * h * direction, photo, target) for s in (1, -1)]
    error = abs((ends[0] - ends[1]) / (2 * h) / (slope @ direction) - 1)
    print(f"gradient against central differences of plain Python: {error:.1e}")

    found = minimize(value_and_grad, start, args=(photo, target), jac=True, method="BFGS")
    off = np.max(np.abs(found.x - TRUTH))
    print(f"mismatch {before:.1e} -> {found.fun:.1e} in {found.nfev} gradients")
    print(f"largest error of the parameters: {np.max(np.abs(AWAY)):.3f} -> {off:.1e}")
    shown = {"start": start, "found": found.x, "target": TRUTH}
    shown = {k: render(v, photo, rows, columns) for k, v in shown.items()}
    plot(shown, Path(folder, "inverse_rendering.png"))
    assert error < 1e-4 and off < (0.05 if quick else 0.01)
    return {"gradient": error, "off": off}


if __name__ == "__main__":
    main()
