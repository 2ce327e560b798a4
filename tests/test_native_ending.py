"""Promise: counting and merging in C++ end when they are told to, with the error that told them."""

import _thread
import io
import operator
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from native_texts import GOOD

from bpe_lab import native


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
def test_an_exception_in_a_report_ends_the_counting(
    threads: int, error: type[BaseException]
) -> None:
    def report() -> None:
        raise error("enough")

    text = SlowText()
    with pytest.raises(error, match="enough"):
        options = {"threads": threads, "block_bytes": 4096, "report": report}
        native.count_files([text], [], **{**GOOD, **options})


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
            native.count_files([text], [], **{**GOOD, "threads": threads, "block_bytes": 64})
        assert text.n_reads == 5


def test_ctrl_c_is_looked_for_while_words_are_laid_out_and_pairs_counted() -> None:
    table = native.word_table({number.to_bytes(4, "big"): 1 for number in range(600_000)})
    vocab = [bytes([byte]) for byte in range(256)]
    stage_class: Any
    for stage_class in (native.Core, native.CppMap, native.CppPositions):
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
