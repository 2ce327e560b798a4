"""Which code a value was measured with, and what of it has changed since."""

import contextlib
import hashlib
import importlib
import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpe_lab

if TYPE_CHECKING:
    import pandas

PACKAGE = Path(bpe_lab.__file__).resolve().parent
ROOMS = ("counting", "tokenizer", "training", "words")
"""Rooms of the package that records describe, besides the files of the stages; not what measures
them."""

ONLY_COMMANDS = ("counting/counts_files.py", "tokenizer/id_files.py")
"""Files of these rooms that no suite runs."""

COMPILED = {"encoder": "ext/*encoder*", "ext": "ext/*", "ext/experiments": "ext/experiments/*"}
"""Part -> its files in a checkout, each in the first part that has it; an installed package has
them compiled. What makes texts is in none: a record names the digest of its text."""

ONLY_IN = {
    "encoder": ("encoding",),
    "ext/experiments": ("ablation", "hashing", "limit", "negative", "select"),
}
"""Part -> the suites that run it, where few do."""

COMMENTS = {
    **dict.fromkeys(
        (".py", ".pyx", ".pxi", ".pxd"), re.compile(r'"""(?:.|\n)*?"""|#(?! cython:).*')
    ),
    **dict.fromkeys((".hpp", ".cpp"), re.compile("//.*")),
}
"""Suffix -> what changes no result and no time: comments and docstrings, not what Cython heeds."""


def code_facts() -> dict[str, Any]:
    """Return what a benchmark record says about the code: values of other code are not compared.

    :return: version; git (`git describe --always --dirty` of the checkout, None without one);
        native (the first 12 digits of the SHA-256 of the compiled module, None where not built);
        sources (part -> the same of its files without comments, as `sources` gives it).

    >>> sorted(code_facts())
    ['git', 'native', 'sources', 'version']
    """
    root = _checkout()
    try:
        native = importlib.import_module("bpe_lab.native").__file__ or ""
        digest = hashlib.sha256(Path(native).read_bytes()).hexdigest()[:12]
    except (ImportError, OSError):
        digest = None
    return {
        "version": bpe_lab.__version__,
        "git": git_describe(root) if root else None,
        "native": digest,
        "sources": sources(),
    }


def git_describe(root: Path) -> str | None:
    """Return `git describe --always --dirty` of a checkout; None of a folder that is none itself.

    >>> git_describe(Path("no_such_folder")) is None
    True
    """
    if not (root / ".git").exists():
        return None
    words = ["git", "-C", str(root), "describe", "--always", "--dirty"]
    with contextlib.suppress(OSError):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return done.stdout.strip() or None
    return None


def sources() -> dict[str, str]:
    """Return a digest of each part of the code that records describe; comments do not count.

    :return: rooms of the package, files of stages, and what is compiled where there is a checkout.

    >>> sources()["stages/naive.py"] == sources()["stages/max_heap.py"]
    False
    """
    kept_out = {PACKAGE / file for file in ONLY_COMMANDS}
    parts = {room: sorted({*(PACKAGE / room).glob("*.py")} - kept_out) for room in ROOMS}
    stages = sorted((PACKAGE / "stages").rglob("*.py"))
    parts |= {path.relative_to(PACKAGE).as_posix(): [path] for path in stages}
    if root := _checkout():
        left = {path for path in root.glob("ext/**/*") if path.suffix in COMMENTS}
        left -= {root / "ext" / "text_maker.pyx"}
        for part, pattern in COMPILED.items():
            parts[part] = sorted(left & {*root.glob(pattern)})
            left -= {*parts[part]}
    return {part: _digest(paths) for part, paths in parts.items()}


def _checkout() -> Path | None:
    """Return the checkout that we run from, or that an installed package was made of if
    BPE_LAB_CHECKOUT names it; the folder above an installed package can be another project's."""
    root = Path(os.environ.get("BPE_LAB_CHECKOUT") or PACKAGE.parent)
    return root if (root / ".git").exists() and (root / "pyproject.toml").exists() else None


