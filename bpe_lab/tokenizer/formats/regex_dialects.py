r"""Regexes that other engines read like `regex`: Oniguruma in tokenizers, Rust's in tiktoken.

The named patterns were tested in both, on random strings and on every code point. One needs another
form in Oniguruma, where `{1,3}+` is a repetition of a repetition. Code points that are newer than
the engine's Unicode get other classes: nothing here fixes that.
"""

import re
import warnings

from bpe_lab.words.patterns import PATTERNS, Pattern, find_pattern

ONIGURUMA = {"cl100k": PATTERNS["cl100k"].regex.replace("{1,3}+", "{1,3}")}
r"""Id of a pattern -> its form for Oniguruma, if that differs.

Nothing after the numbers could make them backtrack. In Oniguruma `$` also matches at the end of a
line, and after `\s++` there is none left.
"""

_SPELLINGS = {
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    **{form: name for name, form in ONIGURUMA.items()},
}
"""Other regexes in public files -> id of the equivalent pattern."""

_ESCAPE = r"\\[pP]\{[A-Z][a-z]?\}|\\[sSdDrnt]|\\[^\w\s]"
_LITERAL = r"[^\\\[\](){}^$.|?*+]"
_CLASS = rf"\[\^?(?:{_ESCAPE}|(?!--|&&|~~|\|\|)[^\\\[\]])+\]"
_QUANTIFIER = r"(?:[?*+][?+]?|\{\d+(?:,\d*)?\})?"
_FOLDED = r"\(\?i:(?:'s\|'t\|'re\|'ve\|'m\|'ll\|'d|\[sdmt\]\|ll\|ve\|re)\)"
_PORTABLE = (
    rf"(?:(?:{_FOLDED}|{_ESCAPE}|{_LITERAL}|{_CLASS}|\.|\)){_QUANTIFIER}|\((?:\?(?:[:=!]))?|\|)*"
)
"""Syntax that all three engines read alike: no anchors, no `\\w`, no flags, no look-behind."""

_LOOKAHEAD = r"\(\?[=!](?P<body>(?:\\.|\[(?:\\.|[^\]\\])*\]|[^()\[\]\\]|\((?&body)\))*)\)"
"""For the `regex` package: up to its matching end, with any groups and classes inside."""

_LEFT_OUT = (r"|(?:(?!", r")[\s\S])+")


def check_portable(pattern: Pattern) -> None:
    """Refuse a user's regex that other engines may read differently, or that matches nothing."""
    import regex

    portable = re.match(_PORTABLE, pattern.regex)
    end = portable.end() if portable else 0
    if end < len(pattern.regex):
        raise ValueError(
            f"the pattern holds {pattern.regex[end : end + 12]!r}, which other libraries may read "
            "differently: leave anchors, \\w, \\b, flags, look-behind and nested classes out"
        )
    # Without anchors only a lookahead depends on its place: without lookaheads, a regex that can
    # match nothing anywhere matches the empty text.
    if regex.fullmatch(regex.sub(_LOOKAHEAD, "(?:)", pattern.regex), "") is not None:
        raise ValueError(
            "the pattern can match an empty text, which other libraries take for a word: use + "
            "instead of *, and let no lookahead stand alone"
        )


def covering_regex(pattern: Pattern) -> str:
    """Return a regex that also matches the text between words, which tiktoken would drop."""
    if pattern.id in PATTERNS:
        return pattern.regex  # it leaves nothing out
    check_portable(pattern)
    return pattern.regex.join(("", *_LEFT_OUT))


def named_pattern(regex: str) -> Pattern | None:
    """Return the named pattern of a regex in another library's file; None: it is none of them."""
    known = {pattern.regex: name for name, pattern in PATTERNS.items()} | _SPELLINGS
    return PATTERNS[known[regex]] if regex in known else None


def agreed_pattern(of_file: Pattern | None, given: str | None, regex: str = "") -> Pattern:
    """Return the pattern of a file, or the caller's if its `regex` is none of the named ones."""
    if given is None:
        if of_file is None:
            raise ValueError(
                f"its regex {regex!r} is none of the patterns {', '.join(PATTERNS)}: give it "
                "(pattern=; bpe-lab export --pattern), or read tokenizer.bpe.json"
            )
        return of_file
    pattern = find_pattern(given)
    if of_file is not None and of_file.regex != pattern.regex:
        raise ValueError(
            f"it has the pattern {of_file.name!r}, and {given!r} is given: leave pattern out"
        )
    if of_file is None and regex != pattern.regex:
        warnings.warn(
            f"the file has the regex {regex!r}, and {given!r} is used instead: the ids are those "
            "of the file only if both cut every text alike",
            stacklevel=2,
        )
    return pattern
