"""Records of suites -> a page for each, and one of the published timings beside them."""

import contextlib
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bpe_lab.bench.catalog import SUITES
from bpe_lab.bench.suite import Suite, typed
from bpe_lab.corpora import data_path
from bpe_lab.results.code_facts import older_sentence
from bpe_lab.results.conditions import footnote
from bpe_lab.results.published import beside_measured, published_table
from bpe_lab.results.records import load
from bpe_lab.results.tables import Columns, digest_text, rows_table, summary
from bpe_lab.support.columns import as_code, named
from bpe_lab.support.files import write_file
from bpe_lab.support.user_errors import in_a_line

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

AGAIN = "results/again"
"""Where a command writes that repeats a measurement."""

EXPERIMENTS = (
    "tinystories",
    "tinystories-1.0.0",
    "openwebtext",
    "openwebtext-1.0.0",
    "openwebtext-larger",
    "openwebtext-scan",
    "ladder-heaps",
    "series",
)
"""Files in `data/recorded/experiments` with values for published timings, or beside them."""

_FAULTS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What a table or a figure may raise about its records; not that a file cannot be written."""


SMOKE_TEST = (
    "**A smoke test** (scale tiny): every case ran here, and those that must agree gave the same "
    "result. So short a run is mostly the start of programs: no time and no figure is shown, "
    "nothing is compared. Scale default measures."
)
"""On top of the page of a suite at scale "tiny"."""

PHASES_EXPLAINED = """\
# Phases

The time of a training is that of its phases. Merging is all of them but `count`.

- `count`: files to word counts;
- `init`: word counts to the words as the stage holds them;
- `count_pairs`: the first table of pair counts and, where there is one, the index; `naive` and
  `word_counts` count all pairs again for each merge;
