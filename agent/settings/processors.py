"""How many processors this process may use."""

from __future__ import annotations

import math
import os
from pathlib import Path

_MEMBERSHIP = Path("/proc/self/cgroup")
_HIERARCHIES = Path("/sys/fs/cgroup")


def processors() -> int:
    """Returns how many processors this process may use: those on which it may run, no more than its quota pays for.

    A container or a service with a quota (Docker's `--cpus`, systemd's `CPUQuota`) sees all processors of its machine,
    but once its threads have used up their share of a tenth of a second, all of them stand still for the rest of it.
    """
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, math.floor(min(there, processor_quota())))


def usable_processors() -> list[int]:
    """Returns the numbers of as many processors on which this process may run; none on systems that cannot say."""
    return sorted(os.sched_getaffinity(0))[: processors()] if hasattr(os, "sched_getaffinity") else []


def processor_quota(membership: Path = _MEMBERSHIP, hierarchies: Path = _HIERARCHIES) -> float:
    """Returns how many processors Linux's control groups pay for; inf where there is no quota.

    Of the group that `membership` names, and of all above it (man 7 cgroups, versions 1 and 2). Where a container does
    not see its own group under that name, the folder of the hierarchy is the container's.
    """
    try:
        lines = os.fsdecode(membership.read_bytes()).split("\n")  # names may hold any other byte
    except OSError:  # not Linux
        return math.inf
    quotas = [math.inf]
    for line in filter(None, lines):
        _, controllers, group = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        top = hierarchies / "cpu" if controllers else hierarchies  # the second version has one hierarchy for all
        folder = top / group.lstrip("/")
        quotas += [_quota(above) for above in (folder, *folder.parents) if above.is_relative_to(top)]
    return min(quotas)


def _quota(group: Path) -> float:
    """Returns how many processors this group pays for; inf for as many as there are."""
    try:
        if (both := group / "cpu.max").exists():
            quota, period = both.read_text("utf-8").split()
        else:
            quota, period = ((group / f"cpu.cfs_{name}_us").read_text("utf-8").strip() for name in ("quota", "period"))
    except (OSError, ValueError):
        return math.inf
    return math.inf if quota in ("max", "-1") else int(quota) / int(period)
