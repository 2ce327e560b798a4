"""The merge player: a training to step through by hand, in HTML and JavaScript."""

import json
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from html import escape
from pathlib import Path
from typing import Literal

from bpe_lab.corpora.worked_example import WORKED_EXAMPLE
from bpe_lab.lessons.displays import Page
from bpe_lab.lessons.worked_steps import Moment, Steps, row_text, shown_pairs, steps
from bpe_lab.tokenizer.inspection.spelling import spell
from bpe_lab.training.training import train_from_counts
from bpe_lab.words.pretokenize import pretokenize

TEMPLATE = Path(__file__).with_name("merge_player.html")
"""The player itself; `player` puts in what it starts with."""

PLAYED_STAGES = (
    "naive",
    "word_counts",
    "pair_table",
    "inverted_index",
    "max_heap",
    "cpp_positions",
)
"""The stages that the player knows, by id."""

MOST_CHARACTERS = 2_000
"""Of a text; or bytes of distinct words, or occurrences of words. The same in the HTML file."""

MOST_MERGES = 100
STATIC_MERGES = 3
"""How many are told where scripts do not run."""

LEFT = 'style="text-align:left"'


def player(
    counts_or_text: Mapping[bytes, int] | str = WORKED_EXAMPLE,
    n_merges: int = 20,
    stage: str = PLAYED_STAGES[0],
    *,
    start: int | None = None,
    panes: Literal["kept", "all"] = "kept",
) -> Page:
    """Return the merge player: a slider over merges, and what each stage touches for them.

    It stands in a frame of its own, so that no style of the page reaches it and several fit on one
    page. Where scripts do not run, tables tell the first merges.

    :param counts_or_text: word -> number of occurrences, or a text, which is cut after 2,000
        characters. The reader can type another one.
    :param n_merges: how many merges the slider goes over, or fewer where no pair is left; at most
        100.
    :param stage: id of the stage that is chosen at first, one of `PLAYED_STAGES`.
    :param start: at which merge the slider stands at first, from 1; left out, at the second where
        there are more than two: before the first one every stage counts all pairs.
    :param panes: "kept" shows only what the chosen stage keeps, until the reader ticks a box; "all"
        ticks it for the reader.
    :raises ValueError: there is nothing to train on, or too much to be seen; the player does not
        know the stage, the merge or the panes.

    >>> player({b"low": 5, b"lower": 2}, 1)
    The first merges; a notebook shows the player.
    1. l o w x5, l o w e r x2 | (o, w) 7, (l, o) 7, (w, e) 2, (e, r) 2 | merge (o, w)
    """
    if stage not in PLAYED_STAGES:
        raise ValueError(f"the player does not know {stage!r}, but {', '.join(PLAYED_STAGES)}")
    if not 1 <= n_merges <= MOST_MERGES:
        raise ValueError(f"n_merges is {n_merges}; the player shows 1 to {MOST_MERGES}")
    if start is not None and not 1 <= start <= n_merges:
        raise ValueError(f"start is {start}; the slider goes from 1 to {n_merges}")
    if panes not in ("kept", "all"):
        raise ValueError(f"panes is {panes!r}; it can be 'kept' or 'all'")
    if isinstance(counts_or_text, str):
        text = counts_or_text[:MOST_CHARACTERS]
        given: dict[str, object] = {"text": text, "n_characters": len(counts_or_text)}
        counts: Mapping[bytes, int] = Counter(word.encode() for word in pretokenize(text))
    else:
        counts = counts_or_text
        given = {"words": [[list(word), count] for word, count in counts.items()]}
        if sum(map(len, counts)) > MOST_CHARACTERS or sum(counts.values()) > MOST_CHARACTERS:
            raise ValueError(
                f"the player shows {MOST_CHARACTERS:,} bytes of distinct words and as many "
                "occurrences at most; give it fewer words"
            )
    with warnings.catch_warnings(action="ignore", category=UserWarning):  # no pair is left
        first = steps(counts, min(n_merges, STATIC_MERGES))
    if not first.merges:
        raise ValueError("no word of two or more bytes: there is nothing to merge")
    # `</script>` in a text must not end the script that holds it.
    shown = {"stage": stage, "first": start, "everything": panes == "all"}
    held = json.dumps({**given, "n_merges": n_merges, **shown}).replace("<", "\\u003c")
    page = TEMPLATE.read_text(encoding="utf-8").replace("START", held, 1)
    title = "Merge player: a slider over the merges, and what each stage touches"
    # What is in the frame gives it a height: where scripts do not run, nothing of it is seen.
    html = (
        f"<div><div data-without-scripts>{without_scripts(counts, first)}</div>"
        f'<iframe title="{title}" srcdoc="{escape(page)}" height="0" '
        'style="width:100%;border:0"></iframe></div>'
    )
    told = [row_text(number, moment) for number, moment in enumerate(first[:-1], start=1)]
    return Page(html, "\n".join(["The first merges; a notebook shows the player.", *told]))


