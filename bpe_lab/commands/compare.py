"""`bpe-lab compare`."""

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any

import bpe_lab
from bpe_lab.commands.arguments import (
    add_measured_arguments,
    add_switches,
    add_tokenizer_argument,
    load_tokenizers,
)
from bpe_lab.commands.texts import measured_texts
from bpe_lab.counting.text_file import Text
from bpe_lab.counting.text_parts import text_parts
from bpe_lab.support.progress import Bar
from bpe_lab.tokenizer.inspection.comparison import (
    Comparison,
    CutDifference,
    compare,
    first_cut_difference,
    tokens_of,
)
from bpe_lab.tokenizer.inspection.facts import TextFact, text_fact
from bpe_lab.tokenizer.inspection.tables import compared_lines, comparison_lines, cut_line
from bpe_lab.tokenizer.tokenizer import Tokenizer


def add_arguments(sub: argparse.ArgumentParser) -> None:
    """Declare the arguments of `bpe-lab compare`."""
    sub.epilog = """\
The exit code is 0 where every text becomes the same ids and all ids the same
text, 1 where not, 2 where something is wrong with the input: that of `diff`.

examples:
  bpe-lab compare results/stories results/mine --text mine.txt
  bpe-lab compare results/stories results/stories/tokenizer.json && echo the same
"""
    add_tokenizer_argument(sub, "a", "b")
    add_measured_arguments(sub, "none")
    add_switches(sub, quiet="no progress bar")


def run(args: argparse.Namespace) -> int:
    """Run `bpe-lab compare`: exit 1 when the tokenizers differ."""
    a, b = load_tokenizers(args, args.a, args.b)
    texts = measured_texts(args)
    found = compare(a, b)
    facts: list[tuple[TextFact, TextFact]] = []
    cuts: dict[str, CutDifference | None] = {}
    size = 2 * sum(text.size for text in texts.values())
    with Bar(not args.quiet, "encode", size, "B", scale=True) as bar:
        for name, text in texts.items():
            by_a, by_b = (
                text_fact(one, name, text_parts(text, report=bar.update)) for one in (a, b)
            )
            facts.append((by_a, by_b))
            cuts[name] = None if found.equal else _first_difference(a, b, text)
    if args.json:
        print(json.dumps(_all_facts(found, facts, cuts)))
        return int(not found.equal)
    print("\n".join([f"A: {args.a}", f"B: {args.b}", *comparison_lines(found)]))
    if facts:
        print("\n".join(["", *compared_lines(facts), ""]))
    for name, cut in cuts.items():
        print(f"{name}: the same tokens" if cut is None else cut_line(name, cut))
    return int(not found.equal)


def _first_difference(a: Tokenizer, b: Tokenizer, text: Text) -> CutDifference | None:
    """Return the first piece of a text that two tokenizers cut differently."""
    return first_cut_difference(tokens_of(a, text_parts(text)), tokens_of(b, text_parts(text)))


def _all_facts(
    found: Comparison,
    facts: Sequence[tuple[TextFact, TextFact]],
    cuts: Mapping[str, CutDifference | None],
) -> dict[str, Any]:
    """Return what `--json` prints; bytes are in hexadecimal."""
    merges = [merge and [side.hex() for side in merge] for merge in found.next_merges]
    only = [[token.hex() for token in tokens] for tokens in found.only]
    texts = []
    for a, b in facts:
        cut = cuts[a.name]
        pieces = cut and [[token.hex() for token in tokens] for tokens in (cut.a, cut.b)]
        texts.append(
            {
                "name": a.name,
                "bytes": a.bytes,
                "tokens": [a.tokens, b.tokens],
                "first_difference": cut and {"offset": cut.offset, "pieces": pieces},
            }
        )
    return {
        "equal": found.equal,
        "patterns": [pattern.regex for pattern in found.patterns],
        "special_tokens": found.special_ids,
        "common_merges": found.common_merges,
        "next_merges": merges,
        "same_whole_words": found.same_words,
        "common_tokens": found.common_tokens,
        "other_ids": found.other_ids,
        "only": only,
        "texts": texts,
        "bpe_lab": bpe_lab.__version__,
    }
