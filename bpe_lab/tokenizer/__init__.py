"""Texts <-> ids: the tokenizer, its encoders, its files, and its inspection."""
