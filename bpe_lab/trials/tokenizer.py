"""A tokenizer that a reader has: whether it is right, and what its mistakes are."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from bpe_lab.trials.report import Report
from bpe_lab.trials.running import MEMORY, CannotRunError
from bpe_lab.trials.speed import SECONDS
from bpe_lab.trials.tokenizer_running import (
    FileTokenizer,
    FunctionTokenizer,
    OwnTokenizer,
)
from bpe_lab.trials.tokenizer_speed import speed
from bpe_lab.trials.tokenizer_trial import TokenizerTrial


def check_tokenizer(
    tokenizer: Callable[..., Any] | str | os.PathLike[str],
    *,
    fast: bool = False,
    python: str | os.PathLike[str] | None = None,
    memory: int = MEMORY,
    seconds: float = SECONDS,
) -> Report:
    """Try a tokenizer on small texts, and say what holds, or what its mistakes are.

    Its ids and texts are compared with those of the rules, and where they differ, with those of
    tokenizers that make known mistakes. It gets a vocabulary and merges of the lab, and runs in a
    process of its own.

    :param tokenizer: a class that takes a vocabulary (a dict of ids and bytes), merges (a list of
        pairs of bytes) and special tokens (a list of str, or none), or a function that returns an
        object of one, with `encode`, `encode_iterable` and `decode`; or where it is found:
        "mine.py", "mine.py:name", "module:name".
    :param fast: do not measure its speed.
    :param python: the interpreter of a tokenizer that is named by its file; None: this one.
    :param memory: bytes that it may take.
    :param seconds: half of them for the small texts; as many again to measure how fast it is.
    :raises ValueError: it cannot be run; says why.

    >>> import bpe_lab
    >>> report = check_tokenizer(bpe_lab.Tokenizer, fast=True)  # it takes no new special tokens
    >>> report.passed, report.mistakes[0].title
    (False, 'A special token that is new')
    """
    if callable(tokenizer):
        own: OwnTokenizer = FunctionTokenizer(tokenizer, memory)
    else:
        own = FileTokenizer(os.fspath(tokenizer), Path(python) if python else None, memory)
    return judge_tokenizer(own, fast, seconds)


def judge_tokenizer(
    own: OwnTokenizer,
    fast: bool = False,
    seconds: float = SECONDS,
    on_part: Callable[[str], object] = lambda part: None,
    progress: bool = False,
) -> Report:
    """Return what is found of a tokenizer, as `check_tokenizer` does, and end it.

    :param on_part: called with each paragraph as soon as it is found.
    :param progress: show a bar while it runs.
    """
    with closing(own):
        own.begin()
        if not own.name:
            raise CannotRunError("it has no class Tokenizer(vocab, merges, special_tokens)")
        trial = TokenizerTrial(own, seconds / 2, on_part, progress)
        trial.run()
        if not fast:
            for part in speed(own, seconds):
                trial.say(part)
        passed = not trial.mistakes and not trial.n_untried
        return Report(own.name, passed, trial.parts, trial.mistakes, trial.remarks)
