"""Suite `loads`: what a load from memory costs if the next one must wait for it, and if not."""

from typing import Any

from bpe_lab.bench.measures import lines_sha256
from bpe_lab.bench.suite import Case, Suite
from bpe_lab.plots.rows import rows_figure
from bpe_lab.plots.style import PALETTE
from bpe_lab.results.tables import Records, factor, over_first, short, summary

PLACES = 1 << 17

WAYS: dict[str, dict[str, bool]] = {
    "one after another, random places": {"dependent": True, "ascending": False},
    "one after another, ascending": {"dependent": True, "ascending": True},
    "overlapping, random places": {"dependent": False, "ascending": False},
    "overlapping, ascending": {"dependent": False, "ascending": True},
    "overlapping, ascending, prefetched": {"dependent": False, "ascending": True, "fetched": True},
}


def cases(scale: str) -> list[Case]:
    """Return each way, without work between two places, and the last two with some."""
    size = 1 << 20 if scale == "tiny" else 1 << 26
    chosen = []
    for work in (0, 16):
        for name, way in WAYS.items():
            if not work or (not way["dependent"] and way["ascending"]):
                params = {"size": size, "places": PLACES, "work": work, **way}
                title = name + f", {work} steps of work" * bool(work)
                chosen.append(Case(title, f"{__name__}:touch", params, "cells", cpus=1))
    return chosen


def touch(**params: Any) -> dict[str, Any]:
    """Flip cells at places of a large array."""
    from bpe_lab.experiments.pieces import touch_places

    size, places = params.pop("size"), params.pop("places")
    touched = touch_places(size, places, **params)
    seconds = touched["seconds"] / places
    return {
        "seconds": seconds,
        "digest": lines_sha256([touched["checksum"]]),
        "operations": {"places": places},
    }


def _rows(records: Records) -> Records:
    """Return the summary in nanoseconds for each place, and faster: than the first of its work."""
    rows = summary(records.assign(nanoseconds=1e9 * records["seconds"]), "nanoseconds")
    groups = rows["param_work"].map("{} steps of work between two places".format)
    faster = [takes and takes.inverse for takes in over_first(rows, groups)]
    return rows.assign(group=groups, faster=faster, color=PALETTE[1])


SUITE = Suite.of_rows(
    id="loads",
    title="Loads from memory",
    question="What does a load cost if the next one must wait for it, and what if not?",
    cases=cases,
    rows=_rows,
    columns={
        "loads": "{case}",
        "ns for each place": short("median"),
        "times as fast": factor("faster"),
    },
    note=f"{PLACES:,} cells of an array of 64 MB are flipped, two of them 512 bytes apart on "
    "average. One after another: the next place is known when the cell has come.",
    draw=rows_figure(x_label="ns for each place (log scale)", note="One thread."),
    requires=("bpe_lab.experiments.pieces",),
)
