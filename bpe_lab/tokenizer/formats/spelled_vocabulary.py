"""A vocabulary and merges in GPT-2's letters, as three formats have them: read and checked."""

from collections.abc import Mapping

from bpe_lab.tokenizer.formats.byte_letters import check_special_spelling, spell, unspell
from bpe_lab.tokenizer.formats.parts import Parts
from bpe_lab.tokenizer.formats.ranks import check_tokens, live_merges
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.words.patterns import Pattern


def read_spelled(
    where: str,
    ids: Mapping[str, int],
    merges: list[Merge],
    special_ids: dict[str, int],
    pattern: Pattern,
    *,
    whole_words: bool = False,
) -> Parts:
    """Return the parts of a tokenizer.

    Merges that never apply are left out: the ids are the same without them.

    :param where: the file, for messages.
    :param ids: name in letters -> id, without the special tokens; no id twice.
    :param merges: all that the file has.
    :param special_ids: special token -> id.
    :param pattern: cuts a text into words.
    :param whole_words: words that are tokens are not merged (`ignore_merges`); where merges make
        all of them, that is the same.
    :raises ValueError: they contradict each other, or a token is not in letters.
    """
    vocab: dict[int, bytes] = {}
    for name, number in ids.items():
        token = unspell(name)
        if token is None:
            raise ValueError(
                f"{where}: token {name[:60]!r} is not in GPT-2's letters: only byte-level BPE is "
                "read"
            )
        vocab[number] = token
    tokens = set(vocab.values())
    check_tokens(where, tokens)
    seen = set()
    first_made: dict[bytes, int] = {}
    for number, (left, right) in enumerate(merges, start=1):
        first_made.setdefault(left + right, number)
    for number, (left, right) in enumerate(merges, start=1):
        for token in (left, right, left + right):
            if token not in tokens:
                raise ValueError(
                    f"{where}: merge {number} needs {spell(token)[:60]!r}, which the vocabulary "
                    "lacks: the file is damaged"
                )
        for side in (left, right):
            # Made by none, it never stands in a text, nor does this merge: that is harmless.
            if len(side) > 1 and first_made.get(side, 0) > number:
                raise ValueError(
                    f"{where}: merge {number} joins {spell(side)[:60]!r}, which only merge "
                    f"{first_made[side]} makes: merges that are not in order are not supported"
                )
        if (left, right) in seen:
            raise ValueError(f"{where}: merge {number} stands there twice: the file is damaged")
        seen.add((left, right))
    for special, number in special_ids.items():
        if vocab.setdefault(number, special.encode()) != special.encode():
            raise ValueError(
                f"{where}: id {number} is that of special token {special[:60]!r} and of another "
                "token: the file is damaged"
            )
    parts = Parts(vocab, live_merges(merges), special_ids, pattern)
    if not (whole_words and parts.not_made()):
        return parts
    for special in special_ids:
        try:
            check_special_spelling(special, whole_words)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
    return parts._replace(whole_words=True)
