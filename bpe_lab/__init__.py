"""Byte-level BPE training from its definition to a core in C++, one idea at a time.

Train, and use the result:

    training = bpe_lab.train("corpus.txt", 32_000)            # files -> Training
    training = bpe_lab.train_from_counts(counts, 32_000)      # {word: count} -> Training
    vocab, merges = bpe_lab.train_bpe("corpus.txt", 32_000, ["<|endoftext|>"])
    training.save("folder")
    tokenizer = bpe_lab.load("folder")                        # a Tokenizer: encode, decode

Count once, train often: `count_words`, `count_documents`.
Choices: `STAGES` (one algorithm each, all with the same merges), `COUNTERS`, `PATTERNS`; bundled
texts: `corpora`. A trainer of your own: `check_trainer(train_bpe)` finds its mistakes.
"""

import os
import sys
from importlib import import_module
from types import ModuleType

# With a checkout beside an ordinary install, Python takes the current folder for the package.
# (`importlib.util` would ask the finders, too, but loads `typing` and more: 10 ms.)
if not any(finder.find_spec("bpe_lab.native", __path__) for finder in sys.meta_path):
    raise ImportError(
        f"{__path__[0]} has no compiled modules: "
        "run Python in another folder, or `make install` here"
    )

_HOMES = {
    "COUNTERS": "bpe_lab.registry",
    "PATTERNS": "bpe_lab.words.patterns",
    "STAGES": "bpe_lab.registry",
    "FileChangedError": "bpe_lab.support.errors",
    "InvalidUTF8Error": "bpe_lab.support.errors",
    "MergeStep": "bpe_lab.training.merge_loop",
    "Tokenizer": "bpe_lab.tokenizer.tokenizer",
    "Training": "bpe_lab.training.training",
    "WordCounts": "bpe_lab.counting.word_table",
    "check_tokenizer": "bpe_lab.trials.tokenizer",
    "check_trainer": "bpe_lab.trials.trainer",
    "count_documents": "bpe_lab.counting.api",
    "count_words": "bpe_lab.counting.api",
    "load": "bpe_lab.tokenizer.tokenizer",
    "train": "bpe_lab.training.api",
    "train_bpe": "bpe_lab.training.api",
    "train_from_counts": "bpe_lab.training.training",
}
"""Name -> module, imported when the name is first used: all take longer than Python itself."""


def _load_native() -> ModuleType:
    """Load the compiled core so that its threads of OpenMP sleep while they wait, and do not spin.

    OpenMP's library reads the variable once, when it is loaded; where another package has loaded
    the same library before, threads wait as that wanted. What the user has set is kept. What is set
    here is taken back: it would slow down other libraries, and child processes would inherit it.
    """
    chosen = "OMP_WAIT_POLICY" in os.environ
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        return import_module("bpe_lab.native")
    finally:
        if not chosen:
            os.environ.pop("OMP_WAIT_POLICY", None)


TYPE_CHECKING = False  # that of the module `typing`, which takes longer to load than all of this
if TYPE_CHECKING:
    from bpe_lab import corpora
    from bpe_lab.counting.api import count_documents, count_words
    from bpe_lab.counting.word_table import WordCounts
    from bpe_lab.registry import COUNTERS, STAGES
    from bpe_lab.support.errors import FileChangedError, InvalidUTF8Error
    from bpe_lab.tokenizer.tokenizer import Tokenizer, load
    from bpe_lab.training.api import train, train_bpe
    from bpe_lab.training.merge_loop import MergeStep
    from bpe_lab.training.training import Training, train_from_counts
    from bpe_lab.trials.tokenizer import check_tokenizer
    from bpe_lab.trials.trainer import check_trainer
    from bpe_lab.words.patterns import PATTERNS

__version__ = "1.1.0"

__all__ = [
    "COUNTERS",
    "PATTERNS",
    "STAGES",
    "FileChangedError",
    "InvalidUTF8Error",
    "MergeStep",
    "Tokenizer",
    "Training",
    "WordCounts",
    "check_tokenizer",
    "check_trainer",
    "corpora",
    "count_documents",
    "count_words",
    "load",
    "train",
    "train_bpe",
    "train_from_counts",
]


def __getattr__(name: str) -> object:
    if name == "native":
        return _load_native()
    if name == "corpora":
        return import_module("bpe_lab.corpora")
    if name not in _HOMES:
        raise AttributeError(f"module 'bpe_lab' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    if name in ("train", "train_from_counts"):
        plan = import_module("bpe_lab.training.plan")
        plan.show_options(found, without=() if name == "train" else plan.COUNTING)
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
