"""Says what this machine lacks for building Ludens, and how to get it, before anything else fails.

It runs on the system's own Python, before there is a virtual environment, and so imports nothing else.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
import sysconfig
from pathlib import Path


def missing() -> list[str]:
    """Debian packages that are needed and not there; empty when all is well."""
    headers = Path(sysconfig.get_path("include"), "Python.h")
    present = {
        "python3-venv": importlib.util.find_spec("ensurepip") is not None,
        "python3-dev": headers.exists(),
        "g++": shutil.which("c++") is not None or shutil.which("g++") is not None,
    }
    return [package for package, there in present.items() if not there]


def main() -> int:
    """Prints what is missing; the exit status is 0 when nothing is."""
    if sys.version_info < (3, 11):  # noqa: UP036 - older ones run this to be told so
        print("Ludens needs Python 3.11 or later; choose one with `make PYTHON=python3.12`", file=sys.stderr)
        return 1
    packages = missing()
    if packages:
        print(f"Ludens cannot be built yet; first run: sudo apt-get install {' '.join(packages)}", file=sys.stderr)
    return 1 if packages else 0


if __name__ == "__main__":
    sys.exit(main())
