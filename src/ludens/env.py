"""Environments: `Batch` for itself, `VectorEnv` and `Env` of Gymnasium, `aec_env` and `parallel_env` of PettingZoo.

To import it registers the built-in games with Gymnasium: `gymnasium.make_vec("ludens/connect_four", num_envs=64)`.

Those of Gymnasium need the extra `ludens[gym]`, those of PettingZoo `ludens[pettingzoo]`; see `ludens.openspiel` for
OpenSpiel.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ludens.agent.env.batch import FORCED, WAIT, Batch
from ludens.agent.env.errors import ArrayError, IllegalActionError, LayoutError, NotResetError
from ludens.agent.env.layouts import bytes_of_bits, bytes_of_slices
from ludens.agent.env.opponents import Actions, Opponent, random_actions, read_opponent

if TYPE_CHECKING:
    from ludens.agent.env.gym import Env, VectorEnv
    from ludens.agent.env.zoo import aec_env, parallel_env

_PLACES = {"Env": "gym", "VectorEnv": "gym", "aec_env": "zoo", "parallel_env": "zoo"}
_EXTRAS = {"gymnasium": "gym", "pettingzoo": "pettingzoo"}

if find_spec("gymnasium") is not None:
    from ludens.agent.env.registration import register

    register()

__all__ = [
    "FORCED",
    "WAIT",
    "Actions",
    "ArrayError",
    "Batch",
    "Env",
    "IllegalActionError",
    "LayoutError",
    "NotResetError",
    "Opponent",
    "VectorEnv",
    "aec_env",
    "bytes_of_bits",
    "bytes_of_slices",
    "parallel_env",
    "random_actions",
    "read_opponent",
]


if not TYPE_CHECKING:  # the packages that they need are imported when they are used

    def __getattr__(name: str) -> object:
        if name not in _PLACES:
            raise AttributeError(f"module 'ludens.env' has no attribute {name!r}")
        try:
            return getattr(import_module(f"ludens.agent.env.{_PLACES[name]}"), name)
        except ModuleNotFoundError as error:
            if error.name not in _EXTRAS:
                raise
            told = f"{error.name} is not installed: pip install 'ludens[{_EXTRAS[error.name]}]'"
            raise ModuleNotFoundError(told, name=error.name) from None
