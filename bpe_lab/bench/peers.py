"""This project beside the public trainers: `python -m bpe_lab.bench.peers --text FILE`.

Each value is one training in a fresh process; the trainers take turns, on the same CPUs. A value is
the time from the first line of the process's program until the merges are in memory: the import and
the reading of the file are part of it, the start of Python is not (that is in `process_seconds`).
"""

import argparse
import hashlib
import importlib.util
import os
import statistics
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bpe_lab.api import PathLike
from bpe_lab.bench.process import Child
from bpe_lab.bench.texts import file_facts, find_text
from bpe_lab.files import check_file
from bpe_lab.results.machine_facts import machine_facts, machine_line
from bpe_lab.results.records import SCHEMA, append
from bpe_lab.results.tables import row_line

SPECIAL_TOKEN = "<|endoftext|>"
PROGRAM = Path(__file__).with_name("measures") / "peer_trainers.py"


@dataclass(frozen=True)
class Peer:
    """What the lab knows about a trainer.

    :param name: the function in `peer_trainers.py`.
    :param package: what is installed and imported.
    :param splits: how it finds words.
    :param ties: which of several pairs with the highest count it merges.
    :param differs: how its words differ from ours, so that its merges do, too; "" if they are ours.
    :param mind: what else is not comparable.
    :param educational: it is written to be read, and takes hours for a text of megabytes.
    """

    name: str
    package: str
    splits: str
    ties: str
    differs: str = ""
    mind: str = ""
    educational: bool = False


OURS = "bpe_lab"

DOCUMENTS = "documents given to it, GPT-2's pattern"
AT_SPECIAL = "at the special token, GPT-2's pattern"
GREATEST_BYTES = "greatest bytes"
BYTE_IDS = "smallest ids, bytes numbered by value"
LETTER_IDS = "smallest ids, bytes numbered by GPT-2's letter for them"
FIRST_IN_TEXT = "the one that stands first in the text"
SHORTEST = "shortest, then smallest characters, a blank being U+2581"
"""Tie rules; `tests/test_peers.py` holds the trainers to them."""

PEERS = {
    peer.name: peer
    for peer in (
        Peer(OURS, "bpe_lab", AT_SPECIAL, GREATEST_BYTES),
        Peer(
            "gigabpe",
            "gigabpe",
            "GPT-2's pattern on each line; the special token is counted as text",
            LETTER_IDS,
            differs="by line",
            mind="it has ids only for bytes that occur, so it makes a few merges more",
        ),
        Peer(
            "tokenizers",
            "tokenizers",
            DOCUMENTS,
            LETTER_IDS,
            mind="its own file reading, which cuts at lines, measured 8 % faster",
        ),
        Peer("gigatoken", "gigatoken", AT_SPECIAL, LETTER_IDS),
        Peer("rustbpe", "rustbpe", DOCUMENTS, BYTE_IDS, mind="it knows no special token"),
        Peer(
            "ffbpe",
            "ffbpe",
            DOCUMENTS,
            GREATEST_BYTES,
            mind="its ties are as we ask for; smallest ids otherwise",
        ),
        Peer(
            "bpeasy",
            "bpeasy",
            DOCUMENTS,
            BYTE_IDS,
            mind="it knows no special token; two merges that give the same bytes share one id",
        ),
        Peer(
            "sentencepiece",
            "sentencepiece",
            "at blanks, on each line; no pattern",
            SHORTEST,
            differs="by line, by characters",
            mind="characters of the text instead of 256 bytes, so it makes more merges",
        ),
        Peer(
            "tiktoken",
            "tiktoken",
            DOCUMENTS,
            FIRST_IN_TEXT,
            mind="its educational trainer; two merges that give the same bytes share one id",
            educational=True,
        ),
        Peer(
            "minbpe_style",
            "regex",
            DOCUMENTS,
            FIRST_IN_TEXT,
            mind="written here after minbpe's algorithm; its version is that of regex",
            educational=True,
        ),
    )
}
"""The trainers that are compared, ours first."""


def installed(peers: Iterable[str] = tuple(PEERS)) -> list[str]:
    """Return the trainers that can be imported.

    >>> OURS in installed()
    True
    """
    return [name for name in peers if importlib.util.find_spec(PEERS[name].package) is not None]


