"""Judges code that is not ours: whether a trainer or a stage is right, and what its mistake is."""
