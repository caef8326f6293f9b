"""Networks changed for tests."""

from __future__ import annotations

import dataclasses

import numpy as np

from ludens.propnet.network.propnet import Propnet


def without_control(net: Propnet) -> Propnet:
    """The same game, but what follows any state seems to depend on a move."""
    move, first = 2 * (1 + net.state_bits), 2 * (net.first_gate + len(net.gates))
    never, last = [move, move + 1], [[literal, first + 1] for literal in net.next.tolist()]
    gates = np.concatenate([net.gates, np.array([never, *last], np.int32)])
    following = first + 2 + 2 * np.arange(net.state_bits, dtype=np.int32)
    return dataclasses.replace(net, gates=gates, next=following)
