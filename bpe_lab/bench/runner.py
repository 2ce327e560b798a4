"""Measure stages: each value in a fresh process, checked against a reference before it counts."""

import hashlib
import json
import operator
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tqdm.auto import tqdm

from bpe_lab.api import PathLike, check_files
from bpe_lab.bench.records import append
from bpe_lab.corpora import digest
from bpe_lab.machine import available_cpus
from bpe_lab.pretokenize import check_special_tokens
from bpe_lab.progress import SHOW_PROGRESS_AFTER
from bpe_lab.registry import DEFAULT_COUNTER, find_counter, find_stage
from bpe_lab.training import check_time_budget, check_vocab_size

REFERENCE_STAGE = "inverted_index"
"""Simple enough to be read as a proof, and fast enough to finish."""

SECONDS_TO_STOP = 5.0


def run(
    stages: Iterable[str],
    corpus: PathLike,
    vocab_size: int,
    *,
    corpus_name: str | None = None,
    special_tokens: Iterable[str] = ("<|endoftext|>",),
    counter: str = DEFAULT_COUNTER,
    workers: int | None = None,
    repeats: int = 3,
    time_budget: float | None = None,
    out: PathLike | None = None,
    progress: bool = False,
) -> list[dict[str, Any]]:
    """Measure stages on a corpus.

    A reference run by the stage `inverted_index` comes first and is not timed. Then every stage is
    measured once, then every stage a second time, and so on: what slows the machine down for a
    while meets all of them. A value becomes a record when its merges are those of the reference, or
    the first of them where the time budget stopped it.

    :param stages: ids of stages.
    :param corpus: a text file.
    :param vocab_size: number of ids to reach.
    :param corpus_name: for the records; the file's name without its ending when None.
    :param special_tokens: strings at which the text is cut.
    :param counter: id of a counter.
    :param workers: processes or threads of a parallel counter; None: all processors we may use.
    :param repeats: values per stage.
    :param time_budget: seconds of merging per value; None: until it is done.
    :param out: file to which each record is appended as soon as it is complete.
    :param progress: show a progress bar when it takes longer than two seconds.
    :return: the records in the order of the measurements.
    :raises ValueError: unknown stage or counter, `repeats` below 1, what `bpe_lab.train` refuses,
        nothing to merge.
    :raises TypeError: `stages` is one string.
    :raises OSError: the corpus cannot be read, or `out` cannot be written.
    :raises RuntimeError: a stage failed, or made other merges than the reference.
    """
    if isinstance(stages, str):
        raise TypeError(f"stages is one string: give a list, [{stages!r}]")
    chosen = list(dict.fromkeys(stages))
    if not chosen:
        raise ValueError("no stage is given: name at least one")
    for stage in chosen:
        find_stage(stage).load()
    if repeats < 1:
        raise ValueError(f"repeats is {repeats}: give 1 or more")
    specials = check_special_tokens(special_tokens)
    check_vocab_size(vocab_size, specials)
    check_time_budget(time_budget)
    parallel = find_counter(counter).parallel
    (file,) = check_files(corpus)

    request = {
        "counter": counter,
        "workers": (workers or available_cpus()) if parallel else 1,
        "corpus": str(file.resolve()),
        "corpus_name": file.stem if corpus_name is None else corpus_name,
        "corpus_sha256": digest(file),
        "vocab_size": operator.index(vocab_size),
        "special_tokens": specials,
    }
    values = [stage for _ in range(repeats) for stage in chosen]
    records = []
    bar = tqdm(
        desc="reference", total=1 + len(values), delay=SHOW_PROGRESS_AFTER, disable=not progress
    )
    with bar:
        _, reference = measure({**request, "stage": REFERENCE_STAGE, "time_budget": None})
        if not reference:
            raise ValueError("there is nothing to merge: give more text or a larger vocab_size")
        # The name of what is running now; a refresh would draw the bar before its time.
        bar.set_description(values[0], refresh=False)
        bar.update()
        for stage, following in zip(values, [*values[1:], "done"], strict=True):
            made, lines = measure({**request, "stage": stage, "time_budget": time_budget})
            made["validated"] |= check_against_reference(made, lines, reference)
            if out is not None:
                append(out, made)
            records.append(made)
            bar.set_description(following, refresh=False)
            bar.update()
    return records


