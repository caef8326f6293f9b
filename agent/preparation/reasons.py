"""Says in words why a search was chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ludens.agent.preparation.ratings import Ratings
from ludens.agent.preparation.trial import Candidate


def why_chosen(candidates: Sequence[Candidate], number: int, ratings: Ratings, explain: Callable[[str], None]) -> str:
    """Returns why the candidate of that number plays, and explains what each other one can expect."""
    plain, others = candidates[0].config, range(1, len(candidates))
    expected = {other: f"can expect {ratings.score_in_words(other)} of the points" for other in others}
    for other in others:
        explain(f"{candidates[other].config} {expected[other]} in this match against {plain}")
    nearest = number or max(others, key=ratings.score)
    grounds = _grounds(candidates[nearest], ratings.games)
    if number:
        return f"{expected[number]} against {plain}, {grounds}"
    return f"no other search seems stronger: {candidates[nearest].config} {expected[nearest]}, {grounds}"


def _grounds(candidate: Candidate, games: int) -> str:
    """Returns what the expectation follows from."""
    known = candidate.evidence.foresight if candidate.evidence else None
    played = f"{games} trial game{'s' * (games != 1)}" if games else "no trial game"
    if candidate.evidence and candidate.evidence.independence > 0:
        share = f"{100 * candidate.evidence.independence:.0f} %"
        return f"since {share} of what a move brings does not depend on those made at the same time, after {played}"
    return f"judged by other games and {played}" if known is None else f"since {known}, after {played}"
