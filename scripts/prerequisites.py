"""Says what this machine lacks for building Ludens, and how to get it, before anything else fails.

It runs on the system's own Python, before there is a virtual environment, and so imports nothing else.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

# What compilers and their libraries learned last of what the native core needs.
PROBE = """
#include <atomic>
#include <numbers>
#include <ranges>
#include <thread>
int main() {
    unsigned word = 0;
    std::jthread thread([&word] { std::atomic_ref(word).store(1); });
}
"""


def missing() -> list[str]:
    """Debian packages that are needed and not there; empty when all is well."""
    name = Path(sys.executable).name
    python = name if re.fullmatch(r"python3\.\d+", name) else "python3"
    present = {
        f"{python}-venv": importlib.util.find_spec("ensurepip") is not None,
        f"{python}-dev": Path(sysconfig.get_path("include"), "Python.h").exists(),
        "g++": compiler() is not None,
    }
    return [package for package, there in present.items() if not there]


def compiler() -> list[str] | None:
    """The command that compiles C++, as CMake looks for it; None if there is none."""
    if chosen := shlex.split(os.environ.get("CXX", "")):
        return chosen
    return next(([found] for found in map(shutil.which, ("c++", "g++", "clang++")) if found), None)


def complaint(command: list[str]) -> str:
    """What a compiler says first against C++20 and its library; nothing if it knows what is needed."""
    call = [*command, "-x", "c++", "-std=c++20", "-fsyntax-only", "-"]
    try:
        done = subprocess.run(call, input=PROBE, capture_output=True, text=True, check=False)
    except OSError as error:
        return str(error)
    said = [line for line in done.stderr.splitlines() if "error" in line] or [f"it ends with {done.returncode}"]
    return said[0] if done.returncode else ""


def refusal() -> str:
    """What keeps this machine from building Ludens, in one line; nothing when all is well."""
    if sys.version_info < (3, 11):  # noqa: UP036 - older ones run this to be told so
        return "Ludens needs Python 3.11 or later; choose one with `make PYTHON=python3.12`"
    if packages := missing():
        how = "run: sudo apt-get install" if shutil.which("apt-get") else "install what Debian calls"
        return f"Ludens cannot be built yet; first {how} {' '.join(packages)}"
    command = compiler()
    if command and (said := complaint(command)):
        advice = "it takes g++ 12 or clang 14, or a later one, which `make CXX=g++-12` chooses"
        return f"Ludens cannot be built with {' '.join(command)}: {advice} ({said})"
    return ""


def main() -> int:
    """Prints what is missing; the exit status is 0 when nothing is."""
    if said := refusal():
        print(said, file=sys.stderr)
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
