"""Texts <-> ids: the tokenizer, its encoders, its files and what can be said of it."""
