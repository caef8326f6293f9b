"""Describes the native core to cffi: API mode, the cdef is `ludens.h`, the sources are `src/*.cpp`."""

from __future__ import annotations

import os
from pathlib import Path

from cffi import FFI

HERE = Path(__file__).resolve().parent


def compile_args() -> list[str]:
    """Flags for any x86-64 or ARM machine: instruction sets are chosen at run time, file by file.

    Products and sums are not contracted, so that a search takes the same course on every machine.
    """
    extra = os.environ.get("LUDENS_CXXFLAGS", "").split()
    warnings = ["-Wall", "-Wextra", "-Wno-psabi"]
    return ["-std=c++20", "-O3", "-g0", "-ffp-contract=off", *warnings, "-fvisibility=hidden", "-pthread", *extra]


ffi = FFI()
ffi.cdef((HERE / "ludens.h").read_text())
ffi.set_source(
    "native._core",
    '#include "api.hpp"',
    source_extension=".cpp",
    sources=[os.path.relpath(p, HERE.parent) for p in sorted((HERE / "src").glob("*.cpp"))],
    include_dirs=[os.path.relpath(HERE / "src", HERE.parent)],
    depends=[
        os.path.relpath(p, HERE.parent) for p in sorted([HERE / "strategies.h", *(HERE / "src").glob("*.[hi]*")])
    ],
    extra_compile_args=compile_args(),
    extra_link_args=["-pthread"],
)

if __name__ == "__main__":
    ffi.compile(verbose=True)
