"""Generators: woven into the loop that takes all items, or resumed where they stopped.

`weaving.py` infers the body of a loop where the generator yields: no state is kept. What it cannot
do (`next`, a loop after a loop, two generators in turns) goes by *continuations*: `resumption.py`
runs the blocks of the generator (`infer/recursion/blocks.py`) up to the next `yield`, and keeps
where it goes on, with the values that are live there (`continuations.py`).
"""
