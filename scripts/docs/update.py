"""Makes the generated parts of the documents anew: tables in pages, and pictures.

python -m scripts.docs.update            # writes what has changed, and says what that was
python -m scripts.docs.update --check    # writes nothing; the exit status is 1 if something would change
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scripts.docs.pages import DOCS, renewed, renewed_files
from scripts.docs.parts import PARTS
from scripts.docs.pictures import PICTURES

FOLDER = DOCS / "pictures"


def outdated() -> dict[Path, str]:
    """Files whose generated parts are not what the data say, with the text that they should have."""
    wanted = {path: renewed(path.read_text("utf-8"), PARTS) for path in renewed_files()}
    wanted |= {FOLDER / name: draw() for name, draw in PICTURES.items()}
    return {path: text for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text}


def main() -> int:
    """Updates or checks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say what is out of date")
    check = parser.parse_args().check
    changed = outdated()
    for path, text in changed.items():
        print(f"{'out of date' if check else 'updated'}: {path.relative_to(DOCS.parent)}")
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
