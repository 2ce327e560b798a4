"""The map of the notebooks: which one explains which stage."""

from bpe_lab.registry import COUNTERS, STAGES
from bpe_lab.results.tables import markdown_table

NOTEBOOKS = {
    "00": ("00_the_problem", "The problem"),
    "01": ("01_naive", "The definition"),
    "02": ("02_word_counts", "Count each word once"),
    "03": ("03_inverted_index", "Touch only what changes"),
    "04": ("04_max_heap", "Stop scanning"),
    "05": ("05_cython_openmp", "Compile what is left"),
    "06": ("06_pretokenization", "Count as fast as the text is read"),
    "07": ("07_the_last_factor", "The last factor"),
    "08": ("08_work_not_done", "Work that is not done"),
    "09": ("09_beyond_one_machine", "Beyond one machine"),
    "10": ("10_scoreboard", "Scoreboard"),
}
"""The two digits of a notebook -> name of its file, title."""


def road() -> str:
    """Return the notebooks and their stages as a Markdown table.

    >>> print(road().splitlines()[2])
    | [01. The definition](01_naive.ipynb) | `naive` | every occurrence of every word is its own \
token list; recount all, rewrite all | O(N L) |
    """
    rows = []
    before = ""
    for stage in STAGES.values():
        if stage.notebook not in NOTEBOOKS:
            continue
        link = link_to(stage.notebook) if stage.notebook != before else ""
        before = stage.notebook
        rows.append([link, f"`{stage.id}`", stage.idea, stage.cost])
    for number, counter in enumerate(COUNTERS.values()):
        if counter.cluster:
            continue
        link = "" if number else link_to("06")
        rows.append([link, f"counter `{counter.id}`", counter.idea, ""])
    rows.append([link_to("07"), "`core`", "a merge is one pass through memory", ""])
    rows.append([link_to("08"), "`core`", "what it never does; how far it is from the limit", ""])
    rows.append([link_to("09"), "counter `dask`", "what many machines can share, and what not", ""])
    rows.append([link_to("10"), "all", "all of it side by side, from recorded results", ""])
    return markdown_table(("notebook", "stage", "idea", "time per merge"), rows)


def link_to(number: str) -> str:
    """Return a Markdown link to a notebook.

    :param number: its two digits.

    >>> link_to("04")
    '[04. Stop scanning](04_max_heap.ipynb)'
    """
    name, title = NOTEBOOKS[number]
    return f"[{number}. {title}]({name}.ipynb)"
