"""Anchors as Jupyter makes them, so that one link serves the notebook and the book."""


def jupyter_anchor(heading: str) -> str:
    """Return the anchor that JupyterLab gives a heading.

    >>> jupyter_anchor("The road")
    'The-road'
    """
    return heading.replace(" ", "-")
