"""Files of several formats in one folder: they have to be of one tokenizer.

Nobody could tell which of two a folder is: this lab reads the first file that it knows, and each
library its own.
"""

from collections.abc import Collection, Iterator
from pathlib import Path

from bpe_lab.tokenizer.formats.parts import Parts
from bpe_lab.tokenizer.formats.registry import FORMATS, Format


def others_in(folder: Path, names: Collection[str]) -> Iterator[tuple[Format, Path]]:
    """Yield the formats of which a folder holds a file, and that file.

    :param folder: may be missing.
    :param names: of files that do not count.

    >>> list(others_in(Path("no such folder"), []))
    []
    """
    for entry in FORMATS.values():
        name = entry.files[0]
        if name not in names and (folder / name).is_file():
            yield entry, folder / name


def refuse_others(folder: Path, names: Collection[str]) -> None:
    """Refuse, before a training, a folder with files that would not be of the new tokenizer.

    :param folder: may be missing.
    :param names: of the files that will be written.
    :raises FileExistsError: it holds one; names it.
    """
    for _, file in others_in(folder, names):
        raise FileExistsError(
            f"{file} would be of another tokenizer than the files beside it: remove it, or name "
            "another folder"
        )


def check_room_for(folder: Path, parts: Parts, names: Collection[str]) -> None:
    """Refuse to write a tokenizer beside files of another one.

    :param folder: may be missing.
    :param parts: of the tokenizer.
    :param names: of the files that will be replaced.
    :raises FileExistsError: there is a file of another one, or one that cannot be read; names it.
    """
    for entry, file in others_in(folder, names):
        if is_written(entry, file, parts):
            continue
        try:
            read = entry.read(file)
            said = difference(parts, read, with_pattern=entry.id != "gpt2")
            if said is None and read.vocab != parts.vocab:
                said = "other ids"
        except (OSError, ValueError) as error:
            said = str(error)
        if said is not None:
            raise FileExistsError(
                f"{file} is of another tokenizer ({said}), and a folder holds one: name another "
                "folder, or remove that file"
            )


def check_one(folder: Path, file: Path, parts: Parts) -> None:
    """Refuse a folder that holds files of two tokenizers.

    What cannot be read contradicts nothing, and a format need not say all that another one says.

    :param folder: it.
    :param file: that was read.
    :param parts: that it says.
    :raises ValueError: another file contradicts it; names both.
    """
    for entry, other in others_in(folder, [file.name]):
        if is_written(entry, other, parts):
            continue
        try:
            read = entry.read(other)
        except (OSError, ValueError):
            continue
        by_gpt2 = {file.name, other.name} & set(FORMATS["gpt2"].files)
        if (said := difference(parts, read, with_pattern=not by_gpt2)) is not None:
            raise ValueError(
                f"{folder} holds two tokenizers, {file.name} and {other.name} ({said}): name the "
                "file that you mean, or remove the other one"
            )


def is_written(entry: Format, file: Path, parts: Parts) -> bool:
    """Tell whether a file is what would be written: sooner known than what it says.

    :param entry: its format.
    :param file: of the first name of the format.
    :param parts: of a tokenizer.
    """
    try:
        return entry.write(parts)[file.name] == file.read_bytes()
    except (OSError, ValueError):
        return False


def difference(a: Parts, b: Parts, *, with_pattern: bool = True) -> str | None:
    """Say where two files contradict each other, None where they do not.

    :param a, b: what they say.
    :param with_pattern: both say how a text is cut.

    >>> from bpe_lab.words.patterns import find_pattern
    >>> few = Parts({97: b"a"}, [], {}, find_pattern("gpt2"))
    >>> difference(few, few._replace(vocab={97: b"b"}))
    "id 97 is b'a' and b'b'"
    """
    if a.merges != b.merges:
        shared = zip(a.merges, b.merges, strict=False)
        same = next(
            (place for place, (one, other) in enumerate(shared) if one != other),
            min(len(a.merges), len(b.merges)),
        )
        return f"other merges, from merge {same + 1:,} on"
    for number in sorted(a.vocab.keys() & b.vocab.keys()):
        if a.vocab[number] != b.vocab[number]:
            return f"id {number:,} is {a.vocab[number][:40]!r} and {b.vocab[number][:40]!r}"
    ids, others = a.ids(), b.ids()
    for token in ids.keys() & others.keys():
        if ids[token] != others[token]:
            return f"{token[:40]!r} has the ids {ids[token]:,} and {others[token]:,}"
    for special in a.special_ids.keys() & b.special_ids.keys():
        if a.special_ids[special] != b.special_ids[special]:
            return f"special token {special!r} has two ids"
    if with_pattern and a.pattern.regex != b.pattern.regex:
        return f"patterns {a.pattern.name!r} and {b.pattern.name!r}"
    if with_pattern and a.whole_words != b.whole_words:
        return "only one looks words up as a whole"
    return None
