"""`ludens compete`: games of policies against each other, turn by turn, with the times that they take."""

from __future__ import annotations

from dataclasses import dataclass

from ludens.agent.commands.exit_codes import UsageError
from ludens.agent.gomoku.strategies import read_any_policy
from ludens.games.gomoku.competition import PlayedGame, Turn, play_game, random_opening
from ludens.games.gomoku.state import MAX, MIN, GomokuState
from ludens.propnet.base.words import counted


@dataclass(slots=True)
class _Side:
    """What a policy has reached."""

    name: str
    won: int = 0
    score: int = 0  # of all games, as this side sees it
    seconds: float = 0.0
    turns: int = 0


def run(
    policies: tuple[str, str],
    size: int,
    win_size: int,
    *,
    seconds: float,
    games: int,
    opening: int,
    seed: int,
    quiet: bool,
) -> int:
    """Plays games with colours by turns and prints them; raises `LudensError`.

    Two games in a row have the same opening of so many random stones.
    """
    playing = [read_any_policy(text, seed + number) for number, text in enumerate(policies)]
    start = GomokuState.blank(size, win_size)
    if opening >= size * size:
        raise UsageError(f"--opening-moves must be less than the {size * size} cells of the board, not {opening}")
    sides = [_Side(policy.name) for policy in playing]
    for game in range(games):
        order = (0, 1) if game % 2 == 0 else (1, 0)
        moves = random_opening(start, opening, seed + game // 2)
        if not quiet:
            _show_opening(start.play_seq(moves), len(moves))
        played = play_game([playing[i] for i in order], start, seconds, (lambda turn: None) if quiet else _show, moves)
        _count(played, [sides[i] for i in order], len(moves))
        print(_result(played, *(sides[i].name for i in order)), flush=True)
    for side in sides:
        times = f"{side.seconds:.3f} seconds in {counted(side.turns, 'turn')}"
        print(f"{side.name}: won {side.won}, score {side.score}, {times}")
    return 0


def _show_opening(state: GomokuState, moves: int) -> None:
    if moves:
        print(f"Opening of {counted(moves, 'stone')}\n{state}\n", flush=True)


def _show(turn: Turn) -> None:
    print(f"Turn {turn.number}: {turn.policy.name} took {turn.seconds:.3f} seconds\n{turn.state}\n", flush=True)


def _result(played: PlayedGame, first: str, second: str) -> str:
    turns = counted(len(played.actions), "turn")
    winner = {MAX: f"{first} (x) won", MIN: f"{second} (o) won"}.get(played.state.winner, "nobody won")
    return f"Score {played.state.current_score}: {winner} after {turns}"


def _count(played: PlayedGame, sides: list[_Side], opening: int) -> None:
    """Adds a game to both sides, of which the first played x."""
    for number, (side, seconds) in enumerate(zip(sides, played.seconds, strict=True)):
        sign = -1 if number else 1
        side.won += played.state.winner == (MIN if number else MAX)
        side.score += sign * played.state.current_score
        side.seconds += seconds
        side.turns += sum(ply % 2 == number for ply in range(opening, len(played.actions)))
