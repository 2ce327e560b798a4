"""Promise: the commands that use a tokenizer give what the library gives, or one clear line."""

import gzip
import io
import json
import re
import shlex
from array import array
from collections.abc import Callable
from pathlib import Path

import numpy
import pyarrow
import pytest
from pyarrow import parquet

from bpe_lab import Tokenizer, corpora, train
from bpe_lab.commands import encode as encode_command
from bpe_lab.commands.cli import main
from bpe_lab.counting import source
from bpe_lab.tokenizer.formats.registry import FORMATS, READ_FILES
from bpe_lab.tokenizer.inspection.facts import longest_tokens
from bpe_lab.tokenizer.inspection.spelling import spell
from bpe_lab.words.patterns import PATTERNS
from bpe_lab.words.pretokenize import pretokenize

TEXT = "Once upon a time\r\nthere’s a löw\n\n  <|endoftext|> 漢字 🙂 1234!\nthe end"
"""Line ends of both kinds, characters of one to four bytes, a special token, no line end."""


BYTES = {byte: bytes([byte]) for byte in range(256)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved tokenizer, in the folder `saved` of this one, and a text."""
    folder = tmp_path_factory.mktemp("commands")
    words = ["train", str(corpora.path("languages")), "--vocab-size", "500", "--quiet", "--out"]
    assert main([*words, str(folder / "saved")]) == 0
    (folder / "story.txt").write_bytes(TEXT.encode())
    return folder


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is typed names the files of `folder`."""
    monkeypatch.chdir(folder)


@pytest.fixture(scope="module")
def tokenizer(folder: Path) -> Tokenizer:
    return Tokenizer.load(folder / "saved")


Typed = Callable[..., bytes]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Typed:
    """Run a command in this process, with bytes for standard input.

    It returns what is printed: where it fails, or a warning is asked for, to standard error.
    """

    def run(line: str, given: bytes = b"", code: int = 0, errors: bool = False) -> bytes:
        capsysbinary.readouterr()
        buffer = io.BytesIO(given)
        buffer.name = "<stdin>"  # type: ignore[attr-defined]
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(buffer))
        ended = main(shlex.split(line))
        said = capsysbinary.readouterr()
        assert ended == code, said.err.decode()
        return said.err if errors or code == 2 else said.out

    return run


def numbers(said: bytes) -> list[int]:
    return list(map(int, said.split()))


