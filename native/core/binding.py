"""Helpers for every call of the native core: pointers to arrays, and statuses raised as errors.

Shapes: a state is `uint64[state_words]`, proposition i being bit i % 64 of word i // 64; a batch of states is
`uint64[n, state_words]`. A joint move is `int32[roles]` of move indices within the role, -1 for none.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from ludens.native._core import ffi, lib

from ludens.propnet.base.errors import NativeError

States = npt.NDArray[np.uint64]
JointMoves = npt.NDArray[np.int32]
Words = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float32]

_Kind = TypeVar("_Kind", bound=np.generic)


def pack_bits(bits: npt.NDArray[np.bool_]) -> States:
    """Packs bit strings `bool[..., n]` into words `uint64[..., ceil(n / 64)]`."""
    words = -(-bits.shape[-1] // 64)
    padded = np.zeros((*bits.shape[:-1], words * 64), np.uint8)
    padded[..., : bits.shape[-1]] = bits
    return np.packbits(padded, axis=-1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


def unpack_bits(words: States, count: int) -> npt.NDArray[np.bool_]:
    """Unpacks the first `count` bits of words `uint64[..., w]` to `bool[..., count]`."""
    raw = np.ascontiguousarray(words, dtype="<u8").view(np.uint8)
    return np.unpackbits(raw, axis=-1, count=count, bitorder="little").astype(np.bool_)


class Arrays:
    """Hands numpy arrays to a native call and keeps them alive until it is over."""

    def __init__(self) -> None:
        self._kept: list[npt.NDArray[Any]] = []

    def pointer(self, ctype: str, array: npt.NDArray[Any]) -> Any:
        """Returns a pointer to the elements of an array; `ctype` is their C type, such as "int32_t[]"."""
        self._kept.append(array)
        return ffi.from_buffer(ctype, array)

    def int32(self, values: npt.ArrayLike, shape: tuple[int, ...] | None = None) -> Any:
        """Returns a pointer to values as int32_t; raises NativeError unless they have this shape."""
        array = np.ascontiguousarray(values, np.int32)
        return self.pointer("int32_t[]", array if shape is None else shaped(array, shape))

    def int64(self, values: npt.ArrayLike) -> Any:
        """Returns a pointer to values as int64_t."""
        return self.pointer("int64_t[]", np.ascontiguousarray(values, np.int64))

    def uint64(self, values: npt.ArrayLike) -> Any:
        """Returns a pointer to values as uint64_t."""
        return self.pointer("uint64_t[]", np.ascontiguousarray(values, np.uint64))

    def double(self, values: npt.ArrayLike) -> Any:
        """Returns a pointer to values as double."""
        return self.pointer("double[]", np.ascontiguousarray(values, np.float64))

    def float32(self, values: npt.ArrayLike, shape: tuple[int, ...] | None = None) -> Any:
        """Returns a pointer to values as float; raises NativeError unless they have this shape."""
        array = np.ascontiguousarray(values, np.float32)
        return self.pointer("float[]", array if shape is None else shaped(array, shape))

    def state(self, words: int, state: States | None) -> Any:
        """Returns a pointer to one state of so many words; null, which means the initial one, if None."""
        return ffi.NULL if state is None else self.uint64(shaped(batch_of(words, state), (1, words)))


def batch_of(words: int, states: States) -> States:
    """Returns states as `uint64[n, words]`, n being 1 if a single one was given."""
    batch: States = np.atleast_2d(np.ascontiguousarray(whole(states, "a state is packed bits"), np.uint64))
    return shaped(batch, (len(batch), words))


def whole(values: npt.ArrayLike, meaning: str) -> npt.NDArray[Any]:
    """Returns values as an array; raises NativeError, with what they mean, unless they are whole numbers."""
    array = np.asarray(values)
    if array.dtype.kind not in "iu" and array.size:
        raise NativeError(f"an array of {array.dtype} was given where whole numbers are needed: {meaning}")
    return array


def shaped(array: npt.NDArray[_Kind], shape: tuple[int, ...]) -> npt.NDArray[_Kind]:
    """Returns the array; raises NativeError unless it has the shape that the native core will take it to have."""
    if array.shape != shape:
        raise NativeError(f"an array of shape {array.shape} was given where {shape} is needed")
    return array


def check(status: int) -> None:
    """Raises NativeError with the message of the native core unless `status` is 0."""
    if status != 0:
        raise NativeError(decoded(lib.ludens_error()))


def decoded(pointer: Any) -> str:
    """Returns a native text as a string; bytes that are no UTF-8, which only texts from outside have, as escapes."""
    raw: bytes = ffi.string(pointer)
    return raw.decode(errors="backslashreplace")
