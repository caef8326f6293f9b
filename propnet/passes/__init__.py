"""Passes over circuits, one file each: functions from Circuit to an equivalent, better Circuit."""

from ludens.propnet.network.circuit import Circuit, Pass
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.passes.binary import binary
from ludens.propnet.passes.factoring import factor
from ludens.propnet.passes.loops import uncut
from ludens.propnet.passes.needed import needed, needed_gates
from ludens.propnet.passes.ordering import order, reopen
from ludens.propnet.passes.sharing import share
from ludens.propnet.passes.unchanging import unchanging

PASSES: tuple[Pass, ...] = (unchanging, needed, factor, binary, uncut)
"""In the order in which the loader runs them."""

__all__ = [
    "PASSES",
    "binary",
    "factor",
    "finish",
    "needed",
    "needed_gates",
    "order",
    "reopen",
    "share",
    "unchanging",
    "uncut",
]


def finish(circuit: Circuit) -> Propnet:
    """The network of a circuit to which gates were added: factored, in two-input gates, with the same inputs."""
    return order(uncut(binary(factor(needed_gates(circuit)))))
