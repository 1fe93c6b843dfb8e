"""Random numbers, as NumPy draws them: the words are the same, and how many are taken.

A generator is an instance of a class in NumPy source, compiled like a user's: its state is carried
through branches and loops, recorded, recomputed and replayed like any other. So there is no
derivative here: a sample is a function of words, which have none, and of its parameters.

Read `words/`, `ziggurat.py` and `ziggurat_draws.py` (what is made of them), `sources.py`,
`generator.py` (the methods), `numpy_random.py` (how NumPy's objects come in and go out).
"""
