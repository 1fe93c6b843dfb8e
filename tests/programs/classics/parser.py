"""Formulas in an array of tokens, evaluated by recursive descent."""

import math

import numpy as np

END, NUMBER, VARIABLE, PLUS, MINUS, TIMES, DIVIDE, POWER, OPEN, CLOSE, SIN, EXP = range(12)


class ParseError(Exception):
    def __init__(self, message, position):
        super().__init__(f"{message} at token {position}")
        self.position = position


class Parser:
    """Tokens are kinds; of numbers and variables, `values` has their values."""

    def __init__(self, kinds, values):
        self.kinds = kinds
        self.values = values
        self.position = 0

    def peek(self):
        return self.kinds[self.position] if self.position < len(self.kinds) else END

    def accept(self, kind):
        if self.peek() == kind:
            self.position += 1
            return True
        return False

    def expression(self):
        value = self.term()
        while True:
            if self.accept(PLUS):
                value += self.term()
            elif self.accept(MINUS):
                value -= self.term()
            else:
                return value

    def term(self):
        value = self.factor()
        while self.peek() in (TIMES, DIVIDE):
            if self.accept(TIMES):
                value *= self.factor()
            else:
                self.position += 1
                value /= self.factor()
        return value

    def factor(self):
        if self.accept(MINUS):
            return -self.factor()
        base = self.atom()
        if self.accept(POWER):
            return base ** self.factor()
        return base

    def atom(self):
        position = self.position
        if self.accept(NUMBER) or self.accept(VARIABLE):
            return self.values[position]
        if self.accept(OPEN):
            value = self.expression()
            if not self.accept(CLOSE):
                raise ParseError("expected a closing parenthesis", self.position)
            return value
        if self.accept(SIN):
            return math.sin(self.atom())
        if self.accept(EXP):
            return math.exp(self.atom())
        raise ParseError("unexpected token", position)


def evaluate(kinds, values):
    parser = Parser(kinds, values)
    value = parser.expression()
    if parser.position != len(kinds):
        raise ParseError("unexpected token", parser.position)
    return value


def evaluate_or(kinds, values, default):
    try:
        return evaluate(kinds, values)
    except ParseError as error:
        return default * (1 + error.position)


def tokens(text, **variables):
    kinds, values = [], []
    symbols = dict(zip("+-*/^()", (PLUS, MINUS, TIMES, DIVIDE, POWER, OPEN, CLOSE)))
    for word in text.split():
        if word in symbols:
            kinds.append(symbols[word])
            values.append(0.0)
        elif word in ("sin", "exp"):
            kinds.append(SIN if word == "sin" else EXP)
            values.append(0.0)
        elif word in variables:
            kinds.append(VARIABLE)
            values.append(variables[word])
        else:
            kinds.append(NUMBER)
            values.append(float(word))
    return np.array(kinds), np.array(values)
