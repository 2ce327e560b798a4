"""The check of a user's own class, before it is driven as a stage."""

from typing import cast

from bpe_lab.stages.interface import Stage
from bpe_lab.support.user_modules import load_module, load_named

MEMBERS = ("recounts", "count_pairs", "select", "update")
"""Members that every stage class has; see `bpe_lab.stages.interface`."""

KEYWORDS = ("max_token_bytes", "merges", "min_count", "threads", "vocab_size")
"""What a stage may take besides the words and the vocabulary."""


def is_user_stage(stage: object) -> bool:
    """Tell whether a name is that of a user's own stage, not the id of one of ours."""
    return isinstance(stage, str) and (":" in stage or stage.endswith((".py", ".pyx")))


def stage_place(place: str) -> str:
    """Return "folder/file.py:Class" for a file with one stage; any other place is unchanged."""
    if ":" in place:
        return place
    module = load_module(place)
    stages = [
        name
        for name, one in vars(module).items()
        if getattr(one, "__module__", "") == module.__name__
        and not name.startswith("_")
        and all(hasattr(one, member) for member in MEMBERS)
    ]
    if len(stages) != 1:
        found = "has no stage: begin with that of `bpe-lab stages --template`"
        if stages:
            found = f"has {' and '.join(stages)}: name one, as {place}:MyStage"
        raise ValueError(f"stage {place!r}: the file {found}")
    return f"{place}:{stages[0]}"


def load_user_stage(place: str) -> tuple[str, type[Stage]]:
    """Return the place and the class that "folder/file.py:Class" or "module:Class" names."""
    place = stage_place(place)
    return place, check_stage_class(load_named(place), place)


def check_stage_class(stage: object, name: str) -> type[Stage]:
    """Return a class that can be driven as a stage.

    :raises TypeError: it cannot; says what it lacks.
    """
    is_class = isinstance(stage, type)
    if lacks := [name for name in MEMBERS if not (is_class and hasattr(stage, name))]:
        called = "; a trainer that is called is given as an instance, `train = Trainer()`"
        raise TypeError(
            f"{name} is not a stage: it lacks {', '.join(lacks)} (bpe_lab.stages.interface)"
            f"{called * ('__call__' in getattr(stage, '__dict__', {}))}"
        )
    keywords = getattr(stage, "keywords", ())
    if not isinstance(keywords, tuple) or not set(keywords) <= set(KEYWORDS):
        raise TypeError(
            f"{name} has the keywords {keywords!r}: give a tuple of {', '.join(KEYWORDS)}"
        )
    return cast("type[Stage]", stage)
