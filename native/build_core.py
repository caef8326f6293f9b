"""Describes the native core to cffi: API mode, the cdef is `ludens.h`, the sources are `src/*.cpp`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from cffi import FFI

HERE = Path(__file__).resolve().parent


def compile_args() -> list[str]:
    """Flags for any x86-64 or ARM machine: instruction sets are chosen at run time, file by file."""
    if sys.platform == "win32":
        return ["/std:c++20", "/O2", "/EHsc"]
    extra = os.environ.get("LUDENS_CXXFLAGS", "").split()
    return ["-std=c++20", "-O3", "-Wall", "-Wextra", "-Wno-psabi", "-fvisibility=hidden", "-pthread", *extra]


ffi = FFI()
ffi.cdef((HERE / "ludens.h").read_text())
ffi.set_source(
    "native._core",
    '#include "api.hpp"',
    source_extension=".cpp",
    sources=[os.path.relpath(p, HERE.parent) for p in sorted((HERE / "src").glob("*.cpp"))],
    include_dirs=[os.path.relpath(HERE / "src", HERE.parent)],
    depends=[os.path.relpath(p, HERE.parent) for p in sorted((HERE / "src").glob("*.[hi]*"))],
    extra_compile_args=compile_args(),
    extra_link_args=["-pthread"] if sys.platform != "win32" else [],
)

if __name__ == "__main__":
    ffi.compile(verbose=True)