- `select`: which pair is next, pushes and pops of a heap included;
- `update`: the merge itself, in the words, the counts and the index;
- `convert`: ids to bytes, and the records of the loop.
"""
"""What the phases of a training are, in Markdown."""


class Page(NamedTuple):
    """What is said of a suite, and its figures."""

    head: str
    figures: "Mapping[str, Figure]"
    table: str
    notes: Sequence[str]
    shows_figures: bool = True

    def text(self, place: "Callable[[str, Figure], str]") -> str:
        """Return the page in Markdown; `place` tells where a figure is, by its name."""
        parts = [self.head]
        for name, figure in self.figures.items() if self.shows_figures else ():
            title = named(" ".join(figure.get_suptitle().split()))
            parts += [f"![{title}]({place(name, figure)})", figure.caption]  # type: ignore[attr-defined]
        return "\n\n".join(filter(None, [*parts, self.table.strip(), *self.notes])) + "\n"


def suite_page(suite: Suite, records: "pandas.DataFrame") -> Page:
    """Return the page of a suite, or say why there is none."""
    with explained(suite, records):
        return _page(suite, records)


def is_smoke_test(records: "pandas.DataFrame") -> bool:
    """Tell whether records only show that a suite runs."""
    return bool(records["scale"].iloc[0] == "tiny")


def message_and_table(suite: Suite, records: "pandas.DataFrame") -> tuple[str, str]:
    """Return what is said of records before all else, "" for nothing, and their table."""
    if is_smoke_test(records):
        columns: Columns = {"case": lambda row: named(row["case"]), "result": digest_text}
        return SMOKE_TEST, rows_table(summary(records), columns)
    return suite.headline(records), suite.table(records).strip()


def _page(suite: Suite, records: "pandas.DataFrame") -> Page:
    figures = {suite.id: suite.figure(records)}
    figures |= {draw.__name__: draw(records) for draw in suite.more_figures}
    smoke = is_smoke_test(records)
    for figure in figures.values() if smoke else ():
        # What its title says holds of what is measured. They are drawn to see that they can be.
        [title] = [text for text in figure.texts if text.get_text() == figure.get_suptitle()]
        title.set_text("A smoke test: nothing is compared")
    columns = ["corpus", "corpus_bytes", "corpus_sha256"]
    texts = records.reindex(columns=columns).dropna().drop_duplicates().to_numpy().tolist()
    text = ""
    if len(texts) == 1:
        [(name, size, digest)] = texts
        text = f"`{name}`: {int(size):,} bytes, SHA-256 `{digest}`."
    again = f"Again: {as_code(repeat_command(suite, records))}."
    notes = [footnote(records), older_sentence(records), text, again]
    message, table = message_and_table(suite, records)
    head = [f"# {suite.title}", message, "" if smoke else suite.question]
    return Page("\n\n".join(filter(None, head)), figures, table, notes, not smoke)


def write_results(suite: Suite, records: "pandas.DataFrame", out: Path) -> list[Path]:
    """Write the page of a suite and its figures, and return the files, the page first."""
    with explained(suite, records):  # a figure may fail where it is drawn
        return _write_page(_page(suite, records), out / f"{suite.id}.md")


def _write_page(page: Page, file: Path) -> list[Path]:
    """Write a page in Markdown and its figures, and return the files."""
    from bpe_lab.plots.figure import save

    # Figures first, because they may fail: a page without its figures would be half a result.
    files = {name: file.parent / "figures" / f"{name}.png" for name in page.figures}
    for name, figure in page.figures.items():
        save(figure, files[name])
    write_file(file, page.text(lambda name, _: f"figures/{name}.png").encode())
    return [file, *files.values()]


def write_published(out: Path) -> list[Path]:
    """Write the page of the published timings beside the records of a folder.

    Return its file; none if nothing was measured that corresponds to a published timing. A smoke
    test measures nothing.
    """
    if not any((out / f"{suite}.jsonl").exists() for suite in SUITES):
        return []
    own = {
        name: records for name, records in load_suites(out).items() if not is_smoke_test(records)
    }
    measured = recorded_experiments() | own
    try:
        compared = beside_measured(measured)
        places = dict.fromkeys(compared["place"][compared["measured"] != ""])
        if not places.keys() & own.keys():
            return []
        parts = [
            "# Published against measured\n\n"
            "Does each published idea gain as much here as it gained its author?",
            published_table(compared, own),
        ]
        if "series" in measured:
            table = SUITES["series"].table(measured["series"])
            parts.append(f"The programs of the series beside our stages. {table}")
            places["series"] = None
        for name in places:
            conditions = [f"`{name}`:", footnote(measured[name]), older_sentence(measured[name])]
            parts.append(" ".join(conditions).strip())
    except _FAULTS as error:
        raise ValueError(
            f"the records in {out} cannot stand beside the published timings ({_reason(error)}): "
            "measure them again with --force"
        ) from error
    parts += [
        "Sources and how far to trust them: `data/README.md`.",
        "Again: `bpe-lab bench all`; the texts of the published sizes: `make experiments`.",
    ]
    write_file(out / "published.md", ("\n\n".join(parts) + "\n").encode())
    return [out / "published.md"]


@contextlib.contextmanager
def explained(suite: Suite, records: "pandas.DataFrame") -> Iterator[None]:
    """Say why records make no page."""
    try:
        yield
    except _FAULTS as error:
        raise _no_page(suite, records, error) from error


def _no_page(suite: Suite, records: "pandas.DataFrame", error: Exception) -> ValueError:
    """Return an error that says why records make no page."""
    known, measured = _known_cases(suite, records), set(records["case"])
    if measured < known:
        rest = shlex.join([*_command_words(suite, records), "--resume"])
        return UnfinishedSuiteError(
            f"{suite.id} has records of {len(measured)} of {len(known)} cases, too few for its "
            f"table and figure; measure the rest, with the same --out: {as_code(rest)}"
        )
    return ValueError(
        f"{suite.id}.jsonl holds records that {suite.id} does not make ({_reason(error)}): measure "
        "again with --force"
    )


def _reason(error: Exception) -> str:
    """Return an exception in one line."""
    return in_a_line(f"{type(error).__name__}: {error}")


class UnfinishedSuiteError(ValueError):
    """The records cover too few cases of a suite to be shown."""


def repeat_command(suite: Suite, records: "pandas.DataFrame") -> str:
    """Return the command that repeats a measurement."""
    words, measured = _command_words(suite, records), dict.fromkeys(records["case"])
    if set(measured) < _known_cases(suite, records):
        words += [word for case in measured for word in ("--case", case)]
    # The folder of these records would refuse others.
    return shlex.join([*words, "--out", AGAIN])


def _command_words(suite: Suite, records: "pandas.DataFrame") -> list[str]:
    """Return the command of a measurement, without the choice of cases."""
    first = records.iloc[0]
    words = ["bpe-lab", "bench", suite.id, "--scale", str(first["scale"])]
    words += ["--repeats", str(records["round"].max())]
    for option, value in first["options"].items():
        numbers = value if isinstance(value, list) else [value]
        words += [typed(option), ",".join(map(str, numbers))]
    return words


def _known_cases(suite: Suite, records: "pandas.DataFrame") -> set[str]:
    """Return the names of all cases that records should have, without those that they say were
    left out; none at a scale that is unknown."""
    first = records.iloc[0]
    with contextlib.suppress(LookupError):
        known = {case.name for case in suite.chosen(first["scale"], first["options"])}
        left_out = first.get("left_out")
        return known - set(left_out if isinstance(left_out, list) else ())
    return set()


def recorded_experiments() -> dict[str, "pandas.DataFrame"]:
    """Return the records that come with the lab beside those of `recorded/bench`, by their file.

    They are of suites on texts of the published sizes and, as `<suite>-<what>`, of more cases of a
    suite, or of its cases with that version, on another machine. A wheel has none.
    """
    experiments = {}
    for name in EXPERIMENTS:
        with contextlib.suppress(FileNotFoundError):
            experiments[name] = load(data_path(f"recorded/experiments/{name}.jsonl"))
    return experiments


def load_suites(folder: Path) -> dict[str, "pandas.DataFrame"]:
    """Return the records in a folder by suite; each suite is of one machine."""
    files = {suite: folder / f"{suite}.jsonl" for suite in SUITES}
    loaded = {suite: load(file) for suite, file in files.items() if file.exists()}
    measured = {suite: records for suite, records in loaded.items() if len(records)}
    if not measured:
        raise FileNotFoundError(
            f"{folder} has no records of our suites: make some with `bpe-lab bench all`, or name "
            "another folder"
        )
    return measured
