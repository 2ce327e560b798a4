"""Twins in Python of the subtle parts of `ext/`: the same names, the same results, for reading.

A twin leaves out what only makes it fast: types, prefetches, memory that is kept. Tests hold each
to the compiled part: the same merges and the same operation counts, the same slots, the same words.
"""
