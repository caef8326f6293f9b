"""The types of arrays that stand for networks, states and moves."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Int32Array: TypeAlias = npt.NDArray[np.int32]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
