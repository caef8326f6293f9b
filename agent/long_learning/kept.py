"""The evaluation of a game that is kept for all players: what is known of it, and files to carry it elsewhere.

Such a file is that of the user's cache itself (agent/learning/evaluation_cache.py), so it fits the same game under
whatever names, and no other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ludens.agent.learning.evaluation_cache import EvaluationCache
from ludens.agent.long_learning.learned_game import KnownGame, LearnedGame
from ludens.agent.training.checkpoint import TrainingError
from ludens.propnet.base.array_file import StoredArrays
from ludens.propnet.base.whole_file import replace_file
from ludens.propnet.base.words import counted


@dataclass(frozen=True, slots=True)
class KeptEvaluation:
    """What is said of an evaluation."""

    size: str
    rounds: int
    seconds: float  # of learning, of all threads together
    path: Path


def look(cache: EvaluationCache) -> KeptEvaluation | None:
    """Returns what is kept of a game; None if nothing is."""
    stored = cache.load()
    if stored is None:
        return None
    return KeptEvaluation(_size(stored), int(stored["rounds"].astype("int64")), cache.seconds(), cache.path)


def _size(stored: StoredArrays) -> str:
    """Says how large an evaluation of either kind is, that of features or a network over the board."""
    if "inner" in stored:
        return counted(stored["inner"].shape[2], "hidden unit")
    return f"{counted(len(stored.get('convolutions', ())) // 2, 'block')} of width {len(stored.get('stem', ()))}"


def fault(known: KnownGame) -> str:
    """Says why players have no use for what is kept of a game, if anything is and they have none; else nothing."""
    if look(known.kept) is None or known.kept.is_of(known.propositions()):
        return known.kept.found_fault(known.name)
    return _of_another_network(known)


def _of_another_network(known: KnownGame) -> str:
    return f"this evaluation is of another network of {known.name} than this Ludens makes"


def export(known: KnownGame, path: Path) -> None:
    """Writes what is kept of a game to a file; raises `TrainingError`."""
    if found := fault(known):
        raise TrainingError(f"{known.kept.path}: {found}")
    if look(known.kept) is None:
        raise TrainingError(
            f"nothing has been learned of {known.name} with the features {known.features} yet: "
            f"`ludens learn {known.name} --features {known.features}` does so"
        )
    content = _content(known.kept.path)
    try:
        replace_file(path, content)
    except OSError as error:
        raise TrainingError(f"cannot write {path}: {error.strerror}") from error


def take(known: KnownGame, path: Path, tell: Callable[[str], None]) -> KeptEvaluation:
    """Keeps the evaluation of a file for all players; raises `TrainingError` where it is none of this game."""
    cache, content = known.kept, _content(path)
    file = cache.at(path)
    if (given := look(file)) is None:
        raise TrainingError(f"{path}: {file.fault(known.name)}")
    if LearnedGame.of(known, 0, tell, file.saved_features()).approximation.entry(file).read() is None:
        raise TrainingError(f"{path}: {_of_another_network(known)}")
    if (kept := look(cache)) is not None and kept.seconds > given.seconds and not fault(known):
        raise TrainingError(
            f"what is kept of {known.name} took {kept.seconds:,.0f} s of all threads together to learn, and what "
            f"{path} has took {given.seconds:,.0f} s: remove {kept.path} first if you want it all the same"
        )
    try:
        cache.put(content)
    except OSError as error:
        raise TrainingError(f"cannot write {cache.path}: {error.strerror}") from error
    return given


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise TrainingError(f"cannot read {path}: {error.strerror}") from error
