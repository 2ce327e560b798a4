"""The contents of a tokenizer, which every format writes or reads."""

from typing import NamedTuple

from bpe_lab.tokenizer.formats.json_file import MAX_BYTES
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.words.patterns import Pattern


class TokenizerData(NamedTuple):
    """The contents of a tokenizer, see `Tokenizer`."""

    vocab: dict[int, bytes]
    merges: list[Merge]
    special_ids: dict[str, int]
    pattern: Pattern
    ignore_merges: bool = False

    def ids(self) -> dict[bytes, int]:
        """Return the id of each token that is not a special token."""
        special = set(self.special_ids.values())
        return {token: number for number, token in self.vocab.items() if number not in special}

    def not_made(self) -> list[bytes]:
        """Return the tokens that are not a byte, a special token, or made by a merge."""
        if len(self.vocab) == 256 + len(self.merges) + len(self.special_ids):
            return []  # each of these has its own entry
        made = {left + right for left, right in self.merges}
        return [token for token in self.ids() if len(token) != 1 and token not in made]

    def check_writable(self) -> None:
        """Refuse tokens that are decoded only, which most formats cannot mark, or fill a memory."""
        if sum(map(len, self.vocab.values())) > MAX_BYTES // 2:  # a file has each at least twice
            raise ValueError(
                f"its tokens have more than {MAX_BYTES >> 21} MiB, too much for a file: train "
                "another one with max_token_bytes (--max-token-bytes)"
            )
        for token in () if self.ignore_merges else self.not_made():
            raise ValueError(
                f"id {self.ids()[token]}, {token[:40]!r}, is neither a byte nor a special "
                "token, and no merge makes it: name it as a special token, or leave it out"
            )
