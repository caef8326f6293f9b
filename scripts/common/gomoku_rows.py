"""Five in a row by trying everything, compiled by numba: what claims of wins by threats are checked with.

It knows stones and rows alone, and shares nothing with the native core: there are no shapes and no tables. A board is
int8[cells], 0 where it is empty, and 1 and 2 for the sides; `columns` of it are a row. Five or more in a row win.

Only for import where there is numba.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int8, int64, njit

from ludens.native.core import ProofNode

LENGTH = 5
_WON, _LOST, _OUT_OF_BUDGET = 1, 0, -1
_NONE = -1


@njit(int64(int8[:], int64, int64, int64, int64, int64, int64), cache=True)
def _arm(board, columns, cell, side, down, right, most):
    """Stones of a side in a row behind a cell in one direction, as far as `most`."""
    rows = len(board) // columns
    row, column, count = cell // columns + down, cell % columns + right, 0
    while count < most and 0 <= row < rows and 0 <= column < columns and board[row * columns + column] == side:
        row, column, count = row + down, column + right, count + 1
    return count


@njit(boolean(int8[:], int64, int64, int64), cache=True)
def completes(board, columns, cell, side):
    """Whether a stone of a side on a cell completes a row, whatever is there now."""
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        run = _arm(board, columns, cell, side, down, right, LENGTH) + _arm(
            board, columns, cell, side, -down, -right, LENGTH
        )
        if run + 1 >= LENGTH:
            return True
    return False


@njit(int64(int8[:], int64, int64, int64[:]), cache=True)
def fives(board, columns, side, found):
    """Counts the empty cells that complete a row of a side, and writes the first of them into `found`."""
    count = 0
    for cell in range(len(board)):
        if board[cell] == 0 and completes(board, columns, cell, side):
            if count < len(found):
                found[count] = cell
            count += 1
    return count


@njit(int64(int8[:], int64, int64, int64, int64[:]), cache=True)
def _fives_near(board, columns, cell, side, found):
    """The same of the cells on the lines through a cell: those that its stone can have helped to."""
    rows, count = len(board) // columns, 0
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for step in range(1 - LENGTH, LENGTH):
            row, column = cell // columns + step * down, cell % columns + step * right
            if 0 <= row < rows and 0 <= column < columns:
                place = row * columns + column
                if board[place] == 0 and completes(board, columns, place, side):
                    if count < len(found):
                        found[count] = place
                    count += 1
    return count


@njit(int64(int8[:], int64, int64, int64[:]), cache=True)
def wins_by_fours(board, columns, side, budget):
    """Says whether the side to move wins by fours alone: 1, 0, or -1 once `budget[0]` positions were looked at."""
    budget[0] -= 1
    if budget[0] < 0:
        return _OUT_OF_BUDGET
    found = np.empty(2, np.int64)
    if fives(board, columns, side, found):
        return _WON
    must = fives(board, columns, 3 - side, found)
    if must > 1:
        return _LOST
    first, last = (found[0], found[0] + 1) if must else (0, len(board))
    for move in range(first, last):
        if board[move]:
            continue
        board[move] = side
        made = _fives_near(board, columns, move, side, found)
        if made and (found[: min(made, 2)] != found[0]).any():
            board[move] = 0
            return _WON
        result = _LOST
        if made:
            answer = found[0]
            board[answer] = 3 - side
            result = wins_by_fours(board, columns, side, budget)
            board[answer] = 0
        board[move] = 0
        if result != _LOST:
            return result
    return _LOST


@njit(boolean(int8[:], int64, int64[:], int64, int64), cache=True)
def _line_wins(board, columns, line, side, answer):
    """Whether a line of fours wins: each completes a row at once, or the other side has to take the next cell.

    The other side, which had no row to complete before, has just answered on a cell. Only cells near the last stones
    can complete rows now; own ones elsewhere are not looked for, which makes no line win that does not.
    """
    found, none = np.empty(2, np.int64), np.empty(0, np.int64)
    made, won = 0, False
    while made < len(line) and not board[line[made]]:
        move = line[made]
        if completes(board, columns, move, side):
            won = True
            break
        board[move] = side
        made += 1
        threatened = _fives_near(board, columns, answer, 3 - side, none)
        for reply in range(1, made, 2):
            threatened += _fives_near(board, columns, line[reply], 3 - side, none)
        count = _fives_near(board, columns, move, side, found)
        if not count or threatened:
            break
        if count > 1 and found[0] != found[1]:
            won = True
            break
        if made == len(line) or line[made] != found[0]:
            break
        board[found[0]] = 3 - side
        made += 1
    for cell in line[:made]:
        board[cell] = 0
    return won


@njit(int64(int8[:], int64, int64[:], int64, int64[:]), cache=True)
def _unanswered(board, columns, line, side, found):
    """Counts the answers of the other side against which a line does not win, and writes them into `found`."""
    count = 0
    for answer in range(len(board)):
        if board[answer]:
            continue
        board[answer] = 3 - side
        if not _line_wins(board, columns, line, side, answer):
            found[count] = answer
            count += 1
        board[answer] = 0
    return count


def refutation(board: np.ndarray, columns: int, node: ProofNode, side: int) -> str:
    """Returns why a proof that a side wins is wrong; "" if it wins against every answer. Leaves the board as it is."""
    if not 0 <= node.move < len(board) or board[node.move]:
        return f"cell {node.move} is not empty"
    if completes(board, columns, node.move, side):
        return ""
    board[node.move] = side
    found = np.empty(len(board), np.int64)
    if fives(board, columns, 3 - side, found):
        board[node.move] = 0
        return f"after cell {node.move} the other side completes a row"
    wrong = ""
    open_answers = found[: _unanswered(board, columns, np.array(node.line, np.int64), side, found)].tolist()
    for answer in (*open_answers, *(each for each in node.answers if each not in open_answers)):
        if answer not in node.answers:
            wrong = f"after cell {node.move} nothing is said of {answer}"
        else:
            board[answer] = 3 - side
            wrong = refutation(board, columns, node.answers[answer], side)
            board[answer] = 0
        if wrong:
            break
    board[node.move] = 0
    return wrong


@njit(int64(int8[:], int64, int64, int64, int64[:]), cache=True)
def wins_by_threes(board, columns, side, depth, budget):
    """Says whether the side to move wins by fours and at most `depth` other threats: 1, 0, or -1 as `wins_by_fours`.

    A threat is a move after which the side would win by fours, were it to move again. Every answer is tried.
    """
    result = wins_by_fours(board, columns, side, budget)
    if result != _LOST or depth == 0:
        return result
    found = np.empty(2, np.int64)
    must = fives(board, columns, 3 - side, found)
    if must > 1:
        return _LOST
    first, last = (found[0], found[0] + 1) if must else (0, len(board))
    for move in range(first, last):
        if board[move]:
            continue
        board[move] = side
        made = _fives_near(board, columns, move, side, found)
        result = _WON if made else wins_by_fours(board, columns, side, budget)
        from_answer, to_answer = (found[0], found[0] + 1) if made else (0, len(board))
        for answer in range(from_answer, to_answer):
            if result != _WON:
                break
            if board[answer] == 0:
                board[answer] = 3 - side
                left = depth if made else depth - 1
                result = wins_by_threes(board, columns, side, left, budget)
                board[answer] = 0
        board[move] = 0
        if result != _LOST:
            return result
    return _LOST
