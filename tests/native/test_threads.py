"""Threads of searches that cannot all be started: the function alone, in a program around it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

PROGRAM = """
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>
#include "base/threads.hpp"

std::atomic<int> left = -1;  // allocations until one fails; below 0: none does

void* operator new(std::size_t bytes) {
    if (left >= 0 && left-- == 0) throw std::bad_alloc();
    return std::malloc(bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

// Has each allocation fail in turn, until none is left to, and prints how many did.
int main() {
    const int numbers[] = {0, 1, 2, 3};
    const std::vector<const int*> workers{&numbers[0], &numbers[1], &numbers[2], &numbers[3]};
    for (int failed = 0;; ++failed) {
        std::atomic<bool> stopped = false;
        left = failed;
        try {
            ludens::run_in_threads(workers, stopped, [&](int number) {
                if (number == 0) stopped = true;
                while (!stopped) std::this_thread::yield();
            });
        } catch (const std::bad_alloc&) {
            continue;
        }
        left = -1;
        std::printf("%d", failed);
        return 0;
    }
}
"""


def test_threads_end_where_there_is_no_memory_for_another(tmp_path: Path) -> None:
    source, program = tmp_path / "threads.cpp", tmp_path / "threads"
    source.write_text(PROGRAM)
    compiler, sources = shutil.which("c++") or "g++", ROOT / "native" / "src"
    command = [compiler, "-std=c++20", "-pthread", f"-I{sources}", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert int(done.stdout) > 3  # one at least for each thread
