"""A checkout as the suite `series` takes it, with programs of a few lines in place of the real."""

import sys
from pathlib import Path

from wrong_trainers import RIGHT

PYTHON = ("bpe_v1", "bpe_v2", "bpe_v5", "bpe_v6", "bpe_v7")
COMPILED = (
    "bpe_train_updater_fine_grained_emhash8",
    "bpe_train_updater_fine_grained_heap_opt",
    "bpe_train_updater_fine_grained_heap_emhash8_set9_opt",
)

PACKAGE = """
import importlib.metadata

importlib.metadata.version("cs336_basics")  # it is not installed
"""

MERGING = f"""{RIGHT}

def merges_of(words, n_merges):
    # Pairs of tokens and count.
    all_ = []
    for _ in range(n_merges):
        all_.append(choose(count_pairs(words), ()))
        words = [(merge(tokens, all_[-1]), count) for tokens, count in words]
    return all_
"""

TRAINER = r"""
import multiprocessing

from cs336_basics.merging import count_words, cut, merges_of, read


def count(path, special_tokens, queue):
    queue.put(count_words(cut(read(path), special_tokens)))


class BPE_Trainer:
    def train(self, path, vocab_size, special_tokens, *arguments):
        assert arguments == ("--num_counter", "1"), arguments
        print("it prints")
        queue = multiprocessing.Queue()
        if WORKER:
            worker = multiprocessing.Process(target=count, args=(path, special_tokens, queue))
            worker.start()
        else:
            count(path, special_tokens, queue)
        merges = merges_of(queue.get(), vocab_size - 256 - len(special_tokens))
        return {}, merges
"""

PROGRAM = r"""
import json
import sys
from itertools import pairwise
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parents[2] / "cs336_basics"))
from merging import merges_of

counts, vocab_size, out = sys.argv[1:]
read = {
    name: json.load(open(f"{counts}/{name}.json"))
    for name in ("pair_counts", "pair_strings", "pair_to_wordids", "vocabulary", "wordid_counts",
                 "wordid_encodings")
}
vocab = {int(number): bytes(token) for number, token in read["vocabulary"].items()}
for pair, strings in read["pair_strings"].items():
    assert [list(vocab[int(one)]) for one in pair.split(",")] == strings
for pair, numbers in read["pair_to_wordids"].items():
    occurrences = 0
    for number in map(str, numbers):
        pairs = [f"{left},{right}" for left, right in pairwise(read["wordid_encodings"][number])]
        assert pair in pairs
        occurrences += pairs.count(pair) * read["wordid_counts"][number]
    assert occurrences == read["pair_counts"][pair]
words = [
    ([bytes([token]) for token in tokens], read["wordid_counts"][number])
    for number, tokens in read["wordid_encodings"].items()
]
merges = merges_of(words, int(vocab_size) - len(vocab))
print("bpe_train_step2: 3 milliseconds.")
json.dump([[list(left), list(right)] for left, right in merges], open(f"{out}/merges.json", "w"))
"""


def write_checkout(folder: Path, compiled: tuple[str, ...] = COMPILED) -> Path:
    """Write a checkout into a folder, and return the folder."""
    sources, build = folder / "cs336_basics", folder / "cppupdate" / "build"
    sources.mkdir(parents=True)
    build.mkdir(parents=True)
    (sources / "__init__.py").write_text(PACKAGE)
    (sources / "merging.py").write_text(MERGING)
    for name in PYTHON:
        (sources / f"{name}.py").write_text(f"WORKER = {name > 'bpe_v2'}\n{TRAINER}")
    (build / "program.py").write_text(PROGRAM)
    for name in compiled:
        # By a shell: the path of Python may be too long for a first line, or have a blank.
        start = f'exec \'{sys.executable}\' "$(dirname "$0")/program.py" "$@"'
        (build / name).write_text(f"#!/bin/sh\n{start}\n")
        (build / name).chmod(0o755)
    return folder
