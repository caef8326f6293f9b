"""A playout policy of the machine is a file, a line in a table, and its test: a toy one is added by that alone."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ludens.agent.settings.options import PLAYOUT_POLICIES
from ludens.native.playout_policies import MACHINE_POLICIES

ROOT = Path(__file__).resolve().parents[2]
NATIVE = ROOT / "native"
TABLE = (NATIVE / "playout_policies.h").read_text("utf-8")

POLICY = """
#include <vector>
#include "network/playout_policy.hpp"

namespace ludens::network {
namespace {

// Prefers the moves that were made in the last batch of games.
class LastMoves final : public PlayoutPolicy {
public:
    explicit LastMoves(std::span<const int> moves) {
        std::size_t count = 0;
        for (const int n : moves) count += static_cast<std::size_t>(n);
        made_.resize(count), preferred_.resize(count);
    }
    void add(std::size_t move, int, std::int64_t) override { made_[move] = 1; }
    void played(int) override { preferred_ = made_; }
    std::span<const std::uint8_t> preferred() override { return preferred_; }

private:
    std::vector<std::uint8_t> made_, preferred_;
};

}  // namespace

std::unique_ptr<PlayoutPolicy> make_last_moves(std::span<const int> moves, std::uint64_t) {
    return std::make_unique<LastMoves>(moves);
}

}  // namespace ludens::network
"""

LINE = 'PLAYOUT_POLICY(last_moves, make_last_moves, "the moves of the last batch of games")\n'

PROGRAM = """
#include "network/playout_policy.hpp"

int main() {
    const int moves[] = {2, 3};
    const auto policy = ludens::network::make_playout_policy("last_moves", moves, 1);
    policy->add(4, 10, 500);
    policy->played(10);
    const auto preferred = policy->preferred();
    bool refused = false;
    try {
        ludens::network::make_playout_policy("no such policy", moves, 1);
    } catch (const ludens::Error&) {
        refused = true;
    }
    return refused && preferred.size() == 5 && preferred[4] && !preferred[0] ? 0 : 1;
}
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("c++") is None, reason="there is no C++ compiler")
def test_a_policy_is_added_by_a_file_and_a_line(tmp_path: Path) -> None:
    """All else that knows policies by name is compiled as it stands."""
    (tmp_path / "playout_policies.h").write_text(TABLE + LINE)
    (tmp_path / "last_moves.cpp").write_text(POLICY)
    (tmp_path / "main.cpp").write_text(PROGRAM)
    makers = set(re.findall(r"PLAYOUT_POLICY\(\w+, make_(\w+),", TABLE))
    known = [NATIVE / "src" / "network" / f"{name}.cpp" for name in ("playout_policy", *sorted(makers))]
    command = ["c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{tmp_path}", f"-I{NATIVE / 'src'}"]
    sources = [tmp_path / "last_moves.cpp", tmp_path / "main.cpp", *known]
    subprocess.run([*command, *map(str, sources), "-o", str(tmp_path / "policies")], check=True)
    subprocess.run([tmp_path / "policies"], check=True)


def test_settings_offer_every_policy_of_the_table() -> None:
    assert list(MACHINE_POLICIES) == re.findall(r"^PLAYOUT_POLICY\((\w+),", TABLE, re.MULTILINE)
    assert set(MACHINE_POLICIES) <= set(PLAYOUT_POLICIES)


def test_nothing_else_in_the_core_names_a_policy() -> None:
    """Whatever makes, passes or applies a policy does so by the table."""
    others = [path for path in (NATIVE / "src").rglob("*.[chi]*") if path.suffix in {".cpp", ".hpp", ".inl"}]
    for maker in re.findall(r"PLAYOUT_POLICY\(\w+, (\w+),", TABLE):
        assert [path for path in others if maker in path.read_text("utf-8")] == [
            NATIVE / "src" / "network" / f"{maker.removeprefix('make_')}.cpp"
        ]
