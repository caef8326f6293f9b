"""Says in one line that Ludens itself is at fault, and keeps the traceback in a file for a report."""

from __future__ import annotations

import tempfile
import traceback
from pathlib import Path


def describe(error: Exception) -> str:
    """Returns what went wrong and where the traceback is; on a machine without room for that, the traceback itself."""
    what = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
    text = "".join(traceback.format_exception(error))
    try:
        with tempfile.NamedTemporaryFile(prefix="ludens-error-", suffix=".txt", delete=False) as file:
            file.write(text.encode(errors="backslashreplace"))
    except OSError:
        return f"internal error, please report it:\n{text}"
    return f"internal error ({what}); please report it, with the file {Path(file.name)}"
