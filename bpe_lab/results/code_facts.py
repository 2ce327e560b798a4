"""Identify the code behind a record, and what of it has changed since."""

import contextlib
import hashlib
import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bpe_lab
from bpe_lab.corpora import data_path

PACKAGE = Path(bpe_lab.__file__).resolve().parent

PARTS = {
    **{room: f"bpe_lab/{room}/*" for room in ("counting", "tokenizer", "training", "words")},
    "stages/": "bpe_lab/stages/**/*",
    "encoder": "ext/*encoder*",
    "ext": "ext/*",
    "ext/experiments": "ext/experiments/*",
}
"""Part of the code, as records name it -> its files; a file belongs to the first part that matches.
Each stage is a part of its own. Only a checkout has the files of `ext`."""

NOT_MEASURED = {"counts_files.py", "id_files.py", "text_maker.pyx"}
"""Files of these folders that no suite runs."""

ONLY_IN = {
    "encoder": ("encoding",),
    "tokenizer": ("encoding",),
    "ext/experiments": ("ablation", "hashing", "limit", "negative", "select"),
}
"""Part -> the suites that run it, where few do."""

_PYTHON, _CPP = re.compile(r'"""(?:.|\n)*?"""|#(?! cython:).*'), re.compile("//.*")
COMMENTS = {".py": _PYTHON, ".pyx": _PYTHON, ".pxi": _PYTHON, ".pxd": _PYTHON}
COMMENTS |= {".hpp": _CPP, ".cpp": _CPP}
"""Suffix -> what changes no result and no time: comments, docstrings; not Cython's directives."""


def code_facts() -> dict[str, Any]:
    """Return what a benchmark record says about the code: values of other code are not compared.

    :return: version; git (`git describe --always --dirty` of the checkout, None without one);
        native (the first 12 digits of the SHA-256 of the compiled module, None where not built);
        sources (as `sources` gives them).
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


def sources() -> dict[str, str]:
    """Return part -> 12 digits of the SHA-256 of its files without comments and empty lines."""
    root, parts = _root(), dict[str, Any]()
    seen: set[Path] = set()
    for part, pattern in PARTS.items():
        for path in sorted({*root.glob(pattern)} - seen):
            if path.suffix not in COMMENTS or path.name in NOT_MEASURED:
                continue
            seen.add(path)
            name = path.relative_to(root / "bpe_lab").as_posix() if part[-1] == "/" else part
            code = COMMENTS[path.suffix].sub("", path.read_text(encoding="utf-8"))
            # Blanks at the start of a line are code in Python.
            lines = [line.rstrip() for line in code.splitlines() if line.strip()]
            digest = parts.setdefault(name, hashlib.sha256())
            digest.update("\n".join([path.name, *lines, ""]).encode())
    return {part: digest.hexdigest()[:12] for part, digest in parts.items()}


def changed_since(code: Mapping[str, Any], suite: str) -> list[str]:
    """Return the parts of the code, of those that a suite runs, that have changed since a record.

    `data/recorded/moved.json` maps the digest of a part to that of the same code, moved or renamed.
    """
    moved = json.loads(data_path("recorded/moved.json").read_text(encoding="utf-8"))
    now, changed = sources(), []
    for part, digest in code["sources"].items():
        while digest in moved:
            digest = moved[digest]
        # An installed package has no sources of its compiled part.
        here = part in now or part.startswith("stages/")
        if here and digest not in now.values() and suite in ONLY_IN.get(part, (suite,)):
            changed.append(part)
    return changed


def program(code: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the part of a record's `code` that decides whether its values may be compared with
    others: all but the name of the commit, because a commit may change no code."""
    return {name: value for name, value in code.items() if name != "git"}


def older_sentence(record: Any) -> str:
    """Return the sentence under a table whose records are older than the code; "" if they are not.

    :param record: one of the records, a mapping or a row of a table, with its `code` and `suite`.
    """
    if not (changed := changed_since(record["code"], record["suite"])):
        return ""
    name = code_text(record["code"])
    return f"**Older than the code:** measured with {name}. Changed since: {', '.join(changed)}."


def code_text(code: Mapping[str, Any]) -> str:
    """Return the `code` of a record in a few words: version and commit."""
    return f"{code['version']} ({code['git']})" if code["git"] else str(code["version"])
