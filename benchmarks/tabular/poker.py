"""Poker hands: the 25,010 training rows of UCI, and any number of random hands (the cards determine the label)."""

from collections import Counter

import numpy as np

import common


def label(cards):
    """cards: (suit 1-4, rank 1-13) of five cards; the classes of UCI, 0 to 9."""
    ranks = sorted(rank for _, rank in cards)
    counts = sorted(Counter(ranks).values(), reverse=True)
    flush = len({suit for suit, _ in cards}) == 1
    straight = counts[0] == 1 and (ranks[4] - ranks[0] == 4 or ranks == [1, 10, 11, 12, 13])
    if straight and flush:
        return 9 if ranks == [1, 10, 11, 12, 13] else 8
    if counts[0] == 4:
        return 7
    if counts[:2] == [3, 2]:
        return 6
    if flush:
        return 5
    if straight:
        return 4
    if counts[0] == 3:
        return 3
    return 2 if counts[:2] == [2, 2] else 1 if counts[0] == 2 else 0


def training_hands():
    table = np.loadtxt(common.data_folder() / "poker/poker-hand-training-true.data", delimiter=",", dtype=int)
    wrong = sum(label([(row[2 * i], row[2 * i + 1]) for i in range(5)]) != row[10] for row in table)
    assert wrong == 0, f"{wrong} of the {len(table)} training rows have another label than follows from the hand"
    return table[:, :10], table[:, 10]


def random_hands(count, seed):
    generator = np.random.default_rng(seed)
    hands = np.empty((count, 10), int)
    for i in range(count):
        cards = generator.choice(52, 5, replace=False)
        hands[i, 0::2], hands[i, 1::2] = cards // 13 + 1, cards % 13 + 1
    labels = np.array([label([(h[2 * i], h[2 * i + 1]) for i in range(5)]) for h in hands])
    return hands, labels
