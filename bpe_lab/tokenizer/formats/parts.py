"""What every file of a tokenizer says: its parts."""

from typing import NamedTuple

from bpe_lab.tokenizer.merges import Merge
from bpe_lab.words.patterns import Pattern


class Parts(NamedTuple):
    """What a tokenizer is made of, and nothing else: see `Tokenizer`."""

    vocab: dict[int, bytes]
    merges: list[Merge]
    special_ids: dict[str, int]
    pattern: Pattern
    whole_words: bool = False

    def ids(self) -> dict[bytes, int]:
        """Return the id of each token that is no special token."""
        special = set(self.special_ids.values())
        return {token: number for number, token in self.vocab.items() if number not in special}

    def not_made(self) -> list[bytes]:
        """Return the tokens that are no byte, no special token, and made by no merge."""
        made = {left + right for left, right in self.merges}
        return [token for token in self.ids() if len(token) != 1 and token not in made]

    def check_writable(self) -> None:
        """Refuse tokens that are decoded only: most files cannot say which these are."""
        for token in () if self.whole_words else self.not_made():
            raise ValueError(
                f"id {self.ids()[token]}, {token[:40]!r}, is no byte, no special token, and no "
                "merge makes it: name it as a special token, or leave it out"
            )
