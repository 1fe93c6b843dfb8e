"""A cart with a pole as a game, and a grid to walk on; what ends a game or may not be, raises."""

import math

import numpy as np


class GameOver(Exception):
    def __init__(self, reason, steps):
        super().__init__(reason)
        self.reason = reason
        self.steps = steps


class InvalidAction(ValueError):
    pass


class CartPole:
    gravity = 9.8
    cart_mass = 1.0
    pole_mass = 0.1
    length = 0.5
    tau = 0.02

    def __init__(self, state, max_steps=50):
        self.state = np.array(state, dtype=float)
        self.steps = 0
        self.max_steps = max_steps

    @property
    def total_mass(self):
        return self.cart_mass + self.pole_mass

    def step(self, force):
        if abs(force) > 10.0:
            raise InvalidAction(f"force {force} out of range")
        x, v, theta, omega = self.state
        sin, cos = math.sin(theta), math.cos(theta)
        temp = (force + self.pole_mass * self.length * omega**2 * sin) / self.total_mass
        angular = (self.gravity * sin - cos * temp) / (
            self.length * (4.0 / 3.0 - self.pole_mass * cos**2 / self.total_mass)
        )
        linear = temp - self.pole_mass * self.length * angular * cos / self.total_mass
        self.state = self.state + self.tau * np.array([v, linear, omega, angular])
        self.steps += 1
        if abs(self.state[0]) > 2.4:
            raise GameOver("left the track", self.steps)
        if abs(self.state[2]) > 0.21:
            raise GameOver("the pole fell", self.steps)
        if self.steps >= self.max_steps:
            raise GameOver("time is up", self.steps)
        return self.state, 1.0 - self.state[2] ** 2 - 0.01 * force**2


def play(policy, start, max_steps=50):
    """The return of a linear policy, the steps played, and the actions that were refused."""
    env = CartPole(start, max_steps)
    state, total, refused = env.state, 0.0, 0
    try:
        while True:
            force = policy @ state
            try:
                state, reward = env.step(force)
            except InvalidAction:
                refused += 1
                state, reward = env.step(10.0 * np.sign(force))
            total += reward
    except GameOver as over:
        steps = over.steps
        if over.reason != "time is up":
            total -= 1.0
    return total, steps, refused


def total_reward(policy, start):
    return play(policy, start)[0]


class GridWorld:
    moves = {0: (-1, 0), 1: (0, 1), 2: (1, 0), 3: (0, -1)}

    def __init__(self, walls, goal):
        self.walls = walls
        self.goal = goal
        self.position = (0, 0)

    def step(self, action):
        if action not in self.moves:
            raise InvalidAction(f"no action {action}")
        di, dj = self.moves[action]
        i, j = self.position[0] + di, self.position[1] + dj
        if not (0 <= i < len(self.walls) and 0 <= j < len(self.walls[0])):
            raise IndexError("outside of the grid")
        if self.walls[i, j]:
            return -1.0
        self.position = (i, j)
        if self.position == self.goal:
            raise GameOver("goal", 0)
        return -0.1


def walk(walls, goal, actions):
    """The reward of a list of actions, how far they led, and whether the goal was reached."""
    world, reward = GridWorld(walls, goal), 0.0
    k = 0
    try:
        for k, action in enumerate(actions):
            try:
                reward += world.step(int(action))
            except (IndexError, InvalidAction):
                reward -= 2.0
    except GameOver:
        return reward + 10.0, k, True
    return reward, len(actions), False
