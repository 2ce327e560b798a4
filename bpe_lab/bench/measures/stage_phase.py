"""Trainings with stages that are no part of the registry: those that did not help."""

import importlib
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from bpe_lab.api import count_words
from bpe_lab.bench.measures.training import SPECIAL_TOKENS
from bpe_lab.bench.texts import find_text
from bpe_lab.merges import first_vocab, merges_sha256
from bpe_lab.progress import Bar
from bpe_lab.stages.interface import Stage
from bpe_lab.training import PHASES, MergeLoop, PhaseClock


def train_stage(
    stage: type[Stage], counts: Mapping[bytes, int], vocab_size: int, **options: Any
) -> MergeLoop:
    """Train with any class that is a stage.

    :param stage: the class.
    :param counts: word -> number of occurrences.
    :param vocab_size: number of ids to reach.
    :param options: more arguments of the class.
    :return: the loop as it ended, with its merges and its clock.

    >>> from bpe_lab.stages.max_heap import MaxHeap
    >>> train_stage(MaxHeap, {b"low": 5}, 258).merges
    [(b'o', b'w')]
    """
    clock = PhaseClock()
    clock.switch("init")
    vocab = first_vocab(tuple(SPECIAL_TOKENS))
    n_merges = vocab_size - len(vocab)
    loop = MergeLoop(
        stage=stage(counts, vocab, **options),
        vocab=vocab,
        end_id=vocab_size,
        clock=clock,
        deadline=None,
        on_merge=None,
        bar=Bar(False, "", n_merges, " merges", scale=False),
    )
    with ExitStack() as stack:
        if hasattr(loop.stage, "close"):
            stack.callback(loop.stage.close)
        loop.run()
        clock.switch("")
    return loop


def time_stage(
    *,
    stage: str,
    text: str,
    vocab_size: int,
    phase: str = "",
    text_bytes: int = 0,
    loops: int = 1,
    threads: int = 0,
    file: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Train with a class and return the seconds of one phase, or of all.

    :param stage: "module:class".
    :param text: a text of the suites.
    :param vocab_size: number of ids to reach.
    :param phase: of `bpe_lab.training.PHASES`, whose seconds are the value; "": of all.
    :param text_bytes: size of the text, 0 for a bundled corpus as it is.
    :param loops: how often the training is repeated; the value is the mean.
    :param threads: processes, for a stage that has some; 0: it has none.
    :param file: the user's file.

    >>> made = time_stage(stage="bpe_lab.stages.max_heap:MaxHeap", text="languages", vocab_size=300)
    >>> made["n_merges"]
    43
    """
    module, _, name = stage.partition(":")
    stage_class = getattr(importlib.import_module(module), name)
    options = {"threads": threads} if threads else {}
    path, corpus = find_text(text, text_bytes, file)
    counts = count_words(path, SPECIAL_TOKENS)
    phases = dict.fromkeys(PHASES, 0.0)
    for _ in range(loops):
        loop = train_stage(stage_class, counts, vocab_size, **options)
        phases = {name: phases[name] + loop.clock.seconds[name] / loops for name in PHASES}
    return {
        "seconds": phases[phase] if phase else sum(phases.values()),
        "phases": phases,
        "digest": merges_sha256(loop.merges),
        "operations": dict(loop.stage.operations),
        "n_merges": len(loop.merges),
        "loops": loops,
        "corpus": corpus,
    }
