"""Records of matches at the page: the line that leads to a position, as other programs read it, and back."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from itertools import pairwise

from ludens.agent.play.seats import PERSON
from ludens.agent.play.tree import MatchTree, Node
from ludens.agent.records.record import Ending, MatchRecord, counted_goals
from ludens.agent.settings.strategies import HUMAN

_FOLDERS = re.compile(r"^/.*/(?=[^/]+\.py:)|(?<==)/[^,]*/")


def record_of(
    name: str, game: str, rules: str, tree: MatchTree, node: Node, players: Sequence[str], clocks: tuple[float, float]
) -> MatchRecord:
    """Returns the record of the line that leads to a position, with what was thought on the way."""
    line = tree.line(node)
    over = node.position.terminal
    record = MatchRecord(
        match_id=f"Ludens.play.{name}",
        random_token=secrets.token_hex(20),
        start_time=line[0].reached,
        start_clock=clocks[0],
        play_clock=clocks[1],
        players=_players_of(line, players),
        scrambled=False,
        completed=over,
        states=[list(each.position.facts) for each in line],
        moves=[list(each.moves) for each in line[1:]],
        state_times=[each.reached for each in line],
        errors=[[""] * len(players), *(list(each.errors) or [""] * len(players) for each in line[1:])],
        goals=counted_goals(node.position.goals) if over else [],
        ending=Ending.TERMINAL if over else Ending.NONE,
        game=game,
        rules=rules,
    )
    for step, each in enumerate(line):
        for thought in each.thoughts.values():
            record.note_thought(step, thought)
    return record


def _players_of(line: Sequence[Node], present: Sequence[str]) -> list[str]:
    """Names who made each role's choices, one after the other where that changed; who sits there if there were none."""
    names = []
    for role, player in enumerate(present):
        chose = [after.players[role] for before, after in pairwise(line) if after.players and role in before.choosers]
        each = dict.fromkeys(chose or [player])
        names.append(", then ".join(map(_name, each)))
    return names


def _name(player: str) -> str:
    """Returns who a player is for others, whom the folders of its files are no business of."""
    return HUMAN if player == PERSON else _FOLDERS.sub("", player)
