"""`ludens serve`: a player that waits for Game Managers."""

from __future__ import annotations

import logging
from typing import Any

from ludens.agent.server.server import Listening, listen
from ludens.agent.settings.options import PlayerOptions


def run(options: PlayerOptions) -> int:
    """Plays until interrupted; raises `LudensError` for a port that cannot be used."""
    from twisted.internet import reactor as global_reactor

    reactor: Any = global_reactor
    logging.basicConfig(format="%(asctime)s %(message)s", datefmt="%H:%M:%S", level=logging.INFO)
    print(_registration(listen(reactor, options), options), flush=True)
    reactor.run()
    print("Stopped.")
    return 0


def _registration(player: Listening, options: PlayerOptions) -> str:
    """Returns what to type into each kind of Game Manager."""
    everywhere = player.host == "0.0.0.0"
    host = "HOST" if everywhere else player.host
    place = f"{host}:{player.port}"
    lines = [
        f"{options.name} ({options.strategy}) listens on {player.address}. Ctrl-C ends it.",
        "Tell your Game Manager:",
        f"  ggp-base Server           {place}",
        f"  ggp-base GameServerRunner {host} {player.port} {options.name}",
        f"  Dresden web form          name {options.name}, host {host}, port {player.port}, version GDL 1",
        f"  Stanford's page           http://{place}",
        f"  Ludens                    ludens match GAME http://{place}",
    ]
    if everywhere:
        lines.append("HOST is the name or address under which the manager reaches this machine.")
    elif host.startswith("127."):
        lines.append("Only managers on this machine can reach it; for others use --interface 0.0.0.0.")
    return "\n".join(lines)
