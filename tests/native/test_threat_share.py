"""How long a search of patterns looks for threats: by the clock, or by positions; the class alone, in a program."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

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


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("share")
    source, made = folder / "share.cpp", folder / "share"
    source.write_text(PROGRAM)
    compiler, sources = shutil.which("c++") or "g++", ROOT / "native" / "src"
    subprocess.run([compiler, "-std=c++20", f"-I{sources}", str(source), "-o", str(made)], check=True)
    return made


def allowed(program: Path, *runs: str) -> list[str]:
    """What each of these runs may look for threats with."""
    done = subprocess.run([str(program)], input="\n".join(runs), capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_the_clock_limits_runs_with_time_and_positions_those_that_can_be_repeated(program: Path) -> None:
    by_time = allowed(program, "2 0", "1 0", "2 0", "1 0", "0.1 0")
    assert by_time == [f"{MOST} 0.2", "nothing", "nothing", f"{MOST} 0.4", "nothing"]
    assert allowed(program, "0 100", "5 50000", "0 20000", "0 40000") == ["1000 0", "6000 5", "nothing", "12000 0"]
    assert allowed(program, "0 0", "0 0", "0 1000000000") == [f"{MOST} 0", "nothing", "nothing"]


@pytest.mark.parametrize("runs", [5, 100, 600])
def test_threats_have_their_tenth_however_short_the_runs_are(program: Path, runs: int) -> None:
    seconds = [float(line.split()[1]) for line in allowed(program, *["0.1 0"] * runs) if line != "nothing"]
    assert max(seconds) <= 0.1
    assert 0.05 <= sum(seconds) / (0.1 * runs) < 0.1001
