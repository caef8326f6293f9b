"""Passes over circuits, one file each: functions from Circuit to an equivalent, better Circuit."""

from propnet.circuit import Pass
from propnet.passes.binary import binary
from propnet.passes.factoring import factor
from propnet.passes.loops import uncut
from propnet.passes.needed import needed
from propnet.passes.ordering import order, reopen
from propnet.passes.sharing import share
from propnet.passes.unchanging import unchanging

PASSES: tuple[Pass, ...] = (unchanging, needed, factor, binary, uncut)
"""In the order in which the loader runs them."""

__all__ = ["PASSES", "binary", "factor", "needed", "order", "reopen", "share", "unchanging", "uncut"]
