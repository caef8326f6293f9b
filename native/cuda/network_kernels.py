"""The kernels of the network: a block plays 32 games, bit by bit, and its threads share the work of each step.

Words of 32 games lie in the memory that a block shares. Its threads evaluate a row of gates at once, wait for each
other, and go on to the next row; gates of the next row are read from the device's memory meanwhile. For the choice of
moves the words of what is legal, 32 moves at a time, are transposed into words of 32 moves of one game each, in five
exchanges of blocks of bits (Warren, "Hacker's Delight", section 7-3): counting their ones counts moves.

A game's random numbers come from a stream of its own, splitmix64 (Steele, Lea and Flood, 2014), whose n-th number is
worked out from n: `random_word`. A number below n is the high half of 32 random bits times n.

All threads of a block see the same games as playing, over and to be started, so that none waits where another does
not. A launch makes a bounded number of steps; what a block keeps until the next one is in `Lanes`.

Only for import where there is numba.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import cuda, int64, uint32, uint64

from ludens.native.cuda.program import GAMES, MOST_ROLES, MOVES

UNKNOWN_GOAL = 50  # of a role without exactly one goal
STREAM = np.uint64(0x632BE59BD9B4E019)  # between the seeds of games
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # between the numbers of a stream before they are mixed

WORLD, STEP, GOALS = 0, 1, 2  # lines of Tables.segments

# Fields of a block: the games that are played, and those that are over but not yet counted, as 32 bits; how many are
# still to be started, and from which state; and what has been counted: loops that deny themselves, games, steps, games
# without a legal move, sums of the goals of each role, then of their squares.
PLAYING, ENDED, REMAINING, START, FAULTS, PLAYOUTS, CHANGES, STUCK, FIRST_SUM = range(9)

_NONE, _ONE, _ALL = np.uint32(0), np.uint32(1), np.uint32(0xFFFFFFFF)
_RIGHT, _HALF = np.uint32(16), np.uint64(32)  # of a gate: where its right operand begins, and its slot
_OPERAND, _NEGATED = np.uint32(0xFFFF), np.uint32(1)
_ROLES = np.uint64(MOST_ROLES)  # between the numbers of a stream for two steps
_OVER, _EXPIRED, _COUNTS = 0, 1, 2  # words behind those of the slots; from the last on, legal moves of roles and games


class Tables(NamedTuple):
    """The program on the device; shapes as in DeviceProgram."""

    rows: Any  # uint64[(rows + 1) * threads]: from the lowest bit on, 16 of each operand, then the slot
    pieces: Any
    segments: Any
    feedback: Any
    updates: Any
    legal: Any
    roles: Any
    goals: Any
    terminal: Any  # [1]
    moves: Any  # [1]
    slots: Any  # [1]


class Lanes(NamedTuple):
    """The games on the device, in B blocks; bit n of a word is game n of its block."""

    states: Any  # uint32[B, state bits]
    born: Any  # int64[B, 32]: when a game began, in steps
    blocks: Any  # int64[B, FIRST_SUM + 2 roles]: fields as above
    starts: Any  # uint64[P, state words]: the states that games begin from


@cuda.jit(device=True)
def _value(words, operand):
    return uint32(words[operand >> _NEGATED] ^ uint32(_NONE - uint32(operand & _NEGATED)))


@cuda.jit(device=True)
def _run_rows(tables, words, first, last):
    """Evaluates rows of gates; all threads have written when it returns."""
    threads = uint64(cuda.blockDim.x)
    at, past = uint64(first) * threads + uint64(cuda.threadIdx.x), uint64(last) * threads
    gate = tables.rows[at]
    while at < past:
        at += threads
        following = tables.rows[at]
        operands = uint32(gate)
        left, right = _value(words, uint32(operands & _OPERAND)), _value(words, uint32(operands >> _RIGHT))
        words[uint32(gate >> _HALF)] = left & right
        gate = following
        cuda.syncthreads()


@cuda.jit(device=True)
def _evaluate(tables, lanes, words, segment):
    """Loops rise from false to their least fixpoint; every pass but the last raises an input.

    Where an input drives another one it does not matter which of both is raised first.
    """
    thread, threads = cuda.threadIdx.x, cuda.blockDim.x
    for piece in range(tables.segments[segment, 0], tables.segments[segment, 1]):
        first, last = tables.pieces[piece, 2], tables.pieces[piece, 3]
        f = first + thread
        while f < last:
            words[uint64(tables.feedback[f, 0])] = _NONE
            f += threads
        cuda.syncthreads()
        changed = 1
        for _ in range(last - first + 1):
            _run_rows(tables, words, tables.pieces[piece, 0], tables.pieces[piece, 1])
            difference = _NONE
            f = first + thread
            while f < last:
                slot, value = uint64(tables.feedback[f, 0]), _value(words, uint32(tables.feedback[f, 1]))
                difference |= words[slot] ^ value
                words[slot] = value
                f += threads
            changed = cuda.syncthreads_or(1 if difference != _NONE else 0)
            if changed == 0:
                break
        if changed != 0 and thread == 0:
            lanes.blocks[cuda.blockIdx.x, FAULTS] += 1


# ---- Legal moves, and the choice among them -----------------------------------------------------------------


@cuda.jit(device=True)
def _legal_of_games(tables):
    """Where the words of legal moves begin: uint32[blocks of 32 moves, 32 games]."""
    return tables.slots[0] + _COUNTS + GAMES * tables.roles.shape[0]


@cuda.jit(device=True)
def _transpose(words, first, count):
    """Transposes blocks of 32 words in place: bit n of word m becomes bit m of word n."""
    width, mask = 16, uint32(0xFFFF)
    while width:
        pair = cuda.threadIdx.x
        while pair < count // 2:
            low = pair & (width - 1)
            at = first + 2 * (pair - low) + low
            one, other = words[uint32(at)], words[uint32(at + width)]
            exchanged = ((one >> uint32(width)) ^ other) & mask
            words[uint32(at)] = one ^ (exchanged << uint32(width))
            words[uint32(at + width)] = other ^ exchanged
            pair += cuda.blockDim.x
        cuda.syncthreads()
        width >>= 1
        mask ^= mask << uint32(width)


@cuda.jit(device=True)
def _find_legal(tables, words):
    """Finds the legal moves of each role in each game, and counts them."""
    thread, threads, first = cuda.threadIdx.x, cuda.blockDim.x, _legal_of_games(tables)
    move = thread
    while move < tables.legal.shape[0]:
        words[uint32(first + move)] = words[uint32(tables.legal[move])]
        move += threads
    cuda.syncthreads()
    _transpose(words, first, tables.legal.shape[0])
    lane = thread
    while lane < GAMES:
        for role in range(tables.roles.shape[0]):
            count, at = _NONE, first + tables.roles[role, 0] + lane
            for _ in range(tables.roles[role, 1]):
                count += uint32(cuda.popc(words[uint32(at)]))
                at += GAMES
            words[uint32(tables.slots[0] + _COUNTS + GAMES * role + lane)] = count
        lane += threads
    cuda.syncthreads()


@cuda.jit(device=True)
def _over(tables, words):
    """Finds legal moves; the games that are over, by rule or because a role has no legal move."""
    over = uint32(tables.slots[0] + _OVER)
    if cuda.threadIdx.x == 0:
        words[over] = words[uint32(tables.terminal[0])]
    _find_legal(tables, words)
    lane = cuda.threadIdx.x
    while lane < GAMES:
        for role in range(tables.roles.shape[0]):
            if words[uint32(tables.slots[0] + _COUNTS + GAMES * role + lane)] == _NONE:
                cuda.atomic.or_(words, over, _ONE << uint32(lane))
        lane += cuda.blockDim.x
    cuda.syncthreads()
    return words[over]


@cuda.jit(device=True)
def _mixed(x):
    x = (x ^ (x >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> uint64(27))) * uint64(0x94D049BB133111EB)
    return x ^ (x >> uint64(31))


@cuda.jit(device=True)
def random_word(seed, game, step, role):
    """The 32 random bits by which a role chooses in a step of a game."""
    stream = _mixed(seed + uint64(game + 1) * STREAM)
    return _mixed(stream + (uint64(step) * _ROLES + uint64(role + 1)) * GOLDEN) >> _HALF


@cuda.jit(device=True)
def _one(word, rank):
    """The place of a one in a word, counted from 0 as its rank is: half of what is left is passed over, or not."""
    place, width = 0, 16
    while width:
        low = uint32(cuda.popc(word & ((_ONE << uint32(width)) - _ONE)))
        if rank >= low:
            rank -= low
            word >>= uint32(width)
            place += width
        width >>= 1
    return place


@cuda.jit(device=True)
def _move(tables, words, role, lane, random):
    """The move of a role in a game; the role has legal moves there."""
    count = words[uint32(tables.slots[0] + _COUNTS + GAMES * role + lane)]
    rank = uint32((random * uint64(count)) >> _HALF)
    at, move = _legal_of_games(tables) + tables.roles[role, 0] + lane, 0
    word = words[uint32(at)]
    ones = uint32(cuda.popc(word))
    while rank >= ones:
        rank -= ones
        at += GAMES
        move += MOVES
        word = words[uint32(at)]
        ones = uint32(cuda.popc(word))
    return move + _one(word, rank)


@cuda.jit(device=True)
def _choose(tables, lanes, words, playing, seed, step, moves, lengths):
    """Writes the words of the moves: one legal move of each role in every game that is played, none elsewhere.

    Notes them down in int32[games, steps, roles] and the steps so far in int32[games], if these have room for them.
    """
    block, thread, threads = cuda.blockIdx.x, cuda.threadIdx.x, cuda.blockDim.x
    move = thread
    while move < tables.moves[0]:
        words[uint32(tables.roles[0, 2] + move)] = _NONE
        move += threads
    cuda.syncthreads()
    lane = thread
    while lane < GAMES:
        if (playing >> uint32(lane)) & _ONE:
            game = GAMES * block + lane
            for role in range(tables.roles.shape[0]):
                move = _move(tables, words, role, lane, random_word(seed, game, step, role))
                cuda.atomic.or_(words, uint32(tables.roles[role, 2] + move), _ONE << uint32(lane))
                if game < moves.shape[0] - 1:
                    lengths[game] = step - lanes.born[block, lane]
                    moves[game, lengths[game] - 1, role] = move
        lane += threads
    cuda.syncthreads()


# ---- Rounds -------------------------------------------------------------------------------------------------


@cuda.jit(device=True)
def _update(tables, words, playing):
    """Makes the states those that follow, where games are played."""
    update = cuda.threadIdx.x
    while update < tables.updates.shape[0]:
        state, value = uint32(tables.updates[update, 0]), uint32(tables.updates[update, 1])
        words[state] = (words[state] & (playing ^ _ALL)) | (words[value] & playing)
        update += cuda.blockDim.x
    cuda.syncthreads()


@cuda.jit(device=True)
def _expired(tables, lanes, words, playing, now, max_steps):
    """The games that have been played for `max_steps`; none of them can have before so many steps are made."""
    if now < max_steps:
        return _NONE
    expired = uint32(tables.slots[0] + _EXPIRED)
    if cuda.threadIdx.x == 0:
        words[expired] = _NONE
    cuda.syncthreads()
    lane = cuda.threadIdx.x
    while lane < GAMES:
        if (playing >> uint32(lane)) & _ONE and now - lanes.born[cuda.blockIdx.x, lane] >= max_steps:
            cuda.atomic.or_(words, expired, _ONE << uint32(lane))
        lane += cuda.blockDim.x
    cuda.syncthreads()
    return words[expired]


@cuda.jit(device=True)
def _count_goals(tables, lanes, words, ended):
    """Adds what the games came to that are over."""
    block, roles = cuda.blockIdx.x, tables.roles.shape[0]
    lane = cuda.threadIdx.x
    while lane < GAMES:
        if (ended >> uint32(lane)) & _ONE:
            for role in range(roles):
                value, known = 0, 0
                for k in range(tables.roles[role, 3], tables.roles[role, 4]):
                    if (words[uint32(tables.goals[k, 1])] >> uint32(lane)) & _ONE:
                        value = tables.goals[k, 0]
                        known += 1
                if known != 1:
                    value = UNKNOWN_GOAL
                cuda.atomic.add(lanes.blocks, (block, FIRST_SUM + role), int64(value))
                cuda.atomic.add(lanes.blocks, (block, FIRST_SUM + roles + role), int64(value * value))
        lane += cuda.blockDim.x


@cuda.jit(device=True)
def _restart(tables, lanes, words, playing, ended, now):
    """Counts the games that are over and starts new ones in their place; the games that are played then."""
    block, thread, threads = cuda.blockIdx.x, cuda.threadIdx.x, cuda.blockDim.x
    if ended != _NONE:
        _evaluate(tables, lanes, words, GOALS)
        _count_goals(tables, lanes, words, ended)
        if thread == 0:
            lanes.blocks[block, PLAYOUTS] += cuda.popc(ended)
            lanes.blocks[block, STUCK] += cuda.popc(ended & (words[uint32(tables.terminal[0])] ^ _ALL))
    started, left = _NONE, lanes.blocks[block, REMAINING]
    for lane in range(GAMES):
        bit = _ONE << uint32(lane)
        if not playing & bit and left > 0:
            left -= 1
            started |= bit
    cuda.syncthreads()
    if thread == 0:
        lanes.blocks[block, REMAINING] = left
    free = playing ^ _ALL  # those that are not started are at the start too: any other state may deny a loop
    lane = thread
    while lane < GAMES:
        if (started >> uint32(lane)) & _ONE:
            lanes.born[block, lane] = now
        lane += threads
    start = lanes.blocks[block, START]
    bit = thread
    while bit < lanes.states.shape[1]:
        holds = (lanes.starts[start, bit >> 6] >> uint64(bit & 63)) & uint64(1)
        words[uint32(1 + bit)] = (words[uint32(1 + bit)] & playing) | (free if holds else _NONE)
        bit += threads
    cuda.syncthreads()
    return playing | started


@cuda.jit
def play(tables, lanes, seed, now, steps, restart_every, max_steps, moves, lengths):
    """`steps` more steps, `now` of them having been made; games are counted and started every few steps.

    A game is started in a step in which others make a move, and makes its own first move in the next.
    """
    words = cuda.shared.array(0, uint32)
    block, thread, threads = cuda.blockIdx.x, cuda.threadIdx.x, cuda.blockDim.x
    playing, ended, changes = uint32(lanes.blocks[block, PLAYING]), uint32(lanes.blocks[block, ENDED]), 0
    if thread == 0:
        words[0] = _NONE
    bit = thread
    while bit < lanes.states.shape[1]:
        words[uint32(1 + bit)] = lanes.states[block, bit]
        bit += threads
    cuda.syncthreads()
    if playing | ended:
        _evaluate(tables, lanes, words, WORLD)
        _find_legal(tables, words)
    for step in range(now + 1, now + steps + 1):
        if playing:
            _choose(tables, lanes, words, playing, seed, step, moves, lengths)
            _evaluate(tables, lanes, words, STEP)
            _update(tables, words, playing)
            changes += cuda.popc(playing)
        if not playing or (step % restart_every == 0 and lanes.blocks[block, REMAINING] > 0):
            playing = _restart(tables, lanes, words, playing, ended, step)
            ended = _NONE
            if not playing:
                break
        _evaluate(tables, lanes, words, WORLD)
        over = playing & (_over(tables, words) | _expired(tables, lanes, words, playing, step, max_steps))
        ended |= over
        playing &= over ^ _ALL
    bit = thread
    while bit < lanes.states.shape[1]:
        lanes.states[block, bit] = words[uint32(1 + bit)]
        bit += threads
    if thread == 0:
        lanes.blocks[block, PLAYING], lanes.blocks[block, ENDED] = playing, ended
        lanes.blocks[block, CHANGES] += changes
