"""The kernels of the network: each thread plays 32 games, bit by bit, all threads of a block the same gates.

A block reads the list of gates tile by tile into shared memory; a slot of a warp is 128 neighbouring bytes. Gates name
the words of a block's first thread, and indices have no sign, so that numba neither multiplies nor looks whether one
counts from the end. The threads of a block run in step, also through the passes of a loop, which is settled when it is
in all of them.
What a thread keeps between launches is in `Lanes`: a launch makes a bounded number of steps, and nothing but the
progress that it reports needs an atomic operation.

The choice of moves is that of native/src/network/choice.hpp and the random numbers are those of
native/src/network/lane_vectors.hpp: lane n plays the games that lane n of the native simulator plays. Only for import
where there is numba.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import cuda, uint32, uint64

from ludens.native.cuda.program import BLOCK_MOVES, SPARE_DIGITS

GATE = 3  # words of a gate
TILE = 512  # gates in shared memory
TILE_WORDS = GATE * TILE
DIGITS = 32  # of a count of moves, at most
UNKNOWN_GOAL = 50  # of a role without exactly one goal

WORLD, STEP, GOALS = 0, 1, 2  # rows of Tables.segments
PLAYOUTS, CHANGES, STUCK, FIRST_SUM = 0, 1, 2, 3  # rows of Lanes.tally; sums of goals, then of their squares
FAULTS = 2  # of Lanes.report, which begins with PLAYOUTS and CHANGES

_NONE, _ONE, _ALL = np.uint32(0), np.uint32(1), np.uint32(0xFFFFFFFF)
_NEXT, _LAST, _GATE = np.uint64(1), np.uint64(2), np.uint64(GATE)
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)


class Tables(NamedTuple):
    """The program on the device; shapes as in DeviceProgram."""

    gates: Any  # uint32[GATE * G]: each two operands and a slot, with the number of the slot's first word for its own
    pieces: Any
    segments: Any
    feedback: Any
    updates: Any
    legal: Any
    roles: Any
    levels: Any
    goals: Any
    terminal: Any  # [1]
    state_bits: Any  # [1]


class Lanes(NamedTuple):
    """The games on the device, T threads in blocks of B; bit n of a word is lane n of its thread."""

    rows: Any  # uint32[blocks, slots, B]
    words: Any  # uint32[blocks * slots * B]: the same
    random: Any  # uint64[2, T]: xoroshiro128+ of the 64 lanes that a pair of threads has
    playing: Any  # uint32[T]
    ended: Any  # uint32[T]: games that are over and not yet counted
    remaining: Any  # int64[T]: games still to be started
    born: Any  # int64[32, T]: when the game of a lane began, in steps
    oldest: Any  # int64[T]: no game that is being played began earlier
    tally: Any  # int64[FIRST_SUM + 2 roles, T]
    starts: Any  # uint64[P, state words]: the states that games begin from
    start: Any  # int32[T]: which of them those of a thread do
    report: Any  # int64[3]: games counted, steps made, threads that have met a loop that denies itself


@cuda.jit(device=True)
def _value(rows, i, operand):
    return rows[operand >> 1, i] ^ (_ALL * uint32(operand & 1))


@cuda.jit(device=True)
def _run_gates(tables, words, own, i, first, last, tile):
    """Evaluates gates; `own` is this thread's word of slot 0 in `words`."""
    for start in range(first, last, TILE):
        count = TILE if last - start > TILE else last - start
        cuda.syncthreads()
        for k in range(i, GATE * count, cuda.blockDim.x):
            tile[k] = tables.gates[GATE * start + k]
        cuda.syncthreads()
        at, past = uint64(0), uint64(GATE * count)
        while at < past:
            left, right, out = tile[at], tile[at + _NEXT], tile[at + _LAST]
            at += _GATE
            a = words[own + uint64(left >> _ONE)] ^ (_ALL * (left & _ONE))
            b = words[own + uint64(right >> _ONE)] ^ (_ALL * (right & _ONE))
            words[own + uint64(out)] = a & b


