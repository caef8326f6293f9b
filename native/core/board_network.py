"""Networks over the board of any game: what they say of positions, and evaluations by them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from ludens.native._core import ffi, lib

from ludens.native.core.binding import Arrays, check, shaped, whole
from ludens.native.core.evaluation import Evaluation
from ludens.native.core.game import Game
from ludens.propnet.base.errors import NativeError

FULL, UNITS = 127, 32
"""The activation that stands for 1, and the units between the board and the outputs."""

ONE = FULL * 128
"""What outputs are in units of."""

MOST_SQUARES, MOST_PLANES, MOST_OUTPUTS = 400, 255, 16
WIDTHS, MOST_BLOCKS = (32, 64, 96, 128), 16
"""The sizes that there may be, those of native/src/board_network/weights.hpp."""

Activations = npt.NDArray[np.uint8]
Bytes = npt.NDArray[np.int8]
Integers = npt.NDArray[np.int32]


class BoardNetworkWeights(NamedTuple):
    """The whole numbers of a network; what they mean is said in native/src/board_network/weights.hpp."""

    seen: Integers  # [taps, squares] squares that each one sees; the number of squares beyond the edge
    stem: Bytes  # [width, taps, planes]
    convolutions: Bytes  # [2 * blocks, width, taps, width]
    biases: Integers  # [1 + 2 * blocks, width]
    hidden: Bytes  # [UNITS, squares, width]
    hidden_biases: Integers  # [UNITS]
    value: Bytes  # [outputs, UNITS]
    value_biases: Integers  # [outputs]

    @property
    def squares(self) -> int:
        """The number of squares of the board."""
        return int(self.seen.shape[1])

    @property
    def taps(self) -> int:
        """The number of squares that each square sees."""
        return len(self.seen)

    @property
    def planes(self) -> int:
        """The number of activations of a square that are put in."""
        return int(self.stem.shape[2])

    @property
    def width(self) -> int:
        """The number of activations of a square within the network."""
        return len(self.stem)

    @property
    def blocks(self) -> int:
        """The number of residual blocks."""
        return len(self.convolutions) // 2

    @property
    def outputs(self) -> int:
        """The number of outputs, one for each role."""
        return len(self.value)


def board_weight_shapes(
    squares: int, taps: int, planes: int, width: int, blocks: int, outputs: int
) -> BoardNetworkWeights:
    """Returns zeros in the shapes of the weights of a network."""

    def zeros(*shape: int) -> Bytes:
        return np.zeros(shape, np.int8)

    def biases(*shape: int) -> Integers:
        return np.zeros(shape, np.int32)

    return BoardNetworkWeights(
        seen=biases(taps, squares),
        stem=zeros(width, taps, planes),
        convolutions=zeros(2 * blocks, width, taps, width),
        biases=biases(1 + 2 * blocks, width),
        hidden=zeros(UNITS, squares, width),
        hidden_biases=biases(UNITS),
        value=zeros(outputs, UNITS),
        value_biases=biases(outputs),
    )


def weight_pointers(
    weights: Mapping[str, npt.NDArray[Any]], models: Mapping[str, npt.NDArray[Any]], arrays: Arrays
) -> dict[str, object]:
    """Returns pointers to weights by their names; raises NativeError unless each has its model's type and shape."""
    pointers: dict[str, object] = {}
    for name, model in models.items():
        array = np.ascontiguousarray(shaped(weights[name], model.shape))
        if array.dtype != model.dtype:
            raise NativeError(f"{name} are of {array.dtype}, and not of {model.dtype}")
        pointers[name] = arrays.pointer("int8_t[]" if model.dtype == np.int8 else "int32_t[]", array)
    return pointers


def instruction_set_name(name: str | None) -> Any:
    """Returns the name of an instruction set for the native core; null, which means the best, for None."""
    return ffi.NULL if name is None else ffi.new("char[]", name.encode())


