"""`ludens data` says how to go on, however it ends; what it makes is tested in tests/agent/checkers."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludens.agent.cluster.errors import ClusterError
from ludens.agent.commands import data
from tests.support.command import status


@pytest.mark.parametrize(("end", "code"), [(KeyboardInterrupt(), 130), (ClusterError("the head is gone"), 1)])
def test_what_was_ended_says_how_to_go_on(
    tmp_path: Path, end: BaseException, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "games"

    def ended(*_: object) -> None:
        raise end

    monkeypatch.setattr(data, "make", ended)
    assert status("data", "checkers", "--out", str(out), "--method", "outcome", "--positions", "8") == code
    assert f"go on with `ludens data checkers --resume --out {out}`" in " ".join(capsys.readouterr().err.split())
    monkeypatch.undo()
    assert status("data", "checkers", "--out", str(out), "--resume", "--threads", "1") == 0


def test_data_that_have_not_begun_cannot_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ended(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(data, "begin", ended)
    assert status("data", "checkers", "--out", str(tmp_path / "games")) == 130
    assert "--resume" not in capsys.readouterr().err
