"""A strategy is a line in strategies.h and a file: a toy one is added by that alone.

All else that knows strategies by name is taken as it stands: the core's table, and in Python the settings, their
help, and the preparation of a player.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NATIVE = ROOT / "native"
TABLE = (NATIVE / "strategies.h").read_text("utf-8")

LINE = 'STRATEGY(first_legal, make_first_legal, TWO, SOLVES, "takes the first legal move for the best")\n'

STRATEGY = """
#include "search/search.hpp"

namespace ludens {
namespace {

// Knows one move of each role.
class FirstLegal final : public Search {
public:
    explicit FirstLegal(const Game& game) : game_(game) {}
    void set_root(const Word*) override {}
    void go_on(double, std::int64_t playouts) override { visits_ += playouts; }
    void stop() override {}
    void forget_stop() override {}
    SearchStats stats() const override {
        return {.playouts = visits_, .iterations = visits_, .state_changes = 0, .root_visits = visits_, .nodes = 0,
                .recycled = 0, .memory_bytes = 0, .depth = 0, .bytes_per_node = 1, .solved = false};
    }
    RootMoves root_moves(int) const override { return {{{0, visits_, 50.0, -1}}, 0}; }
    std::vector<int> expected_line(int) const override {
        return std::vector<int>(static_cast<std::size_t>(game_.roles()), 0);
    }

private:
    const Game& game_;
    std::int64_t visits_ = 0;
};

}  // namespace

std::unique_ptr<Search> make_first_legal(const Game& game, const SearchOptions&) {
    return std::make_unique<FirstLegal>(game);
}

}  // namespace ludens
"""

# Stands for the strategies that are there, and for what decorates them: the table is linked with the toy alone.
PROGRAM = """
#include <array>
#include "search/search.hpp"

namespace ludens {

std::vector<std::string> solvers_of(const Game&) { throw Error("it solves by itself"); }
std::unique_ptr<Search> with_solver(std::unique_ptr<Search>, const std::string&, const Game&, const SearchOptions&) {
    throw Error("it solves by itself");
}
std::unique_ptr<Search> with_knowledge(std::unique_ptr<Search>, const Game&, const SearchOptions&) {
    throw Error("there is no knowledge");
}
#define OTHER(maker) \\
    std::unique_ptr<Search> maker(const Game&, const SearchOptions&) { throw Error("another strategy"); }
OTHERS

class ToyGame final : public Game {
public:
    explicit ToyGame(int roles) : moves_(static_cast<std::size_t>(roles), 1) {}
    int state_bits() const override { return 1; }
    std::span<const int> moves() const override { return moves_; }
    std::span<const Word> initial() const override { return initial_; }
    std::unique_ptr<Machine> machine(const MachineOptions&) const override { throw Error("there is none"); }

private:
    std::vector<int> moves_;
    std::array<Word, 1> initial_{};
};

}  // namespace ludens

int main() {
    using namespace ludens;
    SearchOptions options{"first_legal", 1, 0, 1 << 20, 0.4, 1, 1, 100, 1, nullptr, nullptr, 0.5};
    const ToyGame two(2), three(3);
    const auto search = make_search(two, options);
    search->run(0, 10);
    bool refused = false;
    try {
        make_search(three, options);
    } catch (const Error&) {
        refused = true;
    }
    return refused && search->root_moves(0).moves[0].visits == 10 ? 0 : 1;
}
"""


@pytest.mark.skipif(shutil.which("c++") is None, reason="there is no C++ compiler")
def test_the_core_knows_a_strategy_by_a_line_and_a_file(tmp_path: Path) -> None:
    others = "".join(f"OTHER({maker})\n" for maker in re.findall(r"^STRATEGY\(\w+, (\w+),", TABLE, re.MULTILINE))
    (tmp_path / "strategies.h").write_text(TABLE + LINE)
    (tmp_path / "first_legal.cpp").write_text(STRATEGY)
    (tmp_path / "main.cpp").write_text(PROGRAM.replace("OTHERS\n", others))
    shared = [NATIVE / "src" / "search" / "search.cpp", NATIVE / "src" / "base" / "machine.cpp"]
    sources = [tmp_path / "first_legal.cpp", tmp_path / "main.cpp", *shared]
    command = ["c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{tmp_path}", f"-I{NATIVE / 'src'}"]
    subprocess.run([*command, *map(str, sources), "-o", str(tmp_path / "strategies")], check=True)
    subprocess.run([tmp_path / "strategies"], check=True)


ADDED = """
import sys
from ludens.native.strategies import STRATEGIES, read_strategies

STRATEGIES.update(read_strategies(sys.argv[1]))
"""

USED = """
from ludens import games
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.settings.options import PlayerOptions
from ludens.propnet.compile.loader import load

settings = PlayerOptions.from_texts({"strategy": "first_legal"})
strategy = STRATEGIES["first_legal"]
assert (strategy.most_roles, strategy.solves, strategy.plays_random_games) == (2, True, False)
config = prepare(load(games.read("tic_tac_toe")), settings, TimeBudget(0.0, 1.0))
assert str(config) == config.strategy == "first_legal", config
print("prepared")
"""


def run(code: str) -> str:
    """The output of a fresh process, since settings read the table when they are imported."""
    command = [sys.executable, "-P", "-c", code, LINE]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def test_a_player_is_prepared_for_a_strategy_of_the_table() -> None:
    assert run(ADDED + USED) == "prepared\n"


def test_a_strategy_of_the_table_is_offered_on_the_command_line() -> None:
    cli = "from ludens.agent.commands.cli import main\nmain(['serve', '--help'])"
    assert "first_legal" in run(ADDED + f"try:\n    exec({cli!r})\nexcept SystemExit:\n    pass")


def test_nothing_else_in_the_core_names_a_strategy() -> None:
    """Whatever makes a search by its name does so by the table."""
    sources = [path for path in (NATIVE / "src").rglob("*") if path.suffix in {".cpp", ".hpp"}]
    texts = {path: path.read_text("utf-8") for path in sources}
    for maker in re.findall(r"^STRATEGY\(\w+, (\w+),", TABLE, re.MULTILINE):
        assert len([path for path, text in texts.items() if re.search(rf"\b{maker}\b", text)]) == 1
