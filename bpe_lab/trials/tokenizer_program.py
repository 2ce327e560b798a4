"""Finds and calls a tokenizer that is not ours, in its interpreter: `child_program.py` loads it.

It needs the standard library only, of Python 3.8 or later, and imports nothing of bpe_lab.
"""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType
    from typing import Any

NAMES = ("get_tokenizer", "Tokenizer")  # what it is called, where no name is given
NEEDED, MAY_HAVE = ("encode", "decode"), ("encode_iterable", "from_files")  # its methods

found: dict[str, Any] = {}
"""The tokenizer of this process, and what answers with it."""


def find(place: str, name: str | None, folders: list[str]) -> dict[str, Any]:
    """Find the tokenizer of a file or a module; return its name, "" for none, and its methods."""
    own = _beside("trainer_program")
    module = own.load(place, folders)
    if name:
        names, values = [name], {name: own.find_trainer(module, name)[1]}
    else:
        values = vars(module)
        names = [name for name in NAMES if name in values] + [
            name
            for name, value in values.items()
            if inspect.isclass(value) and value.__module__ == module.__name__ and name not in NAMES
        ]
    names = [name for name in names if is_tokenizer(values[name])]
    if len(names) > 1 and names[0] not in NAMES:
        raise own.UnfitError(f"it has {' and '.join(names)}: name one, as FILE.py:{names[0]}")
    result = {
        "name": "",
        "methods": [],
        "trainer": not (name and names) and _has(own, module, name),
    }
    if names:
        found["tokenizer"] = values[names[0]]
        result.update(name=names[0], methods=methods(found["tokenizer"]))
    return result


def _has(own: ModuleType, module: ModuleType, name: str | None) -> bool:
    """Whether a module has a trainer, too."""
    try:
        return bool(own.find_trainer(module, name))
    except own.UnfitError:
        return False


def is_tokenizer(value: Any) -> bool:
    """Whether it makes a tokenizer of a vocabulary and merges.

    >>> is_tokenizer(lambda vocab, merges, special_tokens=None: None), is_tokenizer(dict)
    (True, False)
    """
    if inspect.isclass(value) and not all(hasattr(value, name) for name in NEEDED):
        return False
    try:
        first = [*inspect.signature(value).parameters][:2]
    except (TypeError, ValueError):  # a compiled one may not tell
        return False
    return len(first) == 2 and "vocab" in first[0] and "merge" in first[1]


def methods(tokenizer: Any) -> list[str]:
    """Return which methods that it may have are there; of a function that is not known."""
    if not inspect.isclass(tokenizer):
        return [*NEEDED, MAY_HAVE[0]]
    return [*NEEDED, *(name for name in MAY_HAVE if hasattr(tokenizer, name))]


def prepare(merges: list[list[str]]) -> None:
    """Keep the merges, tokens in hex, that `answer` gives to the tokenizer."""
    pairs = [tuple(map(bytes.fromhex, pair)) for pair in merges]
    found["answer"] = answering(found["tokenizer"], pairs)


def answer(**given: Any) -> Any:
    """Answer a request with the tokenizer that was found; see `answering`."""
    return found["answer"](**given)


def answering(tokenizer: Any, merges: list[Any]) -> Callable[..., Any]:
    """Return a function that makes a tokenizer and calls a method of it."""

    def answer(
        call: str,
        argument: Any,
        known: list[str],
        specials: list[str] | None,
        ranks: list[int] | None = None,
    ) -> Any:
        pairs = merges if ranks is None else [merges[rank] for rank in ranks]
        tokens = [token.encode() for token in known]
        tokens += [bytes([byte]) for byte in range(256)] + [b"".join(pair) for pair in pairs]
        given = [dict(enumerate(dict.fromkeys(tokens))), [*pairs]]
        own = tokenizer(*given) if specials is None else tokenizer(*given, specials)
        return CALLS[call](own, argument, specials)

    return answer


def _call(method: str) -> Callable[..., Any]:
    def call(own: Any, argument: Any, specials: list[str] | None) -> Any:
        result = getattr(own, method)(argument)
        return lambda: {"result": plain(result), "specials": specials}

    return call


def _pieces(own: Any, argument: list[str], specials: list[str] | None) -> dict[str, Any]:
    """Return the ids of pieces, and how many letters were asked for before the first one."""
    asked, first, ids = 0, None, []

    def pieces() -> Iterator[str]:
        nonlocal asked
        for piece in argument:
            asked += len(piece)
            yield piece

    for id in own.encode_iterable(pieces()):
        first = asked if first is None else first
        ids.append(plain(id))
    return {"result": ids, "specials": specials, "first": first}


def _file(own: Any, path: str, _: Any) -> Callable[[], int]:
    """Return how many ids a file has."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        ids = own.encode(file.read())
    return lambda: len(ids)


def _lines(own: Any, path: str, _: Any) -> int:
    """Return how many ids the lines of a file have, of which none is kept."""
    with Path(path).open(encoding="utf-8", newline="") as lines:
        return sum(1 for _ in own.encode_iterable(lines))


CALLS: dict[str, Callable[..., Any]] = {
    "encode": _call("encode"),
    "decode": _call("decode"),
    "encode_iterable": _pieces,
    "file": _file,
    "lines": _lines,
}


def from_files(vocab: str, merges: str, specials: list[str]) -> None:
    """Call its `from_files`."""
    found["tokenizer"].from_files(vocab, merges, specials)


def plain(value: Any) -> Any:
    """Return ids as JSON has them, also those of numpy; what is no id is the name of its type."""
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return value
    if hasattr(value, "__index__"):
        return int(value)
    if hasattr(value, "__iter__") and not isinstance(value, (bytes, dict)):
        return [plain(each) for each in value]
    return {"type": type(value).__name__}


def _beside(name: str) -> ModuleType:
    """Load a file that lies beside this one, whose folder is in no path."""
    spec = importlib.util.spec_from_file_location(name, str(Path(__file__).with_name(f"{name}.py")))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
