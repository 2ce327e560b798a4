"""`bpe-lab try`."""

import argparse
from pathlib import Path

from bpe_lab.commands.arguments import number_argument, path_argument
from bpe_lab.support.columns import terminal_text
from bpe_lab.trials.report import Report
from bpe_lab.trials.running import MEMORY, CannotRunError, CommandTrainer, FileTrainer, Trainer
from bpe_lab.trials.speed import SECONDS
from bpe_lab.trials.stage import SIZES, try_stage
from bpe_lab.trials.tokenizer import judge_tokenizer
from bpe_lab.trials.tokenizer_running import FileTokenizer
from bpe_lab.trials.trainer import judge, judge_file
from bpe_lab.trials.trial import TIES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = """\
examples:
  bpe-lab try train_bpe.py       # it has train_bpe(path, size, special_tokens)
  bpe-lab try tokenizer.py       # Tokenizer(vocab, merges, special_tokens)
  bpe-lab try tests/adapters.py  # a checkout of CS336: both
  bpe-lab try mine.py:learn --python ../mine/.venv/bin/python
  bpe-lab try train_bpe.py --file my.txt --vocab-size 10000
  bpe-lab try --command './trainer {text} {vocab_size} {special_tokens} {out}'
  bpe-lab stages --template > mystage.py; bpe-lab try mystage.py
"""
    own = "the file of your own trainer, tokenizer or stage, FILE.py:NAME if it has several, or "
    own += "MODULE:NAME; FILE.pyx is a stage, and is compiled"
    parser.add_argument("own", nargs="?", metavar="FILE.py", help=own)
    command = "a trainer in any language, started for each text: {text} is its file, {vocab_size} "
    command += "a number, {special_tokens} a JSON list in one argument, {out} the file or folder "
    command += "that it writes: tokenizer.json, merges.txt, .tiktoken, JSON with vocab and merges"
    parser.add_argument("--command", metavar="WORDS", help=command)
    python = "the interpreter of its project (default: this one)"
    parser.add_argument("--python", type=path_argument, metavar="PATH", help=python)
    ties = "which of equally frequent pairs a trainer is to merge: the greatest (CS336), the first "
    ties += "that is seen (minbpe), the smallest (Hugging Face) (default: %(default)s)"
    parser.add_argument("--ties", choices=TIES, default="greatest", help=ties)
    file = "a text of yours, of which a trainer must make the merges of core"
    parser.add_argument("--file", type=path_argument, metavar="TEXT", help=file)
    vocab_size = "ids of that text (default: %(default)s)"
    parser.add_argument("--vocab-size", type=number_argument, default=2_000, help=vocab_size)
    memory = "memory that it may use on top of its imports (default: 4GB)"
    parser.add_argument("--memory", type=number_argument, default=MEMORY, help=memory)
    seconds = "time to measure how fast it is; half as much for the small texts before "
    seconds += "(default: %(default)g)"
    parser.add_argument("--seconds", type=float, default=SECONDS, help=seconds)
    scale = "tiny: small texts only; default: how fast it is, too"
    parser.add_argument("--scale", choices=SIZES, default="default", help=scale)


def run(args: argparse.Namespace) -> int:
    if args.file is not None and args.ties != "greatest":
        raise ValueError("--file compares with core, whose ties are the greatest")
    if (args.own is None) == (args.command is None):
        raise ValueError("name the file of a trainer, a tokenizer or a stage, or give --command")
    say = Said()
    if args.command is not None:
        return _code(_trainer_report(args, CommandTrainer(args.command, args.memory), say))
    is_python = args.own.endswith((".py", ".pyx")) and Path(args.own).is_file()
    if ":" not in args.own and not is_python:
        name = "name one, or MODULE:NAME; in a notebook, call bpe_lab.check_trainer(train_bpe)"
        raise ValueError(f"there is no Python file {args.own}: {name}")
    place = args.own, args.python and Path(args.python), args.memory
    own, tokenizer = FileTrainer(*place), FileTokenizer(*place)
    is_tokenizer = tokenizer.is_there()
    if not is_tokenizer and own.is_stage():
        own.close()
        stage = try_stage(args.own, size=args.scale)
        print(stage)
        return int(not stage.passed)  # 1: the stage is not right
    codes = []
    try:
        if tokenizer.has_trainer or not is_tokenizer or args.file:
            codes.append(_code(_trainer_report(args, own, say)))
    except CannotRunError as error:
        if not is_tokenizer:
            raise
        say(f"{error}")
        codes.append(2)
    if is_tokenizer and not (args.file and codes):  # a text is for a trainer
        fast = args.scale == "tiny"
        codes.append(_code(judge_tokenizer(tokenizer, fast, args.seconds, say, progress=True)))
    return 1 if 1 in codes else max(codes)


class Said:
    """Prints paragraphs, with a line between two."""

    begun = False

    def __call__(self, part: str) -> None:
        """Print one at once."""
        print("\n" * self.begun + terminal_text(part), flush=True)
        self.begun = True


def _trainer_report(args: argparse.Namespace, own: Trainer, say: Said) -> Report:
    if args.file is not None:
        return judge_file(own, args.file, args.vocab_size, args.seconds, say)
    return judge(own, args.ties, args.scale == "tiny", args.seconds, say, progress=True)


def _code(report: Report) -> int:
    """Return 1 for mistakes, 2 where not all was tried, 0 for what is right."""
    return 1 if report.mistakes else 2 * (not report.passed)
