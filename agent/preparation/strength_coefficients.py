"""Coefficients of the models of strength.

Made by `python -m scripts.strength.choice_model --write` from docs/data/choice.jsonl; what they are worth in games that
the model has not seen is in docs/experiments/choice.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from ludens.agent.preparation.strength_model import StrengthModel

STRENGTH_MODELS: Mapping[str, StrengthModel] = {
    "guided": StrengthModel({"constant": 1.21, "behind": -17.89, "playouts": -0.22, "length": 0.48}, 0.5, 0.3),
    "rave": StrengthModel({"constant": -0.5, "playouts": -1.0}, 1.2, 0.3),
    "captures": StrengthModel({"constant": 0.3}, 1.2, 0.3),
    "mast": StrengthModel({"constant": 0.3, "playouts": -0.2}, 1.2, 0.3),
    "uniform": StrengthModel({"constant": -1.0}, 1.2, 0.3),
}