@pytest.mark.parametrize("part_bytes", [1, 3, 1 << 20])
def test_ids_are_those_of_the_whole_text_and_lines_end_with_its_lines(
    part_bytes: int, typed: Typed, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A character, a word and an id go on in the next part.
    monkeypatch.setattr(source, "PART_BYTES", part_bytes)
    monkeypatch.setattr(encode_command, "PIECE", part_bytes)
    said = typed("encode saved story.txt")
    ids = tokenizer.encode(TEXT, allowed_special="all")
    assert numbers(said) == ids
    ends = [number for number in ids if b"\n" in tokenizer.vocab[number]]
    assert [int(line.split()[-1]) for line in said.splitlines()] == [*ends, ids[-1]]
    assert said.endswith(b"\n") and b" \n" not in said and b"  " not in said
    assert typed("encode saved -", TEXT.encode()) == said
    assert typed("decode saved", said) == TEXT.encode()
    lines = typed("encode saved --lines", TEXT.encode())
    assert [numbers(line) for line in lines.splitlines()] == [
        tokenizer.encode(line, allowed_special="all") for line in TEXT.split("\n")
    ]
    packed = typed("encode saved story.txt --binary")
    assert array("H", packed).tolist() == ids
    assert typed("decode saved --binary", packed) == TEXT.encode()


@pytest.mark.slow
@pytest.mark.parametrize("piece", [1, 7, 60, 1 << 18])
def test_neither_threads_nor_pieces_change_what_is_written(
    piece: int, typed: Typed, tokenizer: Tokenizer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    languages = corpora.path("languages").read_text(encoding="utf-8")[:5_000]
    text = f"{TEXT}<|endoftext|>{languages}<|endoftext|><|endoftext|>{'a' * 2_000} {TEXT}"
    (folder / "long.txt").write_text(text, encoding="utf-8", newline="")
    monkeypatch.setattr(source, "PART_BYTES", 3 * piece)
    monkeypatch.setattr(encode_command, "PIECE", piece)
    for form in ("", "--binary", "--lines", "--count"):
        line, threads = f"encode saved long.txt {form}", ("--threads 1", "--threads 2", "")
        said = {typed(f"{line} {number}") for number in threads}
        assert len(said) == 1, form
    for option, choice in (("", {"allowed_special": "all"}), ("--no-special-tokens", {})):
        ids = tokenizer.encode(text, disallowed_special=(), **choice)  # type: ignore[arg-type]
        assert array("H", typed(f"encode saved long.txt --binary {option}")).tolist() == ids


DOCUMENTS = ["a  ", "\n b<|endoftext|>", "", "<|endof", "text|>\ufdd0", TEXT, " 漢字"]
DOCUMENTS += ["'", "s 12", "34"]
"""Texts that would be cut otherwise if they were joined."""


@pytest.mark.filterwarnings("ignore:the texts themselves spell")
@pytest.mark.parametrize("pattern", [*PATTERNS, "[a-z]+|[^a-z]+"])
def test_documents_are_encoded_alone_with_the_separator_after_each(
    pattern: str, typed: Typed, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    own = Tokenizer(tokenizer.vocab, tokenizer.merges, tokenizer.special_ids, pattern=pattern)
    own.save(tmp_path / "saved")
    (tmp_path / "files").mkdir()
    for number, document in enumerate(DOCUMENTS):
        (tmp_path / "files" / f"{number}.txt").write_bytes(document.encode())
    rows = b"".join(json.dumps({"text": text}).encode() + b"\n" for text in DOCUMENTS)
    (tmp_path / "rows.gz").write_bytes(gzip.compress(rows))
    parquet.write_table(pyarrow.table({"text": DOCUMENTS}), tmp_path / "rows.parquet")
    end = own.special_ids["<|endoftext|>"]
    for choice, option in (({"allowed_special": "all"}, ""), ({}, "--no-special-tokens")):
        texts = [own.encode(one, disallowed_special=(), **choice) for one in DOCUMENTS]  # type: ignore[arg-type]
        ids = [number for text in texts for number in [*text, end]]
        for given in ("files", "rows.gz --text-field text", "rows.parquet --text-field text"):
            line = f"encode {tmp_path}/saved {tmp_path}/{given} {option} --separator <|endoftext|>"
            said = typed(f"{line} --out {tmp_path}/ids.npy --force")
            assert f"ids.npy, 10 documents, {len(ids)} ids" in said.decode()
            mapped = numpy.load(tmp_path / "ids.npy", mmap_mode="r")
            assert mapped.dtype == "uint16" and mapped.tolist() == ids
            typed(f"{line} --out {tmp_path}/ids.bin --force")
            assert numpy.memmap(tmp_path / "ids.bin", "uint16", "r").tolist() == ids
            assert int(typed(f"{line} --count").split()[-2]) == len(ids)
        line = f"encode {tmp_path}/saved - --text-field text --lines {option}"
        assert [numbers(said) for said in typed(line, rows).splitlines()] == texts


@pytest.mark.filterwarnings("always:the texts themselves spell")
def test_spelling_a_separator_warns(typed: Typed, tokenizer: Tokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path / "saved")
    rows = b'{"text": "low <|endoftext|> lower"}\n'
    line = f"encode {tmp_path}/saved - --text-field text --separator <|endoftext|> --out "
    for times, often in ((1, "once"), (4, "4 times")):
        said = typed(f"{line} {tmp_path}/{times}.npy", rows * times, errors=True).decode()
        assert f"the texts themselves spell '<|endoftext|>' {often}, and so end there" in said
    assert not typed(f"{line} {tmp_path}/text.npy --no-special-tokens", rows, errors=True)


@pytest.mark.filterwarnings("default:left out")  # as in a process of its own
def test_records_that_are_left_out_of_several_files_are_counted_together(
    typed: Typed, write_text: Callable[..., Path]
) -> None:
    one, two = (write_text(b'{"text": null}\n{"text": "low"}\n', name) for name in ("one", "two"))
    said = typed(f"encode saved {one} {two} --text-field text --count", errors=True).decode()
    assert re.match(
        r"bpe-lab: warning: left out: 2 records, the first: .*null is under 'text'", said
    )


@pytest.mark.filterwarnings("always:left out")
@pytest.mark.parametrize("separator", ["", "<|endoftext|>"])
def test_each_record_has_a_line_of_ids_also_one_left_out(separator: str, typed: Typed) -> None:
    end = " 256" * bool(separator)
    rows = b'{"text": null}\n{"text": "a"}\n\n{"text": 7}\n{"text": ""}\n{"text": "b"}\n'
    line = f"encode saved - --text-field text --lines --skip-bad-records --separator '{separator}'"
    lines = ["", f"97{end}", "", end.strip(), f"98{end}", ""]
    assert typed(line, rows).decode().split("\n") == lines
    said = typed(line, rows, errors=True).decode()
    assert "left out, with an empty line for each: 2 records, the first: " in said
    assert "the first: standard input: line 1: null is under 'text'" in said


def test_what_decode_reads_is_as_wide_as_it_says(typed: Typed, tmp_path: Path) -> None:
    specials = {"<far>": 70_000, "<gzip>": 0x8B1F}
    vocab = BYTES | {70_000: b"<far>", 0x8B1F: b"<gzip>"}
    Tokenizer(vocab, [], specials).save(tmp_path / "far")
    for name in ("far.BIN", "far.NPY"):  # an array may begin as gzip does
        typed(f"encode {tmp_path}/far - --out {tmp_path}/{name}", b"<gzip><far>")
        assert typed(f"decode {tmp_path}/far {tmp_path}/{name}") == b"<gzip><far>"
    said = typed(f"encode saved story.txt --out {tmp_path}/ids.npy")
    assert re.match(rb"written: .*npy, 1 document, \d+ ids of uint16 for 77 bytes of text \(", said)
    whole = (tmp_path / "ids.npy").read_bytes()
    assert typed("decode saved -", whole) == typed("decode saved --binary", whole[128:])
    ids = numpy.frombuffer(b"low", "u1")
    for dtype in ("uint16", "uint32", "int32", "int64"):
        numpy.save(tmp_path / "ids.npy", ids.astype(dtype))
        assert typed(f"decode saved {tmp_path}/ids.npy") == b"low"
        wide = ids.astype(dtype).tobytes()
        if dtype != "int32":
            assert typed(f"decode saved --binary --dtype {dtype}", wide) == b"low"
    for wrong in (ids.astype(">u2"), ids / 2, ids.reshape(1, 3), ids):
        numpy.save(tmp_path / "ids.npy", wrong)
        said = typed(f"decode saved {tmp_path}/ids.npy", code=2)
        assert b"shape than a list of ids" in said


def test_texts_come_in_their_order_packed_or_not(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "b.txt").write_text("b")
    (tmp_path / "texts" / "a.gz").write_bytes(gzip.compress(b"a"))
    assert numbers(typed(f"encode saved - {tmp_path}/texts", b"c")) == [99, 97, 98]


def test_a_result_is_whole_or_not_there(typed: Typed, tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"low " * 1000 + b"\xe2\x82")
    out = tmp_path / "out"
    out.write_text("older")
    said = typed(f"encode saved {bad} --out {out} --force", code=2)
    assert b"bad.txt: not UTF-8: byte 0xe2 at 4,000" in said
    typed(f"decode saved {bad} --out {out} --force", code=2)
    assert [file.name for file in sorted(tmp_path.iterdir())] == ["bad.txt", "out"]
    assert out.read_text() == "older"
    assert typed("decode saved", b"226 130 10 255") == b"\xe2\x82\n\xff"
    typed(f"encode saved {bad} --out {out} --force --errors replace")
    assert typed(f"decode saved {out}").decode() == "low " * 1000 + "\ufffd"


ERRORS = {
    "encode story.txt": r"story\.txt: it is neither a tokenizer\.bpe\.json nor a ",
    "encode saved story.txt --out saved": r"saved is a folder.*: name a file",
    "encode saved story.txt --out story.txt": r"story\.txt exists: name another, or force it",
    "export saved --pattern qwen2 --format gpt2 --out out": r"saved\S+ it has the pattern .gpt2.",
    "decode saved story.txt": r"story\.txt is no text of ids .*'Once'",
    "decode saved long.ids": r"an id is not in the vocabulary",
    "encode saved story.txt --separator <x>": r"unknown --separator '<x>': choose one of <.endof",
    "encode saved rows --text-field a --out a.npy": "records would .* --separator '<.endoftext.>' ",
    "encode back story.txt": r"pattern .* finds matches that go backwards: take",
    "encode saved story.txt --lines --out a.npy": r"a\.npy is to be an array: leave --lines and",
    "decode saved odd.bin": r"odd\.bin ends within an id of 16 bits",
    "decode saved far.ids": r"an id is not in the vocabulary of 500: 4294967296",
    "export saved --format huggingface --out saved": r"saved/tokenizer\.json exists: name another",
    "inspect saved --word '\udce4x'": "'utf-8' codec can't encode",
}


@pytest.mark.parametrize("line", ERRORS)
def test_bad_input_is_one_line_and_exit_code_2(line: str, typed: Typed, folder: Path) -> None:
    Tokenizer(BYTES, [], pattern=r"(?r)\w+").export(folder / "back", "bpe_lab", force=True)
    (folder / "odd.bin").write_bytes(b"a\0b")
    (folder / "far.ids").write_text("97 4294967296")
    (folder / "long.ids").write_text("97 12345678901234567890123")
    before = sorted(folder.rglob("*"))
    said = typed(line, code=2).decode()
    assert re.match(f"bpe-lab: error: {ERRORS[line]}", said), said
    assert said.count("\n") == 1
    assert sorted(folder.rglob("*")) == before


def test_what_is_exported_is_the_same_tokenizer(typed: Typed, tmp_path: Path) -> None:
    for format, entry in FORMATS.items():
        said = typed(f"export saved --format {format} --out {tmp_path}/{format}").decode()
        assert re.fullmatch(rf"written: {tmp_path}/{format}/ \((.*)\), 500 ids\n", said)
        assert {file.name for file in (tmp_path / format).iterdir()} == set(entry.files)
        if entry.files[0] in READ_FILES:
            assert Tokenizer.load(tmp_path / format) == Tokenizer.load("saved")
    line = f"export saved --vocab-size 300 --out {tmp_path}/small --format"
    assert b"300 ids" in typed(f"{line} bpe_lab")
    trained = train(corpora.path("languages"), 300).tokenizer()
    assert Tokenizer.load(tmp_path / "small") == trained
    assert b"vocab_size is 200: give 257 to 500" in typed(f"{line} gpt2 --vocab-size 200", code=2)


def test_inspect_says_what_there_is(typed: Typed, tokenizer: Tokenizer) -> None:
    said = typed("inspect saved --file story.txt").decode()
    assert json.loads(Path("saved/tokenizer.bpe.json").read_text())["merges_sha256"] in said
    for token, id in longest_tokens(tokenizer, 3):
        assert re.search(rf"^ *\d+ +{id}  {re.escape(spell(token))}$", said, re.MULTILINE)
    ids = tokenizer.encode(TEXT, allowed_special="all")
    words = len(list(pretokenize(TEXT, tokenizer.special_tokens)))
    per_word = f"{(len(ids) - ids.count(256)) / words:.2f}"
    facts = [77, len(ids), f"{77 / len(ids):.2f}", per_word, len(tokenizer) - len({*ids})]
    assert re.search(rf"^ *{' +'.join(map(str, facts))}  story.txt$", said, re.MULTILINE)


def test_the_merge_tree_of_a_word_is_printed_and_drawn(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bpe_lab.plots import style

    monkeypatch.setattr(style, "DOTS_PER_INCH", 50)  # drawn in a third of the time
    said = typed("inspect saved --word ' there’s 漢 $x$'").decode()
    assert said.startswith("␣there is ")
    assert said.count("rank  token\n") == len(list(pretokenize(" there’s 漢 $x$", [])))
    for ending, begin in (("png", b"\x89PNG"), ("svg", b"<?xml")):
        typed(f"inspect saved --word ' there’s 漢 $x$' --out {tmp_path}/tree.{ending}")
        assert (tmp_path / f"tree.{ending}").read_bytes().startswith(begin)
    too_long = f"inspect saved --word {'a' * 100} --out {tmp_path}/long.png"
    assert b"do not fit in a picture" in typed(too_long, code=2)


def test_the_commands_of_the_book_run(
    typed: Typed, folder: Path, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (repository / "book" / "using.md").read_text(encoding="utf-8")
    block = page.partition("## On the command line\n")[2].partition("```sh\n")[2]
    lines = [line.partition(" #")[0].strip() for line in block.partition("```")[0].splitlines()]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "stories").symlink_to(folder / "saved")
    for name in ("README.md", "CHANGELOG.md"):
        (tmp_path / name).write_text("once")
    run = set()
    # Not by a shell, and nothing but the lab's.
    for line in lines:
        given = b""
        for program, _, words in (part.partition(" ") for part in line.split(" | ")):
            if program == "echo":
                given = words.encode() + b"\n"
            elif program == "bpe-lab":
                given = typed(words, given)
                run.add(words.split()[0])
    assert (tmp_path / "results" / "again.txt").read_text() == "once"
    assert run == {"encode", "decode", "export", "inspect"}


def test_a_special_token_as_a_word_is_said_to_be_one(typed: Typed) -> None:
    lines = typed("inspect saved --word <|endoftext|>").decode().splitlines()
    assert lines[0].startswith("<|endoftext|> is the special token 256, which no merge makes; as ")
    assert lines[1].startswith("<| is ")
