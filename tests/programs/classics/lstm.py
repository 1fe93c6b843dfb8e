"""A word-level LSTM: its loss, training by gradient descent, and sampling."""

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class LSTM:
    def __init__(self, vocabulary_size, embedding_size, hidden_size, rng):
        scale = 1 / np.sqrt(hidden_size)
        shape = (embedding_size + hidden_size, hidden_size)
        self.hidden_size = hidden_size
        self.embedding = rng.normal(size=(vocabulary_size, embedding_size))
        self.weights = {gate: scale * rng.normal(size=shape) for gate in ("i", "f", "o", "g")}
        self.biases = {gate: np.zeros(hidden_size) for gate in self.weights}
        self.biases["f"] += 1.0
        self.output = scale * rng.normal(size=(hidden_size, vocabulary_size))

    def initial_state(self):
        return np.zeros(self.hidden_size), np.zeros(self.hidden_size)

    def step(self, word, state):
        h, c = state
        z = np.concatenate([self.embedding[word], h])
        gates = {k: z @ self.weights[k] + self.biases[k] for k in self.weights}
        i, f, o = (sigmoid(gates[k]) for k in "ifo")
        c = f * c + i * np.tanh(gates["g"])
        h = o * np.tanh(c)
        return h @ self.output, (h, c)

    def loss(self, sentence):
        state = self.initial_state()
        total = 0.0
        for word, target in zip(sentence[:-1], sentence[1:]):
            scores, state = self.step(word, state)
            scores = scores - scores.max()
            total -= scores[target] - np.log(np.exp(scores).sum())
        return total / (len(sentence) - 1)

    def generate(self, word, end, max_length=10):
        words = []
        state = self.initial_state()
        while word != end and len(words) < max_length:
            scores, state = self.step(word, state)
            word = int(np.argmax(scores))
            words.append(word)
        return words


def corpus_loss(model, sentences):
    return np.mean([model.loss(sentence) for sentence in sentences])


def perplexity(model, sentences):
    return float(np.exp(corpus_loss(model, sentences)))
