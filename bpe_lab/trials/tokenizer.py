"""A tokenizer that a reader has: whether it is right, and what its mistakes are."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from bpe_lab.bench.child import Child, ChildError
from bpe_lab.support.user_modules import IMPORT_SECONDS
from bpe_lab.trials import tokenizer_program
from bpe_lab.trials.report import TrainerReport
from bpe_lab.trials.running import NO_BYTECODE, CannotRunError, FileTrainer, _why_unfit
from bpe_lab.trials.tokenizer_kinds import all_merges
from bpe_lab.trials.tokenizer_trial import TokenizerTrial
from bpe_lab.trials.trainer import MEMORY


class FileTokenizer(FileTrainer):
    n_endless = 0
    prepared = False

    def begin(self) -> None:
        if self.child.running:
            return
        self.child.memory, self.prepared = 0, False
        try:
            found = self.child.call(f"{tokenizer_program.__file__}:find", self.named, IMPORT_SECONDS)
        except OSError as error:
            raise CannotRunError(f"{self.python}: {error.strerror}") from None
        except ChildError as error:
            self.child.restart()
            raise CannotRunError(f"{self.place}{_why_unfit(error)}") from None
        self.name, self.methods = found["name"], found.get("methods", ())
        self.child.memory = self.memory

    def call(self, call: str, seconds: float, **given: Any) -> Any:
        self.begin()
        if not self.prepared:
            given["merges"] = [[side.hex() for side in pair] for pair in all_merges()]
            self.prepared = True
        return self.child.call(f"{tokenizer_program.__file__}:answer", {"call": call, **given}, seconds)


def judge_tokenizer(own, on_part=lambda part: None) -> TrainerReport:
    with closing(own):
        trial = TokenizerTrial(own, on_part)
        trial.run()
        if not trial.mistakes:
            trial.say(f"**{own.name} is right** in {len(trial.answers)} calls.")
        if trial.remarks: trial.say("**Left open.** " + " ".join(trial.remarks))
        return TrainerReport(own.name, not trial.mistakes, trial.mistakes, trial.remarks, trial.parts, None)
