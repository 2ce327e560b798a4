"""Run the programs of the published series beside our stages: `python tools/series.py PATH OUT`.

PATH: `git clone https://github.com/fancyerii/assignment1-basics-bpe`, into which nothing is
written. Its compiled programs are run where they are, in `cppupdate`. All must make our merges.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import replace
from importlib import import_module
from itertools import pairwise
from multiprocessing import set_start_method
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from bpe_lab import count_words, train, train_from_counts
from bpe_lab.bench.runner import run_suite
from bpe_lab.bench.suite import Case, Suite
from bpe_lab.registry import COUNTERS
from bpe_lab.results.machine_facts import commit
from bpe_lab.results.spread import reference_ratios
from bpe_lab.results.tables import Columns, factor, rows_table, sized_text, summary, time_cell
from bpe_lab.tokenizer.merges import first_vocab, merges_sha256

WHOLE, IN_CPP = "Whole job in Python", "After the first counts, in C++"
"""What is timed of a program of the series."""

SERIES = {
    "bpe_v1": (WHOLE, "word_counts", "distinct words; all pairs are counted for each merge"),
    "bpe_v2": (WHOLE, "inverted_index", "pair -> words: only these are counted again"),
    "bpe_v5": (WHOLE, "fine_grained", "only the pairs that touch a match change"),
    "bpe_v6": (WHOLE, "max_heap_python", "a lazy max-heap written in Python"),
    "bpe_v7": (WHOLE, "max_heap", "a lazy max-heap of the standard library"),
    "fine_grained_emhash8": (
        IN_CPP, "cpp_scan", "no heap: all counts are scanned, theirs without gaps"
    ),
    "fine_grained_heap_opt": (IN_CPP, "cpp_map", "a lazy heap, std::unordered_map"),
    "fine_grained_heap_emhash8_set9_opt": (IN_CPP, "cpp_flat", "a lazy heap, a flat table"),
}  # fmt: skip
"""Program -> what is timed of it, our stage with the same idea, the idea."""

FOLDER = "SERIES_CHECKOUT"
SPECIAL = ["<|endoftext|>"]
TEXTS = {WHOLE: ("stories", 0, 2_000), IN_CPP: ("many_words", 16_000_000, 32_000)}


def run(program: str, path: str, vocab_size: int, whole: bool) -> dict[str, Any]:
    """Train with a stage of ours, or with a program: its file in the checkout."""
    file = Path(os.environ[FOLDER], program)
    if file.suffix == ".py":
        seconds, merges = _trainer(file, path, vocab_size)
    elif file.exists():
        seconds, merges = _compiled(str(file), path, vocab_size)
    elif whole:
        COUNTERS["regex"].load()  # so that no import is timed
        started = perf_counter()
        training = train(path, vocab_size, SPECIAL, stage=program, counter="regex", threads=1)
        seconds, merges = perf_counter() - started, training.merges
    else:
        counts = count_words(path, SPECIAL, threads=1)
        training = train_from_counts(counts, vocab_size, SPECIAL, stage=program, threads=1)
        before = (training.phases[phase] for phase in ("count", "init", "count_pairs"))
        seconds, merges = training.seconds - sum(before), training.merges
    if list(merges) != list(train(path, vocab_size, SPECIAL, threads=1).merges):
        raise RuntimeError(f"{Path(program).name} makes other merges than ours")
    made = {"digest": merges_sha256(merges), "operations": {"merges": len(merges)}}
    return {"seconds": seconds, "n_merges": len(merges), **made}


def _trainer(file: Path, path: str, vocab_size: int) -> tuple[float, Any]:
    """Run a trainer in Python, imports left out."""
    sys.dont_write_bytecode = True
    # Its package looks itself up among what is installed; an empty one in its place does not.
    package = sys.modules[file.parent.name] = type(sys)(file.parent.name)
    package.__path__ = [str(file.parent)]
    set_start_method("fork", force=True)  # only a forked worker has that package
    trainer = import_module(f"{package.__name__}.{file.stem}").BPE_Trainer()
    started = perf_counter()
    _, merges = trainer.train(path, vocab_size, SPECIAL, "--num_counter", "1")
    return perf_counter() - started, merges


def _compiled(program: str, path: str, vocab_size: int) -> tuple[float, Any]:
    """Merge with a compiled program; the time is what it says of merging."""
    counts, vocab = count_words(path, SPECIAL, threads=1), first_vocab(SPECIAL)
    pair_counts, pair_words = Counter[str](), defaultdict[str, dict[int, None]](dict)
    for number, (word, count) in enumerate(counts.items()):
        for left, right in pairwise(word):
            pair_counts[f"{left},{right}"] += count
            pair_words[f"{left},{right}"][number] = None
    with TemporaryDirectory() as folder:
        for name, content in {
            "pair_counts": pair_counts,
            "pair_strings": {pair: [[int(id_)] for id_ in pair.split(",")] for pair in pair_counts},
            "pair_to_wordids": {pair: list(words) for pair, words in pair_words.items()},
            "vocabulary": dict(enumerate(map(list, vocab))),
            "wordid_counts": dict(enumerate(counts.values())),
            "wordid_encodings": dict(enumerate(map(list, counts))),
        }.items():
            Path(folder, f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
        words = [program, folder, str(vocab_size), folder]
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        merges = json.loads(Path(folder, "merges.json").read_bytes())
    # It cuts milliseconds off, so in the mean it took half of one more.
    [clock] = re.findall(r"bpe_train_step2: (\d+) milliseconds", said)
    return (int(clock) + 0.5) / 1e3, [(bytes(left), bytes(right)) for left, right in merges]


def cases(checkout: Path) -> list[Case]:
    """Return each program that a checkout has, after our stage with the same idea."""
    chosen, facts = [], {"version": commit(checkout) or ""}
    for name, (work, stage, _) in SERIES.items():
        whole, (text, size, ids) = work == WHOLE, TEXTS[work]
        form = f"cs336_basics/{name}.py" if whole else f"cppupdate/**/bpe_train_updater_{name}"
        on = {"text": text, "text_bytes": size, "vocab_size": ids, "whole": whole}
        for place in checkout.glob(form):
            for case, program in ((stage, stage), (name, str(place.relative_to(checkout)))):
                params = {"program": program, **on}
                one = Case(case, f"{__file__}:run", params, work, 1, {FOLDER: str(checkout)})
                chosen.append(replace(one, compare_tokens_with=stage, facts=facts))
    return chosen


SERIES_NOTE = (
    "One CPU each. Whole job: from reading the text to merges in memory; one process counts, ours "
    "with the counter regex. In C++ the pair counts and the index are there; theirs by their clock."
)


def series_table(records: Any) -> str:
    """Return the time of each program of the series and of our stage beside it, by kind of work.

    :param records: of `tools/series.py`: of each program and each stage.
    """
    rows, beside = summary(records), reference_ratios(records)
    programs = [name for name in rows.index if name in SERIES]
    stages = [SERIES[program][1] for program in programs]
    theirs = rows.loc[programs].assign(
        stage=stages,
        idea=[SERIES[program][2] for program in programs],
        ours=rows.loc[stages].apply(time_cell, axis=1).tolist(),
        factor=beside[programs],
    )
    theirs["group"] = theirs["agrees"] + ", " + theirs.apply(sized_text, axis=1)
    theirs["group"] += theirs["param_vocab_size"].map(", {:,} ids".format)
    parts = []
    for group, of_group in theirs.groupby("group", sort=False):
        columns: Columns = {
            "their program": "`{case}`",
            "our stage": "`{stage}`",
            "idea": "{idea}",
            "their time": time_cell,
            "our time": "{ours}",
            "theirs over ours": factor("factor"),
            "n": "{values}",
        }
        parts.append(f"{group}:\n\n{rows_table(of_group, columns)}")
    parts.append(f"{SERIES_NOTE} All made our merges: a program that does not is an error.")
    parts.append(f"Commit of the checkout: {', '.join(rows['version'].unique())}.")
    return "\n\n".join(parts) + "\n"


def main(checkout: str, out: str, rounds: str = "9") -> None:
    """Run them in turns; the same command goes on where it was stopped."""
    chosen: Any = cases(Path(checkout).resolve())
    suite = Suite("series", "", "", lambda scale: chosen, series_table, chosen)
    print(series_table(run_suite(suite, Path(out), repeats=int(rounds), resume=True)))


if __name__ == "__main__":
    main(*sys.argv[1:])
