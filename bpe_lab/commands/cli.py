"""The command `bpe-lab`, the same as `python -m bpe_lab`."""

import argparse
import os
import signal
import sys

import bpe_lab

# A command loads what it needs, when it runs: most start faster than all of that is loaded.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn

COMMANDS = {
    "train": (
        "Train a tokenizer on text files.",
        "bpe_lab.commands.train:add_train_arguments",
        "bpe_lab.commands.train:train_command",
    ),
    "count": (
        "Count the words of text files, for any number of trainings.",
        "bpe_lab.commands.count:add_count_arguments",
        "bpe_lab.commands.count:count_command",
    ),
    "corpus": (
        "List the texts of the lab, make one of any size, or fetch a published one.",
        "bpe_lab.commands.corpus:add_corpus_arguments",
        "bpe_lab.commands.corpus:corpus_command",
    ),
    "encode": (
        "Turn texts into ids: as text, or as an array for the training of a model.",
        "bpe_lab.commands.encode:add_encode_arguments",
        "bpe_lab.commands.encode:encode_command",
    ),
    "decode": (
        "Turn ids back into text, byte for byte.",
        "bpe_lab.commands.decode:add_decode_arguments",
        "bpe_lab.commands.decode:decode_command",
    ),
    "export": (
        "Write a tokenizer in the format of another library.",
        "bpe_lab.commands.export:add_export_arguments",
        "bpe_lab.commands.export:export_command",
    ),
    "inspect": (
        "Say what a tokenizer is made of, or how a word becomes its tokens.",
        "bpe_lab.commands.inspect:add_inspect_arguments",
        "bpe_lab.commands.inspect:inspect_command",
    ),
    "compare": (
        "Say where two tokenizers differ.",
        "bpe_lab.commands.compare:add_compare_arguments",
        "bpe_lab.commands.compare:compare_command",
    ),
    "stages": (
        "List the stages, counters and patterns, or print a stage to begin with.",
        "bpe_lab.commands.train:add_stages_arguments",
        "bpe_lab.commands.train:stages_command",
    ),
    "try": (
        "Try a stage of your own: traps, digests, operation counts, a step of the ladder.",
        "bpe_lab.commands.try_stage:add_try_arguments",
        "bpe_lab.commands.try_stage:try_command",
    ),
    "bench": (
        "Measure suites, each value in a fresh process.",
        "bpe_lab.commands.bench:add_bench_arguments",
        "bpe_lab.commands.bench:bench_command",
    ),
    "report": (
        "Write one HTML page of all that was measured.",
        "bpe_lab.commands.bench:add_report_arguments",
        "bpe_lab.commands.bench:report_command",
    ),
    "reproduce": (
        "Run every stage on the bundled corpus, draw the figures, execute the notebooks.",
        "bpe_lab.commands.bench:add_reproduce_arguments",
        "bpe_lab.commands.bench:reproduce_command",
    ),
    "doctor": (
        "Check the installation: requirements, compiler, OpenMP.",
        "",
        "bpe_lab.commands.train:doctor_command",
    ),
}
"""Command -> what it does, what declares its arguments, and what runs it ("module:function")."""

INTERMIXED = ("encode", "decode")
"""Commands that take arguments of two kinds: people type `encode TOKENIZER --count FILE`."""


def of_any_width(prog: str) -> argparse.HelpFormatter:
    """Return what argparse tries each new argument on.

    :param prog: name of the program.
    """
    # To find the width of the terminal it would load shutil, and that bz2 and lzma.
    return argparse.HelpFormatter(prog, width=80)


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line."""

    command = ""
    """What was typed behind the program's name: its help says more."""

    intermixed = False
    """Whether options may stand between its arguments."""

    def parse_known_args(self, args: "Any" = None, namespace: "Any" = None) -> "Any":
        """Parse what was typed; arguments that options stand between are found, too."""
        if not self.intermixed:
            return super().parse_known_args(args, namespace)
        self.intermixed = False  # it calls this function again
        return self.parse_known_intermixed_args(args, namespace)

    def format_help(self) -> str:
        """Return the help, as wide as the terminal."""
        # Several examples stand each in its line; one is wrapped as all text is.
        raw = "\n" in (self.epilog or "")
        self.formatter_class = (
            argparse.RawDescriptionHelpFormatter if raw else argparse.HelpFormatter
        )
        return super().format_help()

    def error(self, message: str) -> "NoReturn":
        """Print the message, and where help is, and exit with 2."""
        self.exit(2, f"{self.prog}: error: {message} (see {self.prog}{self.command} --help)\n")


