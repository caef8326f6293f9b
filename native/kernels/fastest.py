"""Which simulator plays a game fastest here: the native one, or the GPU where there is one."""

from __future__ import annotations

from typing import Protocol

from ludens.native.core import Game, Playouts, Simulator, States
from ludens.native.cuda.device import available
from ludens.native.cuda.network import CudaSimulator
from ludens.native.defaults import MAX_STEPS
from ludens.propnet.network.propnet import Propnet

_WITHOUT_END = 1 << 40  # playouts: more than any run finishes


class Player(Protocol):
    """What simulators have in common."""

    lanes: int

    def playouts(
        self, count: int, *, seconds: float = 0.0, state: States | None = None, max_steps: int = MAX_STEPS
    ) -> Playouts:
        """Random games, as `Simulator.playouts`."""
        ...


def fastest_simulator(net: Propnet, game: Game, *, seed: int = 0, seconds: float = 0.2) -> Simulator | CudaSimulator:
    """A simulator of `game`, whose network is `net`: of those there are the one with most playouts a second.

    Where there is a GPU each of them plays for `seconds` after a first run, in which kernels are compiled.
    """
    native = Simulator(game, seed=seed)
    if not available():
        return native
    device = CudaSimulator(net, seed=seed)
    return device if rate(device, seconds) > rate(native, seconds) else native


def rate(simulator: Player, seconds: float) -> float:
    """Random games a second of wall clock, once warm."""
    simulator.playouts(simulator.lanes)
    run = simulator.playouts(_WITHOUT_END, seconds=seconds)
    return run.count / run.seconds
