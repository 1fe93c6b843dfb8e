"""Arrays with one element that is not zero along an axis, as the value and index of that element.

In: a region, and a mask that is true once along an axis, at a known index. Out: the ops of the
region on values at that index (`selected.py` for what is zero elsewhere, `taken.py` for all other
arrays), and where the values must be finite for that. Begin with `selected.py`.
"""
