"""Suite `series`: the programs of the published series beside our stages, on the same text.

A published time differs from ours by the text and by the program; here the text is the same. The
programs stay in a checkout that the reader names: nothing of them is in this repository, and
nothing is written into it. Its folder is in the environment of a process, not in the parameters:
these are recorded, and a record names no folder of a machine.
"""

import json
import multiprocessing
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from itertools import pairwise, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from types import ModuleType
from typing import Any, NamedTuple

from bpe_lab.bench.measures import SPECIAL_TOKENS
from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.counting.api import count_words
from bpe_lab.plots.rows import grouped_rows
from bpe_lab.plots.style import stage_color
from bpe_lab.registry import COUNTERS
from bpe_lab.results.code_facts import git_describe
from bpe_lab.results.numbers import duration, three_digits, two_digits
from bpe_lab.results.spread import reference_ratios
from bpe_lab.results.tables import Records, factor, over, rows_table, sized_text, summary, time_cell
from bpe_lab.support.files import PathLike
from bpe_lab.tokenizer.merges import Merge, first_vocab, merge_lines, merges_sha256
from bpe_lab.training.api import check_worked_example, train
from bpe_lab.training.training import train_from_counts

REPOSITORY = "https://github.com/fancyerii/assignment1-basics-bpe"

WHOLE, MERGING = "Whole job in Python", "After the first counts, in C++"


class Pair(NamedTuple):
    """What the lab knows about a program of the series."""

    work: str  # what is timed
    stage: str  # ours, with the same idea
    idea: str

    def places(self, program: str) -> list[str]:
        """Return where the program may be in a checkout."""
        if self.work == WHOLE:
            return [f"cs336_basics/{program}.py"]
        return [f"cppupdate/{folder}bpe_train_updater_{program}" for folder in ("build/", "")]


PAIRS: Mapping[str, Pair] = {
    "bpe_v1": Pair(WHOLE, "word_counts", "distinct words; all pairs are counted for each merge"),
    "bpe_v2": Pair(WHOLE, "inverted_index", "pair -> words: only these are counted again"),
    "bpe_v5": Pair(WHOLE, "fine_grained", "only the pairs that touch a match change"),
    "bpe_v6": Pair(WHOLE, "max_heap_python", "a lazy max-heap written in Python"),
    "bpe_v7": Pair(WHOLE, "max_heap", "a lazy max-heap of the standard library"),
    "fine_grained_emhash8": Pair(
        MERGING, "cpp_scan", "no heap: all counts are scanned, theirs without gaps"
    ),
    "fine_grained_heap_opt": Pair(MERGING, "cpp_map", "a lazy heap, std::unordered_map"),
    "fine_grained_heap_emhash8_set9_opt": Pair(MERGING, "cpp_flat", "a lazy heap, a flat table"),
}
"""Program -> our stage, in the order of the ladder."""

TEXTS: Mapping[str, Mapping[str, tuple[str, int, int]]] = {
    "tiny": {WHOLE: ("stories", 5_000, 280), MERGING: ("stories", 5_000, 280)},
    "default": {WHOLE: ("stories", 0, 2_000), MERGING: ("many_words", 16_000_000, 32_000)},
    "full": {WHOLE: ("stories", 0, 10_000), MERGING: ("many_words", 100_000_000, 64_000)},
}
"""Scale -> work -> text, bytes and ids."""

PATIENCE = {"tiny": 60.0, "default": 3_600.0, "full": 36_000.0}
"""Seconds after which a program does not come back: at "default" the slowest takes two minutes."""

NOTE = (
    "One CPU each. Whole job: from reading the text to merges in memory; one process counts, ours "
    "with the counter regex. In C++ the pair counts and the index are there; theirs by their clock."
)


def find_programs(checkout: Path) -> dict[str, str]:
    """Return the programs in a checkout, compiled ones where they are: program -> its file."""
    programs = {
        program: place
        for program, pair in PAIRS.items()
        for place in reversed(pair.places(program))  # the first that is there
        if os.access(checkout / place, os.R_OK if pair.work == WHOLE else os.X_OK)
    }
    if not any(PAIRS[program].work == WHOLE for program in programs):
        raise ValueError(
            f"{checkout} has none of the series' trainers, such as cs336_basics/bpe_v1.py: name a "
            f"folder made by `git clone {REPOSITORY}`"
        )
    return programs