@cuda.jit(device=True)
def _evaluate(tables, lanes, rows, i, segment, tile):
    """Loops rise from false to their least fixpoint; every pass but the last raises an input."""
    own = uint64(cuda.blockIdx.x) * uint64(lanes.rows.shape[1] * lanes.rows.shape[2]) + uint64(i)
    for piece in range(tables.segments[segment, 0], tables.segments[segment, 1]):
        first, last = tables.pieces[piece, 2], tables.pieces[piece, 3]
        for f in range(first, last):
            rows[tables.feedback[f, 0], i] = _NONE
        changed = 1
        for _ in range(last - first + 1):
            _run_gates(tables, lanes.words, own, i, tables.pieces[piece, 0], tables.pieces[piece, 1], tile)
            if first == last:
                changed = 0
                break
            difference = _NONE
            for f in range(first, last):
                value = _value(rows, i, tables.feedback[f, 1])
                difference |= rows[tables.feedback[f, 0], i] ^ value
                rows[tables.feedback[f, 0], i] = value
            changed = cuda.syncthreads_or(1 if difference != _NONE else 0)
            if changed == 0:
                break
        if changed != 0:
            cuda.atomic.add(lanes.report, FAULTS, 1)


# ---- The choice of moves: count, draw, descend, pick; see native/src/network/choice.hpp ------------------------


@cuda.jit(device=True)
def _sum(a, b, c):
    return a ^ b ^ c


@cuda.jit(device=True)
def _majority(a, b, c):
    return (a & b) | (c & (a | b))


@cuda.jit(device=True)
def _select(a, b, c):
    return c ^ (a & (b ^ c))


@cuda.jit(device=True)
def _count_block(tables, rows, i, first, out):
    a, b, c = rows[tables.legal[first], i], rows[tables.legal[first + 1], i], rows[tables.legal[first + 2], i]
    s0, c0 = _sum(a, b, c), _majority(a, b, c)
    a, b, c = rows[tables.legal[first + 3], i], rows[tables.legal[first + 4], i], rows[tables.legal[first + 5], i]
    s1, c1 = _sum(a, b, c), _majority(a, b, c)
    a, b = rows[tables.legal[first + 6], i], rows[tables.legal[first + 7], i]
    s2, c2 = _sum(a, b, s0), _majority(a, b, s0)
    twos, fours = _sum(c0, c1, c2), _majority(c0, c1, c2)
    carry = s1 & s2
    rows[out, i] = s1 ^ s2
    rows[out + 1, i] = twos ^ carry
    carry = twos & carry
    rows[out + 2, i] = fours ^ carry
    rows[out + 3, i] = fours & carry


@cuda.jit(device=True)
def _count(tables, rows, i, role):
    first, top = tables.roles[role, 3], tables.roles[role, 4]
    for block in range(tables.levels[first, 0]):
        out = tables.levels[first, 2] + block * tables.levels[first, 1]
        _count_block(tables, rows, i, tables.roles[role, 0] + BLOCK_MOVES * block, out)
    for level in range(first + 1, top):
        digits = tables.levels[level - 1, 1]
        for node in range(tables.levels[level, 0]):
            left = tables.levels[level - 1, 2] + 2 * node * digits
            right, out = left + digits, tables.levels[level, 2] + node * (digits + 1)
            paired = 2 * node + 1 < tables.levels[level - 1, 0]
            carry = _NONE
            for d in range(digits):
                a = rows[left + d, i]
                b = rows[right + d, i] if paired else _NONE
                rows[out + d, i] = _sum(a, b, carry)
                carry = _majority(a, b, carry)
            rows[out + digits, i] = carry


@cuda.jit(device=True)
def _random_word(random, half):
    """The next word of xoroshiro128+, that half of it in which this thread's lanes are."""
    s0, s1 = random[0], random[1]
    low = (s0 & _LOW) + (s1 & _LOW)
    high = (s0 >> _HALF) + (s1 >> _HALF) + (low >> _HALF)
    t = s0 ^ s1
    random[0] = ((s0 << np.uint64(24)) | (s0 >> np.uint64(40))) ^ t ^ (t << np.uint64(16))
    random[1] = (t << np.uint64(37)) | (t >> np.uint64(27))
    return uint32((high if half else low) & _LOW)


