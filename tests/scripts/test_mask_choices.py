"""Each way of drawing actions from masks in numpy draws legal ones alone, and all of them as often."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scripts.bench import mask_choices


@pytest.mark.parametrize("actions", [7, 8, 10, 16, 66, 226])
def test_every_way_is_uniform(actions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(actions)
    kinds = rng.random((3, actions)) < 0.5
    kinds[:, 0], kinds[:, 1] = True, False
    masks = np.repeat(kinds, 3000, axis=0)
    for packed in (False, True):
        given = np.packbits(masks, axis=1, bitorder="little") if packed else masks.astype(np.int8)
        ways: list[Any] = []
        monkeypatch.setattr(mask_choices, "_seconds", lambda way, _, ways=ways: ways.append(way) or len(ways))
        mask_choices.numpy_choice(given, actions, packed)
        assert len(ways) == (3 if actions <= 16 else 2)
        for way in ways:
            for legal, drawn in zip(kinds, way(given).reshape(3, -1), strict=True):
                counts = np.bincount(drawn, minlength=actions)
                assert not counts[~legal].any()
                expected = 3000 / legal.sum()
                freedom = int(legal.sum()) - 1
                assert ((counts[legal] - expected) ** 2 / expected).sum() < freedom + 5 * np.sqrt(2 * freedom + 4) + 5
