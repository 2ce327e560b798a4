"""Phase one: files -> how often each word occurs."""
