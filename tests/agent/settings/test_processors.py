"""How many processors a process may use: those it may run on, and what control groups pay for."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from ludens.agent.settings import processors as module
from ludens.agent.settings.processors import processor_quota, processors


def group(folder: Path, **files: str) -> None:
    """Makes a control group with files; `_` in their names stands for a dot where the first one is."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".", 1)).write_text(f"{text}\n", "utf-8")


def quota(tmp_path: Path, membership: str) -> float:
    """The quota of a process that is a member of these groups."""
    (tmp_path / "membership").write_bytes(os.fsencode(membership))
    return processor_quota(tmp_path / "membership", tmp_path / "cgroup")


@pytest.mark.parametrize(("text", "expected"), [("150000 100000", 1.5), ("max 100000", math.inf), ("", math.inf)])
def test_the_quota_of_a_group_is_its_share_of_a_period(tmp_path: Path, text: str, expected: float) -> None:
    group(tmp_path / "cgroup/service", cpu_max=text)
    assert quota(tmp_path, "0::/service\n") == expected


def test_a_group_has_no_more_than_those_above_it(tmp_path: Path) -> None:
    group(tmp_path / "cgroup/slice", cpu_max="200000 100000")
    group(tmp_path / "cgroup/slice/service", cpu_max="max 100000")
    assert quota(tmp_path, "0::/slice/service\n") == 2


def test_a_container_reads_its_quota_though_it_does_not_see_its_name(tmp_path: Path) -> None:
    group(tmp_path / "cgroup", cpu_max="300000 100000")
    assert quota(tmp_path, "0::/docker/f00\n") == 3


@pytest.mark.parametrize(("text", "expected"), [("50000", 0.5), ("-1", math.inf)])
def test_the_first_version_has_a_hierarchy_of_its_own(tmp_path: Path, text: str, expected: float) -> None:
    group(tmp_path / "cgroup/cpu/jail", cpu_cfs_quota_us=text, cpu_cfs_period_us="100000")
    assert quota(tmp_path, "5:memory:/other\n4:cpu,cpuacct:/jail\n0::/\n") == expected


def test_names_of_groups_may_hold_any_bytes(tmp_path: Path) -> None:
    name = b"a\xff\x0b\r\x1c\xc2\x85z"
    group(tmp_path / "cgroup" / os.fsdecode(name), cpu_max="200000 100000")
    assert quota(tmp_path, f"0::/{os.fsdecode(name)}\n") == 2


def test_elsewhere_there_is_no_quota(tmp_path: Path) -> None:
    assert processor_quota(tmp_path / "none", tmp_path) == math.inf


@pytest.mark.parametrize(("paid", "expected"), [(math.inf, 4), (2.9, 2), (0.5, 1), (9.0, 4)])
def test_a_process_uses_what_it_has_and_is_paid_for(
    paid: float, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {0, 1, 5, 7}, raising=False)
    monkeypatch.setattr(module, "processor_quota", lambda: paid)
    assert processors() == expected
