"""Promise: a file that changes while it is counted is an error, never a count of a part of it."""

import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import bpe_lab
import bpe_lab.commands.train
from bpe_lab.counting.decode import text_parts
from bpe_lab.counting.inputs import check_texts
from bpe_lab.counting.plan import plan_counting
from bpe_lab.counting.source import TextFile
from bpe_lab.support.errors import FileChangedError
from bpe_lab.support.progress import Bar

WriteText = Callable[..., Path]

TEXT = "low lower widest newest\n" * 10_000
SIZE = len(TEXT)

# So small that most of the file is still to be read when the bar moves for the first time, or when
# the native counter reads for the second time.
BLOCK_BYTES = {"regex": 65_536, "regex_parallel": 512, "native": 65_536, "dask": 8_192}


@pytest.fixture
def meanwhile(counter: str, monkeypatch: Any) -> Iterator[Callable[[Callable[[], object]], None]]:
    """Do something while words are being counted: when the bar moves for the first time."""
    to_do: list[Callable[[], object]] = []

    def install(action: Callable[[], object]) -> None:
        to_do.append(action)
        watched, name = Bar, "update"
        if counter == "native":  # its bar moves by the clock: before the second of all reads
            to_do.append(lambda: None)
            watched, name = TextFile, "readinto"  # type: ignore[assignment]
        method = getattr(watched, name)

        def called(*args: Any) -> Any:
            if to_do:
                to_do.pop()()
            return method(*args)

        monkeypatch.setattr(watched, name, called)

    yield install
    assert to_do == [], "nothing happened meanwhile"


def count(paths: Any, counter: str) -> dict[bytes, int]:
    block_bytes = BLOCK_BYTES[counter]
    words = bpe_lab.count_words(paths, counter=counter, threads=1, block_bytes=block_bytes)
    return dict(words)


def append(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(b"lowest\n")


def rewrite(path: Path) -> None:
    with path.open("r+b") as stream:
        stream.write(b"x" * SIZE)


def replace(path: Path) -> None:
    """As an editor does, and `sed -i`: another file of the same size gets its name."""
    other = path.with_name("other")
    other.write_bytes(b"x" * path.stat().st_size)
    other.replace(path)


def shrink(path: Path) -> None:
    os.truncate(path, 100_000)


def become_a_pipe(path: Path) -> None:
    """In one step: between two, a worker would find no file at all, which is another error."""
    os.mkfifo(pipe := path.with_name("pipe"))
    pipe.replace(path)


CHANGES = [("low ", change) for change in (append, rewrite, replace, become_a_pipe, shrink)]


@pytest.mark.parametrize(("word", "change"), [*CHANGES, ("é ", shrink)])  # in a character
def test_a_file_that_changes_is_an_error(
    word: str, change: Callable[[Path], None], counter: str, write_text: WriteText, meanwhile: Any
) -> None:
    path = write_text(word * (SIZE // len(word.encode())))
    os.utime(path, (1, 1))  # so that the new time is another one on any disk
    meanwhile(lambda: change(path))
    # A process may see the new time of change before the new size.
    sizes = r"240,000 .* start, (100,000|240,00[07]|0) now, .*; try again"
    with pytest.raises(FileChangedError, match=rf"corpus\.txt changed while .*: {sizes}") as caught:
        count(path, counter)
    assert (caught.value.path, caught.value.size) == (path, SIZE)
    again = pickle.loads(pickle.dumps(caught.value))  # it travels between processes
    assert (str(again), vars(again)) == (str(caught.value), vars(caught.value))


@pytest.mark.parametrize("change", [append, rewrite, replace, Path.unlink])
def test_a_file_that_changes_while_it_is_encoded_is_an_error(
    change: Callable[[Path], object], write_text: WriteText
) -> None:
    path = write_text(TEXT * 8)  # two parts
    os.utime(path, (1, 1))
    parts = text_parts(TextFile(path))
    next(parts)
    change(path)
    with pytest.raises((FileChangedError, FileNotFoundError), match=r"corpus\.txt"):
        list(parts)


@pytest.mark.parametrize("change", [lambda path: os.truncate(path, 99), Path.unlink])
def test_the_one_of_several_files_is_named(
    change: Callable[[Path], None], counter: str, write_text: WriteText, meanwhile: Any
) -> None:
    paths = [write_text(TEXT, "first.txt"), write_text("low " * 100, "second.txt")]
    meanwhile(lambda: change(paths[1]))
    with pytest.raises((FileChangedError, FileNotFoundError), match=r"second\.txt"):
        count(paths, counter)


@pytest.mark.parametrize("change", [lambda path: os.truncate(path, 0), append, replace])
def test_what_happens_between_the_check_and_the_reading_counts_too(
    change: Callable[[Path], None], counter: str, write_text: WriteText
) -> None:
    # Of a file that is empty for a moment, because somebody writes it again, nothing would be read.
    path = write_text("low lower")
    files, plan = check_texts(path), plan_counting([], counter=counter, threads=1)
    change(path)
    with pytest.raises(FileChangedError, match="9 bytes at the start"):
        plan.counter.load()(files, plan, lambda n_bytes: None)


def test_the_command_says_it_in_one_line_and_writes_nothing(
    write_text: WriteText, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    path = write_text(TEXT)
    files = check_texts(path)
    monkeypatch.setattr(bpe_lab.commands.train, "open_texts", lambda *_, **__: files)
    os.truncate(path, SIZE - 1)
    said = refused("train", str(path), "--vocab-size", "270", "--out", "out", "--quiet")
    assert said.startswith(f"bpe-lab: error: {path} changed while it was read: 240,000 bytes")
    assert not Path("out").exists()
