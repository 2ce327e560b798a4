"""Describe the load beside the values of a suite: the footnote of its table."""

from math import ceil
from statistics import median
from typing import TYPE_CHECKING

from bpe_lab.results.code_facts import code_text, older_sentence
from bpe_lab.results.machine_facts import machine_line, processor
from bpe_lab.results.spread import controls
from bpe_lab.results.tables import sized_text, stopped
from bpe_lab.support.columns import as_code, named
from bpe_lab.support.errors import some

if TYPE_CHECKING:
    import pandas


def busy_factor(records: "pandas.DataFrame") -> float | None:
    """Return how many times its best the fixed work took beside the values, in the median.

    :param records: of one suite.
    :return: None where none was measured.

    >>> import pandas
    >>> best = {"processor 0": 0.010, "processor 1": 0.030}  # processors may differ in speed
    >>> slow = {"processor 0": 0.012, "processor 1": 0.036}
    >>> looks = [{"before": best, "after": slow}, {"before": slow, "after": slow}, None]
    >>> round(busy_factor(pandas.DataFrame({"fixed_work": looks})), 2)
    1.2
    """
    around = records.reindex(columns=["fixed_work"])["fixed_work"]
    looks = [look for one in around if isinstance(one, dict) for look in one.values()]
    if not looks:
        return None
    best = {piece: min(look[piece] for look in looks) for piece in looks[0]}
    return float(median(look[piece] / best[piece] for look in looks for piece in best))


def footnote(records: "pandas.DataFrame") -> str:
    """Return the footnote of a suite's table: text, machine, code, n, the load and A/A."""
    first = records.iloc[0]
    machine, code = machine_line(first["machine"]), code_text(first["code"])
    parts = [f"{machine}; bpe_lab {code}.", _n_text(records)]
    texts = records.reindex(columns=["corpus", "corpus_sha256", "corpus_bytes"]).dropna()
    if texts["corpus_sha256"].nunique() == 1:
        ids = records.reindex(columns=["vocab_size"])["vocab_size"].dropna().unique()
        size = f", {int(ids[0]):,} ids" if len(ids) == 1 else ""
        parts.insert(0, f"Text: {sized_text(first)}{size}, scale {first['scale']}.")
    if (records.reindex(columns=["loops"])["loops"] > 1).any():
        parts.append("Short work is repeated in its process: its value is the mean, warm.")
    if cases := records["case"][stopped(records)].unique().tolist():
        parts.append(
            f"Stopped by a time budget, not at their end: {some([*map(named, cases)], 3)}."
        )
    if busy := busy_factor(records):
        parts.append(f"Busy factor {busy:.2f} (fixed work beside the values: median over best).")
    spreads = controls(records)
    if len(spreads):
        # Of several, the one with the widest spread.
        name = max(spreads.index, key=lambda name: spreads[name].most - spreads[name].least)
        which = f"the widest of {len(spreads)}" if len(spreads) > 1 else as_code(name)
        parts.append(f"A/A ({which}): {spreads[name]}.")
    if (n := records.groupby("case").size().max()) > 1:
        against = f"{ceil(2 * n / 9)} of {n}"  # see `is_undecided`
        parts.append(f"~: a factor of which at least {against} rounds point the other way.")
    return " ".join(parts)


def short_footnote(records: "pandas.DataFrame") -> str:
    """Return what a table must say: n, the processor, the code, and the load."""
    first = records.iloc[0]
    parts = [_n_text(records), f"{processor(first['machine'])}."]
    if busy := busy_factor(records):
        parts.append(f"Busy factor {busy:.2f}.")
    return " ".join([*parts, older_sentence(records) or f"bpe_lab {code_text(first['code'])}."])


def _n_text(records: "pandas.DataFrame") -> str:
    """Return how many values the cases have, and what stands in brackets beside a median."""
    n = records.groupby("case", sort=False).size()
    usual = int(n.mode().iloc[-1])
    others = n[n != usual]
    text = f"n = {usual}"
    if 0 < len(others) <= 3:  # more names would fill the footnote
        text += (
            f" ({', '.join(f'{as_code(str(case))} {number}' for case, number in others.items())})"
        )
    elif len(others):
        text = f"n = {n.min()} to {n.max()}"
    spread = "; medians, least to greatest in brackets" if n.max() > 1 else ""
    return f"{text}, each value in a fresh process, cases interleaved{spread}."
