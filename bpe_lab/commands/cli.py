"""The command `bpe-lab`, the same as `python -m bpe_lab`."""

import argparse
import contextlib
import errno
import gc
import io
import os
import re
import signal
import sys
import time
import warnings
from collections.abc import Iterable, Sequence
from functools import partial
from importlib import import_module
from itertools import takewhile
from typing import Any, NoReturn

import bpe_lab
from bpe_lab.support import signals
from bpe_lab.support.columns import printable
from bpe_lab.support.errors import unknown
from bpe_lab.support.files import written

COMMANDS = {
    "train": "Train a tokenizer on text files.",
    "count": "Count the words of text files once, for any number of trainings.",
    "corpus": "List the texts of the lab, or make one of any size.",
    "encode": "Turn texts into ids: as text, or as an array for training a model.",
    "decode": "Turn ids back into text, byte for byte.",
    "export": "Write a tokenizer in the format of another library.",
    "inspect": "Show what is in a tokenizer, or how a word becomes its tokens.",
    "stages": "List the stages, counters and patterns, or print a stage to start from.",
    "try": "Try a trainer or a stage of your own: is it right, and what is its mistake?",
    "bench": "Measure suites, each value in a fresh process.",
    "report": "Write one HTML page with all measurements.",
    "reproduce": "Run every stage on the bundled corpus, draw the figures, execute the notebooks.",
    "doctor": "Show the installation: versions, compiler, OpenMP, processors, memory.",
}
"""Command -> what it does. Its module here has `add_arguments` and `run`."""


INFINITE = float("inf")


class _Parser(argparse.ArgumentParser):
    """A parser with errors of one line, and with options between its arguments."""

    begun = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self.begun:  # called by the function that lets options come between
            return super().parse_known_args(args, namespace)
        self.begun = True
        above = self._subparsers is not None  # what follows the command is its own parser's
        self._check_options(takewhile(lambda word: not above or word.startswith("-"), args))
        plain = above or "--" in args
        parse = super().parse_known_args if plain else self.parse_known_intermixed_args
        found, left = parse(args, namespace)
        if left:
            self.error(f"unrecognized arguments: {' '.join(left)}")
        return found, left

    def _check_options(self, words: Iterable[str]) -> None:
        """Refuse an unknown option before another error hides it."""
        known = self._option_string_actions
        for word in takewhile("--".__ne__, words):
            option = word.partition("=")[0]
            if re.match("--[^ ]+$", option) and not any(one.startswith(option) for one in known):
                self.error(str(unknown("option", option, known)))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            kind = "/".join(action.option_strings) or "command"
            self.error(str(unknown(kind, value, action.choices)))

    def _print_message(self, message: str, file: Any = None) -> None:
        (file or sys.stderr).write(message)  # argparse says nothing where it cannot be written

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {printable(message)} (see {self.prog} --help)\n")


class _ClosedOutput(io.TextIOBase):
    """In place of a standard output that is closed: it notes that something was printed."""

    printed = False

    def write(self, text: str) -> int:
        self.printed = True
        return len(text)


def parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Build the command line; only the command among the words typed is loaded and declared.

    >>> parser(["train"]).parse_args(["train", "corpus.txt", "--vocab-size", "32k"]).vocab_size
    32000
    """
    top = _Parser(
        prog="bpe-lab",
        description="Train byte-level BPE tokenizers, and inspect and measure how training works.",
    )
    top.add_argument("--version", action="version", version=f"bpe_lab {bpe_lab.__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True, prog=top.prog)
    typed = next((word for word in words if not word.startswith("-")), None)
    raw = argparse.RawDescriptionHelpFormatter  # examples have a line each
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text, formatter_class=raw)
        if name == typed:
            module = import_module(f"bpe_lab.commands.{'try_own' if name == 'try' else name}")
            command.set_defaults(run=module.run)
            module.add_arguments(command)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    :param arguments: words after the program's name; None: those of this process, which then ends.
    :return: 0 done, 1 a check failed or nobody reads the output, 2 wrong input, 128 and the number
        of the signal that ended it.
    """
    if arguments is None:
        return _main(sys.argv[1:])
    with signals.put_back():
        return _main(arguments)


