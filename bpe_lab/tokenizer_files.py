"""The files of a saved tokenizer: what they say, and what tells whether they still say it."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from bpe_lab.files import taken_out
from bpe_lab.merges import Merge, check_merges
from bpe_lab.special_tokens import check_special_tokens

SUMS = "SHA256SUMS"

FILES = (SUMS, "training.json", "special_tokens.json", "merges.txt", "vocab.json", "merges.hex")
"""All that a folder can have, in the order in which it comes in.

Nobody reads a tokenizer without one of the last two: other libraries want `vocab.json`, we
`merges.hex`.
"""

GPT2_FILES = ("merges.txt", "vocab.json")

REMEDY = "copy the folder again, or train again"


def byte_characters() -> dict[int, str]:
    """Return the printable character that stands for each byte in GPT-2's files.

    Source: `bytes_to_unicode` of OpenAI's GPT-2 encoder (2019).

    >>> byte_characters()[ord(" ")], byte_characters()[ord("a")]
    ('Ġ', 'a')
    """
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1)]
    printable += range(ord("®"), ord("ÿ") + 1)
    others = [byte for byte in range(256) if byte not in printable]
    characters = {byte: chr(byte) for byte in printable}
    characters.update({byte: chr(256 + number) for number, byte in enumerate(others)})
    return characters


def gpt2_files(
    vocab: Mapping[int, bytes], merges: Iterable[Merge], special_ids: Mapping[str, int]
) -> dict[str, bytes]:
    """Return a tokenizer in GPT-2's form, which other libraries read: name -> content.

    :param vocab: id -> bytes.
    :param merges: (left bytes, right bytes) in order.
    :param special_ids: special token -> id.
    :raises ValueError: a special token is spelled like another token; names it.

    >>> sorted(gpt2_files({97: b"a"}, [], {}))
    ['merges.txt', 'vocab.json']
    """
    characters = byte_characters()

    def spell(token: bytes) -> str:
        return token.decode("latin-1").translate(characters)

    names = {number: token for token, number in special_ids.items()}
    ids: dict[str, int] = {}
    for number, token in vocab.items():
        name = names.get(number) or spell(token)
        if name in ids:
            raise ValueError(
                f"special token {names.get(number, name)!r} is spelled like another token in "
                "GPT-2's form"
            )
        ids[name] = number
    lines = "".join(f"{spell(left)} {spell(right)}\n" for left, right in merges)
    # A line for each token: what `indent` does, but in C.
    vocab_json = json.dumps(ids, ensure_ascii=False, separators=(",\n", ": "))
    return {
        "vocab.json": f"{{\n{vocab_json[1:-1]}\n}}\n".encode(),
        "merges.txt": b"#version: 0.2\n" + lines.encode(),
    }


def sums(files: Mapping[str, bytes]) -> bytes:
    r"""Return the digests of files as `sha256sum -c` reads them.

    >>> sums({"empty": b""})[-9:]
    b'5  empty\n'
    """
    lines = (f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files.items())
    return "".join(lines).encode()


def read_files(folder: Path) -> tuple[list[Merge], tuple[str, ...]]:
    """Return the merges and the special tokens of a folder that a tokenizer was saved in.

    :param folder: has merges.hex and special_tokens.json; both are held against SHA256SUMS and
        training.json where these are.
    :raises FileNotFoundError: there is no such folder, or one of the two is missing.
    :raises ValueError: a file is damaged, or they are not of one tokenizer; names it.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is no folder: name one that a tokenizer was saved in")
    found = {name: content_of(folder / name) for name in FILES if name not in GPT2_FILES}
    contents = {name: content for name, content in found.items() if content is not None}
    for name in ("special_tokens.json", "merges.hex"):
        if name not in contents:
            raise FileNotFoundError(missing(folder / name))
    merges = read_merges(folder / "merges.hex", contents["merges.hex"])
    specials = read_special_tokens(folder / "special_tokens.json", contents["special_tokens.json"])
    if "training.json" in contents:
        said = read_json(folder / "training.json", contents["training.json"])
        digest = hashlib.sha256(contents["merges.hex"]).hexdigest()
        for name, value in (("merges_sha256", digest), ("special_tokens", list(specials))):
            if isinstance(said, dict) and said.get(name, value) != value:
                raise ValueError(
                    f"{folder / 'training.json'} is of another tokenizer, its {name} differs: "
                    f"{REMEDY}"
                )
    if SUMS in contents:
        check_sums(folder, contents)
    return merges, specials


