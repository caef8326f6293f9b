"""Seats players in a match: who plays which role, with which seed, on how many threads.

Players are those of `agent/settings/players.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from ludens.agent.settings.addresses import Address
from ludens.agent.settings.errors import PlayerError
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.players import LocalPlayer, PlayerSpec, RemotePlayer, read_player
from ludens.agent.settings.processors import processors
from ludens.agent.settings.strategies import INSTANT
from ludens.propnet.base.child import Limits
from ludens.propnet.base.words import counted


def assign_roles(players: Sequence[PlayerSpec], roles: Sequence[str]) -> list[PlayerSpec]:
    """Returns one player for each role, `random` for roles without one. Raises `PlayerError` for too many players."""
    if len(players) > len(roles):
        has = f"{counted(len(roles), 'role')} ({', '.join(roles)})"
        raise PlayerError(f"{len(players)} players are too many: the game has {has}")
    return [*players, *(read_player("random") for _ in roles[len(players) :])]


def check_addresses(players: Sequence[PlayerSpec], roles: Sequence[str]) -> None:
    """Raises `PlayerError` if one address is to play two roles: players know a match by its name alone."""
    seats: dict[Address, str] = {}
    for role, player in zip(roles, players, strict=True):
        if isinstance(player, RemotePlayer) and role != (first := seats.setdefault(player.address, role)):
            advice = "start a second player on another port"
            raise PlayerError(f"{player.name} cannot play both {first} and {role}: {advice}")


def doubt_patience(players: Mapping[str, PlayerSpec]) -> str:
    """Returns that players elsewhere may give up a match while one of ours takes the time that it needs.

    Empty where that cannot be. Players are told by their names here.
    """
    unhurried = [name for name, p in players.items() if isinstance(p, LocalPlayer) and p.options.move_iterations]
    others = [name for name, player in players.items() if isinstance(player, RemotePlayer)]
    if not unhurried or not others:
        return ""
    doubt = "may give up the match meanwhile (`ludens serve` waits longer with --patience)"
    return f"{', '.join(sorted(unhurried))} takes the time that it needs: {', '.join(others)} {doubt}"


def with_seeds(players: Sequence[PlayerSpec], seed: int) -> list[PlayerSpec]:
    """Returns the players, each of ours without a seed with one of its own, which follows from `seed` and its seat."""
    return [
        replace(player, options=replace(player.options, seed=Random(f"{seed} {seat}").getrandbits(62) + 1))
        if isinstance(player, LocalPlayer) and not player.options.seed
        else player
        for seat, player in enumerate(players)
    ]


def with_limits(players: Sequence[PlayerSpec], limits: Limits) -> list[PlayerSpec]:
    """Returns the players, each of ours with `limits` at least of making a network of the rules."""
    return [
        replace(player, options=_with_limits(player.options, limits)) if isinstance(player, LocalPlayer) else player
        for player in players
    ]


def share_processors(players: Sequence[PlayerSpec]) -> list[PlayerSpec]:
    """Returns the players, with the threads of this machine divided among those that search on it.

    Among those that leave it open: what the others take comes first.
    """
    local = [player.options for player in players if isinstance(player, LocalPlayer)]
    searching = [options for options in local if options.strategy not in INSTANT]
    decided = [options.workers for options in searching if options.threads or options.move_iterations]
    share = max(1, (processors() - sum(decided)) // max(1, len(searching) - len(decided)))
    return [
        LocalPlayer(player.name, with_share(player.options, share)) if isinstance(player, LocalPlayer) else player
        for player in players
    ]


def with_share(options: PlayerOptions, share: int) -> PlayerOptions:
    """Returns options with the threads of a `share` of the processors where they leave that open.

    As far as memory goes; a search that can be repeated has one.
    """
    if options.threads or options.move_iterations:
        return options
    return replace(options, threads=options.affordable_threads(share))


def _with_limits(options: PlayerOptions, limits: Limits) -> PlayerOptions:
    return replace(
        options,
        grounding_seconds=max(options.grounding_seconds, limits.seconds),
        grounding_mb=max(options.grounding_mb, limits.memory_mb),
    )
