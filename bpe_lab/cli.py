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

    from bpe_lab.training import Training

COMMANDS = {
    "train": (
        "Train a tokenizer on text files.",
        "bpe_lab.cli:add_train_arguments",
        "bpe_lab.cli:train_command",
    ),
    "stages": ("List the stages and counters.", "", "bpe_lab.cli:stages_command"),
    "bench": (
        "Measure suites, each value in a fresh process.",
        "bpe_lab.bench.commands:add_bench_arguments",
        "bpe_lab.bench.commands:bench_command",
    ),
    "report": (
        "Write one HTML page of all that was measured.",
        "bpe_lab.bench.commands:add_report_arguments",
        "bpe_lab.bench.commands:report_command",
    ),
    "reproduce": (
        "Run every stage on the bundled corpus, draw the figures, execute the notebooks.",
        "bpe_lab.bench.commands:add_reproduce_arguments",
        "bpe_lab.bench.commands:reproduce_command",
    ),
    "doctor": (
        "Check the installation: requirements, compiler, OpenMP.",
        "",
        "bpe_lab.cli:doctor_command",
    ),
}
"""Command -> what it does, what declares its arguments, and what runs it ("module:function")."""


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line."""

    def error(self, message: str) -> "NoReturn":
        """Print the message, and where help is, and exit with 2."""
        self.exit(2, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def parser(words: "Sequence[str]") -> Parser:
    """Build the command line.

    :param words: what was typed; only the arguments of the command in it are declared.

    >>> parser(["train"]).parse_args(["train", "corpus.txt", "--vocab-size", "300"]).vocab_size
    300
    """
    top = Parser(
        prog="bpe-lab",
        description="Train byte-level BPE tokenizers, and see and measure how it is done.",
    )
    top.add_argument("--version", action="version", version=f"bpe_lab {bpe_lab.__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    typed = next((word for word in words if not word.startswith("-")), None)
    for name, (text, declare, run) in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(run=run)
        if name == typed and declare:
            load(declare)(command)
    return top


def load(function: str) -> "Callable[..., Any]":
    """Import a function.

    >>> load("bpe_lab.cli:missing_note")([])
    ''
    """
    from importlib import import_module

    module, _, name = function.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


def add_train_arguments(sub: argparse.ArgumentParser) -> None:
    """Declare the arguments of `bpe-lab train`."""
    from bpe_lab.corpora import CORPORA
    from bpe_lab.files import path_argument
    from bpe_lab.registry import COUNTERS, DEFAULT_COUNTER, DEFAULT_STAGE, STAGES

    sub.epilog = "Example: bpe-lab train --corpus stories --vocab-size 5000 --out results/stories"
    sub.add_argument(
        "files",
        nargs="*",
        type=path_argument,
        metavar="FILE",
        help="UTF-8 text, plain or packed by gzip or zstd",
    )
    sub.add_argument(
        "--corpus",
        metavar="NAME",
        help=f"a bundled text instead of files: {', '.join(CORPORA)}",
    )
    sub.add_argument(
        "--vocab-size",
        type=int,
        required=True,
        metavar="N",
        help="ids to reach: 256 bytes + special tokens + merges",
    )
    specials = sub.add_mutually_exclusive_group()
    specials.add_argument(
        "--special-token",
        action="append",
        metavar="T",
        help="string at which the text is cut and that gets an id; repeatable "
        "(default: <|endoftext|>)",
    )
    specials.add_argument("--no-special-tokens", action="store_true", help="cut nowhere")
    sub.add_argument(
        "--stage",
        default=DEFAULT_STAGE,
        metavar="S",
        help=f"{', '.join(STAGES)} (default: {DEFAULT_STAGE}); the merges are the same",
    )
    sub.add_argument(
        "--counter",
        default=DEFAULT_COUNTER,
        metavar="C",
        help=f"{', '.join(COUNTERS)} (default: {DEFAULT_COUNTER}); the counts are the same",
    )
    sub.add_argument(
        "--threads",
        type=int,
        metavar="N",
        help="threads or processes to work with (default: as many as there are processors)",
    )
    sub.add_argument(
        "--errors",
        choices=("strict", "replace"),
        default="strict",
        help="bytes that are not UTF-8: stop, or put U+FFFD in their place (default: strict)",
    )
    sub.add_argument(
        "--time-budget",
        type=float,
        metavar="SECONDS",
        help="stop merging after so many seconds, with the merges made by then",
    )
    sub.add_argument(
        "--out", type=path_argument, metavar="DIR", help="write the tokenizer into this folder"
    )
    sub.add_argument("--force", action="store_true", help="write into DIR though it is not empty")
    sub.add_argument("--json", action="store_true", help="print one JSON line instead of text")
    sub.add_argument("--quiet", action="store_true", help="no progress bars")


def train_command(args: argparse.Namespace) -> int:
    """Run `bpe-lab train`."""
    import json

    from bpe_lab import corpora
    from bpe_lab.api import train
    from bpe_lab.files import check_folder
    from bpe_lab.machine import available_cpus
    from bpe_lab.registry import find_counter

    if bool(args.files) == (args.corpus is not None):
        raise ValueError("name FILE... or --corpus NAME, one of the two")
    if args.out is not None:
        from bpe_lab.tokenizer_files import FILES

        check_folder(args.out, args.force, FILES)
    chosen: list[str] = args.special_token or ["<|endoftext|>"]
    specials = [] if args.no_special_tokens else chosen
    training = train(
        args.files or corpora.path(args.corpus),
        args.vocab_size,
        specials,
        stage=args.stage,
        counter=args.counter,
        threads=args.threads,
        errors=args.errors,
        progress=not args.quiet,
        time_budget=args.time_budget,
    )
    parallel = find_counter(args.counter).parallel
    threads = (args.threads or available_cpus()) if parallel else 1
    facts = summary(training, threads)
    if args.out is not None:
        files = training.tokenizer().save(args.out, force=args.force, training=facts)
    if args.json:
        print(json.dumps(facts))
        return 0
    phases = ", ".join(f"{name} {seconds:.2f}" for name, seconds in training.phases.items())
    print(f"{len(training.vocab):,} ids, {len(training.merges):,} merges: {training.stopped_by}")
    print(f"{training.seconds:.2f} s ({phases}); peak memory {facts['peak_rss_mb']} MB")
    print(f"merges_sha256 {training.merges_sha256}")
    if args.out is not None:
        print(f"written: {args.out}/ ({', '.join(file.name for file in files)})")
    return 0


def summary(training: "Training", threads: int) -> dict[str, object]:
    """Return what `--json` prints."""
    from bpe_lab.machine import peak_rss_mb

    return {
        "stage": training.stage,
        "counter": training.counter,
        "threads": threads,
        "vocab_size": len(training.vocab),
        "n_merges": len(training.merges),
        "merges_sha256": training.merges_sha256,
        "stopped_by": training.stopped_by,
        "special_tokens": list(training.special_tokens),
        "phases": {name: round(seconds, 6) for name, seconds in training.phases.items()},
        "seconds": round(training.seconds, 6),
        "peak_rss_mb": round(peak_rss_mb(), 1),
        "bpe_lab": bpe_lab.__version__,
    }


def stages_command(args: argparse.Namespace) -> int:
    """Run `bpe-lab stages`."""
    from bpe_lab.registry import COUNTERS, STAGES

    rows = [
        (entry.number, entry.id, entry.cost, entry.idea + missing_note(entry.missing()))
        for entry in STAGES.values()
    ]
    print_table(("#", "stage", "per merge", "idea"), rows)
    print()
    print_table(("counter", "idea"), [(entry.id, entry.idea) for entry in COUNTERS.values()])
    print(
        "\nCosts count look-ups of pairs: N word occurrences, U distinct words, L tokens per word,"
        "\nP live pairs, A affected words, w matches per affected word, M matches, H heap entries,"
        "\nk risen pairs and stale tops, T threads"
    )
    return 0


def missing_note(missing: list[str]) -> str:
    """Say what a stage lacks, "" when it lacks nothing.

    >>> missing_note(["bpe_lab.core"])
    ' (not built: bpe_lab.core)'
    """
    return f" (not built: {', '.join(missing)})" if missing else ""


def print_table(head: tuple[str, ...], rows: "Sequence[tuple[str, ...]]") -> None:
    """Print columns, each as wide as its widest cell."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print("  ".join(cells).rstrip())


