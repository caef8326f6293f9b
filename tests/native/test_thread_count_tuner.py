"""How many threads the guided search works in, on made-up rates: the class alone, in a program around it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.paths import ROOT

SOURCES = ROOT / "native" / "src"
PROGRAM = """
#include <cstdio>
#include <cstdlib>
#include "guided/thread_count_tuner.hpp"

// Prints how many threads are to work, reads how many leaves they evaluated in how long, and so on.
int main(int, char** argv) {
    ludens::guided::ThreadCountTuner tuner(std::atoi(argv[1]));
    long leaves;
    double seconds;
    do {
        std::printf("%zu\\n", tuner.threads());
        std::fflush(stdout);
    } while (std::scanf("%ld %lf", &leaves, &seconds) == 2 && (tuner.report(leaves, seconds), true));
}
"""
INTERVAL = 0.02
MINUTE = 3000  # intervals


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tuner")
    (folder / "tuner.cpp").write_text(PROGRAM)
    made = folder / "tuner"
    compiler = shutil.which("c++") or "g++"
    subprocess.run([compiler, "-std=c++20", f"-I{SOURCES}", str(folder / "tuner.cpp"), "-o", str(made)], check=True)
    return made


class Tuner:
    """The tuner of threads that evaluate leaves."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.threads = self._read()

    def report(self, leaves: float, seconds: float = INTERVAL) -> None:
        """Tells how many leaves the threads evaluated in that time."""
        assert self._process.stdin
        self._process.stdin.write(f"{int(leaves)} {seconds}\n")
        self._process.stdin.flush()
        self.threads = self._read()

    def work(self, intervals: int, rate: Callable[[int], float]) -> list[int]:
        """Returns how many threads worked in each interval, in which n threads evaluate rate(n) leaves."""
        counts = []
        for _ in range(intervals):
            counts.append(self.threads)
            self.report(rate(self.threads))
        return counts

    def _read(self) -> int:
        assert self._process.stdout
        return int(self._process.stdout.readline())


@contextmanager
def tuner(program: Path, threads: int) -> Iterator[Tuner]:
    with subprocess.Popen([program, str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Tuner(process)
        assert process.stdin
        process.stdin.close()


def test_every_number_has_its_trials_and_the_fastest_works(program: Path) -> None:
    with tuner(program, 6) as it:
        assert sorted(it.work(12, lambda n: 1000.0 * n)) == sorted([1, 2, 4, 6] * 3)
        worked = it.work(160, lambda n: 1000.0 * n)
    assert worked.count(6) >= 145
    assert {1, 2, 4} <= set(worked)  # now and then


def test_threads_that_gain_less_than_they_cost_in_worse_leaves_do_not_work(program: Path) -> None:
    for gain, fastest in ((1.03, 1), (1.2, 2)):
        with tuner(program, 2) as it:
            it.work(6, lambda n: 1000.0 * (gain if n == 2 else 1))  # noqa: B023
            worked = it.work(160, lambda n: 1000.0 * (gain if n == 2 else 1))  # noqa: B023
        assert worked.count(fastest) >= 145


def test_after_a_long_calm_a_short_disturbance_is_soon_forgotten(program: Path) -> None:
    def calm(threads: int) -> float:
        return 1400.0 if threads == 2 else 1000.0

    with tuner(program, 2) as it:
        assert it.work(MINUTE, calm).count(2) > 0.9 * MINUTE
        it.work(50, lambda n: 500.0 if n == 2 else 1000.0)  # somebody else is there for a second
        assert it.threads == 1
        assert it.work(100, calm)[-50:].count(2) > 40


def test_an_interval_that_is_cut_short_goes_on_in_the_next_run(program: Path) -> None:
    with tuner(program, 2) as it:
        counts = []
        for _ in range(60):
            counts.append(it.threads)
            it.report(100.0 if it.threads == 1 else 10.0, INTERVAL / 3.9)
        assert counts[:8] == [2] * 4 + [1] * 4
        assert counts[-12:].count(1) >= 8


def test_one_thread_stays_one(program: Path) -> None:
    with tuner(program, 1) as it:
        assert set(it.work(40, lambda _: 100.0)) == {1}
