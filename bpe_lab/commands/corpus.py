"""`bpe-lab corpus list`, `make`, `fetch` and `info`."""

import argparse
import re
from pathlib import Path
from time import perf_counter

from bpe_lab.commands.arguments import path_argument
from bpe_lab.corpora import CORPORA, digest, fetched_texts
from bpe_lab.corpora.made_texts import PROFILES, make
from bpe_lab.counting.api import count_words
from bpe_lab.counting.text_curves import text_curves
from bpe_lab.counting.text_file import PACKINGS, TextFile
from bpe_lab.counting.text_inputs import check_packing
from bpe_lab.support.errors import InvalidUTF8Error
from bpe_lab.support.files import check_new_file
from bpe_lab.support.machine import openmp_threads
from bpe_lab.words.special_tokens import END_OF_TEXT

UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}


def add_arguments(sub: argparse.ArgumentParser) -> None:
    """Declare the arguments of `bpe-lab corpus`."""
    actions = sub.add_subparsers(title="actions", metavar="ACTION", dest="action", required=True)
    actions.add_parser("list", help="list the texts: bundled, made and published ones")
    making = actions.add_parser(
        "make",
        help="write a text of any size, the same bytes on every machine",
        description="Write a made text; a smaller one is the beginning of a larger one.",
        epilog="Example: bpe-lab corpus make openwebtext --size 100MB --out openwebtext.txt",
    )
    making.add_argument("profile", metavar="PROFILE", help=", ".join(PROFILES))
    making.add_argument(
        "--size",
        type=_size_argument,
        metavar="SIZE",
        help="as 250MB or 1.5GB (default: the size of the text that it is shaped like)",
    )
    making.add_argument(
        "--out", type=path_argument, required=True, metavar="FILE", help="write it to this file"
    )
    making.add_argument("--force", action="store_true", help="replace FILE")
    making.add_argument("--quiet", action="store_true", help="no progress bar")
    fetching = actions.add_parser(
        "fetch",
        help="download a text of which timings are published, from its public home",
        description="Download a published text, checked by its digest. Needs the "
        "extra `hub`: pip install 'bpe_lab[hub]'.",
        epilog="Example: bpe-lab corpus fetch tinystories-v2 --out tinystories.txt",
    )
    fetching.add_argument("name", metavar="NAME", help=", ".join(fetched_texts.TEXTS))
    fetching.add_argument(
        "--out",
        type=path_argument,
        required=True,
        metavar="FILE",
        help="write it to this new file",
    )
    fetching.add_argument("--quiet", action="store_true", help="no progress bar")
    facts = actions.add_parser(
        "info",
        help="count the words of files, and say what they are made of",
        description="Count the words of files, and say what they are made of.",
        epilog="Example: bpe-lab corpus info made.txt real.txt --figure curves.png",
    )
    facts.add_argument("files", nargs="+", type=path_argument, metavar="FILE", help="UTF-8 text")
    facts.add_argument(
        "--figure",
        type=path_argument,
        metavar="PNG",
        help="draw them beside the laws of Zipf and Heaps: needs the extra `lab`",
    )
    facts.add_argument("--force", action="store_true", help="replace PNG")
    facts.add_argument("--quiet", action="store_true", help="no progress bar")


def _size_argument(text: str) -> int:
    """Return a number of bytes that was typed with or without a unit."""
    found = re.fullmatch(r"(\d{1,15}(?:\.\d{1,9})?) ?(KB|MB|GB|)", text.strip(), re.IGNORECASE)
    size = int(float(found[1]) * UNITS[found[2].upper()]) if found else 0
    if size < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no size such as 300, 250MB or 1.5GB")
    return size


def run(args: argparse.Namespace) -> int:
    """Run `bpe-lab corpus`."""
    if args.action == "list":
        _list_texts()
    elif args.action == "make":
        _make_text(args)
    elif args.action == "fetch":
        _fetch_text(args)
    else:
        _describe(args.files, args.figure, force=args.force, progress=not args.quiet)
    return 0


