"""Networks over the board of checkers: what they say of positions, evaluations by them, and games that they guide."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from ludens.native._core import ffi, lib

from ludens.native.core.binding import Arrays, States, batch_of, check, shaped
from ludens.native.core.board_network import ONE as ONE
from ludens.native.core.board_network import UNITS as UNITS
from ludens.native.core.board_network import Bytes, Integers, board_weight_shapes, instruction_set_name, weight_pointers
from ludens.native.core.evaluation import Evaluation
from ludens.native.core.game import Game
from ludens.native.defaults import MAX_STEPS

PLANES, TAPS, SQUARES, DIRECTIONS = 4, 5, 32, 4


class NetworkWeights(NamedTuple):
    """The whole numbers of a network; what they mean is said in native/src/board_network/weights.hpp."""

    stem: Bytes  # [width, TAPS, PLANES]
    convolutions: Bytes  # [2 * blocks, width, TAPS, width]
    biases: Integers  # [1 + 2 * blocks, width]
    hidden: Bytes  # [UNITS, SQUARES, width]
    hidden_biases: Integers  # [UNITS]
    value: Bytes  # [UNITS]
    value_bias: Integers  # [1]
    moves: Bytes  # [DIRECTIONS, width]
    move_biases: Integers  # [DIRECTIONS]

    @property
    def width(self) -> int:
        """The number of activations of a square."""
        return len(self.stem)

    @property
    def blocks(self) -> int:
        """The number of residual blocks."""
        return len(self.convolutions) // 2


def weight_shapes(width: int, blocks: int) -> NetworkWeights:
    """Returns zeros in the shapes of the weights of a network: a board network with one output, and its moves."""
    board = board_weight_shapes(SQUARES, TAPS, PLANES, width, blocks, 1)
    return NetworkWeights(
        *(board.stem, board.convolutions, board.biases, board.hidden, board.hidden_biases),
        value=board.value[0],
        value_bias=board.value_biases,
        moves=np.zeros((DIRECTIONS, width), np.int8),
        move_biases=np.zeros(DIRECTIONS, np.int32),
    )


class CheckersNetwork:
    """A network that judges positions of English draughts, and says which moves look good; immutable.

    Raises NativeError on weights of other types or shapes or out of range, and where this process may not use the
    `instruction_set`: avx512, avx2 or baseline; None is the best.
    """

    def __init__(self, weights: NetworkWeights, instruction_set: str | None = None) -> None:
        self.weights = weights
        sizes = {"squares": SQUARES, "taps": TAPS, "planes": PLANES, "outputs": 1, "directions": DIRECTIONS}
        sizes |= {"width": weights.width, "blocks": weights.blocks}
        arrays = Arrays()
        models = weight_shapes(weights.width, weights.blocks)._asdict()
        fields = weight_pointers(weights._asdict(), models, arrays)
        fields["value_biases"] = fields.pop("value_bias")
        out = ffi.new("ludens_checkers_network **")
        struct = ffi.new("ludens_board_weights *", sizes | fields)
        check(lib.ludens_checkers_network_new(struct, instruction_set_name(instruction_set), out))
        self.handle = ffi.gc(out[0], lib.ludens_checkers_network_free)

    def __reduce__(self) -> tuple[type[CheckersNetwork], tuple[NetworkWeights]]:
        """Pickles the weights."""
        return CheckersNetwork, (self.weights,)

    def evaluate(self, words: npt.NDArray[np.uint32]) -> tuple[Integers, Integers]:
        """Returns values int32[n] and logits int32[n, 128] of moves, in units of 1 / `ONE`.

        `words` are uint32[n, 3]: own pieces of the side to move, which goes up the board, the other side's, and kings.
        The hyperbolic tangent of a value is what a position is worth, -1 to 1; moves are 4 * square + direction.
        """
        positions = np.ascontiguousarray(words, np.uint32)
        arrays = Arrays()
        values = np.empty(len(positions), np.int32)
        logits = np.empty((len(positions), DIRECTIONS * SQUARES), np.int32)
        pointer = arrays.pointer("uint32_t[]", shaped(positions, (len(positions), 3)))
        check(
            lib.ludens_checkers_network_evaluate(
                self.handle, len(positions), pointer, arrays.int32(values), arrays.int32(logits)
            )
        )
        return values, logits

    def play(
        self, game: Game, states: States, games: int, share: float, *, max_steps: int = MAX_STEPS, seed: int = 0
    ) -> npt.NDArray[np.float64]:
        """Returns mean goals float64[n, 2] of `games` games from each of the states, of `max_steps` moves at most.

        The network chooses a `share` of the moves, 0 … 1, at random by the softmax of its logits; the others are any.
        Raises NativeError for games other than English draughts on bitboards, and on arguments out of range.
        """
        batch = batch_of(game.state_words, states)
        goals = np.zeros((len(batch), 2))
        arrays = Arrays()
        check(
            lib.ludens_checkers_network_play(
                *(self.handle, game.handle, len(batch), arrays.uint64(batch), games, share, max_steps),
                *(seed & 0xFFFF_FFFF_FFFF_FFFF, arrays.double(goals)),
            )
        )
        return goals


class NetworkEvaluation(Evaluation):
    """What a network says of the states of a game; raises NativeError unless that is English draughts on bitboards."""

    def __init__(self, network: CheckersNetwork, game: Game) -> None:
        self._network, self._game = network, game
        out = ffi.new("ludens_evaluation **")
        check(lib.ludens_evaluation_from_network(network.handle, game.handle, out))
        self._take(out[0], game.roles, game.state_words)

    def __reduce__(self) -> tuple[type[NetworkEvaluation], tuple[CheckersNetwork, Game]]:
        """Pickles the network and the game."""
        return NetworkEvaluation, (self._network, self._game)
