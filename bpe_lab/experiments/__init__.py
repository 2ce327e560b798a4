"""Measured side by side: heaps, maps and hash functions, ways to select, and what did not help."""
