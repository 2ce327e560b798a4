"""How merges depend on each other: whether the order of the pairs holds, and chains of tokens."""

from collections.abc import Mapping, Sequence
from itertools import takewhile

from bpe_lab import MergeStep, train_from_counts
from bpe_lab.tokenizer.merges import Merge, first_vocab


def order_holds(
    counts: Mapping[bytes, int], after: Sequence[int], ahead: int = 100
) -> dict[int, int]:
    """Return how many of the next merges the pair counts foretell, if none of them is made.

    The pairs of one moment are put in order; the merges that follow are compared with it up to the
    first that differs.

    :param counts: word -> number of occurrences.
    :param after: numbers of merges, 1 or more: the moments.
    :param ahead: how many merges to look at.
    :return: number of merges -> number of merges that follow in that order.

    >>> order_holds({b"abab": 9, b"cd": 5}, [1], 2)
    {1: 2}
    """
    vocab = first_vocab([])
    made: list[Merge] = []
    orders: dict[int, list[Merge]] = {}

    def keep(step: MergeStep) -> None:
        made.append(step.merge)
        vocab.append(b"".join(step.merge))
        if len(made) in after:
            pairs = [
                (count, vocab[left], vocab[right])
                for (left, right), count in step.stage.pair_counts.items()  # type: ignore[attr-defined]
            ]
            orders[len(made)] = [merge for _, *merge in sorted(pairs, reverse=True)[:ahead]]  # type: ignore[misc]

    train_from_counts(counts, 256 + max(after) + ahead, [], stage="max_heap", on_merge=keep)
    return {
        moment: sum(
            1
            for _ in takewhile(
                lambda pair: tuple(pair[0]) == pair[1], zip(order, made[moment:], strict=False)
            )
        )
        for moment, order in orders.items()
    }


def longest_chain(merges: Sequence[Merge]) -> list[bytes]:
    """Return the longest chain of tokens of which each is made of the one before.

    :param merges: of a training, in order.

    >>> longest_chain([(b"o", b"w"), (b"e", b"s"), (b"l", b"ow")])
    [b'ow', b'low']
    """
    chains: dict[bytes, list[bytes]] = {}
    for left, right in merges:
        longer = max(chains.get(left, []), chains.get(right, []), key=len)
        chains.setdefault(left + right, [*longer, left + right])
    return max(chains.values(), key=len, default=[])