class BoardNetwork:
    """A network that judges positions of a game; immutable.

    Raises NativeError on weights of other types or shapes or out of range, and where this process may not use the
    `instruction_set`: avx512, avx2 or baseline; None is the best.
    """

    def __init__(self, weights: BoardNetworkWeights, instruction_set: str | None = None) -> None:
        self.weights = weights
        _check_dimensions(weights)
        sizes = {name: getattr(weights, name) for name in ("squares", "taps", "planes", "width", "blocks", "outputs")}
        arrays = Arrays()
        given = weights._replace(seen=_as_int32(weights.seen, "a tap sees squares"))._asdict()
        fields = weight_pointers(given, board_weight_shapes(**sizes)._asdict(), arrays)
        out = ffi.new("ludens_board_network **")
        struct = ffi.new("ludens_board_weights *", sizes | fields)
        check(lib.ludens_board_network_new(struct, instruction_set_name(instruction_set), out))
        self.handle = ffi.gc(out[0], lib.ludens_board_network_free)

    def __reduce__(self) -> tuple[type[BoardNetwork], tuple[BoardNetworkWeights]]:
        """Pickles the weights."""
        return BoardNetwork, (self.weights,)

    def evaluate(self, planes: Activations) -> Integers:
        """Returns outputs int32[n, outputs], in units of 1 / `ONE`, of activations uint8[n, planes, squares], 0 … 127.

        100 / (1 + exp(-2 x)) is the goal that an output of x stands for.
        """
        weights, arrays = self.weights, Arrays()
        positions = np.ascontiguousarray(planes)
        if positions.dtype != np.uint8:
            raise NativeError(f"planes are of {positions.dtype}, and not of uint8")
        outputs = np.empty((len(positions), weights.outputs), np.int32)
        pointer = arrays.pointer("uint8_t[]", shaped(positions, (len(positions), weights.planes, weights.squares)))
        check(lib.ludens_board_network_evaluate(self.handle, len(positions), pointer, arrays.int32(outputs)))
        return outputs


class BoardEvaluation(Evaluation):
    """What a network says of the states of a game, whose role r output r is for; immutable, shared by searches.

    `columns` are int32[planes, squares]: the bit, of those that evaluations see of a state, that sets an activation to
    127; -1 for none. `fills` are int32[n, 3]: a bit, a plane, and the value, 0 … 127, that all of the plane has at
    least where the bit is set. Raises NativeError where these do not fit the network and the game.
    """

    def __init__(self, network: BoardNetwork, game: Game, columns: npt.ArrayLike, fills: npt.ArrayLike = ()) -> None:
        self._network, self._game = network, game
        shape = (network.weights.planes, network.weights.squares)
        self._columns = shaped(_as_int32(columns, "a column is a bit of a state"), shape)
        given = _as_int32(fills, "a fill is a bit of a state, a plane and a value")
        self._fills = shaped(given, (len(given), 3)) if given.size else np.empty((0, 3), np.int32)
        arrays = Arrays()
        out = ffi.new("ludens_evaluation **")
        check(
            lib.ludens_evaluation_from_board_network(
                *(network.handle, game.handle, arrays.int32(self._columns)),
                *(len(self._fills), arrays.int32(self._fills), out),
            )
        )
        self._take(out[0], game.roles, game.feature_words)

    def __reduce__(self) -> tuple[type[BoardEvaluation], tuple[BoardNetwork, Game, Integers, Integers]]:
        """Pickles the network, the game and the planes."""
        return BoardEvaluation, (self._network, self._game, self._columns, self._fills)


def _check_dimensions(weights: BoardNetworkWeights) -> None:
    """Raises NativeError unless weights are arrays with the dimensions that sizes are read from."""
    for name, model in board_weight_shapes(1, 1, 1, 1, 0, 1)._asdict().items():
        array = getattr(weights, name)
        if not isinstance(array, np.ndarray) or array.ndim != model.ndim:
            raise NativeError(f"{name} must be an array of {model.ndim} dimensions")
    largest = max(weights.squares, weights.planes, weights.width, weights.blocks, weights.outputs, weights.taps)
    if largest > 10 * MOST_SQUARES:  # before there are arrays of such sizes; the native core knows the limits of each
        raise NativeError(f"a network of sizes up to {largest:,} is larger than any")


def _as_int32(values: npt.ArrayLike, meaning: str) -> Integers:
    """Returns whole numbers as int32; raises NativeError on others, and on larger ones."""
    array = whole(values, meaning)
    limits = np.iinfo(np.int32)
    if array.size and (array.min() < limits.min or array.max() > limits.max):
        raise NativeError(f"a number is out of range: {meaning}")
    return array.astype(np.int32)
