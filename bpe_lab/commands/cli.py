"""The command `bpe-lab`, the same as `python -m bpe_lab`."""

import argparse
import gc
import os
import sys
import warnings
from collections.abc import Sequence
from functools import partial
from importlib import import_module

import bpe_lab
from bpe_lab.support.columns import printable

COMMANDS = {
    "train": ("FILE... --vocab-size N", "Train a tokenizer on text files."),
    "count": ("FILE... --out COUNTS", "Count words of texts once, for any number of trainings."),
    "corpus": ("list | make PROFILE --out TEXT", "List the texts of the lab, or make one."),
    "encode": ("TOKENIZER [FILE...]", "Turn texts into ids: as text, or as an array."),
    "decode": ("TOKENIZER [FILE...]", "Turn ids back into text, byte for byte."),
    "export": ("TOKENIZER --format F --out DIR", "Write a tokenizer for another library."),
    "inspect": ("TOKENIZER", "Show what is in a tokenizer, or how a word becomes its tokens."),
    "stages": ("", "List stages, counters and patterns, or print a stage to copy."),
    "try": ("FILE.py", "Try a trainer, tokenizer or stage of your own: what is wrong?"),
    "bench": ("SUITE...", "Measure suites, each value in a fresh process."),
    "report": ("", "Write one HTML page with all measurements."),
    "reproduce": ("", "Run every stage, draw the figures, execute the notebooks."),
    "doctor": ("", "Show the installation: versions, compiler, OpenMP, memory."),
}
"""Command -> its arguments, and what it does. Its module has `add_arguments` and `run`."""


PROGRAM = argparse.ArgumentParser(
    prog="bpe-lab",
    usage="%(prog)s COMMAND ... (%(prog)s COMMAND --help shows its options)",
    description="Train byte-level BPE tokenizers, and inspect and measure how training works.",
    epilog="\n".join(["commands:", *(f"  {name:<12}{text[1]}" for name, text in COMMANDS.items())]),
    formatter_class=argparse.RawDescriptionHelpFormatter,
)
"""What reads the word that names a command."""
PROGRAM.add_argument("--version", action="version", version=f"bpe_lab {bpe_lab.__version__}")
PROGRAM.add_argument("command", choices=COMMANDS, metavar="COMMAND")


def parser(command: str) -> argparse.ArgumentParser:
    """Return the parser of a command, whose module is loaded; no other one is.

    >>> parser("train").parse_args(["corpus.txt", "--vocab-size", "32k"]).vocab_size
    32000
    """
    arguments, text = COMMANDS[command]
    made = argparse.ArgumentParser(
        prog=f"bpe-lab {command}",
        usage=" ".join(filter(None, ["%(prog)s", arguments, "[options]"])),
        description=text,
        formatter_class=argparse.RawDescriptionHelpFormatter,  # examples have a line each
    )
    module = import_module(f"bpe_lab.commands.{'try_own' if command == 'try' else command}")
    made.set_defaults(run=module.run)
    module.add_arguments(made)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    :param arguments: words after the program's name; None: those of this process.
    :return: 0 done, 1 a check failed or nobody reads the output, 2 wrong input, 130 Ctrl-C.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a name that cannot be printed is no failure
            stream.reconfigure(errors="backslashreplace")
    try:
        command = PROGRAM.parse_args(words[:1] or ["--help"]).command
        args = parser(command).parse_intermixed_args(words[1:])
        gc.freeze()  # modules stay: searching them for garbage takes 10 ms of a small training
        gc.enable()
        warnings.showwarning = partial(_show_warning, set())
        code = int(args.run(args))
        print(end="", flush=True)  # if Python did it at exit, an error would take several lines
        return code
    except KeyboardInterrupt:
        print("bpe-lab: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output has closed it, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ValueError, TypeError, OSError, MemoryError, ImportError, RuntimeError) as error:
        print(f"bpe-lab: error: {_one_line(error)}", file=sys.stderr)
        return 2


def _show_warning(shown: set[str], message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning as one line, once, without the source line that raised it."""
    if (line := printable(str(message))) not in shown:
        print(f"bpe-lab: warning: {line}", file=sys.stderr)
    shown.add(line)


def _one_line(error: BaseException) -> str:
    r"""Return the message of an exception, with the file that it is about first.

    >>> _one_line(FileNotFoundError(2, "No such file or directory", "two\nlines.txt"))
    'two\\nlines.txt: No such file or directory'
    """
    text = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.filename is not None:
        text = f"{error.filename}: {error.strerror}"
    elif isinstance(error, ImportError) and error.name == "resource":
        # Windows has no such module.
        text = "this command does not run on Windows: use WSL, with the clone inside its own home"
    elif isinstance(error, MemoryError):
        text = "no memory is left: use a machine with more memory, less text or fewer ids"
    return printable(text)
