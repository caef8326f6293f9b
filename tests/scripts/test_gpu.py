"""What is told of a GPU without one: how many threads of a kernel can be resident, and that there is none."""

from __future__ import annotations

import pytest

from scripts.bench import gpu
from scripts.verify.gpu_code import Needs


@pytest.mark.parametrize(
    ("capability", "registers", "shared", "expected"),
    [
        ("9.0", 32, 0, 1.0),  # 16 blocks of 128 threads with 32 of 65,536 registers
        ("9.0", 33, 0, 12 / 16),  # which are given out by eights
        ("9.0", 255, 0, 2 / 16),
        ("9.0", 16, 32 << 10, 6 / 16),  # blocks of 33 of 228 KiB
        ("7.5", 64, 6144, 1.0),
        ("7.5", 94, 6144, 5 / 8),
    ],
)
def test_registers_and_shared_memory_bound_the_occupancy(
    capability: str, registers: int, shared: int, expected: float
) -> None:
    assert Needs("play", capability, registers, 0, 0, shared, block=128).occupancy == expected


def test_no_gpu_is_one_clear_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(gpu, "available", lambda: False)
    monkeypatch.setattr("sys.argv", ["gpu", "--games", "tic_tac_toe"])
    assert gpu.main() == 1
    assert "numba finds no GPU that it can use: pip install 'ludens[gpu]', and a driver" in capsys.readouterr().err
