"""What an agent can search: a game's network, the interim network, a recognised game's core, or the rule machine.

Imported no earlier than an engine is told to think: one that just knows the rules needs no native code, and cannot
be brought down by it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from ludens.agent.playable.text_game import NetworkGame, RecognisedTextGame, RulesGame, TextGame
from ludens.agent.preparation.prepare_untimed import prepare_repeatable, prepare_rules
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions
from ludens.games.recognised_game import RecognisedGame
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet


class Stage(IntEnum):
    """How far preparation has come: an agent of a later stage takes over from one of an earlier stage."""

    RULES = 1  # there is no network yet
    INTERIM = 2  # it is not known yet how the network is best searched
    PREPARED = 3
    PREPARED_LATER = 4  # while the match was on


@dataclass(frozen=True, slots=True)
class SearchBackend:
    """Makes a game, and says how it is searched."""

    stage: Stage
    make: Callable[[], tuple[TextGame, SearchConfig]]


def rules_backend(sheet: RuleSheet, settings: PlayerOptions) -> SearchBackend:
    """Returns the rule machine, which is there at once."""

    def make() -> tuple[TextGame, SearchConfig]:
        game = RulesGame(sheet, sampled=True)
        return game, prepare_rules(game.game, settings)

    return SearchBackend(Stage.RULES, make)


def repeatable_backend(
    net: Propnet | None, sheet: RuleSheet, settings: PlayerOptions, tell: Callable[[str], None]
) -> SearchBackend:
    """Returns the network, or the rule machine where there is none, searched the same way whatever the time."""
    if net is None:
        return rules_backend(sheet, settings)
    return network_backend(net, prepare_repeatable(net, settings, tell))


def network_backend(
    net: Propnet, config: SearchConfig, recognised: RecognisedGame | None = None, stage: Stage = Stage.PREPARED
) -> SearchBackend:
    """Returns the network, or the core of the game as which it was recognised, searched as was prepared."""

    def make() -> tuple[TextGame, SearchConfig]:
        variant = config.variant
        if recognised:
            return RecognisedTextGame(recognised, net.roles, variant.full_game), config
        return NetworkGame(net, variant.full_game, relative=variant.relative), config

    return SearchBackend(stage, make)