def measure(
    trainer: str,
    text: PathLike,
    vocab_size: int,
    *,
    threads: int,
    time_limit: float | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """Train once in a fresh process on `threads` CPUs.

    :param trainer: a key of `PEERS`.
    :param text: a UTF-8 file.
    :param vocab_size: ids to reach.
    :param threads: threads, and CPUs.
    :param time_limit: seconds after which it is stopped.
    :return: version, import_seconds, seconds (import included), cpu_seconds (of all threads; other
        programs on the machine disturb them less), process_seconds (the start of Python included),
        peak_rss_mb, anonymous_mb (at the end), peak_anonymous_mb, n_merges, cpus; and the tokens in
        order, as hexadecimal strings. After a stop, only seconds=None, stopped_after and the peaks
        until then, and no tokens.
    :raises RuntimeError: it failed; says why.
    :raises ValueError: more threads than CPUs.
    """
    request = {
        "trainer": trainer,
        "package": PEERS[trainer].package,
        "path": str(Path(text).resolve()),
        "vocab_size": vocab_size,
        "special_token": SPECIAL_TOKEN,
        "threads": threads,
    }
    environment = {
        "RAYON_NUM_THREADS": str(threads),
        "OMP_NUM_THREADS": str(threads),
        "TOKENIZERS_PARALLELISM": "true",
    }
    with Child(
        f"{PROGRAM}:measured", request, cpus=threads, environment=environment, watch_memory=True
    ) as child:
        try:
            made = child.result(time_limit)
        except TimeoutError:
            return {
                "seconds": None,
                "stopped_after": time_limit,
                "peak_rss_mb": child.memory.resident_mb,
                "peak_anonymous_mb": child.memory.anonymous_mb,
            }, []
        except RuntimeError as error:
            raise RuntimeError(f"trainer {trainer!r} failed: {error}") from None
    tokens = made.pop("tokens")
    made["process_seconds"] = made.pop("trained_at") - child.begun
    made["peak_rss_mb"] = made["peak_rss_mb"] or child.memory.resident_mb
    made["peak_anonymous_mb"] = child.memory.anonymous_mb
    return made, tokens


def leading_equal(tokens: Sequence[str], ours: Sequence[str]) -> int:
    """Return how many tokens, from the first on, are the same in both.

    >>> leading_equal(["6c6f", "6869"], ["6c6f", "686f"])
    1
    """
    pairs = zip(tokens, ours, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(tokens), len(ours)))


