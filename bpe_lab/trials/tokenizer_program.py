"""Finds and calls a tokenizer that is not ours, in its interpreter: `child_program.py` loads it.

It needs the standard library only, of Python 3.8 or later, and imports nothing of bpe_lab.
"""

from __future__ import annotations

import inspect
import runpy
import time
from functools import lru_cache
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

NAMES = ("get_tokenizer", "Tokenizer")  # what it is called, where no name is given
NEEDED = ("encode", "decode")  # its methods

found: dict[str, Any] = {}
"""The tokenizer of this process."""


def find(place: str, name: str | None, folders: list[str]) -> dict[str, Any]:
    """Find the tokenizer of a file or a module; return its name, "" for none, its methods, and
    whether there is a trainer, too."""
    trainers = runpy.run_path(str(Path(__file__).with_name("trainer_program.py")))
    unfit, module = trainers["UnfitError"], trainers["load"](place, folders)
    values = vars(module)
    if name:
        names = [trainers["find_trainer"](module, name)[0]]
    else:
        names = [known for known in NAMES if known in values][:1] or [
            name
            for name, value in values.items()
            if inspect.isclass(value) and value.__module__ == module.__name__
            if all(hasattr(value, method) for method in NEEDED)
        ]
    fit = [name for name in names if not why_not(name, values[name])]
    has_trainer = not name and any(known in values for known in trainers["NAMES"])
    if len(fit) > 1:
        raise unfit(f"it has {' and '.join(fit)}: name one, as FILE.py:{fit[0]}")
    if fit:
        found["tokenizer"] = values[fit[0]]
        return {"name": fit[0], "methods": methods(values[fit[0]]), "trainer": has_trainer}
    for nearly in names[:1]:
        own = values[nearly]
        if not has_trainer and hasattr(own, NEEDED[0]) and not hasattr(own, "train"):
            raise unfit(why_not(nearly, own))
    return {"name": "", "methods": [], "trainer": has_trainer}


def why_not(name: str, value: Any) -> str:
    """Say why something makes no tokenizer of a vocabulary and merges; "": it does.

    >>> why_not("mine", lambda vocab, merges, special_tokens=None: None), why_not("mine", dict)
    ('', 'mine has no `encode`: CS336 asks for Tokenizer(vocab, merges, special_tokens)')
    """
    course = "CS336 asks for Tokenizer(vocab, merges, special_tokens)"
    lacking = [method for method in NEEDED if not hasattr(value, method)]
    if inspect.isclass(value) and lacking:
        return f"{name} has no `{lacking[0]}`: {course}"
    try:
        taken = ", ".join(inspect.signature(value).parameters)
    except (TypeError, ValueError):  # a compiled one may not tell
        taken = "?, ?"
    first, _, others = taken.partition(", ")
    second = others.partition(", ")[0]
    wrong = "merge" in first or "size" in first or "vocab" in second or "special" in second
    return f"{name} takes ({taken}): {course}" if wrong or not second else ""


def methods(tokenizer: Any) -> list[str]:
    """Return the methods that are there; of a function that makes a tokenizer all may be."""
    may_have = not inspect.isclass(tokenizer) or hasattr(tokenizer, "encode_iterable")
    return [*NEEDED, *["encode_iterable"] * may_have]


def answer(**given: Any) -> Any:
    """Answer a request with the tokenizer that was found."""
    return answering(found["tokenizer"])(**given)


def answering(tokenizer: Any) -> Callable[..., Any]:
    """Return a function that makes a tokenizer and calls a method of it; the merges that it gets
    are lines of two tokens in hex."""

    def answer(
        call: str, argument: Any, known: list[str], merges: str, specials: list[str] | None
    ) -> Any:
        pairs = [*_pairs(merges)]
        tokens = [token.encode() for token in known] + [bytes([byte]) for byte in range(256)]
        tokens += map(b"".join, pairs)
        given = (dict(enumerate(dict.fromkeys(tokens))), pairs, specials)
        result = CALLS[call](tokenizer(*given[: 2 if specials is None else 3]), argument)
        return lambda: {"result": result(), "specials": specials}

    return answer


@lru_cache(maxsize=8)
def _pairs(lines: str) -> list[Any]:
    return [tuple(map(bytes.fromhex, line.split())) for line in lines.splitlines()]


def _call(method: str) -> Callable[..., Any]:
    def call(own: Any, argument: Any) -> Callable[[], Any]:
        result = getattr(own, method)(argument)
        return lambda: plain(result)

    return call


def _first(own: Any, argument: list[str]) -> Callable[[], int]:
    """Return how many letters are asked for before the first id."""
    asked = 0

    def pieces() -> Iterator[str]:
        nonlocal asked
        for piece in argument:
            asked += len(piece)
            yield piece

    next(iter(own.encode_iterable(pieces())))
    return lambda: asked


def _file(own: Any, path: str) -> Callable[[], Any]:
    """Return how many ids a file has, and the seconds of `encode`."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        text = file.read()
    begun = time.perf_counter()
    ids = own.encode(text)
    seconds = time.perf_counter() - begun
    return lambda: [len(ids), seconds]


def _lines(own: Any, path: str) -> Callable[[], int]:
    """Return how many ids the lines of a file have, of which none is kept."""
    with Path(path).open(encoding="utf-8", newline="") as lines:
        n_ids = sum(1 for _ in own.encode_iterable(lines))
    return lambda: n_ids


CALLS: dict[str, Callable[..., Any]] = {
    "encode": _call("encode"),
    "decode": _call("decode"),
    "encode_iterable": lambda own, pieces: lambda: plain(own.encode_iterable(iter(pieces))),
    "first": _first,
    "file": _file,
    "lines": _lines,
}


def plain(value: Any) -> Any:
    """Return ids as JSON has them, also those of numpy; what is no id is the name of its type."""
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return value
    if hasattr(value, "__index__"):
        return int(value)
    if hasattr(value, "__iter__") and not isinstance(value, (bytes, dict)):
        return [plain(each) for each in value]
    return {"type": type(value).__name__}
