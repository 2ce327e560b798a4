"""`bpe-lab try`."""

import argparse
from collections.abc import Callable
from pathlib import Path

from bpe_lab.commands.arguments import path_argument, seconds_argument, size_argument
from bpe_lab.support.columns import terminal_text
from bpe_lab.support.errors import require
from bpe_lab.support.files import check_file
from bpe_lab.trials.report import Report
from bpe_lab.trials.running import MEMORY, CommandTrainer, FileTrainer, Trainer
from bpe_lab.trials.speed import SECONDS
from bpe_lab.trials.stage import SIZES, try_stage
from bpe_lab.trials.tokenizer import judge_tokenizer
from bpe_lab.trials.tokenizer_running import FileTokenizer
from bpe_lab.trials.trainer import TrainerReport, judge, judge_file
from bpe_lab.trials.trainer_or_stage import is_trainer, parted
from bpe_lab.trials.trial import TIES

EXAMPLES = """
Examples:
  bpe-lab try train_bpe.py                   # train_bpe(input_path, vocab_size, special_tokens)
  bpe-lab try tokenizer.py                   # a class Tokenizer(vocab, merges, special_tokens)
  bpe-lab try tests/adapters.py              # a checkout of CS336: run_train_bpe, get_tokenizer
  bpe-lab try mine.py:learn --python ../mine/.venv/bin/python
  bpe-lab try train_bpe.py --file my.txt --vocab-size 10000   # on a text of yours, beside core
  bpe-lab try --command './trainer {text} {vocab_size} {special_tokens} {out}'
  bpe-lab stages --template > mystage.py; bpe-lab try mystage.py
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    own = "the file of your own trainer, tokenizer or stage, FILE.py:NAME if it has several, or "
    own += "MODULE:NAME; FILE.pyx is a stage, and is compiled"
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
    parser.add_argument("--memory", type=size_argument, default=MEMORY, help=memory)
    seconds = "time to measure how fast a trainer is; half as much for the small texts before "
    seconds += "(default: %(default)g)"
    parser.add_argument("--seconds", type=seconds_argument, default=SECONDS, help=seconds)
    figure = "draw a trainer's place among the stages of the lab"
    parser.add_argument("--figure", type=path_argument, metavar="FILE.png", help=figure)
    file = "a text of yours, on which a trainer is compared with core"
    parser.add_argument("--file", type=path_argument, metavar="TEXT", help=file)
    vocab_size = "ids of that text (default: 2,000)"
    parser.add_argument("--vocab-size", type=size_argument, default=2_000, help=vocab_size)
    scale = "tiny: small texts only; default: how fast it is, too"
    parser.add_argument("--scale", choices=SIZES, default="default", help=scale)


def refuse_no_python(own: str) -> None:
    """Say what a file is that is neither a module nor Python's or Cython's source.

    :raises ValueError: it is one.
    """
    file = Path(parted(own)[0])
    if file.suffix == ".ipynb":
        raise ValueError(f"{file} is a notebook: in a cell of it, bpe_lab.check_trainer(train_bpe)")
    if file.suffix in (".py", ".pyx"):
        if not file.is_file():
            raise ValueError(f"{file}: there is no such file")
    elif file.exists() or file.suffix in (".txt", ".md", ".json"):
        raise ValueError(f"{file} is no Python file: name one that has a trainer or a stage")


def run(args: argparse.Namespace) -> int:
    if (args.own is None) == (args.command is None):
        raise ValueError("name the file of a trainer or a stage, or give --command")
    if args.command is None:
        refuse_no_python(args.own)
    if args.command is None and args.python is None and not is_trainer(args.own):
        if args.figure is not None:
            raise ValueError("--figure draws trainers: `bpe-lab bench ladder --stage` draws stages")
        stage = try_stage(args.own, size=args.scale)
        print(stage)
        return int(not stage.passed)  # 1: the stage is not right
    if args.figure is not None:
        if args.scale == "tiny":
            raise ValueError("--figure shows how fast it is: leave out --scale tiny")
        require("matplotlib")
        check_file(args.figure)
    begun = False

    def say(part: str) -> None:
        nonlocal begun
        print("\n" * begun + terminal_text(part), flush=True)
        begun = True

    if args.command is not None:
        return _code(_judge_trainer(args, CommandTrainer(args.command, args.memory), say))
    place = args.own, args.python and Path(args.python), args.memory
    tokenizer = FileTokenizer(*place)
    tokenizer.begin()
    reports: list[Report] = []
    if tokenizer.has_trainer or not tokenizer.name:
        reports.append(_judge_trainer(args, FileTrainer(*place), say))
    if tokenizer.name:
        fast = args.scale == "tiny"
        reports.append(judge_tokenizer(tokenizer, fast, args.seconds, on_part=say))
    return max(map(_code, reports), key=lambda code: (code == 1, code))


def _judge_trainer(
    args: argparse.Namespace, own: Trainer, say: Callable[[str], object]
) -> TrainerReport:
    if args.file is not None:
        return judge_file(own, args.file, args.vocab_size, args.seconds, say)
    report = judge(own, args.ties, args.scale == "tiny", args.seconds, say, progress=True)
    if args.figure is not None:
        if report.speed is None:
            raise RuntimeError("no figure: it made no merges of the smallest text in this time")
        from bpe_lab.plots.figure import save

        save(report.figure(), args.figure)
        print(f"\nwritten: {args.figure}")
    return report


def _code(report: Report) -> int:
    """Return 1 for mistakes, 2 where not all was tried, 0 for what is right."""
    return 1 if report.mistakes else 2 * (not report.passed)
