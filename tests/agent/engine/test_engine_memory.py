"""What an engine does with little memory."""

from __future__ import annotations

from pathlib import Path

from ludens.agent.protocol.wire import Begin, GoTo, LogMessage, NetworkReady, Position, Ready, Refused, StandBy, Think
from tests.support.engine_driver import CONNECT_FOUR, TIC_TAC_TOE, engine, founded_report

NO_MEMORY = """
from ludens.agent.engine import engine

def full(*_):
    raise MemoryError

engine.{} = full
engine.main()
"""


def test_an_engine_goes_on_where_the_interpreter_has_not_enough_memory() -> None:
    with engine(code=("-c", NO_MEMORY.format("ReferenceAgent"))) as it:
        it.send(Begin(TIC_TAC_TOE, "cross"), StandBy())
        assert it.next(LogMessage, warning=True).text.endswith("cannot play these rules: out of memory")
        it.send(Think())
        assert len(it.next(Position, step=0).legal) == 9


def test_rules_are_refused_that_do_not_fit_into_memory() -> None:
    with engine(code=("-c", NO_MEMORY.format("_read"))) as it:
        it.send(Begin(TIC_TAC_TOE, "cross"))
        assert it.next(Refused).reason == "out of memory"


def test_an_engine_plays_in_the_least_memory_that_it_may_be_given() -> None:
    with engine(engine_mb=512, nodes_mb=0, threads=0, strategy="uct") as it:
        it.send(Begin(CONNECT_FOUR, "red", seconds=3600.0), Think())
        it.next(NetworkReady)
        it.next(Ready)
        it.send(GoTo(()))
        assert founded_report(it).playouts > 0
        assert most_address_space_mb(it.process.pid) < 0.75 * 512  # or it would be chance that it did


def most_address_space_mb(pid: int) -> float:
    """How much address space a process has had at most; 0 where the system does not tell."""
    status = Path(f"/proc/{pid}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmPeak:"))
