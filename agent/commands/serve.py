"""`ludens serve`: a player that waits for Game Managers."""

from __future__ import annotations

import logging
import os
from dataclasses import replace

from ludens.agent.commands.exit_codes import UsageError
from ludens.agent.reactor.running import stopped_by_signals
from ludens.agent.reactor.steady_reactor import steady_reactor
from ludens.agent.records.archive import Archive
from ludens.agent.server.log import logging_in_thread, start_logging
from ludens.agent.server.registration import host_and_port, ways_to_register
from ludens.agent.server.server import Listening, listen
from ludens.agent.server.web_access import is_this_machine
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.player_files import PlayerFile
from ludens.agent.settings.weights import with_weights_found
from ludens.agent.web import server as page_server
from ludens.agent.web.server import PageOptions
from ludens.agent.web.watching import ServedMatches
from ludens.propnet.base.child import Limits

_ANY_HOST = "HOST"  # stands for a name of this machine where it is reached under all of them

log = logging.getLogger("ludens")


def run(options: PlayerOptions, verbose: bool, archived: bool, watch: int | None = None) -> int:
    """Plays until interrupted, and logs more if `verbose`; matches are `archived` or not.

    With `watch`, a page on that port shows the matches as they go; 0 is any free port.
    Raises `LudensError` for a port, a log file or a folder that cannot be used.
    """
    reactor = steady_reactor()
    options = with_weights_found(_with_player_found(options))
    start_logging(options.log, verbose)
    with stopped_by_signals(reactor):
        limits = Limits(options.grounding_seconds, options.grounding_mb)
        shown = PageOptions(watch, "--watch", options.interface, limits, archived=archived)
        page = None if watch is None else page_server.listen(reactor, shown)
        served = ServedMatches(page.matches.live, options.name) if page else None
        archive = Archive() if archived else None
        listening = listen(reactor, options, served.heard if served else None, archive, keeper=served)
        if page:
            log.info("Watch its matches at http://%s/", host_and_port(_reached_at(options.interface), page.port))
        log.info(
            "%s (%s) listens on %s. Ctrl-C ends it.",
            options.name,
            options.player or options.strategy,
            listening.address,
        )
        _check_memory(options)
        print(_registration(listening, options), flush=True)
        with logging_in_thread():
            reactor.run()
    log.info("Stopped.")
    return 0


def _with_player_found(options: PlayerOptions) -> PlayerOptions:
    """Returns the options with the full path of the user's own player, if they name one. Raises `LudensError`."""
    if not options.player:
        return options
    if (found := PlayerFile.of_text(options.player)) is None:
        raise UsageError(f"--player must be a file and a class in it, as my_player.py:Cautious, not {options.player!r}")
    return replace(options, player=str(found[0]))


def _check_memory(options: PlayerOptions) -> None:
    """Warns if the search trees of all matches may take more memory than this machine has."""
    wanted, there = options.matches * options.tree_mb, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    if wanted > there:
        text = "the search trees may take %s MB, but this machine has %s MB: lower --nodes-mb or --matches"
        log.warning(text, f"{wanted:,}", f"{there:,}")


def _reached_at(interface: str) -> str:
    """Returns where who listens on an address is reached."""
    return _ANY_HOST if interface in ("0.0.0.0", "::") else interface


def _registration(player: Listening, options: PlayerOptions) -> str:
    """Returns what to type into each kind of Game Manager."""
    host = _reached_at(player.host)
    ways = ways_to_register(options.name, host, player.port)
    width = max(map(len, ways))
    lines = ["Tell your Game Manager:", *(f"  {manager:<{width}} {text}" for manager, text in ways.items())]
    if host == _ANY_HOST:
        lines.append("HOST is the name or address under which others reach this machine.")
    elif is_this_machine(host):
        lines.append("Only managers on this machine can reach it; for others use --interface 0.0.0.0.")
    return "\n".join(lines)
