"""Checks proofs of wins by threats in gomoku, with boards as plain lists: an answer for every move of the loser."""

from __future__ import annotations

from ludens.native.core.gomoku import ProofNode

WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))


class Board:
    """Stones of two sides, 0 and 1, on m x n cells of which `length` in a row win; cells are numbered row by row."""

    def __init__(self, rows: int, columns: int, length: int, *, exact: bool = False) -> None:
        self.rows, self.columns, self.length, self.exact = rows, columns, length, exact
        self.cells: list[int | None] = [None] * (rows * columns)

    def empty(self) -> list[int]:
        return [cell for cell, side in enumerate(self.cells) if side is None]

    def wins(self, cell: int, side: int) -> bool:
        """Says whether a stone of this side on an empty cell completes a row."""
        row, column = divmod(cell, self.columns)
        for down, right in WAYS:
            run = 1
            for sign in (1, -1):
                r, c = row + sign * down, column + sign * right
                while 0 <= r < self.rows and 0 <= c < self.columns and self.cells[r * self.columns + c] == side:
                    run, r, c = run + 1, r + sign * down, c + sign * right
            if run == self.length or (run > self.length and not self.exact):
                return True
        return False

    def fives(self, side: int) -> list[int]:
        return [cell for cell in self.empty() if self.wins(cell, side)]


def refutation(board: Board, node: ProofNode, side: int) -> str:
    """Returns why a node of a proof that this side wins is wrong; nothing if it is right."""
    if node.move not in board.empty():
        return f"{node.move} is not empty"
    if board.wins(node.move, side):
        return ""
    if not node.line:
        return f"{node.move} completes no row, and nothing follows"
    board.cells[node.move] = side
    try:
        if board.fives(1 - side):
            return f"after {node.move} the other side completes a row"
        for answer in board.empty():
            board.cells[answer] = 1 - side
            if answer in node.answers:
                wrong = refutation(board, node.answers[answer], side)
            else:
                wrong = "" if line_wins(board, node.line, side) else f"{node.line} does not win against {answer}"
            board.cells[answer] = None
            if wrong:
                return wrong
    finally:
        board.cells[node.move] = None
    return ""


def line_wins(board: Board, line: tuple[int, ...], side: int) -> bool:
    """Says whether a line of fours wins: each completes a row at once, or the other side must take the next cell."""
    move, rest = line[0], line[1:]
    if board.cells[move] is not None:
        return False
    if board.wins(move, side):
        return True
    if not rest:
        return False
    board.cells[move] = side
    completing = board.fives(side)
    won = bool(completing) and not board.fives(1 - side)
    if won and len(completing) == 1:
        won = completing[0] == rest[0]
        board.cells[rest[0]] = 1 - side
        won = won and line_wins(board, rest[1:], side)
        board.cells[rest[0]] = None
    board.cells[move] = None
    return won


def wins_by_fours(board: Board, side: int) -> bool:
    """Says whether the side to move wins by fours alone, by trying everything."""
    if board.fives(side):
        return True
    must = board.fives(1 - side)
    if len(must) > 1:
        return False
    for move in must or board.empty():
        board.cells[move] = side
        answers = board.fives(side)
        won = bool(answers) and not board.fives(1 - side)
        if won and len(answers) == 1:
            board.cells[answers[0]] = 1 - side
            won = wins_by_fours(board, side)
            board.cells[answers[0]] = None
        board.cells[move] = None
        if won:
            return True
    return False


def minimax(board: Board, side: int, known: dict[tuple[int | None, ...], int]) -> int:
    """Returns 1 if the side to move wins, -1 if it loses, 0 for a draw, by trying everything."""
    key = (side, *board.cells)
    if key not in known:
        if board.fives(side):
            known[key] = 1
            return 1
        best, moves = -1 if board.empty() else 0, board.fives(1 - side)[:1] or board.empty()
        for move in moves:
            board.cells[move] = side
            best = max(best, -minimax(board, 1 - side, known))
            board.cells[move] = None
            if best == 1:
                break
        known[key] = best
    return known[key]
