r"""The patterns that cut a text into pre-tokens ("words"): their sources, and where to cut a text.

A pattern is a regex for the `regex` package. Training and encoding must use the same one, so it is
part of counts, records and saved tokenizers.

What each named one adds to the others:

- `gpt2`: runs of letters, of numbers, of other characters, each with the blank before it; white
  space.
- `llama3`: any character before letters, not only a blank; numbers in groups of three, without a
  blank; the line ends after punctuation are part of it; white space up to its last line end is one
  word; contractions in capitals, too.
- `cl100k`: the same, except that white space at the end of a text, with its line ends, is one word.
- `qwen2`, `nanochat`: `llama3` with numbers in groups of one and of two.
- `o200k`: a word ends before a capital, combining marks belong to it, and so does the contraction.
"""

# Slow imports are avoided: `bpe-lab train` needs this file, but compiles no regex.

from typing import NamedTuple

from bpe_lab.support.errors import unknown


class Pattern(NamedTuple):
    """What the lab knows about a pattern.

    :param id: what users type; "custom" for the user's own regex.
    :param title: a few words.
    :param regex: for the `regex` package; two patterns are the same when their regexes are.
    :param source: where it is published.
    :param cut: regex of the places, between two characters, where a text may be cut: a word always
        ends there, whatever comes before and after. "": none is known.
    :param scanner: whether the counter `native` has a scanner for it.
    """

    id: str
    title: str
    regex: str
    source: str
    cut: str = ""
    scanner: bool = False

    @property
    def name(self) -> str:
        r"""What `find_pattern` takes: the id, or the regex of one that has none of its own.

        >>> PATTERNS["llama3"].name, find_pattern(r"\w+|\W+").name
        ('llama3', '\\w+|\\W+')
        """
        return self.id if self.id in PATTERNS else self.regex


CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"

UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"


LLAMA3 = (
    rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|DIGITS| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""The pattern of Llama 3, and of others that have another rule for DIGITS."""

RUN_ENDS = r"(?<=\p{L})(?!\p{L})|(?<=\p{N})(?!\p{N})"
"""After letters before anything else, and after numbers: no word continues there."""

LLAMA3_CUT = rf"{RUN_ENDS}|(?<=\S)(?=[^\S\r\n])"
"""Not between punctuation and a line end, which belongs to it."""

_PATTERNS = [
    Pattern(
        id="gpt2",
        title="GPT-2, and most textbooks",
        regex=r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        source="https://github.com/openai/gpt-2/blob/master/src/encoder.py",
        cut=rf"{RUN_ENDS}|(?<=\S)(?=\s)",
        scanner=True,
    ),
    Pattern(
        id="cl100k",
        title="GPT-3.5, GPT-4",
        regex=(
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
            r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
        ),
        source="https://github.com/openai/tiktoken/blob/main/tiktoken_ext/openai_public.py",
        cut=LLAMA3_CUT,
        scanner=True,
    ),
    Pattern(
        id="llama3",
        title="Llama 3, OLMo 2 and 3, GLM-4",
        regex=LLAMA3.replace("DIGITS", r"\p{N}{1,3}"),
        source="https://github.com/meta-llama/llama3/blob/main/llama/tokenizer.py",
        cut=LLAMA3_CUT,
        scanner=True,
    ),
    Pattern(
        id="qwen2",
        title="Qwen 2, 2.5 and 3, which normalise a text to NFC first",
        regex=LLAMA3.replace("DIGITS", r"\p{N}"),
        source="https://huggingface.co/Qwen/Qwen2-7B/blob/main/tokenizer.json",
        cut=LLAMA3_CUT,
        scanner=True,
    ),
    Pattern(
        id="nanochat",
        title="nanochat",
        regex=LLAMA3.replace("DIGITS", r"\p{N}{1,2}"),
        source="https://github.com/karpathy/nanochat/blob/master/nanochat/tokenizer.py",
        cut=LLAMA3_CUT,
        scanner=True,
    ),
    Pattern(
        id="o200k",
        title="GPT-4o and later",
        regex=(
            rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+{CONTRACTIONS}?"
            rf"|[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*{CONTRACTIONS}?"
            r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        ),
        source="https://github.com/openai/tiktoken/blob/main/tiktoken_ext/openai_public.py",
        # Not between a letter and a mark or an apostrophe: both may continue the word.
        cut=r"(?<=\p{L})(?=[^\p{L}\p{M}'])|(?<=\p{N})(?!\p{N})|(?<=\S)(?=[^\S\r\n])",
        scanner=True,
    ),
]

PATTERNS = {pattern.id: pattern for pattern in _PATTERNS}

DEFAULT_PATTERN = "gpt2"


def find_pattern(pattern: str) -> Pattern:
    r"""Return what the lab knows about a pattern.

    A user's regex is compiled, so that errors in it are found before the work.

    :param pattern: an id of `PATTERNS`, or any regex for the `regex` package.
    :raises TypeError: it is not a string.
    :raises ValueError: it is not a regex; or one word, which is not an id.

    >>> find_pattern("llama3").title
    'Llama 3, OLMo 2 and 3, GLM-4'
    >>> find_pattern(PATTERNS["o200k"].regex).id, find_pattern(r"\w+|\W+").id
    ('o200k', 'custom')
    """
    if not isinstance(pattern, str):
        raise TypeError(f"pattern is {pattern!r}: give an id such as 'gpt2', or a regex")
    if pattern in PATTERNS:
        return PATTERNS[pattern]
    if not pattern or pattern.replace("-", "_").isidentifier():
        raise unknown("pattern", pattern, PATTERNS, ", or give a regex")
    pattern.encode()  # a lone surrogate is an error here, not after hours
    for known in PATTERNS.values():
        if known.regex == pattern:
            return known
    import regex

    try:
        regex.compile(pattern)
    except RecursionError:
        raise ValueError(f"{shown(pattern)} nests brackets too deeply: simplify it") from None
    except regex.error as error:
        raise ValueError(
            f"{shown(pattern)} is not a regex ({error}): fix it, or choose one of "
            f"{', '.join(PATTERNS)}"
        ) from None
    return Pattern("custom", "your own regex", pattern, "")


def shown(pattern: str) -> str:
    """Return a pattern for a message, cut where it is long.

    :param pattern: any regex, or what was given for one.

    >>> len(shown("a" * 1_000_000))
    73
    """
    return f"pattern {pattern!r}" if len(pattern) <= 80 else f"pattern {pattern[:60]!r}..."
