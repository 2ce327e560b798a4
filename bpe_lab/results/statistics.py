"""Records of a suite as pyperf knows them: what is said of several values is computed there."""

import io
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyperf

from bpe_lab.api import PathLike
from bpe_lab.files import write_aside
from bpe_lab.results.tables import require_same_conditions

if TYPE_CHECKING:
    import pandas


def benchmark(records: "pandas.DataFrame", column: str = "seconds") -> pyperf.Benchmark:
    """Return the values of one case.

    :param records: the records of one case, one row per process.
    :param column: which seconds.
    :return: its `median()`, `median_abs_dev()`, `stdev()` and `get_values()` are what tables show.
    :raises ValueError: a value is not above 0.
    """
    return pyperf.Benchmark(
        [
            pyperf.Run([float(row[column])], metadata=metadata(row), collect_metadata=False)
            for row in records.to_dict("records")
        ]
    )


def metadata(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what pyperf is told of a record; not the host name, which its own collection has.

    :param row: a record as `to_dataframe` flattens it.
    """
    machine = row["machine"]
    known = {
        "name": row["case"],
        "unit": "second",
        # Without its zone, which pyperf does not read.
        "date": row["utc"].removesuffix("+00:00"),
        "loops": loops_of(row),
        "cpu_model_name": machine["cpu"],
        "cpu_count": machine["logical_cpus"],
        "platform": machine["kernel"],
        "python_version": machine["python"],
        "python_compiler": machine["compiler"],
        "load_avg_1min": row.get("load"),
        "mem_max_rss": int(row["peak_rss_mb"] * 1e6),
        "digest": row["digest"],
        "round": int(row["round"]),
        "code": row["code"],
    }
    return {name: value for name, value in known.items() if value is not None}


def loops_of(row: Mapping[Any, Any]) -> int:
    """Return how often a value repeated its work; its seconds are the mean.

    >>> loops_of({"loops": 3.0}), loops_of({"loops": float("nan")}), loops_of({})
    (3, 1, 1)
    """
    loops = row.get("loops", 1)
    return 1 if math.isnan(loops) else int(loops)


def cases_of(records: "pandas.DataFrame") -> dict[str, "pandas.DataFrame"]:
    """Return the records of each case, in the order in which they were measured first.

    :param records: of one suite.
    """
    return {case: records[records["case"] == case] for case in dict.fromkeys(records["case"])}


def write_pyperf(records: "pandas.DataFrame", path: PathLike) -> None:
    """Write records as a file that `python -m pyperf stats`, `compare_to` and `hist` read.

    :param records: of one suite.
    :param path: ends in `.json`.
    :raises OSError: it cannot be written.
    """
    suite = pyperf.BenchmarkSuite([benchmark(rows) for rows in cases_of(records).values()])
    text = io.StringIO()
    suite.dump(text)
    write_aside(Path(path), text.getvalue().encode())


def case_summary(records: "pandas.DataFrame", column: str = "seconds") -> "pandas.DataFrame":
    """Return one row per case, in the order of the suite.

    :param records: of one suite.
    :param column: which seconds.
    :return: index case; every column of the case's first record (`param_...`, `operations`, ...),
        and values (how many), median, mad (median absolute deviation), least, most, spread
        ((most - least) / median), all in seconds, and peak_rss_mb (greatest).
    :raises ValueError: the records cannot be compared.
    """
    import pandas

    require_same_conditions(records)
    rows = []
    for case, measured in cases_of(records).items():
        values = benchmark(measured, column)
        median = values.median()
        least, most = min(values.get_values()), max(values.get_values())
        rows.append(
            {
                **measured.iloc[0].to_dict(),
                "case": case,
                "values": len(measured),
                "median": median,
                "mad": values.median_abs_dev(),
                "least": least,
                "most": most,
                "spread": (most - least) / median,
                "peak_rss_mb": float(measured["peak_rss_mb"].max()),
            }
        )
    return pandas.DataFrame(rows).set_index("case")
