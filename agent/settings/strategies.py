"""What each strategy does, in words for users: the one table from which help, README and documents are made.

The searches and their meanings are those of native/strategies.h; here are the strategies that are no search.
"""

from __future__ import annotations

from ludens.native.strategies import STRATEGIES

AUTO = "auto"
"""The strategy, or the playout policy, of a player that finds out by itself which one suits a game."""

HUMAN = "human"
"""The player of `ludens match` whose moves a person chooses at the terminal."""

INSTANT = {"random": "any legal move, without thinking", "first": "the first legal move, without thinking"}
"""Strategies that choose a move without a search."""

EXPLANATIONS = {
    AUTO: "learns the game while the start clock runs, and plays by the most promising search that suits it; "
    "the default",
    **{name: strategy.meaning for name, strategy in STRATEGIES.items()},
    **INSTANT,
}
"""Every strategy with what it does, in the order in which they are listed."""

OTHER_NAMES = {
    "mcts": "uct",
    "montecarlo": "flat",
    "amaf": "rave",
    "grave": "rave",
    "minimax": "alphabeta",
    "negamax": "alphabeta",
    "pns": "proof",
    "dfpn": "proof",
    "retrograde": "backward_induction",
    "bestfirst": "puzzle",
    "alphazero": "guided",
}
"""What strategies like these are called elsewhere, to guess what is meant; without capitals, spaces and hyphens."""