@cuda.jit(device=True)
def _draw(tables, rows, i, role, random, half, rank):
    """rank = floor(u * count / 2^b) for a random number u of b digits."""
    top = tables.roles[role, 4] - 1
    count, digits = tables.levels[top, 2], tables.roles[role, 5]
    for d in range(tables.levels[top, 1]):
        rank[d] = _NONE
    for _ in range(digits + SPARE_DIGITS):
        u = _random_word(random, half)
        carry = rows[count, i] & u & rank[0]
        for d in range(1, digits):
            addend, old = rows[count + d, i] & u, rank[d]
            rank[d - 1] = _sum(old, addend, carry)
            carry = _majority(old, addend, carry)
        rank[digits - 1] = carry


@cuda.jit(device=True)
def _descend(tables, rows, i, role, playing, rank, left):
    """Marks the block in which each lane's move is, and reduces its rank to that within the block."""
    first, top = tables.roles[role, 3], tables.roles[role, 4] - 1
    rows[tables.levels[top, 3], i] = playing
    for level in range(top, first, -1):
        nodes, digits, marks = tables.levels[level, 0], tables.levels[level, 1], tables.levels[level, 3]
        counts, below = tables.levels[level - 1, 2], tables.levels[level - 1, 3]
        for d in range(digits):
            left[d] = _NONE
        for node in range(nodes):
            here = rows[marks + node, i]
            for d in range(digits - 1):
                left[d] |= rows[counts + 2 * node * (digits - 1) + d, i] & here
        borrow = _NONE
        for d in range(digits):
            difference = _sum(rank[d], left[d], borrow)
            borrow = _majority(rank[d] ^ _ALL, left[d], borrow)
            left[d] = difference
        for d in range(digits):
            rank[d] = _select(borrow, rank[d], left[d])
        for node in range(nodes):
            here = rows[marks + node, i]
            rows[below + 2 * node, i] = here & borrow
            if 2 * node + 1 < tables.levels[level - 1, 0]:
                rows[below + 2 * node + 1, i] = here & (borrow ^ _ALL)


@cuda.jit(device=True)
def _pick_of_four(a, b, c, d, here, rank0, rank1, rows, i, out, room):
    """Among four legality words the one of that rank; writes the words of the first `room` of their moves."""
    pair0, pair1 = a ^ b, a & b
    less = _majority(rank1 ^ _ALL, pair1, pair0 & (rank0 ^ _ALL))
    rank = _select(less, rank0, rank0 ^ pair0)
    first_pair, second_pair = here & less, here & (less ^ _ALL)
    first_of_pair, first_of_rest = a & (rank ^ _ALL), c & (rank ^ _ALL)
    if room > 0:
        rows[out, i] = first_pair & first_of_pair
    if room > 1:
        rows[out + 1, i] = first_pair & (first_of_pair ^ _ALL)
    if room > 2:
        rows[out + 2, i] = second_pair & first_of_rest
    if room > 3:
        rows[out + 3, i] = second_pair & (first_of_rest ^ _ALL)


@cuda.jit(device=True)
def _pick(tables, rows, i, role, block, rank):
    """The last three levels of the descent."""
    here = rows[tables.levels[tables.roles[role, 3], 3] + block, i]
    first = tables.roles[role, 0] + BLOCK_MOVES * block
    a, b = rows[tables.legal[first], i], rows[tables.legal[first + 1], i]
    c, d = rows[tables.legal[first + 2], i], rows[tables.legal[first + 3], i]
    odd, pairs = _sum(a, b, c), _majority(a, b, c)
    ones, carry = odd ^ d, odd & d
    twos, fours = pairs ^ carry, pairs & carry  # ones, twos, fours: how many of the first four moves are legal
    less = ones & (rank[0] ^ _ALL)
    difference0, difference1 = rank[0] ^ ones, _sum(rank[1], twos, less)
    less = _majority(rank[1] ^ _ALL, twos, less)
    less = _majority(rank[2] ^ _ALL, fours, less)
    rank0, rank1 = _select(less, rank[0], difference0), _select(less, rank[1], difference1)
    out, room = tables.roles[role, 2] + BLOCK_MOVES * block, tables.roles[role, 1] - BLOCK_MOVES * block
    e, f = rows[tables.legal[first + 4], i], rows[tables.legal[first + 5], i]
    g, h = rows[tables.legal[first + 6], i], rows[tables.legal[first + 7], i]
    _pick_of_four(a, b, c, d, here & less, rank0, rank1, rows, i, out, room)
    _pick_of_four(e, f, g, h, here & (less ^ _ALL), rank0, rank1, rows, i, out + 4, room - 4)


