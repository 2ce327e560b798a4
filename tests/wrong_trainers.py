"""A right trainer of sixty lines, and what is changed in it for each known mistake.

It shares nothing with the package but the rules.
"""

RIGHT = r"""
from collections import Counter

import regex

PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def cut(whole, special_tokens):
    if not special_tokens:
        return [whole]
    longest_first = sorted(special_tokens, key=len, reverse=True)
    return regex.split("|".join(map(regex.escape, longest_first)), whole)


def count_words(parts):
    words = Counter()
    for part in parts:
        words.update(regex.findall(PATTERN, part))
    return [([bytes([byte]) for byte in word.encode()], count) for word, count in words.items()]


def count_pairs(words):
    pairs = Counter()
    for tokens, count in words:
        for pair in zip(tokens, tokens[1:]):
            pairs[pair] += count
    return pairs


def choose(pairs, vocab):
    return max(pairs, key=lambda pair: (pairs[pair], pair))


def merge(tokens, pair):
    made, at = [], 0
    while at < len(tokens):
        if tuple(tokens[at : at + 2]) == pair:
            made.append(pair[0] + pair[1])
            at += 2
        else:
            made.append(tokens[at])
            at += 1
    return made


def train_bpe(input_path, vocab_size, special_tokens):
    vocab = {byte: bytes([byte]) for byte in range(256)}
    for token in special_tokens:
        vocab[len(vocab)] = token.encode()
    text = read(input_path)
    words, merges = count_words(cut(text, special_tokens)), []
    pairs = count_pairs(words)
    while len(vocab) < vocab_size:
        if not pairs:
            break
        pair = choose(pairs, vocab)
        words = [(merge(tokens, pair), count) for tokens, count in words]
        pairs = count_pairs(words)
        merges.append(pair)
        vocab[len(vocab)] = pair[0] + pair[1]
    return vocab, merges
"""

WORD_KINDS = "| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|"
OPENED = 'open(path, encoding="utf-8", newline="")'
READ = "return file.read()"
NO_SPECIALS = "    if not special_tokens:\n        return [whole]\n"
LONGEST = "sorted(special_tokens, key=len, reverse=True)"
SPLIT = 'regex.split("|".join(map(regex.escape, longest_first)), whole)'
FOUND = "words.update(regex.findall(PATTERN, part))"
CUT = "cut(text, special_tokens)"
AT_END_OF_TEXT = 'regex.split(r"(?=<\\|endoftext\\|>)", text)'
ONE_BY_ONE = """parts = [whole]
    for token in special_tokens:
        parts = [one for part in parts for one in part.split(token)]
    return parts"""
NEXT = "for pair in zip(tokens, tokens[1:]):"
BEST = "max(pairs, key=lambda pair: (pairs[pair], pair))"
IDS = "ids = {token: number for number, token in vocab.items()}\n    return "
WHILE = "while len(vocab) < vocab_size:"
OUT = "        if not pairs:\n            break\n"
UPDATED = """        words = [(merge(tokens, pair), count) for tokens, count in words]
        pairs = count_pairs(words)
"""
STALE = """        left, right = pair
        pairs = Counter(pairs)
        for tokens, count in words:
            at = 0
            while at < len(tokens):
                if tuple(tokens[at : at + 2]) != pair:
                    at += 1
                    continue
                if at:
                    pairs[tokens[at - 1], left] -= count
                    pairs[tokens[at - 1], left + right] += count
                if at + 2 < len(tokens):
                    pairs[right, tokens[at + 2]] -= count
                    pairs[left + right, tokens[at + 2]] += count
                at += 2
        words = [(merge(tokens, pair), count) for tokens, count in words]
        del pairs[pair]
        pairs = +pairs
"""
RIGHT_TO_LEFT = """    made = []
    while tokens:
        if tuple(tokens[-2:]) == pair:
            made.insert(0, pair[0] + pair[1])
            tokens = tokens[:-2]
        else:
            made.insert(0, tokens[-1])
            tokens = tokens[:-1]
    return made
    made, at = [], 0
"""
ONCE = """    for at in range(len(tokens)):
        if tuple(tokens[at : at + 2]) == pair:
            return [*tokens[:at], pair[0] + pair[1], *tokens[at + 2 :]]
    return tokens
    made, at = [], 0
"""
OVERLAP = """last = None
        for at, pair in enumerate(zip(tokens, tokens[1:])):
            if pair[0] == pair[1] and last == (at - 1, pair):
                last = None
                continue
            last = at, pair"""
