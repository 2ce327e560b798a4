"""A trainer that a reader has: whether it is right, and what its mistakes are."""

import os
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from bpe_lab.results.numbers import count_of, duration
from bpe_lab.support.columns import as_code, named
from bpe_lab.training.api import train
from bpe_lab.trials.counter_example import first_difference
from bpe_lab.trials.report import Mistake, Report
from bpe_lab.trials.running import MEMORY, FileTrainer, FunctionTrainer, Trainer
from bpe_lab.trials.speed import (
    SECONDS,
    Speed,
    measure,
    merges_of_stories,
    not_measured,
    stories,
)
from bpe_lab.trials.texts import Text
from bpe_lab.trials.trial import TIES, Trial


@dataclass(frozen=True, repr=False)
class TrainerReport(Report):
    """What was found of a trainer.

    :param speed: how fast it is; None: that was not measured.
    """

    speed: Speed | None = None

    @property
    def seconds(self) -> Mapping[int, float]:
        """Bytes of stories -> seconds of a training with 2,000 ids."""
        runs = {} if self.speed is None else self.speed.runs
        return {size: run.seconds for size, run in runs.items()}


def check_trainer(
    trainer: Callable[..., Any] | str | os.PathLike[str],
    *,
    ties: str = "greatest",
    fast: bool = False,
    python: str | os.PathLike[str] | None = None,
    memory: int = MEMORY,
    seconds: float = SECONDS,
) -> TrainerReport:
    """Try a trainer on small texts, and say what holds, or what its mistakes are.

    Its merges are compared with those of the rules (`book/rules.md`), and where they differ, with
    those of trainers that make known mistakes. It runs in a process of its own.

    :param trainer: a function of an input path, the size of the vocabulary and a list of special
        tokens, or a class with a method `train`, or where it is found: "mine.py", "mine.py:name",
        "module:name".
    :param ties: which of equally frequent pairs is to be merged: "greatest", as CS336 asks for,
        "first", the one that is seen first, or "smallest".
    :param fast: leave out the large texts, and do not measure its speed.
    :param python: the interpreter of a trainer that is named by its file; None: this one.
    :param memory: bytes that it may take.
    :param seconds: half of them for the small texts; all to measure how fast it is, stages of the
        lab beside it included.
    :raises ValueError: it cannot be run, or fails with each of the first three texts in the same
        way, or there is no such tie rule; says why.

    >>> import bpe_lab
    >>> check_trainer(bpe_lab.train_bpe, fast=True).passed
    True
    """
    if callable(trainer):
        own: Trainer = FunctionTrainer(trainer, memory)
    else:
        own = FileTrainer(os.fspath(trainer), Path(python) if python else None, memory)
    return judge(own, ties, fast, seconds)


def judge(
    own: Trainer,
    ties: str = "greatest",
    fast: bool = False,
    seconds: float = SECONDS,
    on_part: Callable[[str], object] = lambda part: None,
    progress: bool = False,
) -> TrainerReport:
    """Return what is found of a trainer, as `check_trainer` does, and end it.

    :param on_part: called with each paragraph as soon as it is found.
    :param progress: show a bar while it runs.
    """
    if ties not in TIES:
        raise ValueError(f"ties is {ties!r}: known are {', '.join(TIES)}")
    with closing(own):
        trial = Trial(own, ties, on_part, progress)
        trial.run(fast, seconds / 2)
        speed = None
        if not fast and trial.works:
            found = measure(own, seconds, progress=progress)
            if isinstance(found, Speed):
                speed, parts = found, found.parts()
            else:
                parts = [not_measured(found, seconds)]
            for part in parts:
                trial.say(part)
            if speed is not None and ties == "greatest":
                for size, run in speed.runs.items():
                    trial.try_timed(stories(size), run.outcome.merges, merges_of_stories(size))
        passed = not trial.mistakes and not trial.late
        return TrainerReport(trial.name, passed, trial.parts, trial.mistakes, trial.remarks, speed)


def judge_file(
    own: Trainer,
    file: Path,
    vocab_size: int,
    seconds: float = SECONDS,
    on_part: Callable[[str], object] = lambda part: None,
) -> TrainerReport:
    """Return whether a trainer makes the merges of `core` of a text, and how long both take.

    :raises OSError: the text cannot be read.
    :raises ValueError: it is no UTF-8, or `vocab_size` is too small.
    """
    text = Text(file.name, "a text of yours", 5, file.read_bytes(), n_merges=vocab_size - 257)
    begun = perf_counter()
    core = train(file, vocab_size, text.special_tokens)
    ours = perf_counter() - begun
    with closing(own):
        own.begin()
        made, its = own.measure(text, seconds), named(own.name)
    mistakes, differs = list[Mistake](), first_difference(core.merges, made.outcome.merges)
    if made.outcome.failed == "endless":
        late = f"{its} {made.outcome.said}: `--seconds` gives it longer; `core` took"
        on_part(f"{late} {duration(ours)}.")
        return TrainerReport(own.name, False, [late])
    if differs:
        rank, due, other = differs
        shown = f"Merge {rank + 1:,} must be {as_code(f'{due}')}; it makes {as_code(f'{other}')}."
        shown = f"It {made.outcome.said}." if made.outcome.failed else shown
        call = [f'{its}("{file}", {vocab_size}, {[*text.special_tokens]})']
        sentence = f"{its} does not make the merges of `core`."
        mistakes.append(Mistake("Merges", None, sentence, shown, call, text, [file.name]))
        parts = [mistakes[0].paragraph()]
    else:
        count = f"{count_of(len(core.merges), 'merge')} of {named(file.name)}"
        parts = [f"**{its} makes the merges of `core`**, {count}."]
    parts.append(
        f"{its} took {duration(made.seconds)}, `core` {duration(ours)} on all processors; n = 1."
    )
    for part in parts:
        on_part(part)
    return TrainerReport(own.name, not mistakes, parts, mistakes)