def cases(scale: str, *, checkout: Path | str | None = None) -> list[Case]:
    """Return each program of a checkout after our stage beside it.

    :param checkout: a folder; all programs without one, or if it is only its name, from a record.
    """
    folder = checkout.resolve() if isinstance(checkout, Path) else None
    programs = find_programs(folder) if folder else dict.fromkeys(PAIRS, "")
    left_out = [(pair.stage, one) for one, pair in PAIRS.items() if one not in programs]
    facts = {
        "version": (folder and git_describe(folder)) or "",
        "left_out": [case for both in left_out for case in both],
    }
    alone: dict[str, Any] = {"cpus": 1, "environment": {"SERIES_CHECKOUT": str(folder or "")}}
    chosen = []
    for program, place in programs.items():
        work, stage, _ = PAIRS[program]
        on = dict(zip(("text", "text_bytes", "vocab_size"), TEXTS[scale][work], strict=True))
        beside = {"same_result_as": work, "compare_tokens_with": stage, "facts": facts, **alone}
        ours, theirs = {"stage": stage, "merging": work == MERGING, **on}, {"program": place, **on}
        chosen.append(Case(stage, f"{__name__}:run_stage", ours, **beside))
        beside["patience"] = PATIENCE[scale]
        chosen.append(Case(program, f"{__name__}:run_program", theirs, **beside))
    return chosen


ONE_PROCESS = ("--num_counter", "1")
"""Trainers that count in other processes take one, as our counter `regex`; the others, which count
in their own, ignore it."""

ITS_CLOCK = re.compile(r"bpe_train_step2: (\d+) milliseconds")

BEFORE_THEIR_CLOCK = ("count", "init", "count_pairs")
"""Phases whose results the compiled programs read from files before their clock starts."""

Trained = tuple[float, Sequence[Merge]]
"""Seconds and merges."""


def run_program(*, program: str, path: PathLike, vocab_size: int) -> Callable[[], dict[str, Any]]:
    """Train with a program: its file in the checkout, a trainer in Python or compiled."""
    file = Path(os.environ["SERIES_CHECKOUT"], program)
    run = _run_trainer if file.suffix == ".py" else _run_compiled
    seconds, merges = run(file, path, vocab_size)
    return lambda: _fields(file.stem, path, vocab_size, seconds, merges)


def run_stage(
    *, stage: str, path: PathLike, vocab_size: int, merging: bool
) -> Callable[[], dict[str, Any]]:
    """Train with a stage of ours: the whole job, or `merging` as the compiled programs time it."""
    check_worked_example(stage)
    COUNTERS["regex"].load()  # so that no import is timed
    started = perf_counter()
    if merging:
        counts = count_words(path, SPECIAL_TOKENS, threads=1)
        training = train_from_counts(counts, vocab_size, SPECIAL_TOKENS, stage=stage, threads=1)
        seconds = training.seconds - sum(training.phases[phase] for phase in BEFORE_THEIR_CLOCK)
    else:
        training = train(path, vocab_size, SPECIAL_TOKENS, stage=stage, counter="regex", threads=1)
        seconds = perf_counter() - started
    return lambda: _fields(stage, path, vocab_size, seconds, training.merges)


def _run_trainer(file: Path, path: PathLike, vocab_size: int) -> Trained:
    """Train with a trainer in Python; its time is that of the whole job, imports left out."""
    sys.dont_write_bytecode = True
    # Its package looks itself up among what is installed; an empty one in its place does not.
    package = ModuleType(file.parent.name)
    package.__path__ = [str(file.parent)]
    sys.modules[package.__name__] = package
    # Only a forked worker has that package.
    multiprocessing.set_start_method("fork", force=True)
    trainer = import_module(f"{package.__name__}.{file.stem}").BPE_Trainer()
    started = perf_counter()
    _, merges = trainer.train(str(path), vocab_size, SPECIAL_TOKENS, *ONE_PROCESS)
    return perf_counter() - started, merges


def _run_compiled(file: Path, path: PathLike, vocab_size: int) -> Trained:
    """Merge with a compiled program; the time is what it says of merging."""
    with TemporaryDirectory() as folder:
        write_counts(count_words(path, SPECIAL_TOKENS, threads=1), Path(folder))
        command = [str(file), folder, str(vocab_size), folder]
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False
        )
        clock, written = ITS_CLOCK.search(done.stdout), Path(folder, "merges.json")
        if done.returncode or clock is None or not written.exists():
            lines = (done.stderr or done.stdout).strip().splitlines() or ["nothing"]
            raise RuntimeError(f"{file.stem} ended with code {done.returncode}, saying {lines[-1]}")
        merges = [(bytes(left), bytes(right)) for left, right in json.loads(written.read_bytes())]
    # It cuts milliseconds off, so in the mean it took half of one more.
    return (int(clock[1]) + 0.5) / 1e3, merges


