"""`bpe-lab corpus list` and `make`."""

import argparse
from time import perf_counter

from bpe_lab.commands.arguments import add_result_arguments, number_argument
from bpe_lab.corpora import CORPORA
from bpe_lab.corpora.made_texts import PROFILES, make
from bpe_lab.results.numbers import duration, size_in_words
from bpe_lab.support.columns import say


def add_arguments(sub: argparse.ArgumentParser) -> None:
    sub.epilog = """\
A generated text has the same bytes on every machine; a smaller one is the
beginning of a larger one.
Example: bpe-lab corpus make openwebtext --size 100MB --out openwebtext.txt
"""
    action = "list the texts, bundled and made ones, or make one"
    sub.add_argument("action", choices=("list", "make"), metavar="ACTION", help=action)
    sub.add_argument("profile", nargs="?", metavar="PROFILE", help=", ".join(PROFILES))
    size = "such as 250MB or 1.5GB (default: the size of the text it imitates)"
    sub.add_argument("--size", type=number_argument, help=size)
    add_result_arguments(sub, "TEXT", "write it to this file", force="TEXT")


def run(args: argparse.Namespace) -> int:
    if args.action == "list":
        print("bundled, for --corpus NAME:")
        for corpus in CORPORA.values():
            print(f"  {corpus.name:<16}{size_in_words(corpus.size_bytes):>10}  {corpus.title}")
        print("made by `bpe-lab corpus make PROFILE`, in this or any other size:")
        for profile in PROFILES.values():
            print(f"  {profile.name:<16}{size_in_words(profile.size_bytes):>10}  {profile.title}")
            print(f"  {'':<28}imitates a text with these reported figures: {profile.reported}")
        return 0
    if args.profile is None or args.out is None:
        raise ValueError("name what to make and where: corpus make PROFILE --out TEXT")
    begun = perf_counter()
    text = make(args.profile, args.out, args.size, force=args.force, progress=not args.quiet)
    seconds = perf_counter() - begun
    say(
        f"written: {text.path}, {text.size_bytes:,} bytes, {text.documents:,} documents, "
        f"{duration(seconds)} ({size_in_words(text.size_bytes / seconds)}/s)"
    )
    print(f"sha256 {text.sha256}")
    return 0
