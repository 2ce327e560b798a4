"""Say what a term of the glossary means where a page uses it."""

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    return {"parallel_read_safe": True, "parallel_write_safe": True}
