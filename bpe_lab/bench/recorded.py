"""Copy measurements into the recorded results, and write the README's table from them.

python -m bpe_lab.bench.recorded results/record data/recorded/bench [README.md]
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from bpe_lab.bench.suites import processor
from bpe_lab.results.code_facts import code_text, older_sentence
from bpe_lab.results.conditions import conditions_text
from bpe_lab.results.ladder import ladder_rows, ladder_table
from bpe_lab.results.machine_facts import machine_line
from bpe_lab.results.numbers import text_size
from bpe_lab.results.published import OWN_SIZE
from bpe_lab.results.records import load, read_records, write_records
from bpe_lab.results.tables import sized_text
from bpe_lab.support.files import write_aside

TRACED = {"ladder", *OWN_SIZE.values()}
"""Suites of which a figure shows the seconds of each merge; other records are kept without them."""

BEGIN, END = "<!-- ladder:begin -->\n", "<!-- ladder:end -->\n"


def _copy(measured: Path, recorded: Path) -> None:
    """Copy the records of a suite, unless they are torn or lack a case that was recorded before."""
    records, torn = read_records(measured)
    if torn or not records:
        raise ValueError(
            f"{measured} has {'a torn line' if torn else 'no records'}: measure with --resume"
        )
    earlier = read_records(recorded)[0] if recorded.exists() else []
    if lost := {one["case"] for one in earlier} - {one["case"] for one in records}:
        raise ValueError(
            f"{recorded} has records of {len(lost)} cases that are not in the new ones "
            f"({min(lost)}, "
            "...): measure all of them, or remove the file"
        )
    if measured.stem not in TRACED and any("trace" in one for one in records):
        records = [{**one, "trace": {}} for one in records]
    write_records(recorded, records)


def ladder_block(recorded: Path) -> str:
    """Return the text between the README's markers, made from the records in a folder: those of the
    ladder, and of the processor where there are some."""
    records, instructions, simulated = load(recorded / "ladder.jsonl"), dict[str, float](), ""
    if (path := recorded / "processor.jsonl").exists():
        first_merges = processor.first_merges(load(path))
        instructions = dict(zip(first_merges["stage"], first_merges["instructions"], strict=True))
        one = first_merges.iloc[0]
        simulated = (
            f" Instructions: {sized_text(one)}, the first {one['n_merges']:,.0f} merges; "
            f"{one['machine']['compiler']}, bpe_lab {code_text(one['code'])}."
        )
    first = records.iloc[0]
    said = " ".join(filter(None, [conditions_text(records), older_sentence(first["code"])]))
    return (
        f"{ladder_table(ladder_rows(records), instructions).strip()}\n\n"
        f"{first['corpus']} ({text_size(first['corpus_bytes'])}), {first['vocab_size']:,} ids; "
        f"{machine_line(first['machine'])}. {said}{' ' if said else ''}"
        f"Made by `bpe-lab bench ladder`.{simulated}\n"
    )


def with_block(text: str, block: str) -> str:
    """Return a README with `block` between its markers.

    >>> with_block(f"a\\n{BEGIN}old\\n{END}b\\n", "new\\n") == f"a\\n{BEGIN}new\\n{END}b\\n"
    True
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the text has no lines {BEGIN.strip()} and {END.strip()}: add them")
    return before + begin + block + end + after


def main(words: Sequence[str]) -> str:
    """Copy the suites of one folder into another, and return what was copied."""
    if len(words) not in (2, 3) or Path(words[0]).resolve() == Path(words[1]).resolve():
        raise SystemExit("name two folders: the measured results and the recorded ones")
    measured, recorded, *readmes = map(Path, words)
    if not (paths := sorted(measured.glob("*.jsonl"))):
        raise SystemExit(f"{measured} has no records: make some with bpe-lab bench")
    recorded.mkdir(parents=True, exist_ok=True)
    copied, refused = [], []
    for path in paths:
        try:
            _copy(path, recorded / path.name)
            copied.append(path.stem)
        except ValueError as error:
            refused.append(str(error))
    for readme in readmes:
        block = ladder_block(recorded)
        write_aside(readme, with_block(readme.read_text(encoding="utf-8"), block).encode())
    said = f"recorded: {', '.join(copied) or 'none of them'}"
    if refused:
        raise SystemExit("\n".join([*refused, said]))
    return said


if __name__ == "__main__":
    print(main(sys.argv[1:]))