@cuda.jit(device=True)
def _choose(tables, rows, i, playing, random, half):
    """Writes the words of the moves: one legal move of each role in every lane that is playing, none elsewhere."""
    rank = cuda.local.array(DIGITS, uint32)
    left = cuda.local.array(DIGITS, uint32)
    for role in range(tables.roles.shape[0]):
        moves = tables.roles[role, 1]
        if moves > 1:
            _count(tables, rows, i, role)
            _draw(tables, rows, i, role, random, half, rank)
            _descend(tables, rows, i, role, playing, rank, left)
            for block in range(tables.levels[tables.roles[role, 3], 0]):
                _pick(tables, rows, i, role, block, rank)
        elif moves == 1:
            rows[tables.roles[role, 2], i] = playing


# ---- Rounds -------------------------------------------------------------------------------------------------


@cuda.jit(device=True)
def _advance(tables, lanes, rows, i, playing, random, half, tile):
    _choose(tables, rows, i, playing, random, half)
    _evaluate(tables, lanes, rows, i, STEP, tile)
    for update in range(tables.updates.shape[0]):
        state, value = tables.updates[update, 0], tables.updates[update, 1]
        rows[state, i] = _select(playing, rows[value, i], rows[state, i])


@cuda.jit(device=True)
def _over(tables, lanes, rows, i, tile):
    """Works out what holds; the lanes whose game is over, by rule or because a role has no legal move."""
    _evaluate(tables, lanes, rows, i, WORLD, tile)
    over = rows[tables.terminal[0], i]
    for role in range(tables.roles.shape[0]):
        able = _NONE
        first = tables.roles[role, 0]
        for move in range(first, first + tables.roles[role, 1]):
            able |= rows[tables.legal[move], i]
        over |= able ^ _ALL
    return over


@cuda.jit(device=True)
def _expired(lanes, thread, playing, now, max_steps):
    """The lanes that have played for max_steps."""
    expired = _NONE
    if now - lanes.oldest[thread] >= max_steps:
        oldest = now
        for lane in range(32):
            bit = _ONE << uint32(lane)
            if playing & bit:
                if now - lanes.born[lane, thread] >= max_steps:
                    expired |= bit
                elif lanes.born[lane, thread] < oldest:
                    oldest = lanes.born[lane, thread]
        lanes.oldest[thread] = oldest
    return expired


@cuda.jit(device=True)
def _count_goals(tables, lanes, rows, i, thread, ended):
    for role in range(tables.roles.shape[0]):
        known, several = _NONE, _NONE
        for k in range(tables.goals.shape[0]):
            if tables.goals[k, 0] == role:
                several |= known & rows[tables.goals[k, 2], i]
                known |= rows[tables.goals[k, 2], i]
        counted = ended & known & (several ^ _ALL)
        total = UNKNOWN_GOAL * cuda.popc(uint32(ended ^ counted))
        squares = UNKNOWN_GOAL * total
        for k in range(tables.goals.shape[0]):
            if tables.goals[k, 0] == role:
                value = tables.goals[k, 1] * cuda.popc(uint32(counted & rows[tables.goals[k, 2], i]))
                total += value
                squares += tables.goals[k, 1] * value
        lanes.tally[FIRST_SUM + role, thread] += total
        lanes.tally[FIRST_SUM + tables.roles.shape[0] + role, thread] += squares


@cuda.jit(device=True)
def _set_states(tables, state, rows, i, started):
    """Puts the lanes that are started into a state, whose words are given."""
    for bit in range(tables.state_bits[0]):
        value = uint32((state[bit >> 6] >> uint64(bit & 63)) & uint64(1))
        rows[1 + bit, i] = _select(started, _ALL * value, rows[1 + bit, i])


