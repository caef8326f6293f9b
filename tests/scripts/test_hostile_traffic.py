"""What counts as a fault of a player under hostile traffic."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import pytest

from ludens import games
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules, parse_term
from scripts.verify.hostile_traffic import GAME, SPOILS, Peer, damage, match_fault, request_fault

RULES = Interpreter(parse_rules(games.read(GAME)))


class Believer(Peer):
    """A player that believes whatever it is told of its own move, and has so many answers."""

    def __init__(self, answers: int = 1000, free: bool = True) -> None:
        self.left, self.free, self.state = answers, free, RULES.initial()

    def exchange(self, request: bytes, *, and_ends: bool = False) -> bytes:
        body = request.partition(b"\r\n\r\n")[2].decode()
        if "START" in body:
            return b"ready"
        if "PLAY" in body:
            return self._play(body)
        return b"( ( status available ) )" if self.free else b"( ( status busy ) )"

    def _play(self, body: str) -> bytes:
        if told := re.fullmatch(r"\( PLAY \S+ \((\([^)]*\)|\S+) (\([^)]*\)|\S+)\) \)", body):
            self.state = RULES.next(self.state, list(map(parse_term, told.groups())))
        self.left -= 1
        return str(RULES.legal(self.state, "cross")[0]).encode() if self.left >= 0 else b"nil"


def right(joint: Sequence[str]) -> tuple[str, bool]:
    return f"({' '.join(joint)})", False


def test_a_player_that_always_has_a_legal_move_has_no_fault() -> None:
    assert match_fault(Believer(), right, random.Random(1)) is None


def test_an_answer_that_is_not_legal_is_a_fault() -> None:
    fault = match_fault(Believer(answers=2), right, random.Random(1))
    assert fault is not None
    assert "'nil'" in fault


@pytest.mark.parametrize("name", ["our move impossible", "our move a variable"])
def test_who_believes_what_is_told_of_its_own_move_is_found(name: str) -> None:
    assert match_fault(Believer(), SPOILS[name], random.Random(1)) is not None


def test_a_player_that_is_not_free_afterwards_is_a_fault() -> None:
    assert match_fault(Believer(free=False), right, random.Random(1)) is not None
    assert request_fault(Believer(free=False), b"anything") is not None
    assert request_fault(Believer(), b"anything") is None


def test_the_same_seed_damages_alike() -> None:
    assert [damage(random.Random(3)) for _ in range(2)] == [damage(random.Random(3))] * 2
