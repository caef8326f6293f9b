"""Whether PyTorch is there, which comes with the extra `learn`."""

from __future__ import annotations

from importlib import import_module

from ludens.agent.training.checkpoint import TrainingError


def check_pytorch(what: str) -> None:
    """Raises `TrainingError` unless PyTorch, which `what` needs, is installed and can be used."""
    try:
        import_module("torch")
    except (ImportError, OSError) as error:  # such as for want of a library of the GPU
        raise TrainingError(f"{what} needs PyTorch ({error}): pip install 'ludens[learn]'") from error
