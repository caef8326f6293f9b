"""Finds all states that play can reach, with Python's evaluation of a network: for small games."""

from __future__ import annotations

from itertools import product

import numpy as np

from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet


def reachable(net: Propnet) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Returns them, [n, S]."""
    evaluator = Evaluator(net)
    found, pending = {net.initial.tobytes(): net.initial}, [net.initial]
    while pending:
        state = pending.pop()
        if evaluator.terminal(state[None])[0]:
            continue
        moves = [legal.nonzero()[0] for legal in evaluator.legal_by_role(state)]
        joints = np.array(list(product(*moves)))
        for after in evaluator.next(np.repeat(state[None], len(joints), axis=0), joints):
            if after.tobytes() not in found:
                found[after.tobytes()] = after
                pending.append(after)
    return np.array(list(found.values()))
