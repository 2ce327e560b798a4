"""Which special tokens are to be found in a text, and which must not be in it.

As in tiktoken: a text from a stranger may spell a special token, so none is found unless it is
asked for, and a text that has one is refused unless it is said that it is text.
"""

from collections.abc import Collection, Mapping
from typing import Literal

from bpe_lab.native import SpecialIds
from bpe_lab.words.special_tokens import check_special_tokens

Choice = Literal["all"] | Collection[str]
"""Special tokens by name, or all of them."""


def choose(special_ids: Mapping[str, int], allowed: Choice, disallowed: Choice) -> SpecialIds:
    """Return what to find in a text, and what to refuse.

    :param special_ids: special token -> id, of a tokenizer.
    :param allowed: those to be found.
    :param disallowed: strings that a text must not have; "all": all special tokens but the allowed.
    :raises TypeError: one of them is another string than "all", or not of strings.
    :raises ValueError: an allowed one is none of the tokenizer's.

    >>> choose({"<s>": 256, "<t>": 257}, {"<s>"}, "all").check("<s> <t>")
    Traceback (most recent call last):
    ValueError: the text has the special token '<t>' at byte 4: give allowed_special={'<t>'} \
to make it one id, disallowed_special=() for text
    """
    found = special_ids if allowed == "all" else checked("allowed_special", allowed)
    for token in found:
        if token not in special_ids:
            raise ValueError(
                f"allowed_special has {token!r}, which is no special token of this tokenizer: it "
                f"has {', '.join(map(repr, special_ids)) or 'none'}"
            )
    ids = {token: special_ids[token] for token in found}
    if disallowed == "all":
        return SpecialIds(ids, [token for token in special_ids if token not in ids])
    return SpecialIds(ids, checked("disallowed_special", disallowed), named=True)


def checked(name: str, tokens: Choice) -> tuple[str, ...]:
    """Return special tokens that were named.

    :param name: the parameter.
    :param tokens: strings.
    :raises TypeError: it is one string, or not of strings.
    """
    if isinstance(tokens, str | bytes):
        raise TypeError(f'{name} is {tokens!r}: give "all", or a set of special tokens')
    return check_special_tokens(tokens)
