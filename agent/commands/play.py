"""`ludens play`: a page in the browser on which people play any game, watch engines and look at what they think."""

from __future__ import annotations

import logging
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludens.agent.commands.reactor import stopped_by_signals
from ludens.agent.commands.rules import NamedRules, find_rules
from ludens.agent.web.server import PageOptions, PageServer, listen
from ludens.propnet.base.child import Limits

log = logging.getLogger("ludens")


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """What the user said, as `ludens play --help` explains it."""

    game: str | None
    port: int | None
    browser: bool
    archived: bool
    limits: Limits


def run(options: PlayOptions) -> int:
    """Serves the page until interrupted; raises `LudensError` for a game or a port that cannot be used."""
    from twisted.internet import reactor as installed

    reactor: Any = installed
    folder = Path(options.game) if options.game and Path(options.game).is_dir() else None
    rules = find_rules(options.game) if options.game and folder is None else None
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    with stopped_by_signals(reactor):
        server = listen(
            reactor, PageOptions(options.port, limits=options.limits, folder=folder, archived=options.archived)
        )
        address = server.address + (f"#game={_key(server, rules)}" if rules else "")
        print(f"Ludens plays at {address}\nCtrl-C ends it.", flush=True)
        if options.browser:
            reactor.callInThread(webbrowser.open, address)
        reactor.run()
    return 0


def _key(server: PageServer, rules: NamedRules) -> str:
    return server.catalogue.remember(rules.name, rules.text)
