"""Coefficients of the models of strength.

Made by `python -m scripts.strength.choice_model --write` from docs/data/choice.jsonl; what they are worth in games that
the model has not seen is in docs/experiments/choice.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from ludens.agent.preparation.strength_model import StrengthModel

STRENGTH_MODELS: Mapping[str, StrengthModel] = {
    "guided": StrengthModel(
        {"constant": 0.64, "alternating": 0.68, "behind": -9.65, "playouts": -0.11, "length": 0.32, "learned": 0.28},
        1.0,
        0.3,
    ),
    "rave": StrengthModel({"constant": -0.12, "playouts": -1.03}, 2.0, 0.3),
    "decoupled": StrengthModel({"constant": -0.44, "independent": 0.18}, 0.75, 0.3),
    "captures": StrengthModel({"constant": 0.53}, 3.75, 0.3),
    "mast": StrengthModel({"constant": -0.27, "playouts": -0.21}, 1.0, 0.3),
    "uniform": StrengthModel({"constant": -0.86}, 2.25, 0.3),
}
