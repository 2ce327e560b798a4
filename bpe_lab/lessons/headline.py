"""What the lab says of itself first: the measured factor, and whose forecast the 69 hours are."""

from bpe_lab.lessons.prose import Prose, say
from bpe_lab.lessons.recorded import recorded_factor, rows_of
from bpe_lab.results.numbers import duration, estimate, text_size
from bpe_lab.results.published import published

HOURS = 69
"""Foreseen for all merges, in the row of `published("naive", "merges_per_second")`."""

TINYSTORIES = 2.2e9
"""Bytes."""


def _same_first_merges() -> float:
    """Return how many times as long `naive` took as `core` for the few merges of `naive`."""
    naive, core = (rows_of("ladder").loc[stage].to_dict() for stage in ("naive", "core"))
    each = (core["phase_select"] + core["phase_update"]) / core["n_merges"]
    slow = naive["merge_seconds"] - naive["phase_init"]
    return float(slow / (core["phase_count_pairs"] + naive["n_merges"] * each))


def headline() -> Prose:
    """Say how many times as fast the last stage is as the first one, and how far that holds.

    >>> print(headline()[:63])
    **The number of this lab: about 730,000 times.** On the bundled
    """
    factor, rows = recorded_factor("naive", "core"), rows_of("ladder")
    naive, core = rows.loc["naive"].to_dict(), rows.loc["core"].to_dict()
    few, many = f"{naive['n_merges']:,.0f}", f"{core['n_merges']:,.0f}"
    return say(
        f"**The number of this lab: about {estimate(factor.value)} times.** On the bundled "
        f"stories ({text_size(core['corpus_bytes'])}), the first version, `naive`, took "
        f"{duration(naive['merge_seconds'] / naive['n_merges'])} for a merge, and the last one, "
        f"`core`, {duration(core['merge_seconds'] / core['n_merges'])}. Both were recorded on one "
        f"quiet machine, with {core['machine']['logical_cpus']} processors. `naive` was stopped "
        f"after {few} merges, `core` made all {many}. Over the same first {few} merges the factor "
        f"is about {estimate(_same_first_merges())}: they alone bear the cost of `core`'s table of "
        "pairs."
    )


def forecast() -> Prose:
    """Say whose forecast the 69 hours are, and what they are here.

    >>> "69 hours" in forecast()
    True
    """
    slow = published("naive", "merges_per_second")
    return say(
        f"**Whose {HOURS} hours?** The author of a blog post ran a program that follows the rules "
        f"to the letter on one million words. It made {slow.value} merges per second, and the "
        f"author reckoned {HOURS} hours for all, which is about "
        f"{estimate(HOURS * 3600 * slow.value)} merges. Nobody waited for the end of it, and "
        "neither the text nor the machine is named. We use it as the start of the story, not as a "
        f"baseline. *Source: {slow.credit}.*"
    )


def growth_of_naive() -> Prose:
    """Say how to estimate what `naive` costs on a text, and what it would cost on a larger one.

    >>> "12 minutes" in growth_of_naive()
    True
    """
    naive = rows_of("ladder").loc["naive"].to_dict()
    seconds, size = naive["merge_seconds"] / naive["n_merges"], naive["corpus_bytes"]
    larger, megabytes, merges = TINYSTORIES / size, 100, 10_000
    return say(
        "**Estimate it for a text of yours.** Twice the text, twice the time for each merge. On "
        f"all of the stories, {text_size(size)}, the recorded `naive` took {duration(seconds)} for "
        "a merge. So, on a machine like that one:\n\n"
        f"    seconds = megabytes / {size / 1e6:.1f} x {seconds:.1f} x merges\n\n"
        f"For {megabytes} MB and {merges:,} merges these are "
        f"{megabytes * 1e6 / size * seconds * merges / 3600:,.0f} hours. It is an upper estimate: "
        f"the first merges cost most. TinyStories, a small text among the real ones "
        f"({text_size(TINYSTORIES)}), would take up to {duration(larger * seconds)} for one merge."
    )


def what_others_measured() -> Prose:
    """Say what the longest of the published roads gained, and where all of them are shown.

    >>> "from 9.8 hours to 3.5 minutes" in what_others_measured()
    True
    """
    text = "OpenWebText"
    first, last = (published(one, "total", corpus=text) for one in ("inverted_index", "cpp_flat"))
    return say(
        "In 2025 several people took the same road and published their times. One of them came "
        f"from {duration(first.value)} to {duration(last.value)} on one and the same machine, "
        f"for {text} with {int(first.vocab_size):,} ids: from one thread of Python to "
        f"{last.threads} threads of C++. [10. Scoreboard](10_scoreboard.ipynb) shows all published "
        "times beside those of this lab. Read them with care: the machines differ, some leave out "
        "a part of the work, and repeated runs differ by up to 29%. "
        f"*Source: {first.credit}.*"
    )
