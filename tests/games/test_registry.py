"""Recognisers that are asked one after the other: a fault of one is told as its refusal."""

from __future__ import annotations

import pytest

from ludens import games
from ludens.games.recognised_game import RecognisedGame
from ludens.games.registry import recognise
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet
from tests.support.toy_recogniser import ToyRecogniser


class Faulty(ToyRecogniser):
    """Raises something that it should not."""

    name = "faulty"

    def __init__(self, fault: BaseException) -> None:
        self._fault = fault

    def recognise(self, net: Propnet, seconds: float, games: int) -> RecognisedGame:
        raise self._fault


@pytest.mark.parametrize("fault", [ValueError("x not in tuple"), MemoryError()], ids=repr)
def test_a_fault_of_a_recogniser_costs_its_recognition_alone(fault: Exception) -> None:
    found = recognise(load(games.read("tic_tac_toe")), 1.0, among=[Faulty(fault), ToyRecogniser()])
    assert str(found.game) == "three in a row, without a proof"
    assert found.refusals == {"faulty": f"its recogniser failed: {fault!r}"}


def test_an_interrupt_is_not_taken_for_a_refusal() -> None:
    with pytest.raises(KeyboardInterrupt):
        recognise(load(games.read("tic_tac_toe")), 1.0, among=[Faulty(KeyboardInterrupt())])
