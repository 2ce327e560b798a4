"""Timings that others have published, for the sentences of the notebooks."""

import csv
from dataclasses import dataclass
from statistics import median

from bpe_lab.corpora import data_path

CREDITS = {
    "series": '"Building and Optimizing a BPE Tokenizer from Scratch" '
    "(动手实现和优化BPE Tokenizer的训练) by lili, 2025, fancyerii.github.io",
    "Koschei": '"BPE 分词器高性能优化：从 10 分钟到 1 秒的实践" by Koschei, 2025-06-14',
    "word-frequency": 'the blog post "优化原始的BPE" ("Optimizing the original BPE"), 2025-11-20',
}
"""First word of a source -> whom to thank."""


@dataclass(frozen=True)
class PublishedTiming:
    """One published figure.

    :param source: as in `data/published_timings.csv`.
    :param version: the author's name for the program.
    :param corpus: what it was trained on.
    :param vocab_size: as published, "" where it is not stated.
    :param value: median of the runs: seconds, or merges per second.
    :param note: what to mind.
    """

    source: str
    version: str
    corpus: str
    vocab_size: str
    value: float
    note: str

    @property
    def credit(self) -> str:
        """Title, author and year."""
        return CREDITS[self.source.split()[0]]


def published(stage: str, phase: str, **filters: str) -> PublishedTiming:
    """Return the first published figure of a stage and a phase.

    :param stage: id of the stage it corresponds to, or the topic.
    :param phase: "total", "count", "merge", "select", "update" or "merges_per_second".
    :param filters: values of other columns, such as corpus="OpenWebText".
    :raises LookupError: there is none.

    >>> published("naive", "merges_per_second").value
    0.08
    """
    wanted = {"stage": stage, "phase": phase, **filters}
    with data_path("published_timings.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if all(row[column] == value for column, value in wanted.items()):
                runs = [float(text.removeprefix(">")) for text in row["seconds_runs"].split(";")]
                return PublishedTiming(
                    row["source"],
                    row["version"],
                    row["corpus"],
                    row["vocab_size"],
                    median(runs),
                    row["note"],
                )
    raise LookupError(f"no published timing has {wanted}")
