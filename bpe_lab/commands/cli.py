"""The command `bpe-lab`, the same as `python -m bpe_lab`."""

import argparse
import errno
import gc
import io
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

import bpe_lab
from bpe_lab.support.columns import printable
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
    "try": "Try a stage of your own: traps, digests, operation counts, a step of the ladder.",
    "bench": "Measure suites, each value in a fresh process.",
    "report": "Write one HTML page with all measurements.",
    "reproduce": "Run every stage on the bundled corpus, draw the figures, execute the notebooks.",
    "doctor": "Check the installation: requirements, compiler, OpenMP.",
}
"""Command -> what it does. Its module here has `add_arguments` and `run`."""

_INTERMIXED = ("encode", "decode")
"""Commands that take arguments of two kinds: people type `encode TOKENIZER --count FILE`."""


class _Parser(argparse.ArgumentParser):
    """A parser whose error messages are one line."""

    command = ""
    """The command after the program's name, for the hint at its help."""

    intermixed = False
    """Whether options may come between its arguments."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if not self.intermixed:
            return super().parse_known_args(args, namespace)
        self.intermixed = False  # it calls this function again
        return self.parse_known_intermixed_args(args, namespace)

    def _print_message(self, message: str, file: Any = None) -> None:
        # argparse's own takes a help that cannot be written for one that was.
        print(message, end="", file=file or sys.stderr)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message} (see {self.prog}{self.command} --help)\n")


class _Messages(io.FileIO):
    """Standard error. What it cannot write is lost: a message must not make finished work fail."""

    def write(self, message: Any) -> int:
        try:
            return super().write(message)
        except OSError:
            return len(message)


def _messages() -> io.TextIOWrapper:
    """Return standard error as `_Messages`; where it was closed, nothing else becomes it."""
    if sys.stderr is None:  # print would take standard output in its place
        return io.TextIOWrapper(io.BufferedWriter(io.FileIO(os.devnull, "wb")))
    raw = io.BufferedWriter(_Messages(sys.stderr.fileno(), "wb", closefd=False))
    return io.TextIOWrapper(raw, sys.stderr.encoding, line_buffering=True)


def _of_any_width(prog: str) -> argparse.HelpFormatter:
    """Return the formatter with which argparse checks arguments when they are declared.

    Asking for the width of the terminal loads shutil, and that loads bz2 and lzma: 3 ms of a
    training of 100.
    """
    return argparse.HelpFormatter(prog, width=80)


def parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Build the command line.

    :param words: the words typed; only their command is loaded, and its arguments declared.

    >>> parser(["train"]).parse_args(["train", "corpus.txt", "--vocab-size", "32k"]).vocab_size
    32000
    """
    top = _Parser(
        prog="bpe-lab",
        description="Train byte-level BPE tokenizers, and inspect and measure how training works.",
        formatter_class=_of_any_width,
    )
    top.add_argument("--version", action="version", version=f"bpe_lab {bpe_lab.__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True, prog=top.prog)
    typed = next((word for word in words if not word.startswith("-")), None)
    if typed is not None and typed not in COMMANDS:
        import difflib

        near = difflib.get_close_matches(typed, COMMANDS, 1)
        known = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(COMMANDS)}"
        top.error(f"unknown command {typed!r}: {known}")
    # Declaring all of them takes 2 ms; a --help before the command lists them.
    alone = typed is not None and typed == words[0]
    for name, text in COMMANDS.items():
        if alone and name != typed:
            continue
        command = commands.add_parser(
            name, help=text, description=text, formatter_class=_of_any_width
        )
        if name == typed:
            module = import_module(f"bpe_lab.commands.{'try_stage' if name == 'try' else name}")
            top.command = f" {name}"
            command.intermixed = name in _INTERMIXED
            command.set_defaults(run=module.run)
            module.add_arguments(command)
            # Several examples have a line each; a single one is wrapped like other text.
            several = "\n" in (command.epilog or "")
            command.formatter_class = (
                argparse.RawDescriptionHelpFormatter if several else argparse.HelpFormatter
            )
    top.formatter_class = argparse.HelpFormatter
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    :param arguments: words after the program's name; None: those of this process.
    :return: 0 done, 1 a check failed, 2 wrong input, 130 interrupted.
    """
    written.clear()
    if sys.stderr is sys.__stderr__:  # else it is a notebook's or a test's
        sys.stderr = _messages()
    for stream in (sys.stdout, sys.stderr):
        # A name that cannot be printed must not make finished work fail.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            return _run(sys.argv[1:] if arguments is None else arguments)
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # at the exit of Python its error would take several lines
    except KeyboardInterrupt as stopped:
        # A second Ctrl-C must not interrupt the cleanup after the first.
        on_signals(signal.SIG_IGN)
        done = ", ".join(map(str, written))
        said = f"; written: {done}" if done else ", nothing was written"
        print(f"bpe-lab: interrupted{said}", file=sys.stderr)
        return 128 + (stopped.args[0] if stopped.args else signal.SIGINT)
    except BrokenPipeError:
        # The reader of our output has closed it, as `head` does.
        _drop_output()
        return 1
    except (ValueError, TypeError, OSError, MemoryError, ImportError, RuntimeError) as error:
        print(f"bpe-lab: error: {_one_line(error)}", file=sys.stderr)
        if _is_of_output(error):
            _drop_output()
        return 2


def _run(words: Sequence[str]) -> int:
    args = parser(words).parse_args(words)
    # Loaded modules stay. Searching them for garbage, now and then and at exit, would take 10 ms: a
    # tenth of a small training.
    gc.freeze()
    gc.enable()
    args.words = words
    warnings.showwarning = _show_warning
    on_signals(_stop)
    sys.unraisablehook = _stop_again
    try:
        return int(args.run(args))
    except (SystemExit, GeneratorExit) as ended:  # a stage's `sys.exit(0)` is no success
        raise RuntimeError(
            f"a stage or suite of yours ended the program ({ended!r}): let it raise an error"
        ) from ended


def _show_warning(message: Warning | str, *args: object, **kwargs: object) -> None:
    """Print a warning as one line, without the source line that raised it."""
    print(f"bpe-lab: warning: {_one_line(message)}", file=sys.stderr)


def _stop(number: int, frame: object) -> None:
    """End the command as Ctrl-C does: no child process and no folder is left."""
    raise KeyboardInterrupt(number)


def _stop_again(ignored: "sys.UnraisableHookArgs") -> None:
    """Send a signal again whose exception was lost, for it came in a finalizer or a callback."""
    if not isinstance(ignored.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(ignored)
        return
    number = ignored.exc_value.args[0] if ignored.exc_value.args else signal.SIGINT
    # Later, when the finalizer has ended.
    threading.Timer(0.01, signal.pthread_kill, [threading.main_thread().ident, number]).start()


def on_signals(handler: "signal.Handlers | Callable[[int, object], None]") -> None:
    """Handle Ctrl-C and termination, where the system has these signals and this thread may.

    Ignored signals stay ignored: a shell starts its background jobs with Ctrl-C ignored.
    """
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, handler)


def _drop_output() -> None:
    """Discard output that could not be written, so that Python does not try again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_of_output(error: BaseException) -> bool:
    """Tell whether an error is about standard output: errors of files name the file."""
    full = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return isinstance(error, OSError) and error.filename is None and error.errno in full


def _one_line(message: BaseException | str) -> str:
    r"""Return the message of an exception, with the file's name first if it is about a file.

    >>> _one_line(FileNotFoundError(2, "No such file or directory", "two\nlines.txt"))
    'two\\nlines.txt: No such file or directory'
    """
    return printable(_said(message))


def _said(message: BaseException | str) -> str:
    if isinstance(message, OSError) and message.filename is not None:
        return f"{message.filename}: {message.strerror}"
    if isinstance(message, OSError) and _is_of_output(message):
        return (
            f"standard output cannot be written: {message.strerror}: make room on its disk, or "
            "send it to another file"
        )
    if getattr(message, "errno", 0) == errno.EAGAIN or "can't start new thread" in str(message):
        return f"{message}: no more processes or threads are allowed: allow more (ulimit -u)"
    if isinstance(message, MemoryError) and not str(message):
        return (
            "no memory is left: use a machine with more memory, less text or a smaller vocab_size"
        )
    return str(message) or type(message).__name__
