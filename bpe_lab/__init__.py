"""bpe_lab: byte-level BPE training from 69 hours to seconds, one idea at a time."""

import importlib
from types import ModuleType

from bpe_lab.api import count_words, train, train_bpe
from bpe_lab.counting.word_table import WordCounts
from bpe_lab.errors import InvalidUTF8Error
from bpe_lab.registry import COUNTERS, STAGES
from bpe_lab.tokenizer import Tokenizer
from bpe_lab.training import MergeStep, Training, train_from_counts

__version__ = "0.1.0"


def __getattr__(name: str) -> ModuleType:
    # Imported when it is asked for: a training can take less time than its imports.
    if name == "corpora":
        return importlib.import_module("bpe_lab.corpora")
    raise AttributeError(f"module 'bpe_lab' has no attribute {name!r}")


__all__ = [
    "COUNTERS",
    "STAGES",
    "InvalidUTF8Error",
    "MergeStep",
    "Tokenizer",
    "Training",
    "WordCounts",
    "corpora",
    "count_words",
    "train",
    "train_bpe",
    "train_from_counts",
]
