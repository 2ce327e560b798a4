"""Text -> ids: an encoder to be read, and one to be used."""
