"""Identify the code behind a record, and whether it is that of today."""

import contextlib
import hashlib
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpe_lab

if TYPE_CHECKING:
    import pandas

PACKAGE = Path(bpe_lab.__file__).resolve().parent

MEASURED = [f"bpe_lab/{room}/*" for room in ("counting", "training", "words", "stages/**")]
MEASURED += ["ext/*", "ext/experiments/*"]
"""The files of what suites run. Only a checkout has those of `ext`."""

_PYTHON, _CPP = re.compile(r'"""(?:.|\n)*?"""|#(?! cython:).*'), re.compile("//.*")
COMMENTS = {".py": _PYTHON, ".pyx": _PYTHON, ".pxi": _PYTHON, ".pxd": _PYTHON}
COMMENTS |= {".hpp": _CPP, ".cpp": _CPP}
"""Suffix -> what changes no result and no time: comments, docstrings; not Cython's directives."""


def code_facts() -> dict[str, Any]:
    """Return what a benchmark record says about the code: values of other code are not compared.

    :return: version; git (`git describe --always --dirty` of the checkout, None without one);
        native (the first 12 digits of the SHA-256 of the compiled module, None where not built);
        sources (as `sources` gives it).
    """
    digest = None
    with contextlib.suppress(ImportError, OSError):
        from bpe_lab import native

        digest = hashlib.sha256(Path(native.__file__ or "").read_bytes()).hexdigest()[:12]
    git = git_describe(_root())
    return {"version": bpe_lab.__version__, "git": git, "native": digest, "sources": sources()}


def _root() -> Path:
    """Return the checkout that the package was built from, if BPE_LAB_CHECKOUT names it, else the
    folder that holds the package."""
    return Path(os.environ.get("BPE_LAB_CHECKOUT") or PACKAGE.parent)


def git_describe(root: Path) -> str | None:
    """Return `git describe --always --dirty` of a checkout; None for any other folder."""
    if not (root / ".git").exists():
        return None
    words = ["git", "-C", str(root), "describe", "--always", "--dirty"]
    with contextlib.suppress(OSError):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return done.stdout.strip() or None
    return None


def sources() -> str:
    """Return 12 digits of the SHA-256 of what suites run, without comments and empty lines."""
    root, digest = _root(), hashlib.sha256()
    for path in sorted({path for pattern in MEASURED for path in root.glob(pattern)}):
        if path.suffix in COMMENTS:
            code = COMMENTS[path.suffix].sub("", path.read_text(encoding="utf-8"))
            # Blanks at the start of a line are code in Python.
            lines = [line.rstrip() for line in code.splitlines() if line.strip()]
            digest.update("\n".join([path.name, *lines, ""]).encode())
    return digest.hexdigest()[:12]


def program(code: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the part of a record's `code` that decides whether its values may be compared with
    others: all but the name of the commit, because a commit may change no code."""
    return {name: value for name, value in code.items() if name != "git"}


def older_sentence(records: "pandas.DataFrame") -> str:
    """Return the sentence under a table whose records are older than the code; "" if they are
    not."""
    code = records["code"].iloc[0]
    is_ours = code["sources"] == sources()
    return "" if is_ours else f"**Older than the code:** measured with {code_text(code)}."


def code_text(code: Mapping[str, Any]) -> str:
    """Return the `code` of a record in a few words: version and commit."""
    return f"{code['version']} ({code['git']})" if code["git"] else str(code["version"])
