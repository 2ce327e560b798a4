"""bpe_lab: byte-level BPE training from 69 hours to seconds, one idea at a time."""

from bpe_lab import corpora
from bpe_lab.api import count_words, train, train_bpe
from bpe_lab.counting.word_table import WordCounts
from bpe_lab.errors import InvalidUTF8Error
from bpe_lab.registry import COUNTERS, STAGES
from bpe_lab.tokenizer import Tokenizer
from bpe_lab.training import MergeStep, Training, train_from_counts

__version__ = "0.1.0"

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
