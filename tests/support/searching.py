"""Searches of small games, and what tests ask of them."""

from __future__ import annotations

from functools import cache

import numpy as np

from ludens import games
from ludens.native.core import Game, RootMoves, Search, Simulator, States, unpack_bits
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet


@cache
def network(name_or_text: str) -> Propnet:
    return load(games.read(name_or_text) if name_or_text in games.names() else name_or_text)


def searching(name_or_text: str, **options: object) -> Search:
    chosen = {"memory_bytes": 1 << 24, "lanes": 64, "exploration": 0.7} | options
    return Search(Game.from_propnet(network(name_or_text)), **chosen)  # type: ignore[arg-type]


def text(net: Propnet, role: int, known: RootMoves) -> str:
    """The move to play."""
    move: str = net.moves[role][known.moves[known.best]]
    return move


def proven_goals(net: Propnet, role: int, search: Search) -> dict[str, int]:
    """What each move of a role at the root is proven to bring it; -1: unknown."""
    known = search.root_moves(role)
    return {net.moves[role][move]: goal for move, goal in zip(known.moves.tolist(), known.proven.tolist(), strict=True)}


def successor(net: Propnet, state: States, texts: list[str]) -> States:
    joint = np.array([[moves.index(move) for moves, move in zip(net.moves, texts, strict=True)]], np.int32)
    after: States = Simulator(Game.from_propnet(net), 64).next(state, joint)[0]
    return after


def goals_against_itself(name_or_text: str, search: Search) -> list[int]:
    """What a search comes to that plays both roles of a game."""
    net = network(name_or_text)
    simulator = Simulator(Game.from_propnet(net), 64)
    state = simulator.game.initial
    while not simulator.terminal(state)[0]:
        search.set_root(state)
        search.run(playouts=10_000)
        state = successor(net, state, [text(net, role, search.root_moves(role)) for role in (0, 1)])
    goals: list[int] = simulator.goals(state)[0].tolist()
    return goals


def facts(net: Propnet, state: States) -> set[str]:
    return {net.propositions[i] for i in np.flatnonzero(unpack_bits(state, net.state_bits))}
