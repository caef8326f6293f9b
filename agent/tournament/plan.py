"""What a tournament is: its players, games and conditions, and all the matches that follow from them.

A fixture is one match: a game, a round, and who takes which role. In each round all pairings of players play from the
same opening, each of them once in every rotation of the seats, so that neither the opening nor the seat favours anyone.
In games of one role every player plays alone, and results are compared within the round; in games of more roles than
there are players some take several.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from ludens.agent.settings.players import LocalPlayer, PlayerSpec, RemotePlayer, says
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.syntax import RuleSheet

ROUND_ROBIN, GAUNTLET = "round robin", "gauntlet"
KINDS = (ROUND_ROBIN, GAUNTLET)


class PlanError(LudensError):
    """A tournament that makes no sense."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a tournament is played; each is a key of its file and an option of the command."""

    name: str = "tournament"
    kind: str = ROUND_ROBIN
    rounds: int = 4
    opening_moves: int = 2
    startclock: float = 10
    playclock: float = 1
    scramble: bool = False
    seed: int = 1
    jobs: int = 1
    memory_mb: int = 0  # of each engine; 0: what players have by themselves
    max_turns: int = 1000  # 0: never stopped
    sprt: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Contestant:
    """A player under the name that the tournament knows it by."""

    name: str
    text: str  # as the user describes it
    spec: PlayerSpec


@dataclass(frozen=True, slots=True)
class TournamentGame:
    """A game under the name that the tournament knows it by."""

    name: str
    text: str
    sheet: RuleSheet


@dataclass(frozen=True, slots=True)
class Fixture:
    """One match to be played."""

    game: str
    round: int  # from 1
    players: tuple[str, ...]  # in role order

    @property
    def key(self) -> str:
        """Names the fixture among all of a tournament."""
        return json.dumps([self.game, self.round, *self.players])


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole tournament."""

    settings: Settings
    players: tuple[Contestant, ...]
    games: tuple[TournamentGame, ...]

    def fixtures(self) -> list[Fixture]:
        """Returns all matches, round by round, so that what has been played is balanced whenever it ends."""
        rounds = range(1, self.settings.rounds + 1)
        return [
            Fixture(game.name, number, seats)
            for number in rounds
            for game in self.games
            for seats in self._seatings(len(game.sheet.roles))
        ]

    def contestant(self, name: str) -> Contestant:
        """Returns the player with this name."""
        return next(player for player in self.players if player.name == name)

    def game(self, name: str) -> TournamentGame:
        """Returns the game with this name."""
        return next(game for game in self.games if game.name == name)

    def conditions(self) -> dict[str, Any]:
        """Returns what must be the same for results to be comparable, as JSON."""
        shared = ("opening_moves", "startclock", "playclock", "scramble", "seed", "memory_mb", "max_turns")
        return {
            **{name: getattr(self.settings, name) for name in shared},
            "players": {player.name: player.text for player in self.players},
            "games": {game.name: hashlib.blake2b(game.text.encode(), digest_size=8).hexdigest() for game in self.games},
        }

    def _seatings(self, roles: int) -> Iterator[tuple[str, ...]]:
        """Yields who takes which role, in every rotation of the seats, for all pairings."""
        for table in self._tables(roles):
            rotations = [table[shift:] + table[:shift] for shift in range(roles)]
            yield from dict.fromkeys(rotations)

    def _tables(self, roles: int) -> Iterator[tuple[str, ...]]:
        """Yields who meets whom; where there are more roles than players, each has as many as the next or one more."""
        names = tuple(player.name for player in self.players)
        whole, rest = divmod(roles, len(names)) if roles > len(names) else (0, roles)
        for extra in combinations(names, rest):
            if whole or roles == 1 or self.settings.kind == ROUND_ROBIN or names[0] in extra:
                yield names * whole + extra


def new_plan(settings: Settings, players: Sequence[Contestant], games: Sequence[TournamentGame]) -> Plan:
    """Returns a plan that can be played; raises `PlanError`, or `OptionError` for memory that is too little."""
    _check(settings)
    for what, names in (("player", [p.name for p in players]), ("game", [g.name for g in games])):
        if not names:
            raise PlanError(f"a tournament needs a {what}")
        if double := [name for name in names if names.count(name) > 1]:
            raise PlanError(f"two {what}s are called {double[0]!r}")
    if len(players) < 2:
        raise PlanError("a tournament needs two players at least")
    plan = Plan(settings, tuple(_prepared(player, settings) for player in players), tuple(games))
    _check_seats(plan)
    return plan


def _check(settings: Settings) -> None:
    if settings.kind not in KINDS:
        raise PlanError(f"kind must be {' or '.join(map(repr, KINDS))}, not {settings.kind!r}")
    for name, least in (("rounds", 1), ("opening_moves", 0), ("jobs", 1), ("memory_mb", 0), ("max_turns", 0)):
        if getattr(settings, name) < least:
            raise PlanError(f"{name} must be at least {least}, not {getattr(settings, name)}")
    for name in ("startclock", "playclock"):
        if not 0 <= getattr(settings, name) <= 1e6:
            raise PlanError(f"{name} must be a number of seconds from 0 to 1,000,000, not {getattr(settings, name)}")
    if settings.sprt and not 0 <= settings.sprt[0] < settings.sprt[1] <= 1:
        raise PlanError(f"sprt must be two scores from 0 to 1, the lower one first, not {list(settings.sprt)}")


def _prepared(player: Contestant, settings: Settings) -> Contestant:
    """Returns a player of ours with its memory, and without what others of the tournament have learned."""
    if not isinstance(player.spec, LocalPlayer):
        return player
    options = player.spec.options
    if not says(player.text, "recall"):
        options = replace(options, recall="off")
    if settings.memory_mb and not options.engine_mb:
        options = replace(options, engine_mb=settings.memory_mb)
    return replace(player, spec=LocalPlayer(player.name, options))


def _check_seats(plan: Plan) -> None:
    """Raises `PlanError` if one player elsewhere is to take two roles of a match, or stands in the list twice."""
    addresses = [player.spec.address for player in plan.players if isinstance(player.spec, RemotePlayer)]
    for player in plan.players:
        if isinstance(player.spec, RemotePlayer) and addresses.count(player.spec.address) > 1:
            raise PlanError(f"{player.spec.address.place} is there twice: a player elsewhere has one name")
    for game in plan.games:
        if len(game.sheet.roles) > len(plan.players) and addresses:
            count = f"{len(game.sheet.roles)} roles and there are {len(plan.players)} players"
            raise PlanError(f"{game.name} has {count}: {addresses[0].place} cannot play two of them; add players")
