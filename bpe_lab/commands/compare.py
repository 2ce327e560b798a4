"""`bpe-lab compare`."""

import argparse

from bpe_lab.commands.arguments import (
    add_measured_argument,
    add_tokenizer_argument,
)
from bpe_lab.commands.texts import measured_texts
from bpe_lab.counting.decode import text_parts
from bpe_lab.support.progress import Bar
from bpe_lab.tokenizer.inspection.comparison import (
    CutDifference,
    compared_lines,
    comparison_lines,
    cut_line,
    differences,
    first_cut_difference,
    tokens_of,
)
from bpe_lab.tokenizer.inspection.facts import TextFact, text_fact
from bpe_lab.tokenizer.tokenizer import Tokenizer


def add_arguments(sub: argparse.ArgumentParser) -> None:
    sub.epilog = """\
The exit code is 0 if every text becomes the same ids and all ids the same text, else 1, and 2 if
something is wrong with the input, as with `diff`.

examples:
  bpe-lab compare results/stories results/mine --text mine.txt
  bpe-lab compare results/stories results/stories/tokenizer.json && echo the same
"""
    add_tokenizer_argument(sub, "a", "b")
    add_measured_argument(sub, "none")


def run(args: argparse.Namespace) -> int:
    """Run `bpe-lab compare`: exit 1 when the tokenizers differ."""
    a, b = Tokenizer.load(args.a), Tokenizer.load(args.b)
    texts = measured_texts(args)
    found = differences(a, b)
    facts: list[tuple[TextFact, TextFact]] = []
    cuts: dict[str, CutDifference | None] = {}
    size = 2 * sum(text.size for text in texts.values())
    with Bar(not args.quiet, "encode", size, "B", scale=True) as bar:
        for name, text in texts.items():
            by_a, by_b = (
                text_fact(one, name, text_parts(text, report=bar.update)) for one in (a, b)
            )
            facts.append((by_a, by_b))
            if not found.equal:
                tokens = (tokens_of(one, text_parts(text)) for one in (a, b))
                cuts[name] = first_cut_difference(*tokens)
    print("\n".join([f"A: {args.a}", f"B: {args.b}", *comparison_lines(found)]))
    if facts:
        print("\n".join(["", *compared_lines(facts), ""]))
    for name in texts:
        cut = cuts.get(name)
        print(f"{name}: the same tokens" if cut is None else cut_line(name, cut))
    return int(not found.equal)
