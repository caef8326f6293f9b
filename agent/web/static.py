"""The files of the page: read once, sent compressed, and none besides."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from pathlib import Path

from ludens.agent.web.bundle import PAGE

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file as it is sent."""

    content: bytes
    compressed: bytes
    kind: str
    tag: str  # that tells versions apart


def page_file(content: bytes, suffix: str) -> PageFile:
    """Makes what is sent of a file's content."""
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    return PageFile(content, gzip.compress(content, 6, mtime=0), _TYPES[suffix], tag)


def page_files(folder: Path = PAGE) -> dict[str, PageFile]:
    """Returns the files of the page by their paths in its folder."""
    paths = (path for path in folder.rglob("*") if path.suffix in _TYPES)
    return {path.relative_to(folder).as_posix(): page_file(path.read_bytes(), path.suffix) for path in paths}
