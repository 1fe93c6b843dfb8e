"""Simulations with lists of objects: bouncing balls, a flock, and a market."""

from __future__ import annotations

import numpy as np


class Ball:
    def __init__(self, position, velocity, radius=0.1, mass=1.0):
        self.position = np.array(position, dtype=float)
        self.velocity = np.array(velocity, dtype=float)
        self.radius = radius
        self.mass = mass
        self.bounces = 0

    def move(self, dt):
        self.position += self.velocity * dt
        self.velocity[1] -= 9.81 * dt

    def bounce(self, restitution):
        for axis in range(2):
            if self.position[axis] < self.radius and self.velocity[axis] < 0:
                self.position[axis] = 2 * self.radius - self.position[axis]
                self.velocity[axis] *= -restitution
                self.bounces += 1

    def collide(self, other):
        offset = other.position - self.position
        distance = np.linalg.norm(offset)
        if distance == 0 or distance > self.radius + other.radius:
            return False
        normal = offset / distance
        approach = (self.velocity - other.velocity) @ normal
        if approach <= 0:
            return False
        impulse = 2 * approach / (1 / self.mass + 1 / other.mass)
        self.velocity -= impulse / self.mass * normal
        other.velocity += impulse / other.mass * normal
        return True

    @property
    def energy(self):
        kinetic = 0.5 * self.mass * np.sum(self.velocity**2)
        return kinetic + self.mass * 9.81 * self.position[1]


class World:
    def __init__(self, balls, restitution=0.9):
        self.balls = balls
        self.restitution = restitution
        self.time = 0.0
        self.collisions = 0
        self.history = []

    def step(self, dt):
        for ball in self.balls:
            ball.move(dt)
            ball.bounce(self.restitution)
        for i, a in enumerate(self.balls):
            for b in self.balls[i + 1 :]:
                if a.collide(b):
                    self.collisions += 1
        self.time += dt
        self.history.append(sum(ball.energy for ball in self.balls))

    def run(self, t_end, dt=0.01):
        while self.time < t_end - 1e-12:
            self.step(dt)
        return self


def bouncing(positions, velocities, restitution, t_end=0.6):
    world = World([Ball(p, v) for p, v in zip(positions, velocities)], restitution)
    world.run(t_end)
    heights = [ball.position[1] for ball in world.balls]
    bounces = [ball.bounces for ball in world.balls]
    return max(heights), bounces, world.collisions, world.history[-1], len(world.history)


def last_energy(positions, velocities, restitution):
    return bouncing(positions, velocities, restitution, 0.3)[3]


class Trader:
    def __init__(self, name, cash, patience):
        self.name = name
        self.cash = cash
        self.shares = 10.0
        self.patience = patience
        self.memory = []

    def forecast(self):
        recent = self.memory[-self.patience :]
        if len(recent) < 2:
            return 0.0
        return (recent[-1] - recent[0]) / len(recent)

    def order(self, price):
        self.memory.append(price)
        wanted = self.forecast() / price * self.shares
        if wanted > 0:
            return min(wanted, self.cash / price)
        return max(wanted, -self.shares)

    def fill(self, amount, price):
        self.cash -= amount * price
        self.shares += amount


def market(price, shocks, impact=0.02):
    """The price at the end and what the traders have, after days of trade."""
    traders = [Trader("fast", 100.0, 2), Trader("slow", 200.0, 5), Trader("other", 50.0, 3)]
    for shock in shocks:
        orders = {trader.name: trader.order(price) for trader in traders}
        demand = sum(orders.values())
        price *= np.exp(impact * demand + shock)
        for trader in traders:
            trader.fill(orders[trader.name], price)
    wealth = {t.name: t.cash + t.shares * price for t in traders}
    richest = max(wealth, key=wealth.get) if len(shocks) == 0 else None
    return price, wealth, richest


def final_price(price, shocks):
    return market(price, shocks)[0]
