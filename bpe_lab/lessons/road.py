"""The map of the notebooks: what each adds, and which one explains which stage."""

from bpe_lab.registry import COUNTERS, STAGES
from bpe_lab.results.tables import markdown_table

NOTEBOOKS = {
    "00": ("00_the_problem", "The problem, and a forecast of 69 hours"),
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
    "11": ("11_using_it", "Using it"),
}
"""The two digits of a notebook -> name of its file, title."""


IDEAS = {
    "01": "the rules as code; all others are held equal to it",
    "02": "equal words behave equally: keep one of each, with its count",
    "03": "a merge changes few words: know which, and change only their counts",
    "04": "keep the most frequent pair at the top of a heap",
    "05": "leave Python's objects behind: Cython, C++, threads",
    "06": "cut the text into words without a regular expression",
    "07": "a merge as one pass through memory",
    "08": "pairs that never need a list, a table or an order",
    "09": "what many machines can share, and what not",
    "10": "all of it side by side, beside what others published",
    "11": "encode in linear time, with the pattern of the training, here and elsewhere",
}
"""The two digits of a notebook -> what it adds to the one before."""

LETTERS = (
    "N word occurrences, U distinct words, L tokens per word, P pairs, A words that a merge "
    "affects, w matches in such a word, M matches, H entries of the heap, k of them out of date, "
    "T threads"
)
"""What the letters in `stage_table` count."""


def road() -> str:
    """Return the notebooks in their order, each with its one idea, as a Markdown table.

    >>> print(road().splitlines()[2])
    | [01. The definition](01_naive.ipynb) | the rules as code; all others are held equal to it |
    """
    rows = [(link_to(number), idea) for number, idea in IDEAS.items()]
    return markdown_table(("notebook", "idea"), rows)


EXPLAINED_IN = {"core": "07"}
"""Stage -> the notebook that explains it, where another one brings it in."""


def stage_table() -> str:
    """Return the ladder and the counters as a Markdown table, and below what its letters mean.

    It is for a reader who has met them: the scoreboard can show it.

    >>> print(stage_table().splitlines()[2])
    | `naive` | every occurrence of every word is its own token list; recount all, rewrite all \
| O(N L) | [01](01_naive.ipynb) |
    """
    rows = [
        (
            f"`{stage.id}`",
            stage.idea,
            stage.cost,
            _short_link(EXPLAINED_IN.get(stage.id, stage.notebook)),
        )
        for stage in STAGES.values()
        if stage.notebook in NOTEBOOKS and stage.in_ladder
    ]
    for counter in COUNTERS.values():
        link = _short_link("09" if counter.cluster else "06")
        rows.append((f"counter `{counter.id}`", counter.idea, "", link))
    table = markdown_table(("stage", "idea", "time per merge", "notebook"), rows)
    return f"{table}\n\nTime per merge: {LETTERS}."


def _short_link(number: str) -> str:
    """Return a Markdown link to a notebook, by its number alone."""
    return f"[{number}]({NOTEBOOKS[number][0]}.ipynb)"


def link_to(number: str) -> str:
    """Return a Markdown link to a notebook."""
    name, title = NOTEBOOKS[number]
    return f"[{number}. {title}]({name}.ipynb)"