def _digest(paths: Iterable[Path]) -> str:
    """Return the digest of files without comments and empty lines."""
    digest = hashlib.sha256()
    for path in paths:
        code = COMMENTS[path.suffix].sub("", path.read_text(encoding="utf-8"))
        # Blanks at the begin of a line are code in Python.
        lines = [line.rstrip() for line in code.splitlines() if line.strip()]
        digest.update("\n".join([path.name, *lines, ""]).encode())
    return digest.hexdigest()[:12]


def changed_since(code: "str | Mapping[str, Any]", suite: str) -> list[str]:
    """Return the parts of the code that have changed since a record was made.

    :param code: of the record.
    :param suite: of the record; parts that it does not run are left out.
    :return: names of parts; of which the record says nothing (`unknown_parts`), none.

    >>> changed_since(code_facts(), "ladder")
    []
    >>> older = {**sources(), "words": "97dc97dc97dc", "encoder": "97dc97dc97dc"}
    >>> changed_since({"version": "0.1.0", "sources": older}, "ladder")
    ['words']
    """
    now = sources()
    # An installed package has no sources of its compiled part.
    left_out = () if "ext" in now else COMPILED
    return [
        part
        for part, digest in _recorded(code).items()
        if now.get(part) != digest and part not in left_out and _runs(suite, part)
    ]


def unknown_parts(code: "str | Mapping[str, Any]", suite: str) -> list[str]:
    """Return the parts of which a record does not say what they were.

    A stage is none of them: that of a later file changes no other.

    :param code: of the record.
    :param suite: of the record; parts that it does not run are left out.

    >>> unknown_parts({"version": "0.1.0", "sources": {"counting": "97dc97dc97dc"}}, "ladder")[:3]
    ['tokenizer', 'training', 'words']
    """
    return [
        part
        for part in sources()
        if part not in _recorded(code) and not part.startswith("stages/") and _runs(suite, part)
    ]


def _runs(suite: str, part: str) -> bool:
    return suite in ONLY_IN.get(part, (suite,))


def _recorded(code: "str | Mapping[str, Any]") -> Mapping[str, str]:
    """Return the digests in a record's `code`."""
    return {} if isinstance(code, str) else code.get("sources", {})


def program(code: "str | Mapping[str, Any]") -> "str | Mapping[str, Any]":
    """Return what of a record's `code` decides whether its values may stand beside others: all but
    the name of the commit, for one that changes a text changes no time.

    >>> facts = code_facts()
    >>> program(facts) == program({**facts, "git": "another"})
    True
    """
    if isinstance(code, str) or not code.get("sources"):
        return code
    return {part: value for part, value in code.items() if part != "git"}


def older_sentence(record: "Mapping[Any, Any] | pandas.Series[Any]") -> str:
    """Return the sentences under a table whose records are older than the code, or may be; "" if
    they are not.

    :param record: one of them, with its `code` and `suite`.

    >>> older_sentence({"code": code_facts(), "suite": "ladder"})
    ''
    """
    code, suite = record["code"], record["suite"]
    said, name = [], code_text(code)
    if changed := changed_since(code, suite):
        which = ", ".join(changed)
        said.append(f"**Older than the code:** measured with {name}. Changed since: {which}.")
    if unknown := unknown_parts(code, suite):
        which = ", ".join(unknown)
        said.append(f"Measured with {name}, which does not say what these were: {which}.")
    return " ".join(said)


def code_text(code: "str | Mapping[str, Any]") -> str:
    """Return the `code` of a record in a few words.

    >>> code_text({"version": "0.1.0", "git": "0.1-3-gb17a5a6", "native": "97dc"})
    '0.1.0 (0.1-3-gb17a5a6)'
    """
    if isinstance(code, str):
        return code  # of an older record: a digest of its sources
    return f"{code['version']} ({code['git']})" if code["git"] else str(code["version"])
