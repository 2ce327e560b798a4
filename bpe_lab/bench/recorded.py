"""Copy what was measured into the recorded results, without the values that were disturbed.

python -m bpe_lab.bench.recorded results/record data/recorded/bench

A suite is copied when each of its cases keeps a value; what was recorded before stays otherwise.
"""

import sys
from pathlib import Path

from bpe_lab.results.disturbance import disturbed
from bpe_lab.results.records import Record, read_records, write_records


def undisturbed(path: Path) -> list[Record]:
    """Return the records of a suite whose values were not disturbed.

    :param path: of its records.
    :raises ValueError: of a case, all were; or nobody looked whether they were; names the command
        that measures them again.
    """
    records, _ = read_records(path)
    if any("fixed_work" not in one for one in records):
        raise ValueError(f"{path}: nobody looked whether its values were disturbed: measure anew")
    marks = disturbed(one["fixed_work"] for one in records)
    kept = [one for one, mark in zip(records, marks, strict=True) if not mark]
    cases = {one["case"] for one in records}
    if lost := cases - {one["case"] for one in kept}:
        raise ValueError(
            f"{path}: every value of {len(lost)} of {len(cases)} cases was disturbed "
            f"({min(lost)}, ...): measure again when the machine is quiet, with --resume"
        )
    return kept


def main() -> None:
    """Copy the suites of the folder that the command line names first into the second one.

    :raises SystemExit: some are not fit to be recorded; says which and why.
    """
    measured, recorded = map(Path, sys.argv[1:])
    recorded.mkdir(parents=True, exist_ok=True)
    refused = []
    for path in sorted(measured.glob("*.jsonl")):
        try:
            write_records(recorded / path.name, undisturbed(path))
        except ValueError as error:
            refused.append(str(error))
    if refused:
        raise SystemExit("\n".join([*refused, f"not recorded: {len(refused)}; the rest is"]))


if __name__ == "__main__":
    main()
