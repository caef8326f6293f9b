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

// Says how many work, is told how many leaves they settle in how long, and so on.
int main(int, char** argv) {
    ludens::guided::Crew crew(std::atoi(argv[1]));
    long leaves;
    double seconds;
    do {
        std::printf("%zu\\n", crew.size());
        std::fflush(stdout);
    } while (std::scanf("%ld %lf", &leaves, &seconds) == 2 && (crew.note(leaves, seconds), true));
}
"""
SHIFT = 0.02
MINUTE = 3000  # shifts


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crew")
    (folder / "crew.cpp").write_text(PROGRAM)
    made = folder / "crew"
    compiler = shutil.which("c++") or "g++"
    subprocess.run([compiler, "-std=c++20", f"-I{SOURCES}", str(folder / "crew.cpp"), "-o", str(made)], check=True)
    return made


class Crew:
    """Threads at work."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.size = self._read()

    def note(self, leaves: float, seconds: float = SHIFT) -> None:
        """They have settled so many."""
        assert self._process.stdin
        self._process.stdin.write(f"{int(leaves)} {seconds}\n")
        self._process.stdin.flush()
        self.size = self._read()

    def work(self, shifts: int, rate: Callable[[int], float]) -> list[int]:
        """How many worked in each of these shifts, in which so many settle that many leaves."""
        sizes = []
        for _ in range(shifts):
            sizes.append(self.size)
            self.note(rate(self.size))
        return sizes

    def _read(self) -> int:
        assert self._process.stdout
        return int(self._process.stdout.readline())


@contextmanager
def crew(program: Path, threads: int) -> Iterator[Crew]:
    with subprocess.Popen(
        [program, str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Crew(process)
        assert process.stdin
        process.stdin.close()


def test_every_number_has_its_trials_and_the_fastest_works(program: Path) -> None:
    with crew(program, 6) as it:
        assert sorted(it.work(12, lambda n: 1000.0 * n)) == sorted([1, 2, 4, 6] * 3)
        worked = it.work(160, lambda n: 1000.0 * n)
    assert worked.count(6) >= 145
    assert {1, 2, 4} <= set(worked)  # now and then


def test_what_gains_less_than_it_costs_in_leaves_chosen_in_the_dark_does_not_work(program: Path) -> None:
    for gain, fastest in ((1.03, 1), (1.2, 2)):
        with crew(program, 2) as it:
            it.work(6, lambda n: 1000.0 * (gain if n == 2 else 1))  # noqa: B023
            worked = it.work(160, lambda n: 1000.0 * (gain if n == 2 else 1))  # noqa: B023
        assert worked.count(fastest) >= 145


def test_after_a_long_calm_a_short_disturbance_is_soon_forgotten(program: Path) -> None:
    def calm(threads: int) -> float:
        return 1400.0 if threads == 2 else 1000.0

    with crew(program, 2) as it:
        assert it.work(MINUTE, calm).count(2) > 0.9 * MINUTE
        it.work(50, lambda n: 500.0 if n == 2 else 1000.0)  # somebody else is there for a second
        assert it.size == 1
        assert it.work(100, calm)[-50:].count(2) > 40


def test_a_shift_that_is_cut_short_goes_on_in_the_next_run(program: Path) -> None:
    with crew(program, 2) as it:
        sizes = []
        for _ in range(60):
            sizes.append(it.size)
            it.note(100.0 if it.size == 1 else 10.0, SHIFT / 3.9)
        assert sizes[:8] == [2] * 4 + [1] * 4
        assert sizes[-12:].count(1) >= 8


def test_one_thread_is_never_relieved(program: Path) -> None:
    with crew(program, 1) as it:
        assert set(it.work(40, lambda _: 100.0)) == {1}
