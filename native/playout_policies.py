"""The playout policies that the native machine of a network applies, known without it.

>>> "mast" in MACHINE_POLICIES
True
"""

import re
from pathlib import Path

_LINE = re.compile(r'^PLAYOUT_POLICY\((\w+), \w+, "(.*)"\)$', re.MULTILINE)

MACHINE_POLICIES: dict[str, str] = dict(
    _LINE.findall(Path(__file__).with_name("playout_policies.h").read_text("utf-8"))
)
"""Name and meaning of each."""