def write_counts(counts: Mapping[bytes, int], folder: Path) -> None:
    """Write word counts, and what follows from them, in the six files that the compiled programs
    read: a pair is the string "left,right" of two ids, a word a number."""
    pair_counts, pair_words = Counter[str](), defaultdict[str, list[int]](list)
    for number, (word, count) in enumerate(counts.items()):
        pairs = [f"{left},{right}" for left, right in pairwise(word)]
        for pair in pairs:
            pair_counts[pair] += count
        for pair in dict.fromkeys(pairs):
            pair_words[pair].append(number)
    contents = {
        "pair_counts": pair_counts,
        "pair_strings": {pair: [[int(one)] for one in pair.split(",")] for pair in pair_counts},
        "pair_to_wordids": pair_words,
        "vocabulary": dict(enumerate(map(list, first_vocab(SPECIAL_TOKENS)))),
        "wordid_counts": dict(enumerate(counts.values())),
        "wordid_encodings": dict(enumerate(map(list, counts))),
    }
    for name, content in contents.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")


def _fields(
    program: str, path: PathLike, vocab_size: int, seconds: float, merges: Sequence[Merge]
) -> dict[str, Any]:
    """Return the fields of a record; refuse merges that are not those of our default stage."""
    ours = train(path, vocab_size, SPECIAL_TOKENS, threads=1).merges
    for rank, (merge, other) in enumerate(zip_longest(merges, ours)):
        if merge != other:
            raise RuntimeError(
                f"{program} makes other merges than ours, from merge {rank} on (the first is 0): "
                "its time is not recorded"
            )
    return {
        "seconds": seconds,
        "digest": merges_sha256(merges),
        "operations": {"merges": len(merges)},
        "n_merges": len(merges),
        "tokens": merge_lines(merges).splitlines(),
    }


def compared(records: Records) -> Records:
    """Return the summary of the programs that were measured, as our stage was.

    Added: stage; idea; ours (as written); factor (`Spread` of what the program takes of our time,
    by turns; else by round); group (work and text).
    """
    rows, turns = summary(records), reference_ratios(records)
    programs = [one for one in rows.index if one in PAIRS and PAIRS[one].stage in rows.index]
    if not programs:
        raise ValueError("no program was measured beside our stage")
    theirs = rows.loc[programs].assign(
        stage=[PAIRS[program].stage for program in programs],
        idea=[PAIRS[program].idea for program in programs],
    )
    by_round = over(rows, [PAIRS[one].stage if one in programs else one for one in rows.index])
    ids = theirs["param_vocab_size"].map("{:,} ids".format)
    return theirs.assign(
        ours=rows.loc[theirs["stage"]].apply(time_cell, axis=1).tolist(),
        factor=[turns.get(program, by_round[program]) for program in programs],
        group=theirs["agrees"] + ", " + theirs.apply(sized_text, axis=1) + ", " + ids,
    )


def table(records: Records) -> str:
    """Return the time of each program and of our stage beside it, by kind of work."""
    rows, parts = compared(records), []
    for group, of_group in rows.groupby("group", sort=False):
        of_work = rows_table(
            of_group,
            {
                "their program": "`{case}`",
                "our stage": "`{stage}`",
                "idea": "{idea}",
                "their time": time_cell,
                "our time": "{ours}",
                "theirs over ours": factor("factor"),
                "n": "{values}",
            },
        )
        parts.append(f"{group}:\n\n{of_work}")
    parts.append(f"{NOTE} All made our merges: a program that does not is an error.")
    if commit := ", ".join(filter(None, rows["version"].unique())):
        parts.append(f"Commit of the checkout: {commit}.")
    if missing := [case for case in rows["left_out"].iloc[0] if case in PAIRS]:
        parts.append(f"Left out, not in the checkout or not compiled there: {', '.join(missing)}.")
    return "\n\n".join(parts) + "\n"


def figure(records: Records) -> Figure:
    """Draw how many times the time of our stage each program takes."""
    rows = compared(records)
    times = rows["factor"].map(lambda one: one.median).sort_values()
    least, most = (two_digits(times.iloc[at]) for at in (0, -1))
    text = (
        ("x " + times.map(three_digits) + ": ").reindex(rows.index)
        + rows["median"].map(duration) + ", " + rows["stage"] + " "
        + rows["ours"].str.partition(" (")[0]
    )  # fmt: skip
    return grouped_rows(
        records,
        rows.assign(color=rows["stage"].map(stage_color), text=text),
        f"The series' programs take {least} to {most} times as long as our stages",
        x_label="their time over ours (log scale)",
        note=NOTE,
        spread="factor",
        reference=1,
    )


SUITE = Suite(
    id="series",
    title="The series' own programs",
    question="How long do the programs of the published series take, beside our stages with the "
    "same ideas?",
    cases=cases,
    table=table,
    figure=figure,
    needs={"checkout": f"a folder made by `git clone {REPOSITORY}`"},
    in_all=False,
)