def doctor_command(args: argparse.Namespace) -> int:
    """Run `bpe-lab doctor`: exit 1 when something that training needs is missing."""
    from bpe_lab.doctor import doctor

    checks = doctor()
    for check in checks:
        mark = "OK" if check.ok else "FAIL" if check.needed else "--"
        print(f"[{mark}] {check.name}: {check.detail}")
    if any(not check.ok and not check.needed for check in checks):
        print("[--] is not there and not needed for training")
    return int(any(not check.ok and check.needed for check in checks))


def show_warning(message: Warning | str, *args: object, **kwargs: object) -> None:
    """Print a warning as one line, without the source line that raised it."""
    print(f"bpe-lab: warning: {message}", file=sys.stderr)


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Run the command line and return its exit code.

    :param arguments: words after the program's name; None: those of this process.
    :return: 0 done, 1 a check failed, 2 wrong input, 130 interrupted.
    """
    import warnings

    from bpe_lab.files import written

    written.clear()
    words = sys.argv[1:] if arguments is None else arguments
    try:
        args = parser(words).parse_args(words)
        run = load(args.run)
        warnings.showwarning = show_warning
        on_signals(stop, "SIGINT", "SIGTERM", "SIGHUP")
        return int(run(args))
    except KeyboardInterrupt as stopped:
        # A second Ctrl-C must not interrupt the cleaning up after the first.
        on_signals(signal.SIG_IGN, "SIGINT", "SIGTERM", "SIGHUP")
        done = ", ".join(map(str, written))
        said = f"; written: {done}" if done else ", nothing was written"
        print(f"bpe-lab: interrupted{said}", file=sys.stderr)
        return 128 + (stopped.args[0] if stopped.args else signal.SIGINT)
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ValueError, TypeError, OSError, MemoryError, ImportError, RuntimeError) as error:
        print(f"bpe-lab: error: {one_line(error)}", file=sys.stderr)
        return 2


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
    if isinstance(error, MemoryError) and not str(error):
        return (
            "no memory is left: use a machine with more memory, less text or a smaller vocab_size"
        )
    return str(error) or type(error).__name__
