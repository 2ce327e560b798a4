"""Promise: counting and merging in C++ end when they are told to, and leave nothing behind."""

import _thread
import contextlib
import gzip
import io
import operator
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from native_texts import nothing

from bpe_lab import native

# An error in Python.


class SlowText(io.RawIOBase):
    """Text without end, a piece every few milliseconds."""

    def __init__(self) -> None:
        self.n_reads = 0

    def readinto(self, into: Any) -> int:
        self.n_reads += 1
        if self.n_reads > 2_000:
            raise AssertionError("nobody stopped the counting")
        time.sleep(0.005)
        into[:] = (b"some words " * (len(into) // 11 + 1))[: len(into)]
        return len(into)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, ValueError])
def test_an_exception_in_the_progress_callback_ends_the_counting(
    threads: int, error: type[BaseException]
) -> None:
    def report() -> None:
        raise error("enough")

    text = SlowText()
    with pytest.raises(error, match="enough"):
        native.count_files(
            [text], [], threads=threads, block_bytes=4096, replace=False, report=report
        )
    assert text.n_reads < 200


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_an_exception_in_a_source_comes_back_as_it_is_and_nobody_reads_on(
    error: type[BaseException], threads: int
) -> None:
    # Else a .gz that Ctrl-C stopped in the middle of a block is called damaged.
    class Interrupted(SlowText):
        def readinto(self, into: Any) -> int:
            self.n_reads += 1
            if self.n_reads == 5:
                raise error("stopped here")
            if self.n_reads > 5:
                raise ValueError("is it damaged?")
            time.sleep(0.001)  # the other threads wait for their turn
            into[:] = b"word " * (len(into) // 5) + b" " * (len(into) % 5)
            return len(into)

    for _ in range(15):
        text = Interrupted()
        with pytest.raises(error, match="stopped here"):
            native.count_files(
                [text], [], threads=threads, block_bytes=64, replace=False, report=nothing
            )
        assert text.n_reads == 5


# Ctrl-C.


@pytest.mark.parametrize("stage_class", [native.Core, native.CppMap, native.CppPositions])
def test_ctrl_c_is_looked_for_while_words_are_laid_out_and_pairs_counted(stage_class: Any) -> None:
    table = native.word_table({number.to_bytes(4, "big"): 1 for number in range(1_200_000)})
    vocab = [bytes([byte]) for byte in range(256)]
    check_that_it_looks_for_ctrl_c(partial(stage_class, table, vocab))
    stage = stage_class(table, vocab)
    check_that_it_looks_for_ctrl_c(stage.count_pairs)
    assert stage.operations["pairs_counted"] < 3 * len(table)
    for go_on in (stage.count_pairs, stage.select, partial(stage.run, 256, 300, 1.0)):
        with pytest.raises(RuntimeError, match="make a new one"):
            go_on()


def check_that_it_looks_for_ctrl_c(work: Callable[[], object]) -> None:
    done: list[object] = []
    with pytest.raises(KeyboardInterrupt):
        # From the signal to the end of the work no bytecode runs, which would see the signal.
        done.extend(map(operator.call, [_thread.interrupt_main, work]))
    assert len(done) == 1, "the work came to its end"


ANNOUNCE = """
import sys
import bpe_lab.training.merge_loop
from bpe_lab.commands.cli import main

run = bpe_lab.training.merge_loop.MergeLoop.run

def announced(self):
    print("merging", flush=True)
    return run(self)

bpe_lab.training.merge_loop.MergeLoop.run = announced
print("counting", flush=True)
sys.exit(main(sys.argv[1:]))
"""


@contextlib.contextmanager
def interrupted_at(line: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """Run the command, and send Ctrl-C to its whole group a moment after it has printed a line."""
    process = subprocess.Popen(
        [sys.executable, "-c", ANNOUNCE, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        for printed in process.stdout:
            if printed.strip() == line:
                break
        time.sleep(0.3)
        assert process.poll() is None, f"it ended before it could be interrupted: {line}"
        os.killpg(process.pid, signal.SIGINT)
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)


def check_that_it_ends(process: "subprocess.Popen[str]", out: Path) -> None:
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert errors.strip().endswith("interrupted, nothing was written")
    assert not out.exists()
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")
def test_ctrl_c_ends_the_counting_of_large_files(tmp_path: Path) -> None:
    texts, out = [tmp_path / "one.gz", tmp_path / "two.gz"], tmp_path / "out"
    # The same 16 MB again and again: reading is what takes the time, not the disk's room.
    packed = gzip.compress(b"It was the best of times, it was the worst of times.\n" * 300_000)
    for text in texts:
        text.write_bytes(packed * 700)
    options = ["--vocab-size", "1000", "--threads", "2", "--quiet", "--out", str(out)]
    with interrupted_at("counting", "train", *map(str, texts), *options) as process:
        check_that_it_ends(process, out)
    assert sorted(tmp_path.iterdir()) == texts


@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")
def test_ctrl_c_ends_the_merging_of_a_large_text(tmp_path: Path) -> None:
    text, out = tmp_path / "text.txt", tmp_path / "out"
    letters = bytes(b"abcdefghijklmnopqrstuvwxyz      "[byte % 32] for byte in range(256))
    text.write_bytes(random.Random(14).randbytes(30_000_000).translate(letters))
    options = ["--vocab-size", "500000", "--quiet", "--out", str(out)]
    with interrupted_at("merging", "train", str(text), *options) as process:
        check_that_it_ends(process, out)
    assert list(tmp_path.iterdir()) == [text]
