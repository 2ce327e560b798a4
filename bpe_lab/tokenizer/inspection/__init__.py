"""What is in a tokenizer, and what it does to texts."""
