"""Files of trained weights that players are given, found before anything else is begun."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ludens.agent.settings.options import PlayerOptions
from ludens.games.checkers.networks.network_file import read_network
from ludens.games.tak.temporal_differences.weights_file import SHIPPED, read_weights


def with_weights_found(options: PlayerOptions) -> PlayerOptions:
    """Returns the settings with the full paths of their files, if they name any; raises `LudensError`."""
    if options.network:
        network = Path(options.network).resolve()
        read_network(network)
        options = replace(options, network=str(network))
    if options.weights in ("", SHIPPED):
        return options
    path = Path(options.weights).resolve()
    read_weights(path)
    return replace(options, weights=str(path))
