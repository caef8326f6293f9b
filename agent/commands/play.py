"""`ludens play`: a page in the browser on which people play any game, watch engines and look at what they think."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from pathlib import Path

from ludens.agent.commands.browser import open_in_browser
from ludens.agent.commands.terminal import printable
from ludens.agent.play.seats import read_seat
from ludens.agent.reactor.running import stopped_by_signals
from ludens.agent.reactor.steady_reactor import steady_reactor
from ludens.agent.web.server import PageOptions, PageServer, listen
from ludens.games.rules import NamedRules, find_rules
from ludens.propnet.base.child import Limits

log = logging.getLogger("ludens")


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """What the user said, as `ludens play --help` explains it."""

    game: str | None
    players: tuple[str, ...]  # that can be chosen besides
    port: int | None
    browser: bool
    archived: bool
    limits: Limits


class _Printable(logging.Formatter):
    """Writes messages without characters that a terminal would obey."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))


def run(options: PlayOptions) -> int:
    """Serves the page until interrupted; raises `LudensError` for what cannot be used: a game, a player or a port."""
    reactor = steady_reactor()
    folder = Path(options.game) if options.game and os.path.isdir(options.game) else None  # noqa: PTH112
    rules = find_rules(options.game) if options.game and folder is None else None
    players = tuple(read_seat(text).text for text in options.players)
    logging.basicConfig(level=logging.WARNING)
    logging.getLogger().handlers[0].setFormatter(_Printable())
    with stopped_by_signals(reactor):
        page = PageOptions(
            options.port, limits=options.limits, folder=folder, players=players, archived=options.archived
        )
        server = listen(reactor, page)
        address = server.address + (f"#game={_key(server, rules)}" if rules else "")
        print(f"Ludens plays at {address}\nCtrl-C ends it.", flush=True)
        if options.browser:
            open_in_browser(reactor, address)
        reactor.run()
    return 0


def _key(server: PageServer, rules: NamedRules) -> str:
    return server.catalogue.remember(rules.name, rules.text)