def without_scripts(counts: Mapping[bytes, int], first: Steps) -> str:
    """Return tables of the first merges, and of what each stage does for them.

    :param counts: word -> number of occurrences.
    :param first: the moments to tell.

    >>> "<b>o w</b>" in without_scripts({b"low": 5}, steps({b"low": 5}, 1))
    True
    """
    n_merges = len(first.merges)
    rows = "".join(map(moment_html, range(1, len(first) + 1), first))
    heads = [f"merge {number}" for number in range(1, n_merges + 1)]
    stages = "".join(map(partial(stage_html, counts, n_merges), PLAYED_STAGES))
    return (
        "<p>A player stands here where scripts run. "
        f"Without them: the first {f'{n_merges} merges' if n_merges > 1 else 'merge'}.</p>"
        + table(["merge", "words as tokens; merged next: <b>bold</b>", "most frequent pairs"], rows)
        + "<p>Operations of each stage for these merges; the first one includes the first count of "
        "all pairs.</p>" + table(["stage", *heads, f"of these, for merge {n_merges}"], stages)
    )


def table(heads: Iterable[str], rows: str) -> str:
    """Return a table; its style is only for pages that align cells to the right.

    :param heads: of the columns.
    :param rows: in HTML.

    >>> table(["pair"], row(["ow"])).count("<tr>")
    2
    """
    columns = "".join(f"<th {LEFT}>{head}</th>" for head in heads)
    return f"<table><thead><tr>{columns}</tr></thead><tbody>{rows}</tbody></table>"


def row(cells: Iterable[str]) -> str:
    """Return a row of a table.

    :param cells: in HTML.

    >>> row(["ow"]).count("<td")
    1
    """
    return "<tr>" + "".join(f"<td {LEFT}>{cell}</td>" for cell in cells) + "</tr>"


def moment_html(number: int, moment: Moment) -> str:
    """Return one row of the table of merges, readable without any style.

    :param number: of the merge, from 1.
    :param moment: words and choice.

    >>> moment_html(1, Moment({(b"o", b"w"): 7}, (b"o", b"w"))).count("<td")
    3
    """
    words = "<br>".join(
        f"<code>{' '.join(bold_tokens(tokens, moment))}</code> × {count}"
        for tokens, count in moment.words.items()
    )
    pairs = "<br>".join(
        f"<code>{escape(' '.join(map(spell, pair)))}</code> {count}"
        + (" ◀" if pair == moment.merge else "")
        for pair, count in shown_pairs(moment)
    )
    name = str(number) if moment.merge is not None else "then"
    return row([name, words, pairs or "none"])


def bold_tokens(tokens: tuple[bytes, ...], moment: Moment) -> Iterator[str]:
    """Yield tokens as HTML; the matches of the merge are bold.

    :param tokens: of one word.
    :param moment: of which the merge is.

    >>> list(bold_tokens((b"l", b"o", b"w"), Moment({}, (b"o", b"w"))))
    ['l', '<b>o w</b>']
    """
    position = 0
    while position < len(tokens):
        if tokens[position : position + 2] == moment.merge:
            yield f"<b>{escape(' '.join(map(spell, moment.merge)))}</b>"
            position += 2
        else:
            yield escape(spell(tokens[position]))
            position += 1


def stage_html(counts: Mapping[bytes, int], n_merges: int, stage: str) -> str:
    """Return one row of the table of stages: its operations for each merge, added up.

    :param counts: word -> number of occurrences.
    :param n_merges: how many merges to make.
    :param stage: id of a stage.

    >>> stage_html({b"low": 5}, 1, "naive").count("<td")
    3
    """
    done = operations_by_merge(counts, n_merges, stage)
    sums = [f"{sum(operations.values()):,}" for operations in done]
    told = ", ".join(f"{count:,} {operation}" for operation, count in done[-1].items() if count)
    return row([f"<code>{stage}</code>", *sums, told])


def operations_by_merge(
    counts: Mapping[bytes, int], n_merges: int, stage: str
) -> list[dict[str, int]]:
    """Return how often a stage does each operation, by merge.

    :param counts: word -> number of occurrences.
    :param n_merges: how many merges to make.
    :param stage: id of a stage.

    >>> operations_by_merge({b"low": 5}, 1, "word_counts")[0]["pairs_counted"]
    2
    """
    before: Counter[str] = Counter()
    done: list[dict[str, int]] = []

    def note(total: Mapping[str, int]) -> None:
        done.append({operation: count - before[operation] for operation, count in total.items()})
        before.update(done[-1])

    train_from_counts(
        counts,
        256 + n_merges,
        [],
        stage=stage,
        threads=1,
        on_merge=lambda step: note(step.stage.operations),
    )
    return done
