"""Copy what was measured into the recorded results, without the values that were disturbed.

python -m bpe_lab.bench.recorded results/record data/recorded/bench

A suite is copied when each of its cases keeps a value; what was recorded before stays otherwise.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from bpe_lab.results.disturbance import disturbed
from bpe_lab.results.records import Record, read_records, write_records


def undisturbed(path: Path) -> list[Record]:
    """Return the records of a suite whose values were not disturbed.

    :param path: of its records.
    :raises ValueError: there are none, or a line is torn; nobody looked whether they were
        disturbed; or of a case all were; says what to do.
    """
    records, torn = read_records(path)
    if torn or not records:
        raise ValueError(
            f"{path} has {'torn lines' if torn else 'no records'}: measure with --resume"
        )
    # What is measured once is disturbed by nothing; older records say "simulated" of it.
    if not all("fixed_work" in one or "once" in one or "simulated" in one for one in records):
        raise ValueError(f"{path}: nobody looked whether its values were disturbed: measure anew")
    marks = disturbed(one.get("fixed_work") for one in records)
    kept = [one for one, mark in zip(records, marks, strict=True) if not mark]
    cases = {one["case"] for one in records}
    if lost := cases - {one["case"] for one in kept}:
        raise ValueError(
            f"{path}: every value of {len(lost)} of {len(cases)} cases was disturbed "
            f"({min(lost)}, ...): measure again when the machine is quiet, with --resume"
        )
    return kept


def put(records: list[Record], path: Path) -> None:
    """Write records in the place of earlier ones, unless these are of more cases.

    :param records: of a suite.
    :param path: of the earlier ones, if there are some.
    :raises ValueError: a case would be lost.
    """
    earlier = read_records(path)[0] if path.exists() else []
    if lost := {one["case"] for one in earlier} - {one["case"] for one in records}:
        raise ValueError(
            f"{path} has records of {len(lost)} cases that were not measured now ({min(lost)}, "
            "...): measure all of them, or remove the file"
        )
    write_records(path, records)


def main(words: Sequence[str]) -> str:
    """Copy the suites of one folder into another, and return what was copied.

    :param words: names of the two.
    :raises SystemExit: some are not fit to be recorded; says which and why.
    """
    if len(words) != 2 or Path(words[0]).resolve() == Path(words[1]).resolve():
        raise SystemExit("name two folders: of what was measured, and of what is recorded")
    measured, recorded = map(Path, words)
    if not (paths := sorted(measured.glob("*.jsonl"))):
        raise SystemExit(f"{measured} has no records: make some with bpe-lab bench")
    recorded.mkdir(parents=True, exist_ok=True)
    copied, refused = [], []
    for path in paths:
        try:
            put(undisturbed(path), recorded / path.name)
            copied.append(path.stem)
        except ValueError as error:
            refused.append(str(error))
    said = f"recorded: {', '.join(copied) or 'none of them'}"
    if refused:
        raise SystemExit("\n".join([*refused, said]))
    return said


if __name__ == "__main__":
    print(main(sys.argv[1:]))