def _list_texts() -> None:
    """Print the bundled texts, the profiles and the published texts."""
    print("bundled, for --corpus NAME:")
    for corpus in CORPORA.values():
        print(f"  {corpus.name:<16}{corpus.size_bytes / 1e6:>12,.3f} MB  {corpus.title}")
    print("made by `bpe-lab corpus make PROFILE`, in this size or less or more:")
    for profile in PROFILES.values():
        print(f"  {profile.name:<16}{profile.size_bytes / 1e6:>12,.3f} MB  {profile.title}")
        print(f"  {'':<31}shaped like a text of which is reported: {profile.reported}")
    print("published by others, downloaded by `bpe-lab corpus fetch NAME`; sizes are approximate:")
    for text in fetched_texts.TEXTS.values():
        print(f"  {text.name:<20} about {text.about_bytes / 1e6:>8,.0f} MB  {text.title}")
        print(f"  {'':<31}{text.source}; {text.page}")


def _make_text(args: argparse.Namespace) -> None:
    """Make a text, and print what it is and how long it took."""
    begun = perf_counter()
    made = make(args.profile, args.out, args.size, force=args.force, progress=not args.quiet)
    seconds = perf_counter() - begun
    print(
        f"written: {made.path}, {made.size_bytes:,} bytes, {made.documents:,} documents, "
        f"{seconds:.1f} s ({made.size_bytes / seconds / 1e6:,.0f} MB/s)"
    )
    print(f"sha256 {made.sha256}")


def _describe(files: list[Path], figure: Path | None, *, force: bool, progress: bool) -> None:
    """Say what files are made of, and draw their curves."""
    if figure is not None and figure.suffix != ".png":
        raise ValueError(f"--figure {figure} is no name for a PNG: let it end with .png")
    for file in files:
        check_packing(TextFile(file), () if figure else PACKINGS.values())
    if figure is None:
        for file in files:
            _say_what_it_is(file, progress)
        return
    check_new_file(figure, force)
    if figure.exists() and any(figure.samefile(file) for file in files):
        raise FileExistsError(f"{figure} is one of the texts: name another file")
    # Before the long part, too.
    from bpe_lab.plots.style import save
    from bpe_lab.plots.text_curves import draw_text_curves

    for file in files:
        _say_what_it_is(file, progress)
    threads = openmp_threads(None)
    drawn = draw_text_curves([text_curves(file, threads=threads) for file in files])
    save(drawn, figure)
    print(f"written: {figure}")


def _fetch_text(args: argparse.Namespace) -> None:
    """Download a published text, and print what came and where it is from."""
    sha256 = fetched_texts.fetch(args.name, args.out, progress=not args.quiet)
    text = fetched_texts.TEXTS[args.name]
    print(f"written: {args.out}, {args.out.stat().st_size:,} bytes")
    print(f"sha256 {sha256}, as its home publishes it")
    print(f"from {text.page}: {text.source}")


def _say_what_it_is(file: Path, progress: bool) -> None:
    """Count the words of a file, and print their number, how many are distinct or occur once."""
    try:
        counts = count_words(file, progress=progress)
    except InvalidUTF8Error as error:  # its own remedy is an option that is not here
        looks = f"; it looks like {error.looks_like}" if error.looks_like else ": mend the file"
        raise ValueError(f"{file}: invalid UTF-8 at byte offset {error.offset}{looks}") from None
    once = sum(count == 1 for count in counts.values())
    most = sorted(((count, word) for word, count in counts.items()), reverse=True)[:8]
    distinct, words = len(counts), counts.occurrences
    print(f"{file}: {file.stat().st_size:,} bytes, sha256 {digest(file)}")
    print(f"cut at {END_OF_TEXT}: {words:,} words, {distinct:,} distinct, {once:,} of them once")
    if words:
        length = counts.text_bytes / words
        print(f"{length:.2f} bytes a word; of the distinct ones {counts.word_bytes / distinct:.2f}")
        shown = (f"{word.decode(errors='replace')!r} {count / words:.1%}" for count, word in most)
        print(f"most frequent: {', '.join(shown)}")
