"""`bpe-lab inspect`."""

import argparse

from bpe_lab import corpora
from bpe_lab.commands.arguments import add_result_arguments, add_tokenizer_argument, path_argument
from bpe_lab.counting.api import count_words
from bpe_lab.counting.source import Text, TextFile, check_texts, known_size, text_parts
from bpe_lab.results.numbers import count_of
from bpe_lab.support.columns import say
from bpe_lab.support.errors import require
from bpe_lab.support.files import check_new_files
from bpe_lab.support.progress import Bar
from bpe_lab.tokenizer.inspection.facts import (
    longest_lines,
    longest_tokens,
    summary_lines,
    text_fact,
    text_lines,
)
from bpe_lab.tokenizer.inspection.merge_tree import tree_lines, word_trees
from bpe_lab.tokenizer.inspection.spelling import spell
from bpe_lab.tokenizer.tokenizer import Tokenizer


def add_arguments(sub: argparse.ArgumentParser) -> None:
    sub.epilog = """\
examples:
  bpe-lab inspect results/stories --file mine.txt --file code.txt
  bpe-lab inspect results/stories --word " lower" --out lower.svg
"""
    add_tokenizer_argument(sub)
    file = "bytes per token, tokens per word and unused ids of this text, packed or not; "
    file += "repeatable (default: the bundled texts, each of a different kind)"
    shown = sub.add_mutually_exclusive_group()
    shown.add_argument("--file", action="append", default=[], type=path_argument, help=file)
    word = "show instead the merge tree of each token of WORD; in a text a word has its blank "
    shown.add_argument("--word", help=f'{word}before it, as " lower"')
    picture = "also draw the merge tree of WORD: .png or .svg; needs the extra `lab`"
    add_result_arguments(sub, "PICTURE", picture, force="PICTURE")


def run(args: argparse.Namespace) -> int:
    if args.word is not None:
        return _inspect_word(args)
    if args.out is not None:
        raise ValueError("--out is a picture of the merge tree of a word: name it with --word")
    tokenizer = Tokenizer.load(args.tokenizer)
    texts: dict[str, Text] = {name: TextFile(corpora.path(name)) for name in corpora.CORPORA}
    if args.file:
        texts = {str(text.path): text for text in check_texts(args.file, packed=True)}
    measured, specials, regex = [], tokenizer.special_tokens, tokenizer.pattern.regex
    with Bar(not args.quiet, "encode", known_size(texts.values()), "B", scale=True) as bar:
        for name, text in texts.items():
            words = count_words(text.path, specials, pattern=regex).occurrences
            parts = text_parts(text, report=bar.update)
            measured.append(text_fact(tokenizer, name, parts, words))
    longest = longest_lines(longest_tokens(tokenizer, 10))
    for lines in (summary_lines(tokenizer), longest, text_lines(measured)):
        print("\n".join(lines), end="\n\n")
    print('The merge tree of a word: --word " lower"')
    return 0


def _inspect_word(args: argparse.Namespace) -> int:
    """Print the merge trees of a word, and draw them."""
    if args.out is not None:
        if args.out.suffix not in (".png", ".svg"):
            raise ValueError(f"--out {args.out} is not a picture: let it end with .png or .svg")
        check_new_files(args.out, force=args.force)
    tokenizer = Tokenizer.load(args.tokenizer)
    trees = word_trees(tokenizer, args.word)
    if args.out is not None:
        require("matplotlib")
        from bpe_lab.plots.figure import save
        from bpe_lab.plots.merge_tree import draw_merge_trees

        save(draw_merge_trees(trees), args.out, force=args.force)
    if (number := tokenizer.special_ids.get(args.word)) is not None:
        print(f"{args.word} is the special token {number:,}, which no merge makes; as text:")
    for tree in trees:
        print(f"{spell(tree.word)} is {count_of(len(tree.tokens), 'token')}")
        print("\n".join(tree_lines(tree)))
    if args.out is not None:
        say(f"written: {args.out}")
    return 0