@cuda.jit(device=True)
def _restart(tables, lanes, rows, i, thread, playing, now, tile):
    """Counts the games that are over and starts new ones in free lanes; the lanes that are playing then."""
    _evaluate(tables, lanes, rows, i, GOALS, tile)
    ended = lanes.ended[thread]
    _count_goals(tables, lanes, rows, i, thread, ended)
    lanes.tally[PLAYOUTS, thread] += cuda.popc(uint32(ended))
    lanes.tally[STUCK, thread] += cuda.popc(uint32(ended & (rows[tables.terminal[0], i] ^ _ALL)))
    lanes.ended[thread] = _NONE
    started = _NONE
    for lane in range(32):
        bit = _ONE << uint32(lane)
        if not playing & bit and lanes.remaining[thread] > 0:
            lanes.remaining[thread] -= 1
            lanes.born[lane, thread] = now
            started |= bit
    _set_states(tables, lanes.starts[lanes.start[thread]], rows, i, started)
    if now < lanes.oldest[thread]:
        lanes.oldest[thread] = now
    return playing | started


@cuda.jit
def begin(tables, lanes):
    """Starts games in all lanes that have any to play; `remaining` has been set, no game is under way."""
    tile = cuda.shared.array(TILE_WORDS, uint32)
    i, thread = cuda.threadIdx.x, cuda.grid(1)
    rows = lanes.rows[cuda.blockIdx.x]
    for slot in range(lanes.rows.shape[1]):
        rows[slot, i] = _NONE
    for row in range(lanes.tally.shape[0]):
        lanes.tally[row, thread] = 0
    lanes.ended[thread] = _NONE
    lanes.oldest[thread] = 0
    playing = _restart(tables, lanes, rows, i, thread, _NONE, 0, tile)
    over = _over(tables, lanes, rows, i, tile)
    lanes.ended[thread] = playing & over
    lanes.playing[thread] = playing & (over ^ _ALL)


@cuda.jit
def play(tables, lanes, now, steps, restart_every, max_steps):
    """`steps` more steps, `now` of them having been made; games are counted and started every few steps."""
    tile = cuda.shared.array(TILE_WORDS, uint32)
    random = cuda.local.array(2, uint64)
    i, thread = cuda.threadIdx.x, cuda.grid(1)
    rows = lanes.rows[cuda.blockIdx.x]
    random[0], random[1] = lanes.random[0, thread], lanes.random[1, thread]
    playing, changes, counted = lanes.playing[thread], 0, lanes.tally[PLAYOUTS, thread]
    for step in range(now + 1, now + steps + 1):
        _advance(tables, lanes, rows, i, playing, random, thread & 1, tile)
        changes += cuda.popc(uint32(playing))
        if step % restart_every == 0:
            playing = _restart(tables, lanes, rows, i, thread, playing, step, tile)
        over = _over(tables, lanes, rows, i, tile) | _expired(lanes, thread, playing, step, max_steps)
        lanes.ended[thread] |= playing & over
        playing &= over ^ _ALL
    lanes.random[0, thread], lanes.random[1, thread] = random[0], random[1]
    lanes.playing[thread] = playing
    lanes.tally[CHANGES, thread] += changes
    cuda.atomic.add(lanes.report, PLAYOUTS, lanes.tally[PLAYOUTS, thread] - counted)
    cuda.atomic.add(lanes.report, CHANGES, changes)


@cuda.jit
def record(tables, lanes, step, moves, lengths):
    """One step, its moves written to int32[lanes, steps, roles], the steps so far to int32[lanes]."""
    tile = cuda.shared.array(TILE_WORDS, uint32)
    random = cuda.local.array(2, uint64)
    i, thread = cuda.threadIdx.x, cuda.grid(1)
    rows = lanes.rows[cuda.blockIdx.x]
    random[0], random[1] = lanes.random[0, thread], lanes.random[1, thread]
    playing = lanes.playing[thread]
    _advance(tables, lanes, rows, i, playing, random, thread & 1, tile)
    for lane in range(32):
        bit = _ONE << uint32(lane)
        if playing & bit:
            lengths[32 * thread + lane] = step + 1
            for role in range(tables.roles.shape[0]):
                for move in range(tables.roles[role, 1]):
                    if rows[tables.roles[role, 2] + move, i] & bit:
                        moves[32 * thread + lane, step, role] = move
    lanes.random[0, thread], lanes.random[1, thread] = random[0], random[1]
    lanes.playing[thread] = playing & (_over(tables, lanes, rows, i, tile) ^ _ALL)