LINES = r'regex.findall(r"[^\n]*\n|[^\n]+", part)'


def in_blocks(size: str) -> str:
    """Return a program that cuts the text into blocks of so many characters."""
    blocks = f"text[start : start + {size}] for start in range(0, len(text), {size})"
    parts = f"[part for block in ({blocks}) for part in cut(block, special_tokens)]"
    return RIGHT.replace(CUT, parts)


SPECIALS = "    for token in special_tokens:\n        vocab[len(vocab)] = token.encode()\n"
END = '"<|endoftext|>"'
HEAP = """        before, pairs = pairs, count_pairs(words)
        entries += [(pairs[one], one) for one in pairs if one not in before]
"""
TOP = """entries.pop(entries.index(max(entries))) if entries else (0, None)
        if pair is None:
            break
        if pairs[pair] != top:
            continue
"""


MISTAKES: dict[str, list[tuple[str, str]]] = {
    "LineEnds": [(OPENED, OPENED.replace(', newline=""', ""))],
    "DropsBom": [(OPENED, OPENED.replace("utf-8", "utf-8-sig"))],
    "DropsBadBytes": [(OPENED, OPENED.replace("newline", 'errors="ignore", newline'))],
    "ReplacesBadBytes": [(OPENED, OPENED.replace("newline", 'errors="replace", newline'))],
    "Latin1": [(OPENED, OPENED.replace("utf-8", "latin-1"))],
    **{
        form: [(READ, f"return __import__('unicodedata').normalize('{form}', file.read())")]
        for form in ("NFC", "NFKC")
    },
    **{
        f"{form}Words": [
            ("word.encode()", f"__import__('unicodedata').normalize('{form}', word).encode()")
        ]
        for form in ("NFC", "NFKC")
    },
    "ByLines": [(FOUND, f"for line in part.splitlines(True): {FOUND.replace('part', 'line')}")],
    "ByFileLines": [(FOUND, f"for line in {LINES}: {FOUND.replace('part', 'line')}")],
    "Strips": [(FOUND, FOUND.replace("part", "part.strip()"))],
    "SplitsAtEveryCharacter": [(NO_SPECIALS, "")],
    "RaisesWithoutSpecials": [(NO_SPECIALS, "    special_tokens[0]\n")],
    "NotEscaped": [("map(regex.escape, longest_first)", "longest_first")],
    "ShortestFirst": [(LONGEST, "sorted(special_tokens, key=len)")],
    "AsGiven": [(LONGEST, "special_tokens")],
    "OneByOne": [(f"return {SPLIT}", ONE_BY_ONE)],
    "OnlyTheFirst": [(SPLIT, "whole.split(special_tokens[0])")],
    "SpecialsAsText": [(f"return {SPLIT}", "return [whole]")],
    "SpecialsAsWords": [(SPLIT, SPLIT.replace('"|".join', '"(%s)" % "|".join'))],
    "CutsAtEndOfText": [(CUT, f"[one for text in {AT_END_OF_TEXT} for one in {CUT}]")],
    "AddsEndOfText": [
        (
            SPECIALS,
            f"    special_tokens = list(dict.fromkeys([*special_tokens, {END}]))\n{SPECIALS}",
        )
    ],
    "EndOfTextForNone": [(SPECIALS, f"    special_tokens = special_tokens or [{END}]\n{SPECIALS}")],
    "EndOfTextInVocab": [
        (
            SPECIALS,
            SPECIALS.replace("in special_tokens", f"in dict.fromkeys([*special_tokens, {END}])"),
        )
    ],
    "SpecialsRemoved": [(f"count_words({CUT})", f'count_words(["".join({CUT})])')],
    "AsciiPattern": [(WORD_KINDS, "| ?[A-Za-z]+| ?[0-9]+| ?[^\\sA-Za-z0-9]+|")],
    "DecimalPattern": [(WORD_KINDS, "| ?[^\\W\\d_]+| ?\\d+| ?(?:[^\\s\\w]|_)+|")],
    "NoLookAhead": [(r"|\s+(?!\S)|\s+", r"|\s+")],
    "NewerPattern": [
        (
            f"'(?:[sdmt]|ll|ve|re){WORD_KINDS}\\s+(?!\\S)|\\s+",
            "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}++|\\p{N}{1,3}+"
            "| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*+|\\s++$|\\s*[\\r\\n]|\\s+(?!\\S)|\\s",
        )
    ],
    "SplitsAtWhiteSpace": [(FOUND, "words.update(part.split())")],
    "NoWords": [(FOUND, "words.update([part])")],
    "Overlaps": [(NEXT, OVERLAP)],
    "OncePerWord": [(NEXT, "for pair in dict.fromkeys(zip(tokens, tokens[1:])):")],
    "DistinctWords": [(", count) for word, count in words.items()]", ", 1) for word in words]")],
    "StaleCounts": [(UPDATED, STALE)],
    "DropsStaleTops": [
        (
            "    while len",
            "    entries = [(count, pair) for pair, count in pairs.items()]\n    while len",
        ),
        ("pair = choose(pairs, vocab)\n", f"top, pair = {TOP}"),
        ("        pairs = count_pairs(words)\n        merges", f"{HEAP}        merges"),
    ],
    "GluedTie": [(BEST, BEST.replace(", pair))", ", pair[0] + pair[1]))"))],
    "NulTie": [(BEST, BEST.replace(", pair))", ', b"\\0".join(pair)))'))],
    "IdTie": [(f"return {BEST}", IDS + BEST.replace(", pair))", ", ids[pair[0]], ids[pair[1]]))"))],
    "LastTie": [(BEST, "max(reversed([*pairs]), key=pairs.get)")],
    "GreatestTie": [],
    "FirstTie": [(BEST, "max(pairs, key=pairs.get)")],
    "SmallestTie": [(BEST, "min(pairs, key=lambda pair: (-pairs[pair], pair))")],
    "SmallestIds": [
        (
            f"return {BEST}",
            IDS + "min(pairs, key=lambda pair: (-pairs[pair], ids[pair[0]], ids[pair[1]]))",
        )
    ],
    "RightToLeft": [("    made, at = [], 0\n", RIGHT_TO_LEFT)],
    "OneMatchPerWord": [("    made, at = [], 0\n", ONCE)],
    "RunsOut": [(OUT, "")],
    "GoesOn": [
        (OUT, ""),
        ("pair = choose(pairs, vocab)", "pair = choose(pairs, vocab) if pairs else merges[-1]"),
    ],
    "GoesOnAtZero": [
        (OUT, ""),
        ("pairs = count_pairs(words)\n    while", "pairs = seen = count_pairs(words)\n    while"),
        (
            "pair = choose(pairs, vocab)\n",
            "seen = {**dict.fromkeys(seen, 0), **pairs}\n        if not seen:\n            break\n"
            "        pair = choose(seen, vocab)\n",
        ),
    ],
    "NoEnd": [(OUT, OUT.replace("break", "continue  # for ever"))],
    "StopsAtOne": [(OUT, OUT.replace("pairs:", "pairs or max(pairs.values()) < 2:"))],
    "OneTooMany": [(WHILE, WHILE.replace("<", "<="))],
    "OneTooFew": [(WHILE, WHILE.replace("vocab_size", "vocab_size - 1"))],
    "ForgetsSpecials": [(WHILE, "while len(merges) < vocab_size - 256:")],
    "PlainOffsets": [],
    "RefusesLowerBound": [(WHILE, f"assert len(vocab) < vocab_size\n    {WHILE}")],
}
"""Name of a known mistake -> what is replaced, and by what."""


def wrong_trainer(*mistakes: str) -> str:
    """Return the program with some mistakes."""
    source = RIGHT
    for mistake in mistakes:
        for old, new in MISTAKES[mistake]:
            assert source.count(old) == 1, (mistake, old)
            source = source.replace(old, new)
    return source