def parser(words: "Sequence[str]") -> Parser:
    """Build the command line.

    :param words: what was typed; only the arguments of the command in it are declared.

    >>> parser(["train"]).parse_args(["train", "corpus.txt", "--vocab-size", "300"]).vocab_size
    300
    """
    top = Parser(
        prog="bpe-lab",
        description="Train byte-level BPE tokenizers, and see and measure how it is done.",
        formatter_class=of_any_width,
    )
    top.add_argument("--version", action="version", version=f"bpe_lab {bpe_lab.__version__}")
    # To find `prog`, argparse would format what it knows so far.
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True, prog=top.prog)
    typed = next((word for word in words if not word.startswith("-")), None)
    for name, (text, declare, run) in COMMANDS.items():
        command = commands.add_parser(
            name, help=text, description=text, formatter_class=of_any_width
        )
        command.set_defaults(run=run)
        if name == typed:
            top.command = f" {name}"
            command.intermixed = name in INTERMIXED
            if declare:
                load(declare)(command)
    return top


def load(function: str) -> "Callable[..., Any]":
    """Import a function.

    >>> load("bpe_lab.commands.cli:one_line")(ValueError("no file is given"))
    'no file is given'
    """
    from importlib import import_module

    module, _, name = function.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


def show_warning(message: Warning | str, *args: object, **kwargs: object) -> None:
    """Print a warning as one line, without the source line that raised it."""
    print(f"bpe-lab: warning: {message}", file=sys.stderr)


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Run the command line and return its exit code.

    :param arguments: words after the program's name; None: those of this process.
    :return: 0 done, 1 a check failed, 2 wrong input, 130 interrupted.
    """
    import warnings

    from bpe_lab.support.files import written

    written.clear()
    for stream in (sys.stdout, sys.stderr):
        # A name that cannot be printed is no reason to fail when the work is done.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    words = sys.argv[1:] if arguments is None else arguments
    try:
        try:
            args = parser(words).parse_args(words)
        except SystemExit:
            flush_output()  # of a help
            raise
        args.words = words
        run = load(args.run)
        warnings.showwarning = show_warning
        on_signals(stop, "SIGINT", "SIGTERM", "SIGHUP")
        ended = int(run(args))
        flush_output()
        return ended
    except KeyboardInterrupt as stopped:
        # A second Ctrl-C must not interrupt the cleaning up after the first.
        on_signals(signal.SIG_IGN, "SIGINT", "SIGTERM", "SIGHUP")
        done = ", ".join(map(str, written))
        said = f"; written: {done}" if done else ", nothing was written"
        print(f"bpe-lab: interrupted{said}", file=sys.stderr)
        return 128 + (stopped.args[0] if stopped.args else signal.SIGINT)
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does.
        drop_output()
        return 1
    except (ValueError, TypeError, OSError, MemoryError, ImportError, RuntimeError) as error:
        print(f"bpe-lab: error: {one_line(error)}", file=sys.stderr)
        if is_of_output(error):
            drop_output()
        return 2


def flush_output() -> None:
    """Write what was printed: at the end of Python an error would be several lines.

    :raises OSError: it cannot be written.
    """
    if sys.stdout is not None:
        sys.stdout.flush()


def drop_output() -> None:
    """Let what was printed and could not be written go nowhere when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def is_of_output(error: BaseException) -> bool:
    """Tell whether an error is about standard output: those of files name them.

    :param error: any.

    >>> import errno
    >>> is_of_output(OSError(errno.ENOSPC, "full")), is_of_output(OSError(errno.ENOSPC, "", "a"))
    (True, False)
    """
    import errno

    full = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return isinstance(error, OSError) and error.filename is None and error.errno in full


def stop(number: int, frame: object) -> None:
    """End the command as Ctrl-C does: no child and no folder stays behind.

    :raises KeyboardInterrupt: always.
    """
    raise KeyboardInterrupt(number)


def on_signals(handler: "signal.Handlers | Callable[[int, object], None]", *names: str) -> None:
    """Set the handler of some signals, where the system has them and this thread may.

    What is ignored stays so: a shell starts its background jobs with Ctrl-C ignored.
    """
    import threading

    if threading.current_thread() is threading.main_thread():
        for name in names:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, handler)


def one_line(error: BaseException) -> str:
    """Say what an exception says, with the file's name first where it is about a file.

    >>> one_line(FileNotFoundError(2, "No such file or directory", "corpus.txt"))
    'corpus.txt: No such file or directory'
    """
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, OSError) and is_of_output(error):
        return (
            f"standard output cannot be written: {error.strerror}: make room on its disk, or send "
            "it to another file"
        )
    if isinstance(error, MemoryError) and not str(error):
        return (
            "no memory is left: use a machine with more memory, less text or a smaller vocab_size"
        )
    return str(error) or type(error).__name__
