"""What an agent can search: a game's network, the interim network, a recognised game's core, or the rule machine.

Imported no earlier than an engine is told to think: one that just knows the rules needs no native code, and cannot
be brought down by it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ludens.agent.preparation.prepare import prepare_repeatable, prepare_rules
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.text_game import NetworkGame, RecognisedTextGame, RulesGame, TextGame
from ludens.games.recognised_game import RecognisedGame
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet


@dataclass(frozen=True, slots=True)
class SearchBackend:
    """Makes a game, and says how it is searched; of two backends that of higher rank plays more games a second."""

    rank: int
    make: Callable[[], tuple[TextGame, SearchConfig]]


def rules_backend(sheet: RuleSheet, settings: PlayerOptions) -> SearchBackend:
    """Returns the rule machine, which is there at once."""

    def make() -> tuple[TextGame, SearchConfig]:
        game = RulesGame(sheet, sampled=True)
        return game, prepare_rules(game.game, settings)

    return SearchBackend(1, make)


def repeatable_backend(
    net: Propnet | None, sheet: RuleSheet, settings: PlayerOptions, tell: Callable[[str], None]
) -> SearchBackend:
    """Returns the network, or the rule machine where there is none, searched the same way whatever the time."""
    if net is None:
        return rules_backend(sheet, settings)
    return network_backend(net, prepare_repeatable(net, settings, tell))


def network_backend(
    net: Propnet, config: SearchConfig, recognised: RecognisedGame | None = None, *, interim: bool = False
) -> SearchBackend:
    """Returns the network, or the core of the game as which it was recognised, searched as was prepared.

    `interim`: before it is known how it is best searched.
    """

    def make() -> tuple[TextGame, SearchConfig]:
        game = config.variant.full_game
        return RecognisedTextGame(recognised, net.roles, game) if recognised else NetworkGame(net, game), config

    return SearchBackend(2 if interim else 3, make)
