"""Figures of the compiled core by itself: `python -m bpe_lab.bench.core_figures --text FILE`.

Counter with one thread and two, merge loop of `core` beside `cpp_positions` and `max_heap`, and the
loop for growing vocabularies; each value in a fresh process, the cases in turn. And the same
training in several processes at once, each on a CPU of its own: what they lose to each other, no
program can gain by threads on this machine.
"""

import argparse
import statistics
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bpe_lab.api import PathLike
from bpe_lab.bench.process import Child
from bpe_lab.bench.texts import file_facts
from bpe_lab.files import check_file
from bpe_lab.merge_loop import PHASES
from bpe_lab.results.machine_facts import machine_facts, machine_line
from bpe_lab.results.records import SCHEMA, append
from bpe_lab.results.tables import row_line


@dataclass(frozen=True)
class Case:
    """One thing to measure.

    :param stage: id of a stage.
    :param vocab_size: ids to reach.
    :param threads: threads, and CPUs.
    :param repeats: values.
    :param at_once: processes that do the same at the same time, each on CPUs of its own.
    """

    stage: str
    vocab_size: int
    threads: int
    repeats: int
    at_once: int = 1


def cases(repeats: int, threads: Iterable[int]) -> list[Case]:
    """Return what is measured; the slow one once.

    >>> [case.at_once for case in cases(5, [1, 2]) if case.stage == "core"]
    [1, 1, 2, 1, 1]
    """
    return [
        *(Case("core", 32_000, number, repeats) for number in threads),
        *(Case("core", 32_000, 1, repeats, number) for number in threads if number > 1),
        Case("core", 64_000, 1, repeats),
        Case("core", 128_000, 1, repeats),
        Case("cpp_positions", 32_000, 1, repeats),
        Case("max_heap", 32_000, 1, 1),
    ]


def run(
    text: PathLike,
    chosen: Sequence[Case],
    *,
    out: PathLike | None = None,
    report: Any = None,
) -> list[dict[str, Any]]:
    """Measure cases in turn on one text.

    :param text: a UTF-8 file.
    :param chosen: the cases.
    :param out: file to which each record is appended.
    :param report: called with one line after each value.
    :return: the records, as `bpe_lab.results.records.record` makes them.
    :raises RuntimeError: a stage failed.
    """
    file, facts = Path(text), machine_facts()
    user_file = file_facts(file)
    records = []
    for repeat in range(max(case.repeats for case in chosen)):
        for case in chosen:
            if repeat >= case.repeats:
                continue
            with ExitStack() as stack:
                trainings = [
                    stack.enter_context(start(case, number, file, user_file))
                    for number in range(case.at_once)
                ]
                made_at_once = [training.result() for training in trainings]
            for made in made_at_once:
                made |= {"schema": SCHEMA, "machine": facts, "at_once": case.at_once}
                # Two hundred points per value would be most of the file.
                del made["trace"]
                if out is not None:
                    append(out, made)
                records.append(made)
            if report is not None:
                seconds = max(made["seconds"] for made in made_at_once)
                report(f"{file.stem}, {case}: {seconds:.3f} s")
    return records


def start(case: Case, number: int, file: Path, user_file: dict[str, Any]) -> Child:
    """Start a training in a fresh process, which is the `number`-th of those at once."""
    params = {
        "stage": case.stage,
        "text": file.stem,
        "vocab_size": case.vocab_size,
        "threads": case.threads,
    }
    return Child(
        "bpe_lab.bench.run_once:run_once",
        {
            "measure": "bpe_lab.bench.measures.training:train_text",
            "params": params,
            "file": user_file,
        },
        cpus=case.threads,
        first_cpu=number * case.threads,
    )


def loop_seconds(record: dict[str, Any]) -> float:
    """Return the seconds of the merge loop: select and update.

    >>> loop_seconds({"phases": {"select": 1.0, "update": 2.0, "count": 5.0}})
    3.0
    """
    return float(record["phases"]["select"] + record["phases"]["update"])


def markdown(records: Iterable[dict[str, Any]]) -> str:
    """Return records as a Markdown table of medians, a row for each case.

    The MB/s of processes at once are those of all of them together.

    :param records: from `run`.
    """
    groups: dict[tuple[str, str, int, int, int], list[dict[str, Any]]] = {}
    for one in records:
        at_once = one.get("at_once", 1)
        key = (one["corpus"]["name"], one["stage"], one["vocab_size"], one["threads"], at_once)
        groups.setdefault(key, []).append(one)
    head = ("text", "stage", "ids", "CPUs", "at once", *PHASES, "loop", "spread", "count MB/s",
            "peak MB", "merges", "digest", "runs")  # fmt: skip
    lines = [row_line(head), row_line([":--", ":--", *["--:"] * (len(head) - 2)])]
    for (text, stage, vocab_size, threads, at_once), runs in groups.items():
        phases = [statistics.median(one["phases"][phase] for one in runs) for phase in PHASES]
        loops = [loop_seconds(one) for one in runs]
        loop = statistics.median(loops)
        megabytes = runs[0]["corpus"]["bytes"] / 1e6
        rate = at_once * statistics.mean(megabytes / one["phases"]["count"] for one in runs)
        if at_once == 1:
            rate = megabytes / phases[0]
        lines.append(
            row_line(
                [
                    text,
                    stage,
                    f"{vocab_size:,}",
                    str(threads),
                    str(at_once),
                    *(f"{seconds:.3f}" for seconds in phases),
                    f"{loop:.3f}",
                    f"{(max(loops) - min(loops)) / loop:.0%}" if len(runs) > 1 else "",
                    f"{rate:,.0f}",
                    f"{max(one['peak_rss_mb'] for one in runs):.0f}",
                    f"{runs[0]['n_merges']:,}",
                    f"`{runs[0]['merges_sha256'][:12]}`",
                    str(len(runs)),
                ]
            )
        )
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, append the records to DIR/core_figures.jsonl, and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m bpe_lab.bench.core_figures", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--text", type=Path, required=True, metavar="FILE")
    parser.add_argument("--repeats", type=int, default=5, metavar="N")
    parser.add_argument("--threads", default="1,2", metavar="1,2", help="threads, and CPUs")
    parser.add_argument("--out", type=Path, default=Path("results/peers"), metavar="DIR")
    args = parser.parse_args(arguments)
    check_file(args.out / "core_figures.jsonl")
    args.out.mkdir(parents=True, exist_ok=True)
    records = run(
        args.text,
        cases(args.repeats, [int(number) for number in args.threads.split(",")]),
        out=args.out / "core_figures.jsonl",
        report=lambda line: print(line, file=sys.stderr, flush=True),
    )
    print(markdown(records))
    print(machine_line(records[0]["machine"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
