"""Lists in the README.md of each folder what its files are about: `python -m scripts.docs.folders`.

A line is the first sentence of a file's docstring, or of the comment at its head, without the sources that it cites.
For a folder in the folder it is the first sentence of its README.md. What else a README.md says stays unchanged.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("agent", "games", "native", "propnet", "scripts", "tests")
_KINDS = {".py", ".hpp", ".cpp", ".inl", ".h", ".lark"}
_LIST = re.compile(r"^(?:\* `.*\n(?:  .*\n)*)+\n", re.MULTILINE)
_CITATION = re.compile(r" \([^()]*\b(?:19|20)\d\d\)")  # ends with its year
_WIDTH = 118


def readmes() -> list[Path]:
    """Returns the README.md of each folder that holds code, but not of those with tests, which are named by subject."""
    found = (path for name in PACKAGES for path in (ROOT / name).rglob("README.md"))
    tests = ROOT / "tests"
    listed = (tests, tests / "support")
    return sorted(path for path in found if path.parent in listed or not path.is_relative_to(tests))


def renewed(readme: Path) -> str:
    """Returns the text of a README.md with its list made anew."""
    text = readme.read_text(encoding="utf-8")
    head, may_see, tail = text.partition("May see: ")
    lines = [line for name, subject in _contents(readme.parent) for line in _line(name, subject)]
    return _LIST.sub("", head) + "".join(f"{line}\n" for line in lines) + "\n" + may_see + tail


def _line(name: str, subject: str) -> list[str]:
    return textwrap.wrap(
        f"* `{name}`: {subject}.", _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def _contents(folder: Path) -> list[tuple[str, str]]:
    """Returns folders, then files by their stems, with their subjects."""
    inner = sorted(path for path in folder.iterdir() if (path / "README.md").is_file())
    found = [(f"{path.name}/", _first_sentence(_introduction(path / "README.md"))) for path in inner]
    files = [path for path in folder.iterdir() if path.suffix in _KINDS and path.name != "__init__.py"]
    subjects: dict[str, str] = {}
    for path in sorted(files, key=lambda path: (path.suffix != ".hpp", path.name)):  # headers speak first
        subjects.setdefault(path.stem, _first_sentence(_heading(path)))
    return found + sorted(subjects.items())


def _introduction(readme: Path) -> str:
    return readme.read_text(encoding="utf-8").split("\n\n")[1]


def _heading(path: Path) -> str:
    """Returns what a file says of itself."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return ast.get_docstring(ast.parse(text)) or ""
    comment = re.match(r"(?:(?://|;|/?\*|%) ?.*\n| \*.*\n)+", text)
    return re.sub(r"^ ?(?://|/?\*/?) ?", "", comment[0], flags=re.MULTILINE) if comment else ""


def _first_sentence(text: str) -> str:
    paragraph = _CITATION.sub("", " ".join(text.split("\n\n")[0].split()))
    return re.split(r"(?<=\.) (?=[A-Z>])", paragraph)[0].rstrip(".:")


def main() -> int:
    """Writes the lists that have changed; with --check only tells which have."""
    changed = [path for path in readmes() if renewed(path) != path.read_text(encoding="utf-8")]
    for path in changed:
        print(path.relative_to(ROOT))
        if "--check" not in sys.argv:
            path.write_text(renewed(path), encoding="utf-8")
    return 1 if changed and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
