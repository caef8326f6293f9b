"""The error of clusters."""

from __future__ import annotations

from ludens.propnet.base.errors import LudensError


class ClusterError(LudensError):
    """A cluster that cannot be used, or no longer."""
