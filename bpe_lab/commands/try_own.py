"""`bpe-lab try`."""

import argparse
from pathlib import Path

from bpe_lab.commands.arguments import number_argument, path_argument
from bpe_lab.support.columns import terminal_text
from bpe_lab.trials.running import CommandTrainer, FileTrainer, Trainer
from bpe_lab.trials.speed import SECONDS
from bpe_lab.trials.stage import SIZES, try_stage
from bpe_lab.trials.trainer import MEMORY, judge
from bpe_lab.trials.trial import TIES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = """\
examples:
  bpe-lab try train_bpe.py       # it has train_bpe(path, size, special_tokens)
  bpe-lab try tests/adapters.py  # a checkout of CS336: run_train_bpe
  bpe-lab try mine.py:learn --python ../mine/.venv/bin/python
  bpe-lab try --command './trainer {text} {vocab_size} {special_tokens} {out}'
  bpe-lab stages --template > mystage.py; bpe-lab try mystage.py
"""
    own = "the file of your own trainer or stage, FILE.py:NAME if it has several, or MODULE:NAME; "
    own += "FILE.pyx is a stage, and is compiled"
    parser.add_argument("own", nargs="?", metavar="FILE.py", help=own)
    command = "a trainer in any language, started for each text: {text} is its file, {vocab_size} "
    command += "a number, {special_tokens} a JSON list in one argument, {out} the file or folder "
    command += (
        "that it writes: tokenizer.json, merges.txt, .tiktoken, or JSON with vocab and merges"
    )
    parser.add_argument("--command", metavar="WORDS", help=command)
    python = "the interpreter of a trainer's project (default: this one)"
    parser.add_argument("--python", type=path_argument, metavar="PATH", help=python)
    ties = "which of equally frequent pairs a trainer is to merge: the greatest (CS336), the first "
    ties += "that is seen (minbpe), the smallest (Hugging Face) (default: %(default)s)"
    parser.add_argument("--ties", choices=TIES, default="greatest", help=ties)
    memory = "memory that a trainer may use on top of its imports (default: 4GB)"
    parser.add_argument("--memory", type=number_argument, default=MEMORY, help=memory)
    seconds = "time to measure how fast a trainer is; half as much for the small texts before "
    seconds += "(default: %(default)g)"
    parser.add_argument("--seconds", type=float, default=SECONDS, help=seconds)
    scale = "tiny: small texts only; default: how fast it is, too"
    parser.add_argument("--scale", choices=SIZES, default="default", help=scale)


def run(args: argparse.Namespace) -> int:
    if (args.own is None) == (args.command is None):
        raise ValueError("name the file of a trainer or a stage, or give --command")
    own: Trainer
    if args.command is not None:
        own = CommandTrainer(args.command, args.memory)
    else:
        is_python = args.own.endswith((".py", ".pyx")) and Path(args.own).is_file()
        if ":" not in args.own and not is_python:
            name = "name one, or MODULE:NAME; in a notebook, call bpe_lab.check_trainer(train_bpe)"
            raise ValueError(f"there is no Python file {args.own}: {name}")
        own = FileTrainer(args.own, args.python and Path(args.python), args.memory)
        if own.is_stage():
            own.close()
            stage = try_stage(args.own, size=args.scale)
            print(stage)
            return int(not stage.passed)  # 1: the stage is not right
    begun = False

    def say(part: str) -> None:
        nonlocal begun
        print("\n" * begun + terminal_text(part), flush=True)
        begun = True

    report = judge(own, args.ties, args.scale == "tiny", args.seconds, say, progress=True)
    if report.mistakes:
        return 1
    return 0 if report.passed else 2  # 2: not all texts were tried
