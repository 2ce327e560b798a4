"""What a tokenizer is made of, what it does to texts, and how two of them differ."""
