"""How long a search of patterns looks for threats: by the clock, or by positions; the class alone, in a program."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.support.paths import ROOT

PROGRAM = """
#include <cstdio>
#include "gomoku_search/threat_share.hpp"

// Reads the limits of runs, and prints what each may look for threats with.
int main() {
    ludens::gomoku::ThreatShare share;
    double seconds;
    long playouts;
    while (std::scanf("%lf %ld", &seconds, &playouts) == 2) {
        const auto allowed = share.add_run(seconds, playouts);
        if (allowed) std::printf("%ld %g\\n", static_cast<long>(allowed->positions), allowed->seconds);
        else std::puts("nothing");
    }
}
"""
MOST = "8000000"


def test_the_clock_limits_runs_with_time_and_positions_those_that_can_be_repeated(tmp_path: Path) -> None:
    source, program = tmp_path / "share.cpp", tmp_path / "share"
    source.write_text(PROGRAM)
    compiler, sources = shutil.which("c++") or "g++", ROOT / "native" / "src"
    subprocess.run([compiler, "-std=c++20", f"-I{sources}", str(source), "-o", str(program)], check=True)

    def allowed(*runs: str) -> list[str]:
        done = subprocess.run([str(program)], input="\n".join(runs), capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    assert allowed("2 0", "1 0", "1 0", "0.1 0") == [f"{MOST} 0.2", "nothing", f"{MOST} 0.4", "nothing"]
    assert allowed(*["0.1 0"] * 32)[-1] == f"{MOST} 0.1"  # never longer than a run
    assert allowed("0 100", "5 50000", "0 20000", "0 40000") == ["1000 0", "6000 5", "nothing", "12000 0"]
    assert allowed("0 0", "0 0", "0 1000000000") == [f"{MOST} 0", "nothing", "nothing"]
