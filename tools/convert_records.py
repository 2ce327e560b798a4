"""Convert the recorded results from schema 2; it runs once, and is deleted with the next commit."""

import json
from pathlib import Path
from typing import Any

KEPT = [
    "suite",
    "case",
    "round",
    "scale",
    "options",
    "params",
    "agrees",
    "utc",
    "seconds",
    "phases",
    "operations",
    "digest",
    "corpus",
    "machine",
    "reference",
    "stopped_by",
    "n_merges",
    "merge_seconds",
    "merges_per_second",
    "vocab_size",
    "stage",
    "trace",
    "threads",
    "megabytes_per_second",
    "counter",
    "largest_worker_mb",
    "in_turns",
    "kind",
    "idea",
    "distinct_words",
    "probes_per_look_up",
    "first_seconds",
    "simulated",
    "version",
    "left_out",
    "leading_equal",
    "cpu_seconds",
    "process_seconds",
    "peak_rss_mb",
    "peak_anonymous_mb",
    "import_seconds",
    "each_seconds",
    "time_budget",
]
MACHINE = [
    "cpu",
    "logical_cpus",
    "caches_kb",
    "memory_gb",
    "kernel",
    "python",
    "compiler",
    "flags",
    "openmp",
]
REPEATED = ("least_seconds", "least_count_seconds", "loops")


def converted(one: dict[str, Any]) -> dict[str, Any]:
    """Return a record of schema 2 as it is now."""
    new = {name: one[name] for name in KEPT if name in one}
    new["machine"] = {name: one["machine"][name] for name in MACHINE}
    new["versions"] = one["machine"]["versions"] | {"bpe_lab": one["code"]["version"]}
    new["commit"] = one["code"]["git"]
    new["params"] = {name: given for name, given in one["params"].items() if name not in REPEATED}
    if one.get("loops", 1) > 1:
        new["repeated"] = True
    if not new.get("trace"):
        new.pop("trace", None)
    new.get("reference", {}).pop("first", None)
    return new


for file in sorted(Path("data/recorded").glob("*/*.jsonl")):
    records = [converted(json.loads(line)) for line in file.read_text("utf-8").splitlines()]
    lines = [json.dumps(one, ensure_ascii=False) + "\n" for one in records]
    file.write_text("".join(lines), encoding="utf-8")
noted = Path("data/recorded/notebooks.json")
times = json.loads(noted.read_text("utf-8"))
times.pop("fixed_work")
noted.write_text(json.dumps(times, indent=1, sort_keys=True) + "\n", encoding="utf-8")
