"""The search strategies of the native core, known without it.

>>> "uct" in STRATEGIES
True
"""

import re
from pathlib import Path

_LINE = re.compile(r'^STRATEGY\((\w+), \w+, "(.*)"\)$', re.MULTILINE)

STRATEGIES: dict[str, str] = dict(_LINE.findall(Path(__file__).with_name("strategies.h").read_text("utf-8")))
"""Name and meaning of each."""
