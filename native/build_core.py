"""Writes the binding of the native core, which cffi makes of `ludens.h`, to a C++ file: `build_core.py FILE`."""

from __future__ import annotations

import sys
from pathlib import Path

from cffi import FFI


def binding() -> FFI:
    """The module `ludens.native._core` in API mode; its header is the whole C API."""
    ffi = FFI()
    ffi.cdef(Path(__file__).with_name("ludens.h").read_text(encoding="utf-8"))
    ffi.set_source("ludens.native._core", '#include "api/api.hpp"', source_extension=".cpp")
    return ffi


if __name__ == "__main__":
    binding().emit_c_code(sys.argv[1])
