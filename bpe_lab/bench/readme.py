"""Write the README's table from recorded results, so that no number in it is typed by hand.

python -m bpe_lab.bench.readme README.md data/recorded/bench/ladder.jsonl
"""

import sys
from pathlib import Path

from bpe_lab.results.ladder import ladder_rows, ladder_table
from bpe_lab.results.machine_facts import machine_line
from bpe_lab.results.numbers import text_size
from bpe_lab.results.records import load
from bpe_lab.support.files import write_aside

BEGIN, END = "<!-- ladder:begin -->\n", "<!-- ladder:end -->\n"


def table(records_path: Path) -> str:
    """Return what stands between the markers.

    :param records_path: recorded results, one JSON line each.
    """
    records = load(records_path)
    first = records.iloc[0]
    return (
        f"{ladder_table(ladder_rows(records)).strip()}\n\n"
        f"{first['corpus']} ({text_size(first['corpus_bytes'])}), {first['vocab_size']:,} ids; "
        f"{machine_line(first['machine'])}. Made by `bpe-lab bench ladder`.\n"
    )


def with_table(text: str, block: str) -> str:
    """Return a README with `block` between its markers.

    :raises ValueError: the markers are missing.

    >>> with_table(f"a\\n{BEGIN}old\\n{END}b\\n", "new\\n") == f"a\\n{BEGIN}new\\n{END}b\\n"
    True
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the text has no lines {BEGIN.strip()} and {END.strip()}: add them")
    return before + begin + block + end + after


def main() -> None:
    """Rewrite the README that the command line names."""
    readme, records_path = map(Path, sys.argv[1:])
    block = table(records_path)
    write_aside(readme, with_table(readme.read_text(encoding="utf-8"), block).encode())


if __name__ == "__main__":
    main()
