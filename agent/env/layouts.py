"""Layouts of a batch's arrays: their types and shapes, and bytes of those that hold eight facts in a byte."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ludens.agent.env.errors import ArrayError

_ALIGNMENT = 64  # bytes of a cache line, and of a row of lanes


@dataclass(frozen=True, slots=True)
class Kinds:
    """What shapes follow from."""

    count: int
    lanes: int  # games of a block
    roles: int
    actions: int
    moves: int  # of all roles
    joint: bool


def array_kinds(
    layout: str, size: Kinds, observation: tuple[int, ...], state_words: int
) -> dict[str, tuple[Any, tuple[int, ...]]]:
    """Returns the type and shape of each array that a batch writes; `observation` is the shape of one in bytes."""
    n, roles = size.count, size.roles
    states = {"states": (np.uint64, (n, state_words))}
    if layout == "slices":
        blocks, words = -(-n // size.lanes), size.lanes // 64
        return states | {
            "final_observations": (np.uint64, (blocks, *observation, words)),
            "rewards": (np.int8, (roles, n)),
            "played": (np.uint64, (blocks, size.moves, words)),
        }
    legal = (n, roles) if size.joint else (n,)
    if layout == "bits":
        seen = (np.uint8, (n, *(-(-length // 8) for length in observation)))
        small = next(kind for kind in (np.int8, np.int16, np.int32) if size.actions <= np.iinfo(kind).max)
        return states | {
            "observations": seen,
            "final_observations": seen,
            "legal": (np.uint8, (*legal, -(-size.actions // 8))),
            "to_move": (np.int8, (n,)),
            "rewards": (np.int8, (n, roles)),
            "done": (np.uint8, (-(-n // 8),)),
            "played": (small, (n, roles)),
        }
    return states | {
        "observations": (np.uint8, (n, *observation)),
        "final_observations": (np.uint8, (n, *observation)),
        "legal": (np.int8, (*legal, size.actions)),
        "to_move": (np.int32, (n,)),
        "rewards": (np.float32, (n, roles)),
        "done": (np.bool_, (n,)),
        "played": (np.int32, (n, roles)),
    }


def as_array(given: Any, name: str) -> npt.NDArray[Any]:
    """Returns an array of what the caller gave under this name, or raises `ArrayError`."""
    try:
        return np.asarray(given)
    except (ValueError, TypeError) as error:  # rows of several lengths, or what numpy cannot make an array of
        raise ArrayError(f"{name}: no array can be made of {type(given).__name__}: {error}") from error


def zeros(shape: tuple[int, ...], dtype: npt.DTypeLike = np.uint64) -> npt.NDArray[Any]:
    """Returns zeros from the start of a cache line on, which jax needs to take them without a copy."""
    kind = np.dtype(dtype)
    size = int(np.prod(shape)) * kind.itemsize
    raw = np.zeros(size + _ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    return raw[start : start + size].view(kind).reshape(shape)


def slice_views(slices: npt.NDArray[np.uint64], propositions: int, moves: int) -> dict[str, npt.NDArray[np.uint64]]:
    """Returns the arrays of a batch as views, read-only, of its slices `uint64[blocks, slices, words]`."""
    views = {
        "observations": slices[:, :propositions],
        "legal": slices[:, propositions : propositions + moves],
        "to_move": slices[:, propositions + moves : -1],
        "done": slices[:, -1],
    }
    for view in views.values():
        view.setflags(write=False)
    return views


def bytes_of_slices(slices: npt.NDArray[np.uint64], count: int) -> npt.NDArray[np.uint8]:
    """Returns slices `uint64[blocks, rows, words]` as bytes of 0 and 1 `uint8[count, rows]`; or `[blocks, words]`.

    The same in torch: `(slices.view(torch.int64)[..., None] >> torch.arange(64, device=slices.device)) & 1`, with the
    rows moved to the end. Raises `ArrayError`.
    """
    given = _of_type(slices, "slices", np.uint64, least=2)
    _at_most(count, 64 * given.shape[0] * given.shape[-1])
    raw = np.ascontiguousarray(given, dtype="<u8").view(np.uint8)
    bits = np.unpackbits(raw, axis=-1, bitorder="little")
    return np.ascontiguousarray(np.moveaxis(bits, -1, 1).reshape(-1, *given.shape[1:-1])[:count])


def bytes_of_bits(bits: npt.NDArray[np.uint8], count: int) -> npt.NDArray[np.uint8]:
    """Returns packed bits `uint8[..., ceil(count / 8)]` as bytes of 0 and 1 `uint8[..., count]`.

    Raises `ArrayError`.
    """
    given = _of_type(bits, "bits", np.uint8, least=1)
    _at_most(count, 8 * given.shape[-1])
    return np.unpackbits(given, axis=-1, count=count, bitorder="little")


def _of_type(given: Any, name: str, dtype: Any, least: int) -> npt.NDArray[Any]:
    """Returns an array of a type and of `least` dimensions or more."""
    array = as_array(given, name)
    if array.dtype != dtype or array.ndim < least:
        wanted = f"{np.dtype(dtype)} of {least} dimensions or more"
        raise ArrayError(f"{name}: an array of {array.dtype} of shape {array.shape} where {wanted} is needed")
    return array


def _at_most(count: object, there: int) -> None:
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 0 <= count <= there:
        raise ArrayError(f"count: there are {there:,} bits, not {count!r:.80}")