def content_of(file: Path) -> bytes | None:
    """Return what a file holds, None where it is missing.

    :raises ValueError: it is a folder, a pipe or a device, which has no end.

    >>> content_of(Path("no such file")) is None
    True
    """
    if not file.exists():
        return None
    if not file.is_file():
        raise ValueError(f"{file} is not a file: {REMEDY}")
    return file.read_bytes()


def missing(file: Path) -> str:
    """Say that a file is missing, and where it may be."""
    if old := taken_out(file.parent):
        return (
            f"{file} is missing: a program was stopped while it replaced the tokenizer; train "
            f"again (--force), or move the earlier files back from {old[0].parent}"
        )
    return f"{file} is missing: name a folder that a tokenizer was saved in, or {REMEDY}"


def check_sums(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Hold files against the digests in SHA256SUMS.

    :param folder: where they are, for the message.
    :param contents: name -> content, that of SHA256SUMS among them.
    :raises ValueError: a line is no digest and name, a file that makes the tokenizer is not listed,
        or one is not what was written.
    """
    digests = {}
    lines = contents[SUMS].decode(errors="replace").splitlines()
    for number, line in enumerate(lines, start=1):
        match = re.fullmatch(r"([0-9a-f]{64}) [ *](.+)", line)
        if match is None:
            raise ValueError(f"{folder / SUMS}, line {number} is no digest and name: {REMEDY}")
        digests[match[2]] = match[1]
    for name in ("special_tokens.json", "merges.hex"):
        if name not in digests:
            raise ValueError(f"{folder / SUMS} does not list {name}: {REMEDY}")
    for name, content in contents.items():
        if digests.get(name, "") not in ("", hashlib.sha256(content).hexdigest()):
            raise ValueError(f"{folder / name} is not what was written, says {SUMS}: {REMEDY}")


def read_merges(file: Path, content: bytes) -> list[Merge]:
    """Return the merges of a merges.hex.

    :param file: its name, for the message.
    :param content: one line per merge, as `merge_lines` writes them.
    :raises ValueError: it is cut, a line is not two tokens in hexadecimal, or they cannot be the
        merges of a training; names the line.

    >>> read_merges(Path("merges.hex"), b"73 74\\n")
    [(b's', b't')]
    """
    *lines, rest = content.split(b"\n")
    if rest:
        raise ValueError(f"{file}, line {len(lines) + 1} has no end, the file is cut: {REMEDY}")
    merges = []
    for number, line in enumerate(lines, start=1):
        if not re.fullmatch(rb"(?:[0-9a-f]{2})+ (?:[0-9a-f]{2})+", line):
            shown = line[:40].decode("ascii", "backslashreplace")
            raise ValueError(
                f"{file}, line {number} is not two tokens in hexadecimal: {shown!r}: {REMEDY}"
            )
        left, right = line.decode().split(" ")
        merges.append((bytes.fromhex(left), bytes.fromhex(right)))
    check_merges(merges, f"{file}, line", REMEDY)
    return merges


def read_special_tokens(file: Path, content: bytes) -> tuple[str, ...]:
    """Return the special tokens of a special_tokens.json.

    :param file: its name, for the message.
    :param content: a list of strings.
    :raises ValueError: it is something else, or these cannot be special tokens.

    >>> read_special_tokens(Path("special_tokens.json"), b'["<a>"]')
    ('<a>',)
    """
    tokens = read_json(file, content)
    if not isinstance(tokens, list):
        raise ValueError(f"{file} is not a list of strings: {REMEDY}")
    try:
        return check_special_tokens(tokens)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{file}: {error}; {REMEDY}") from error


def read_json(file: Path, content: bytes) -> object:
    """Return what a JSON file says.

    :param file: its name, for the message.
    :param content: all of it.
    :raises ValueError: it is no JSON; names the line.

    >>> read_json(Path("special_tokens.json"), b"[]")
    []
    """
    try:
        said: object = json.loads(content)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{file}, line {error.lineno} is no JSON ({error.msg}): {REMEDY}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} is no JSON ({error}): {REMEDY}") from None
    return said
