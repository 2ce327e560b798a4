"""Files or word counts -> merges."""
