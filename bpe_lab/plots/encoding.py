"""Public encoders beside ours, and what a letter of a long word costs."""

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from bpe_lab.plots.grouped_rows import Row, grouped_rows
from bpe_lab.plots.style import PALETTE, QUIET, UNKNOWN
from bpe_lab.plots.suite_lines import Line, draw_lines
from bpe_lab.results.numbers import significant

if TYPE_CHECKING:
    import pandas

OURS_COLOR = PALETTE[1]


def encoder_ratios(records: "pandas.DataFrame", rows: "pandas.DataFrame", ours: str) -> Figure:
    """Draw one row per text and encoder: its time over ours in the same turn.

    :param records: of the suite `encoding`.
    :param rows: of its texts: on, param_encoder, ratio, again_ratio, known and median.
    :param ours: the encoder that the others are beside.
    :raises IndexError: no encoder that was measured on a text gave our ids.
    """
    rows = rows[rows["known"]] if not rows.empty else rows
    if rows.empty:
        raise IndexError("no records of encoders on texts: measure those cases of encoding, too")
    groups: dict[str, list[Row]] = {}
    for _, row in rows.iterrows():
        ratio, mine = row["ratio"], row["param_encoder"] == ours
        speed = f"{significant(row['corpus_bytes'] / 1e6 / row['median'])} MB/s"
        groups.setdefault(row["on"], []).append(
            Row(
                label=row["param_encoder"],
                value=ratio.median,
                least=ratio.low,
                most=ratio.high,
                text=speed if mine else f"{speed}, x {significant(ratio.median)}",
                color=OURS_COLOR if row["param_encoder"].startswith(ours) else UNKNOWN,
                ring=row["again_ratio"].median,
            )
        )
    return grouped_rows(
        records,
        groups,
        message(rows, ours),
        x_label="time over ours in the same turn (log scale)",
        note="One thread, one text in one call, the same ids. Dot: the first time that an encoder, "
        "made anew, meets the text; ring: the second time. Bar: its 95% interval, or "
        "all of fewer than six turns. "
        f"{ours} beside itself shows the noise; what is readable has a small text.",
        reference=1,
    )


def message(rows: "pandas.DataFrame", ours: str) -> str:
    """Return the title: from how much to how much of our time each public encoder takes.

    :param rows: of the encoders that gave our ids.
    :param ours: the encoder that the others are beside.
    """
    public = rows[
        ~rows["param_encoder"].str.startswith(ours) & ~(rows["param_encoder"] == "readable")
    ]
    said = []
    for name, same in public.groupby("param_encoder", sort=False):
        medians = [ratio.median for ratio in same["ratio"]]
        least, most = significant(min(medians)), significant(max(medians))
        said.append(f"{name} {least if least == most else f'{least} to {most}'}")
    if not said:
        return "No public encoder was measured beside ours"
    return f"Times as long as ours on the same text: {', '.join(said)}"


def long_words(records: "pandas.DataFrame", rows: "pandas.DataFrame", ours: str) -> Figure:
    """Draw nanoseconds per letter against the letters of a word, a line per encoder.

    :param records: of the suite `encoding`.
    :param rows: of its words: param_encoder, known, corpus_bytes and median.
    :param ours: the encoder that the others are beside.
    :raises IndexError: no encoder that was measured on a word gave our ids.
    """
    rows = rows[rows["known"]] if not rows.empty else rows
    if rows.empty:
        raise IndexError("no records of long words: measure those cases of encoding, too")
    lines = []
    for (name, same), color in zip(
        rows.groupby("param_encoder", sort=False), (OURS_COLOR, *PALETTE[2:]), strict=False
    ):
        letters = same["corpus_bytes"].tolist()
        per_letter = (1e9 * same["median"] / same["corpus_bytes"]).tolist()
        lines.append(
            Line(str(name), letters, per_letter, color=color if name != "readable" else QUIET)
        )
    own = dict(zip(lines[0].x, lines[0].y, strict=True))
    shortest, longest = min(own), max(own)
    first, last = (f"{significant(own[size])} ns" for size in (shortest, longest))
    return draw_lines(
        records,
        lines,
        f"A letter costs {lines[0].name} {first} in a word of {shortest:,}, {last} in one of "
        f"{longest:,}",
        x_label="letters of one word (log scale)",
        y_label="ns per letter (log scale)",
        note="Random DNA letters, which are one word to the pattern gpt2; the same ids.",
    )
