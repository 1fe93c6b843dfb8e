"""Object-oriented: dataclasses, properties, inheritance, abstract methods, operators."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from enum import Enum


@dataclass(frozen=True)
class Vec:
    x: float
    y: float = 0.0

    def __add__(self, other: Vec) -> Vec:
        return Vec(self.x + other.x, self.y + other.y)

    def __sub__(self, other: Vec) -> Vec:
        return Vec(self.x - other.x, self.y - other.y)

    def __mul__(self, factor: float) -> Vec:
        return Vec(self.x * factor, self.y * factor)

    __rmul__ = __mul__

    def __neg__(self) -> Vec:
        return self * -1.0

    def __abs__(self) -> float:
        return math.hypot(self.x, self.y)

    def __iter__(self):
        yield self.x
        yield self.y

    @classmethod
    def polar(cls, r: float, angle: float) -> Vec:
        return cls(r * math.cos(angle), r * math.sin(angle))


class Material(Enum):
    WOOD = 0.7
    STEEL = 7.8


class Shape(ABC):
    """A shape in the plane, with a material."""

    count = 0

    def __init__(self, material: Material = Material.WOOD):
        self.material = material

    @property
    @abstractmethod
    def area(self) -> float: ...

    @property
    def mass(self) -> float:
        return self.area * self.material.value

    @abstractmethod
    def centre(self) -> Vec: ...

    def moved(self, by: Vec) -> Shape:
        return self

    def __lt__(self, other: Shape) -> bool:
        return self.mass < other.mass


class Circle(Shape):
    def __init__(self, centre: Vec, radius: float, **kwargs):
        super().__init__(**kwargs)
        self._centre = centre
        self.radius = radius

    @property
    def area(self) -> float:
        return math.pi * self.radius**2

    @property
    def diameter(self) -> float:
        return 2 * self.radius

    @diameter.setter
    def diameter(self, value: float) -> None:
        if value < 0:
            raise ValueError(f"a diameter of {value}")
        self.radius = value / 2

    def centre(self) -> Vec:
        return self._centre

    def moved(self, by: Vec) -> Circle:
        return Circle(self._centre + by, self.radius, material=self.material)


class Polygon(Shape):
    def __init__(self, *corners: Vec, material: Material = Material.STEEL):
        super().__init__(material)
        self.corners = list(corners)

    def edges(self):
        for i, p in enumerate(self.corners):
            yield p, self.corners[(i + 1) % len(self.corners)]

    @property
    def area(self) -> float:
        return abs(sum(p.x * q.y - p.y * q.x for p, q in self.edges())) / 2

    def centre(self) -> Vec:
        total = Vec(0.0)
        for p in self.corners:
            total += p
        return total * (1 / len(self.corners))

    def moved(self, by: Vec) -> Polygon:
        return type(self)(*[p + by for p in self.corners], material=self.material)


class Square(Polygon):
    def __init__(self, corner: Vec, side: float):
        right, up = Vec(side), Vec(0.0, side)
        super().__init__(corner, corner + right, corner + right + up, corner + up)
        self.side = side

    def moved(self, by: Vec) -> Square:
        return Square(self.corners[0] + by, self.side)


@dataclass
class Scene:
    shapes: list[Shape] = field(default_factory=list)
    origin: Vec = field(default_factory=lambda: Vec(0.0, 0.0))

    def __len__(self) -> int:
        return len(self.shapes)

    def __iter__(self):
        return iter(self.shapes)

    def add(self, *shapes: Shape) -> Scene:
        self.shapes.extend(shapes)
        return self

    def centre_of_mass(self) -> Vec:
        total, mass = Vec(0.0), 0.0
        for shape in self:
            total += shape.mass * (shape.centre() - self.origin)
            mass += shape.mass
        return total * (1 / mass)


def balance(radius: float, side: float, angle: float) -> tuple:
    """The centre of mass of a scene, its distance from the origin, and the lightest shape."""
    circle = Circle(Vec.polar(2.0, angle), radius, material=Material.STEEL)
    scene = Scene().add(
        circle, Square(Vec(side, -side), side), Polygon(Vec(0.0), Vec(1.0), Vec(0.5, 2.0))
    )
    circle.diameter *= 1.1
    moved = replace(scene, shapes=[shape.moved(Vec(0.1, -0.2)) for shape in scene])
    centre = moved.centre_of_mass()
    x, y = centre
    return x, y, abs(centre), min(shape.mass for shape in moved), len(moved)


def imbalance(radius: float, side: float, angle: float) -> float:
    return balance(radius, side, angle)[2]


def lightest(radius: float, side: float) -> float:
    """The area of the lightest shape, and an error where the diameter is negative."""
    circle, square = Circle(Vec(0.0), 1.0), Square(Vec(1.0, 1.0), side)
    circle.diameter = 2 * radius
    return square.area if square < circle else circle.area