def most_seconds(n_stages: int, repeats: int, time_budget: float | None) -> float | None:
    """Return how many seconds of merging a run can take, None when nothing limits it.

    Counting, the reference run and the last merge before each stop come on top.

    :param n_stages: number of stages.
    :param repeats: values per stage.
    :param time_budget: seconds per value.

    >>> most_seconds(10, 3, 5.0)
    150.0
    """
    return None if time_budget is None else n_stages * repeats * time_budget


def measure(request: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
    """Run one value in a fresh process; return its record and its merges, one line each.

    :param request: what `bpe_lab.bench.run_once.run_once` takes, without merges_path.
    :raises RuntimeError: the process failed; says why.
    """
    with tempfile.TemporaryDirectory(prefix="bpe_lab-") as folder:
        merges_path = Path(folder, "merges.hex")
        words = json.dumps({**request, "merges_path": str(merges_path)})
        # A session of its own: Ctrl-C reaches the child from us only, and once.
        child = subprocess.Popen(
            [sys.executable, "-m", "bpe_lab.bench.run_once", words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        try:
            output, errors = child.communicate()
        except BaseException:
            stop(child)
            raise
        if child.returncode:
            reason = errors.strip().splitlines() or [f"it ended with code {child.returncode}"]
            raise RuntimeError(f"stage {request['stage']!r} failed: {reason[-1]}")
        lines = merges_path.read_bytes().splitlines(keepends=True)
    # The last line: an editable install that rebuilds itself may print before it.
    return json.loads(output.splitlines()[-1]), lines


def stop(child: subprocess.Popen[str]) -> None:
    """End a child process, which ends its workers first when it is given the time."""
    child.send_signal(signal.SIGINT)
    try:
        child.wait(SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def check_against_reference(
    made: dict[str, Any], lines: Sequence[bytes], reference: Sequence[bytes]
) -> dict[str, Any]:
    r"""Check that the merges of a record are the reference's, or its first ones after a stop.

    :param made: a record.
    :param lines: the merges it was made from, one line each.
    :param reference: all merges of the reference.
    :return: what goes into the record's `validated`.
    :raises RuntimeError: they differ; names the stage and the first merge that does.

    >>> line = b"73 74\n"
    >>> made = {"stage": "naive", "n_merges": 1, "stopped_by": "time_budget",
    ...     "merges_sha256": hashlib.sha256(line).hexdigest()}
    >>> check_against_reference(made, [line], [line, b"65 7374\n"])["prefix"]
    True
    """
    n_merges = made["n_merges"]
    expected = reference[:n_merges]
    if made["merges_sha256"] != hashlib.sha256(b"".join(expected)).hexdigest():
        rank = next(
            (
                rank
                for rank, pair in enumerate(zip(lines, expected, strict=False))
                if len(set(pair)) > 1
            ),
            min(len(lines), len(expected)),
        )
        raise RuntimeError(
            f"stage {made['stage']!r} is wrong: merge {rank} (the first is 0) is "
            f"{line_at(lines, rank)}, {REFERENCE_STAGE} has {line_at(expected, rank)}"
        )
    if made["stopped_by"] != "time_budget" and n_merges != len(reference):
        raise RuntimeError(
            f"stage {made['stage']!r} is wrong: it stopped after {n_merges} merges "
            f"({made['stopped_by']}), {REFERENCE_STAGE} makes {len(reference)}"
        )
    return {
        "equals": REFERENCE_STAGE,
        "merges": n_merges,
        "prefix": n_merges < len(reference),
    }


def line_at(lines: Sequence[bytes], rank: int) -> str:
    """Return a merge line for a message."""
    return repr(lines[rank].decode().strip()) if rank < len(lines) else "nothing"
