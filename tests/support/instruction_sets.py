"""The instruction sets for which a core is compiled, as far as this process may use them."""

from __future__ import annotations

from collections.abc import Callable

from ludens.propnet.base.errors import NativeError


def sets_of(use: Callable[[str], object]) -> list[str]:
    """Tries a core on all instruction sets, and returns those that it has here; plain C++ is one of them.

    Raises every other error of the core, so that one which fails is not taken for one that the processor lacks.
    """
    found = []
    for name in ("avx512", "avx2", "baseline"):
        try:
            use(name)
            found.append(name)
        except NativeError as error:
            if name == "baseline" or "is not available" not in str(error):
                raise
    return found
