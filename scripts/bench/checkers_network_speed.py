"""Measures how many positions of checkers a network judges in a second of one thread: natively, and by ONNX Runtime.

    pip install onnx onnxruntime
    python -m scripts.bench.checkers_network_speed --width 32 --blocks 2

The native core is measured on each instruction set. ONNX Runtime has the same layers over the board of 8 x 8 squares,
once in float32 and once in bytes (QLinearConv), in both without the rounding of activations that play has: that is,
at its quickest. All times are CPU time, and the best of several turns. Weights are random: they change no time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ludens.games.checkers.kernels.planes import FILES, RANKS, planes
from ludens.native.core import CheckersNetwork, NetworkWeights
from ludens.native.core.checkers_network import weight_shapes
from ludens.propnet.base.errors import NativeError
from scripts.bench.call_rate import call_rate

_TAP_ROWS, _TAP_FILES = (1, 2, 2, 0, 0), (1, 0, 2, 0, 2)


def main() -> int:
    """Measures and prints a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--blocks", type=int, default=2)
    parser.add_argument("--batch", type=int, default=256, help="positions judged together (%(default)s)")
    args = parser.parse_args()
    rng = np.random.default_rng(1)
    weights = NetworkWeights._make(
        rng.integers(-30, 31, model.shape).astype(model.dtype) for model in weight_shapes(args.width, args.blocks)
    )
    draws = rng.integers(0, 1 << 32, (args.batch, 3), dtype=np.uint32)
    words = np.stack((draws[:, 0], draws[:, 1] & ~draws[:, 0], draws[:, 2]), axis=1)
    print(f"width {args.width}, {args.blocks} blocks, {args.batch} positions together, one thread\n")
    print("| what | positions/s |\n|---|---|")
    for name in ("avx512", "avx2", "baseline"):
        try:
            network = CheckersNetwork(weights, name)
        except NativeError as error:
            print(f"| native, {name} | {error} |")
            continue
        print(f"| native, {name} | {call_rate(partial(network.evaluate, words), args.batch):,.0f} |")
    try:
        import onnxruntime  # noqa: F401
    except ImportError:
        print("| ONNX Runtime | not installed: pip install onnx onnxruntime |")
        return 0
    for whole in (False, True):
        run = _session(weights, words, whole=whole)
        print(f"| ONNX Runtime, {'bytes' if whole else 'float32'} | {call_rate(run, args.batch):,.0f} |")
    return 0


def _session(weights: NetworkWeights, words: np.ndarray, *, whole: bool) -> Callable[[], object]:
    """Returns what judges the positions by ONNX Runtime, in bytes or in float32."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    model = _Model(whole).network(weights).SerializeToString()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    board = np.concatenate((planes(words), np.ones((len(words), 1, 8, 8), np.float32)), axis=1)
    seen = (127 * board).astype(np.uint8) if whole else board
    return lambda: session.run(None, {"planes": seen})


class _Model:
    """Writes the layers of a network as an ONNX graph."""

    def __init__(self, whole: bool) -> None:
        self._whole, self._nodes, self._constants = whole, [], []  # type: tuple[bool, list[Any], list[Any]]

    def network(self, weights: NetworkWeights) -> Any:
        """Returns the model of all layers, from "planes" to "value" and "moves"."""
        from onnx import TensorProto, helper

        seen = self._convolution("planes", weights.stem, weights.biases[0])
        for at in range(0, len(weights.convolutions), 2):
            inner = self._convolution(seen, weights.convolutions[at], weights.biases[at + 1])
            inner = self._convolution(inner, weights.convolutions[at + 1], weights.biases[at + 2])
            seen = self._sum(seen, inner)
        if self._whole:
            seen = self._node("DequantizeLinear", [seen, *self._scale(1 / 127, np.uint8)])
        squares = self._constant(np.asarray(8 * RANKS + FILES))
        flat = self._node("Reshape", [seen, self._constant(np.array([0, weights.width, 64]))])
        flat = self._node("Gather", [flat, squares], axis=2)
        hidden = weights.hidden.transpose(2, 1, 0).reshape(-1, weights.hidden.shape[0]).astype(np.float32) / 128
        inputs = self._node("Reshape", [flat, self._constant(np.array([0, -1]))])
        units = self._cut(self._node("MatMul", [inputs, self._constant(hidden)]))
        value = weights.value[:, None].astype(np.float32) / 128
        self._node("MatMul", [units, self._constant(value)], name="value")
        self._node("MatMul", [self._constant(weights.moves.astype(np.float32) / 128), flat], name="moves")
        kind = TensorProto.UINT8 if self._whole else TensorProto.FLOAT
        graph = helper.make_graph(
            self._nodes,
            "checkers",
            [helper.make_tensor_value_info("planes", kind, ["n", 4, 8, 8])],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("value", "moves")],
            self._constants,
        )
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)

    def _convolution(self, seen: str, weights: np.ndarray, biases: np.ndarray) -> str:
        kernel = np.zeros((len(weights), weights.shape[2], 3, 3), np.int8)
        kernel[:, :, _TAP_ROWS, _TAP_FILES] = weights.transpose(0, 2, 1)
        if not self._whole:
            floats = self._constant(kernel.astype(np.float32) / 128), self._constant(biases.astype(np.float32) / 16256)
            return self._cut(self._node("Conv", [seen, *floats], pads=[1, 1, 1, 1]))
        inputs = [seen, *self._scale(1 / 127, np.uint8), self._constant(kernel), *self._scale(1 / 128, np.int8)]
        inputs += [*self._scale(1 / 127, np.uint8), self._constant(biases)]
        return self._node("QLinearConv", inputs, pads=[1, 1, 1, 1])

    def _sum(self, first: str, second: str) -> str:
        if not self._whole:
            return self._cut(self._node("Add", [first, second]))
        scale = self._scale(1 / 127, np.uint8)
        return self._node("QLinearAdd", [first, *scale, second, *scale, *scale], domain="com.microsoft")

    def _cut(self, seen: str) -> str:
        bounds = [self._constant(np.float32(bound)) for bound in (0, 1)]
        return self._node("Clip", [seen, *bounds])

    def _scale(self, scale: float, kind: type) -> tuple[str, str]:
        return self._constant(np.float32(scale)), self._constant(kind(0))

    def _constant(self, value: Any) -> str:
        from onnx import numpy_helper

        name = f"constant{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def _node(self, kind: str, inputs: list[str], name: str = "", **attributes: Any) -> str:
        from onnx import helper

        name = name or f"node{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name


if __name__ == "__main__":
    sys.exit(main())
