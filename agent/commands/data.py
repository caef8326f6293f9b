"""`ludens data`: makes data to learn from, in a folder from which it goes on whenever it was ended."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ludens.agent.checkers.cluster_dataset import make_on_cluster
from ludens.agent.checkers.dataset import alone, begin, make
from ludens.agent.checkers.move_values import KERNELS
from ludens.agent.cluster.connection import connected
from ludens.agent.cluster.errors import ClusterError
from ludens.agent.commands.progress import progress
from ludens.agent.settings.processors import processors
from ludens.native.cuda.device import available


def run(out: Path, given: Mapping[str, int | str], *, resume: bool, threads: int, cluster: str | None) -> int:
    """Makes checkers data by the options that the user gave; raises `LudensError`, or `KeyboardInterrupt`.

    On the `cluster` with this address, or in so many `threads`.
    """
    with connected(cluster) as ray, alone(out, resume=resume), progress("checkers data") as tell:
        if not (resume or cluster or "kernel" in given) and given.get("method", "mcrd") == "mcrd" and available():
            given = {**given, "kernel": "gpu"}
        options = begin(out, given, resume=resume, kernels=("off",) if cluster else KERNELS, warn=_warn)
        if options.kernel == "gpu" and not available():
            _warn(
                "there is no GPU here: random games are played on the processor, with the same values and more slowly"
            )
            options = replace(options, kernel="processor")
        try:
            if ray:
                made = make_on_cluster(ray, out, options, tell, _warn)
            else:
                made = make(out, options, threads or processors(), tell, _warn)
        except (KeyboardInterrupt, ClusterError):
            print(f"ended; go on with `ludens data checkers --resume --out {out}`", file=sys.stderr)
            raise
    if made.positions:
        print(
            f"{made.positions:,} positions and {made.playouts:,} playouts in {made.seconds:.1f} s: "
            f"{made.positions / made.seconds:,.0f} positions/s, {made.playouts / made.seconds:,.0f} playouts/s"
        )
    print(f"{options.positions:,} positions: {out}")
    return 0


def _warn(line: str) -> None:
    print(f"! {line}", file=sys.stderr)
