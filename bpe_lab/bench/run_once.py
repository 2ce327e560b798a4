"""One benchmark value in a process of its own: `python -m bpe_lab.bench.run_once REQUEST`.

Validate, then time. The worked example, trained first, is the check and the warm-up.
"""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bpe_lab.api import train
from bpe_lab.bench.machine_facts import machine_facts
from bpe_lab.bench.records import record
from bpe_lab.corpora.worked_example import WORKED_EXAMPLE, WORKED_EXAMPLE_MERGES
from bpe_lab.machine import peak_rss_mb
from bpe_lab.merges import merge_lines
from bpe_lab.training import train_from_counts


def check_worked_example(stage: str) -> None:
    """Train the worked example with a stage and compare the merges.

    :param stage: id of a stage.
    :raises RuntimeError: a merge differs.

    >>> check_worked_example("naive")
    """
    vocab_size = 256 + len(WORKED_EXAMPLE_MERGES)
    merges = train_from_counts(WORKED_EXAMPLE, vocab_size, [], stage=stage).merges
    if merges != list(WORKED_EXAMPLE_MERGES):
        raise RuntimeError(f"stage {stage!r} gets the worked example wrong: {merges}")


def run_once(request: dict[str, Any]) -> dict[str, Any]:
    """Validate a stage, train it on a corpus, and return the record.

    :param request: stage, counter, workers, corpus (path), corpus_name, corpus_sha256, vocab_size,
        special_tokens, time_budget, and merges_path, the file into which the merges are written.
    :raises RuntimeError: the stage gets the worked example wrong.
    :raises: what `bpe_lab.train` raises.
    """
    check_worked_example(request["stage"])
    corpus = Path(request["corpus"])
    training = train(
        corpus,
        request["vocab_size"],
        request["special_tokens"],
        stage=request["stage"],
        counter=request["counter"],
        workers=request["workers"],
        time_budget=request["time_budget"],
    )
    # Before anything else takes memory.
    peak = peak_rss_mb()
    Path(request["merges_path"]).write_bytes(b"".join(merge_lines(training.merges)))
    return record(
        training,
        request["corpus_name"],
        request["corpus_sha256"],
        corpus.stat().st_size,
        vocab_size=request["vocab_size"],
        workers=request["workers"],
        time_budget=request["time_budget"],
        validated={"worked_example": True},
        peak_rss_mb=peak,
        machine=machine_facts(),
        utc=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def main() -> int:
    """Print the record of the request given as JSON, or one line about what was wrong."""
    try:
        line = json.dumps(run_once(json.loads(sys.argv[1])))
    except (OSError, ValueError, TypeError, ImportError, MemoryError, RuntimeError) as error:
        print(f"{error}", file=sys.stderr)
        return 1
    print(line)
    return 0


# Spawned workers of a counter import this module again under another name.
if __name__ == "__main__":
    sys.exit(main())