def train_peer(
    *,
    trainer: str,
    text: str,
    text_bytes: int,
    vocab_size: int,
    time_budget: float,
    file: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Train with a trainer on one CPU, and compare its merges with ours.

    :param trainer: a key of `PEERS`.
    :param text: a text of the suites, or the name of the user's file.
    :param text_bytes: size of the text, 0 for a bundled corpus as it is.
    :param vocab_size: ids to reach.
    :param time_budget: seconds after which it is stopped.
    :param file: the user's file.
    :raises RuntimeError: it failed; says why.

    >>> made = train_peer(
    ...     trainer="bpe_lab", text="languages", text_bytes=0, vocab_size=300, time_budget=60
    ... )
    >>> made["n_merges"], made["leading_equal"]
    (43, 43)
    """
    path, corpus = find_text(text, text_bytes, file)
    before = children_seconds()
    made, tokens = measure(trainer, path, vocab_size, threads=1, time_limit=time_budget)
    stopped = made["seconds"] is None
    if stopped:
        unknown = {"cpu_seconds": children_seconds() - before, "anonymous_mb": None}
        made |= {**unknown, "seconds": time_budget}
    return {
        "utc": datetime.now(UTC).isoformat(timespec="seconds"),
        **made,
        "version": version(PEERS[trainer].package),
        "digest": hashlib.sha256("\n".join(tokens).encode()).hexdigest(),
        "stopped_by": "time_budget" if stopped else "vocab_size",
        "n_merges": len(tokens),
        "leading_equal": leading_equal(tokens, our_tokens(path, corpus["sha256"], vocab_size)),
        "operations": {"merges": len(tokens)},
        "corpus": corpus,
        "left_out": [name for name in PEERS if name not in installed()],
    }


@cache
def our_tokens(path: Path, sha256: str, vocab_size: int) -> list[str]:
    """Return our own tokens of a text, in order, as hexadecimal strings.

    :param path: the text.
    :param sha256: of its content, of which the tokens are.
    :param vocab_size: ids to reach.
    """
    return measure(OURS, path, vocab_size, threads=1)[1]


def children_seconds() -> float:
    """Return the processor time of the processes that were started here and have ended.

    >>> children_seconds() >= 0
    True
    """
    times = os.times()
    return times.children_user + times.children_system


def compare(
    texts: Iterable[PathLike],
    vocab_size: int,
    *,
    trainers: Sequence[str] | None = None,
    threads: Iterable[int] = (1,),
    repeats: int = 5,
    long_seconds: float = 60.0,
    long_repeats: int = 1,
    time_limit: float | None = None,
    out: PathLike | None = None,
    report: Any = None,
) -> list[dict[str, Any]]:
    """Measure trainers in turn: every one once, then every one a second time, and so on.

    :param texts: UTF-8 files.
    :param vocab_size: ids to reach.
    :param trainers: keys of `PEERS`; None: those that are installed. Ours comes along, first.
    :param threads: numbers of threads, each with as many CPUs.
    :param repeats: values of each.
    :param long_seconds: a trainer that took longer gets `long_repeats` values.
    :param time_limit: seconds after which a training is stopped; it is not repeated.
    :param out: file to which each record is appended as soon as it is complete.
    :param report: called with one line after each value.
    :return: the records.
    :raises ValueError: unknown trainer, `repeats` below 1, more threads than CPUs, a file
        that is no text to measure on.
    :raises RuntimeError: a trainer failed.
    """
    chosen = list(dict.fromkeys([OURS, *(installed() if trainers is None else trainers)]))
    if unknown := [name for name in chosen if name not in PEERS]:
        raise ValueError(f"unknown trainer {unknown[0]!r}: known are {', '.join(PEERS)}")
    if repeats < 1:
        raise ValueError(f"repeats is {repeats}: give 1 or more")
    facts = machine_facts()
    corpora = {Path(text): file_facts(text) for text in texts}
    longest: dict[tuple[Path, int, str], float] = {}
    ours: dict[Path, list[str]] = {}
    records = []
    for repeat in range(repeats):
        for file, corpus in corpora.items():
            for n_threads in threads:
                for name in chosen:
                    key = (file, n_threads, name)
                    if repeat >= long_repeats and longest.get(key, 0.0) > long_seconds:
                        continue
                    if repeat and longest.get(key) == float("inf"):
                        continue
                    made, tokens = measure(
                        name, file, vocab_size, threads=n_threads, time_limit=time_limit
                    )
                    if name == OURS:
                        ours[file] = tokens
                    seconds = float("inf") if made["seconds"] is None else made["seconds"]
                    longest[key] = max(seconds, longest.get(key, 0.0))
                    one = {
                        "schema": SCHEMA,
                        "kind": "peer",
                        "utc": datetime.now(UTC).isoformat(timespec="seconds"),
                        "trainer": name,
                        "version": version(PEERS[name].package),
                        "corpus": {key: corpus[key] for key in ("name", "sha256", "bytes")},
                        "vocab_size": vocab_size,
                        "threads": n_threads,
                        **made,
                        "leading_equal": leading_equal(tokens, ours[file]),
                        "machine": facts,
                    }
                    if out is not None:
                        append(out, one)
                    records.append(one)
                    if report is not None:
                        report(f"{file.stem}, {n_threads} CPUs, {name}: {seconds:.3f} s")
    return records


def markdown(records: Iterable[dict[str, Any]]) -> str:
    """Return records as a Markdown table of medians, with a row per text, CPUs and trainer.

    :param records: from `compare`.
    """
    groups: dict[tuple[str, int], dict[str, list[dict[str, Any]]]] = {}
    for one in records:
        group = groups.setdefault((one["corpus"]["name"], one["threads"]), {})
        group.setdefault(one["trainer"], []).append(one)
    head = (
        "text", "CPUs", "trainer", "seconds", "x ours", "spread", "CPU s", "x ours", "process s",
        "peak MB", "anonymous MB", "merges", "same first", "runs",
    )  # fmt: skip
    lines = [row_line(head), row_line([":--", "--:", ":--", *["--:"] * (len(head) - 3)])]
    for (text, threads), trainers in sorted(groups.items()):
        base = median(trainers.get(OURS, []), "seconds")
        base_cpu = median(trainers.get(OURS, []), "cpu_seconds")
        for name, runs in trainers.items():
            values = [one["seconds"] for one in runs if one["seconds"] is not None]
            start = [text, str(threads), f"{name} {runs[0]['version']}"]
            if not values:
                limit, ratio = runs[0]["stopped_after"], ""
                if base:
                    ratio = f"> {limit / base:.0f}"
                anonymous = cell(median(runs, "peak_anonymous_mb"), ".0f")
                lines.append(
                    row_line(
                        [*start, f"> {limit:g}", ratio, *[""] * 5, anonymous, "", "", "stopped"]
                    )
                )
                continue
            middle, cpu = statistics.median(values), median(runs, "cpu_seconds")
            lines.append(
                row_line(
                    [
                        *start,
                        f"{middle:.3f}",
                        cell(middle / base if base else None, ".2f"),
                        f"{(max(values) - min(values)) / middle:.0%}" if len(values) > 1 else "",
                        cell(cpu, ".3f"),
                        cell(cpu / base_cpu if cpu and base_cpu else None, ".2f"),
                        cell(median(runs, "process_seconds"), ".3f"),
                        cell(most(runs, "peak_rss_mb"), ".0f"),
                        cell(most(runs, "peak_anonymous_mb"), ".0f"),
                        f"{runs[0]['n_merges']:,}",
                        f"{runs[0]['leading_equal']:,}",
                        str(len(values)),
                    ]
                )
            )
    return "\n".join(lines) + "\n"


def median(records: Iterable[dict[str, Any]], field: str) -> float | None:
    """Return the median of a field where it was measured, None when it never was."""
    values = [one[field] for one in records if one.get(field) is not None]
    return statistics.median(values) if values else None


def most(records: Iterable[dict[str, Any]], field: str) -> float | None:
    """Return the greatest value of a field, None when it was never measured."""
    return max((one[field] for one in records if one.get(field) is not None), default=None)


def cell(value: float | None, form: str) -> str:
    """Return a number for a table, "" when there is none."""
    return "" if value is None else format(value, form)


def peers_markdown(names: Iterable[str]) -> str:
    """Return what to know about trainers as a Markdown table.

    >>> "gigabpe" in peers_markdown(["gigabpe"])
    True
    """
    head = ("trainer", "words", "other words than ours", "ties", "mind")
    lines = [row_line(head), row_line([":--"] * len(head))]
    peers = (PEERS[name] for name in names)
    lines += [row_line([one.name, one.splits, one.differs, one.ties, one.mind]) for one in peers]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, append the records to DIR/peers.jsonl, and print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m bpe_lab.bench.peers", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--text", type=Path, nargs="+", required=True, metavar="FILE")
    parser.add_argument("--vocab-size", type=int, default=32_000, metavar="N")
    parser.add_argument("--threads", default="1", metavar="1,2", help="threads, and CPUs")
    parser.add_argument("--repeats", type=int, default=5, metavar="N")
    parser.add_argument(
        "--trainers", metavar="A,B", help=f"default: installed of {', '.join(PEERS)}"
    )
    parser.add_argument("--long-seconds", type=float, default=60.0, metavar="S",
                        help="a trainer that took longer gets --long-repeats values")  # fmt: skip
    parser.add_argument("--long-repeats", type=int, default=1, metavar="N")
    parser.add_argument("--time-limit", type=float, metavar="S", help="then a training is stopped")
    parser.add_argument("--out", type=Path, default=Path("results/peers"), metavar="DIR")
    args = parser.parse_args(arguments)
    check_file(args.out / "peers.jsonl")
    args.out.mkdir(parents=True, exist_ok=True)
    records = compare(
        args.text,
        args.vocab_size,
        trainers=args.trainers.split(",") if args.trainers else None,
        threads=[int(number) for number in args.threads.split(",")],
        repeats=args.repeats,
        long_seconds=args.long_seconds,
        long_repeats=args.long_repeats,
        time_limit=args.time_limit,
        out=args.out / "peers.jsonl",
        report=lambda line: print(line, file=sys.stderr, flush=True),
    )
    print(markdown(records))
    print(peers_markdown(dict.fromkeys(one["trainer"] for one in records)))
    print(machine_line(records[0]["machine"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