def _main(words: Sequence[str]) -> int:
    signals.quiet_until, signals.over = 0.0, False
    written.clear()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a name that cannot be printed is no failure
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _answer(words)
        signals.quiet_until = INFINITE
    except KeyboardInterrupt as stopped:
        signals.quiet_until = INFINITE
        names = printable(", ".join(map(str, written)))
        done = f"; written: {names}" if written else ", nothing was written"
        print(f"bpe-lab: interrupted{done}", file=sys.stderr)
        code = 128 + (stopped.args[0] if stopped.args else signal.SIGINT)
    signals.over = True
    # Where a thread of the user's does not end, a later Ctrl-C ends the wait for it.
    signals.quiet_until = time.monotonic() + signals.SAME_END
    return code


def _answer(words: Sequence[str]) -> int:
    """Run a command; say in a line why it cannot be done."""
    try:
        try:
            return _run(words)
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # if Python did it at exit, an error would take several lines
    except BrokenPipeError:
        # The reader of our output has closed it, as `head` does.
        _drop_output()
        return 1
    except (ValueError, TypeError, OSError, MemoryError, ImportError, RuntimeError) as error:
        print(f"bpe-lab: error: {_one_line(error)}", file=sys.stderr)
        if isinstance(error, OSError) and (error.errno, error.filename) == (errno.ENOSPC, None):
            _drop_output()  # an error about a file names it
        return 2


def _run(words: Sequence[str]) -> int:
    args = parser(words).parse_args(words or ["--help"])
    gc.freeze()  # modules stay: searching them for garbage takes 10 ms of a small training
    gc.enable()
    warnings.showwarning = partial(_show_warning, set())
    sys.unraisablehook = signals.stop_later
    signals.on_signals(signals.stop)
    if sys.stdout is None:  # as Python has it where it is closed
        return _run_unread(args)
    return _run_command(args)


def _run_unread(args: argparse.Namespace) -> int:
    """Run a command whose output nobody can read: an error, if that is its result."""
    lost = "standard output is closed: what is printed would be lost"
    if getattr(args, "json", False):  # not after hours of work
        raise ValueError(f"{lost}; leave --json out, or send it to a file")
    with contextlib.redirect_stdout(_ClosedOutput()) as output:
        code = _run_command(args)
    if output.printed and not written:
        raise ValueError(f"{lost}; send it to a file")
    return code


def _run_command(args: argparse.Namespace) -> int:
    try:
        with signals.heard_by_main_thread():
            return int(args.run(args))
    except (SystemExit, GeneratorExit) as ended:  # a stage's `sys.exit(0)` is not a success
        raise RuntimeError(
            f"a stage of yours ended the program ({ended!r}): let it raise an error"
        ) from ended


def _show_warning(shown: set[str], message: Warning | str, *args: object, **more: object) -> None:
    """Print a warning as one line, once, without the source line that raised it."""
    if (line := _one_line(message)) not in shown:
        print(f"bpe-lab: warning: {line}", file=sys.stderr)
    shown.add(line)


def _drop_output() -> None:
    """Discard output that could not be written, so that Python does not try again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _one_line(message: BaseException | str) -> str:
    r"""Return the message of an exception, with what it is about first.

    >>> _one_line(FileNotFoundError(2, "No such file or directory", "two\nlines.txt"))
    'two\\nlines.txt: No such file or directory'
    """
    text = str(message) or type(message).__name__
    if isinstance(message, OSError) and message.errno == errno.ENOSPC:
        name = message.filename or "standard output"  # a file is named
        text = f"{name} cannot be written: {message.strerror}: make room, or use another disk"
    elif isinstance(message, OSError) and message.filename is not None:
        text = f"{message.filename}: {message.strerror}"
    elif isinstance(message, ImportError) and message.name == "resource":
        # Windows has no such module.
        text = "this command does not run on Windows: use WSL, with the clone inside its own home"
    elif isinstance(message, MemoryError) and not str(message):
        text = "no memory is left: use a machine with more memory, less text or fewer ids"
    # Messages advise what one types in Python.
    text = re.sub(r'\berrors="(replace|strict)"', r"--errors \1", text)
    text = text.replace('text_field="text"', "--text-field text")
    text = text.replace("skip_bad_records=True", "--skip-bad-records")
    return printable(text)
