"""Finds and calls a tokenizer that is not ours, in its own interpreter: `child_program.py` loads it.

It needs the standard library only, of Python 3.8 or later, and imports nothing of bpe_lab.
"""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType
    from typing import Any

NAMES = ("get_tokenizer", "Tokenizer")  # what is looked for, where no name is given

ENCODES = ("encode", "decode")  # methods of a class that is a tokenizer
METHODS = (*ENCODES, "encode_iterable", "from_files")

found: dict[str, Any] = {}
"""The tokenizer of this process, and the merges that it is given."""


def find(place: str, name: str | None, folders: list[str]) -> dict[str, Any]:
    """Find the tokenizer of a file or a module, and return its name; "": it has none."""
    own = _program("trainer_program")
    module = own.load(place, folders)
    if name:
        found["tokenizer"] = own.find_trainer(module, name)[1]
        return about(name if is_tokenizer(found["tokenizer"]) else "")
    named = [name for name in NAMES if is_tokenizer(getattr(module, name, None))]
    others = [
        name
        for name, value in vars(module).items()
        if inspect.isclass(value) and value.__module__ == module.__name__ and is_tokenizer(value)
    ]
    if not named and len(others) > 1:
        raise own.UnfitError(f"it has {' and '.join(others)}: name one, as FILE.py:{others[0]}")
    for name in [*named, *others][:1]:
        found["tokenizer"] = getattr(module, name)
        return about(name)
    return about("")


def about(name: str) -> dict[str, Any]:
    """Return the name, and the methods that are asked for and are there."""
    tokenizer = found.get("tokenizer")
    if name and inspect.isclass(tokenizer):
        return {"name": name, "methods": [each for each in METHODS if hasattr(tokenizer, each)]}
    return {"name": name, "methods": METHODS}


def is_tokenizer(value: Any) -> bool:
    """Whether it makes a tokenizer of a vocabulary and merges.

    >>> is_tokenizer(lambda vocab, merges, special_tokens=None: None), is_tokenizer(dict)
    (True, False)
    """
    if inspect.isclass(value) and not all(hasattr(value, name) for name in ENCODES):
        return False
    try:
        parameters = [*inspect.signature(value).parameters]
    except (TypeError, ValueError):
        return False
    return parameters[:1] == ["vocab"] and parameters[1:2] == ["merges"]


def answer(call: str, merges: list[list[str]] | None = None, **given: Any) -> Any:
    """Answer a request with the tokenizer that was found; see `answering`."""
    if merges is not None:
        found["merges"] = [tuple(map(bytes.fromhex, pair)) for pair in merges]
    return answering(found["tokenizer"])(call, found["merges"], **given)


def answering(tokenizer: Any) -> Any:
    """Return a function that makes a tokenizer, calls a method of it, and returns what came of it:

    its result; the list of special tokens after the call; how many letters of the pieces were
    asked for before the first id.
    """

    def answer(
        call: str,
        merges: list[Any],
        ranks: list[int] | None = None,
        known: list[str] = [],  # noqa: B006 - it is not changed
        specials: list[str] | None = None,
        argument: Any = None,
    ) -> Any:
        pairs = [tuple(pair) for pair in merges]
        if ranks is not None:
            pairs = [pairs[rank] for rank in ranks]
        tokens = [token.encode() for token in known]
        tokens += [bytes([byte]) for byte in range(256)] + [b"".join(pair) for pair in pairs]
        vocab = dict(enumerate(dict.fromkeys(tokens)))
        own = tokenizer(vocab, pairs) if specials is None else tokenizer(vocab, pairs, specials)
        if call != "encode_iterable":
            return {"result": plain(getattr(own, call)(argument)), "specials": specials}
        asked = 0

        def pieces() -> Iterator[str]:
            nonlocal asked
            for piece in argument:
                asked += len(piece)
                yield piece

        ids, first = [], None
        for id in own.encode_iterable(pieces()):
            first = asked if first is None else first
            ids.append(plain(id))
        return {"result": ids, "specials": specials, "first": first}

    return answer


def from_files(vocab: str, merges: str, specials: list[str]) -> bool:
    """Return whether there is a `from_files`; it is called."""
    tokenizer = found["tokenizer"]
    if not hasattr(tokenizer, "from_files"):
        return False
    tokenizer.from_files(vocab, merges, specials)
    return True


def plain(value: Any) -> Any:
    """Return ids as JSON has them, also those of numpy; what is no id is the name of its type."""
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return value
    if hasattr(value, "__index__"):
        return int(value)
    if hasattr(value, "__iter__") and not isinstance(value, (bytes, dict)):
        return [plain(each) for each in value]
    return {"type": type(value).__name__}


def _program(name: str) -> ModuleType:
    """Load a file beside this one; its folder is in no path."""
    spec = importlib.util.spec_from_file_location(name, str(Path(__file__).with_name(f"{name}.py")))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
