"""Records as a file that the commands of pyperf read."""

import io
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyperf

from bpe_lab.results.machine_facts import code_text
from bpe_lab.support.files import PathLike, write_aside

if TYPE_CHECKING:
    import pandas


def write_pyperf(records: "pandas.DataFrame", path: PathLike) -> None:
    """Write records as a file that `python -m pyperf stats`, `compare_to` and `hist` read.

    :param records: of one suite.
    :param path: ends in `.json`.
    :raises OSError: it cannot be written.
    """
    suite = pyperf.BenchmarkSuite(
        [benchmark(of_case) for _, of_case in records.groupby("case", sort=False)]
    )
    text = io.StringIO()
    suite.dump(text)
    write_aside(Path(path), text.getvalue().encode())


def benchmark(records: "pandas.DataFrame") -> pyperf.Benchmark:
    """Return the seconds of one case as pyperf keeps them.

    :param records: of one case, one row per process.
    """
    return pyperf.Benchmark(
        [
            pyperf.Run([float(row["seconds"])], metadata=_metadata(row), collect_metadata=False)
            for row in records.to_dict("records")
        ]
    )


def _metadata(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what pyperf is told of a record; not the host name, which its own collection has."""
    machine = row["machine"]
    known = {
        "name": row["case"],
        "unit": "second",
        # Without its zone, which pyperf does not read.
        "date": row["utc"].removesuffix("+00:00"),
        "loops": _loops_of(row),
        "cpu_model_name": machine["cpu"],
        "cpu_count": machine["logical_cpus"],
        "platform": machine["kernel"],
        "python_version": machine["python"],
        "python_compiler": machine["compiler"],
        "load_avg_1min": row.get("load"),
        "mem_max_rss": int(row["peak_rss_mb"] * 1e6),
        "digest": row["digest"],
        "round": int(row["round"]),
        "code": code_text(row["code"]),
    }
    return {name: value for name, value in known.items() if value is not None}


def _loops_of(row: Mapping[Any, Any]) -> int:
    """Return how often a value repeated its work; its seconds are the mean."""
    loops = row.get("loops", 1)
    return 1 if math.isnan(loops) else int(loops)
