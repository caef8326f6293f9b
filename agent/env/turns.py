"""Whose turn it is, as random games show: whether roles take turns, and with which moves they wait meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludens.games.view.sample import Sample
from ludens.native.core import States, pack_bits
from ludens.propnet.network.propnet import Propnet


@dataclass(frozen=True, slots=True)
class TurnOrder:
    """How the roles of a game come to choose."""

    by_turns: bool  # never had two roles a choice at once
    waiting: States  # uint64[move_words] moves, of all roles one after the other, made while others have a choice


def turn_order(net: Propnet, sample: Sample) -> TurnOrder:
    """Reads the turns of a game off states of random games; a state that shows otherwise is an error later on."""
    first = np.cumsum([0, *map(len, net.moves)])
    number = [
        {text: int(start) + i for i, text in enumerate(texts)} for start, texts in zip(first, net.moves, strict=False)
    ]
    waits = np.zeros(net.move_count, np.bool_)
    by_turns = True
    for state in sample.states():
        choosing = sum(len(legal) > 1 for legal in state.legal)
        by_turns &= choosing <= 1
        if choosing:
            waits[[number[role][legal[0]] for role, legal in enumerate(state.legal) if len(legal) == 1]] = True
    return TurnOrder(by_turns, pack_bits(waits))
