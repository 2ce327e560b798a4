"""Judges code that is not ours: a trainer, a tokenizer or a stage."""
