from collections.abc import Iterable, Mapping, Sequence

LARGEST: int

class TextMaker:
    def __init__(
        self,
        frequent: Iterable[bytes],
        chain: bytes,
        cells: Sequence[tuple[int, int, int, int]],
        kept_ranks: int,
        shape: Mapping[str, int],
    ) -> None: ...
    def fill(self, buffer: bytearray, number: int) -> tuple[int, int]: ...
