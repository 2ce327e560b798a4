"""What is in a tokenizer, what it does to texts, and how two of them differ."""
