"""A network is immutable, wherever it comes from."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest

from ludens import games
from ludens.propnet.compile.loader import load
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.policies.apply import with_policy


def assert_immutable(net: Propnet) -> None:
    for each in dataclasses.fields(net):
        value = getattr(net, each.name)
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(net, each.name, value)
        assert not isinstance(value, np.ndarray) or not value.flags.writeable, each.name


def test_networks_are_immutable_loaded_changed_or_sent_to_another_process() -> None:
    net = load(games.read("tic_tac_toe"))
    for each in (net, with_policy(net, "decisive"), pickle.loads(pickle.dumps(net))):
        assert_immutable(each)
    with pytest.raises(ValueError, match="read-only"):
        net.gates[0] = 1
