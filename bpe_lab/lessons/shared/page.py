"""HTML that a notebook renders, with a text fallback."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from bpe_lab.tokenizer.inspection.spelling import spell

CHIP = (
    "display:inline-block;border:1px solid #999;border-radius:3px;padding:0 4px;margin:1px;"
    "font-family:monospace;font-size:13px;color:#111;background:#f4f4f4"
)


@dataclass(frozen=True)
class Page:
    """HTML with a text fallback."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def show_tokens(tokens: Iterable[bytes]) -> Page:
    """Show tokens in a row, each in a box.

    :param tokens: in the order of the text.

    >>> show_tokens([b"low", b"er"])
    low|er
    """
    spelled = [spell(token) for token in tokens]
    boxes = " ".join(f'<code style="{CHIP}">{escape(token)}</code>' for token in spelled)
    return Page(f'<div style="line-height:2">{boxes}</div>', "|".join(spelled))
