#include "search/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ludens {

namespace {

// The words of the columns in strategies.h; those that only players ask for have values of their own all the same.
constexpr int ONE = 1, TWO = 2, ANY = std::numeric_limits<int>::max();
constexpr unsigned RANDOM_GAMES = 1, LEAF_BATCHES = 2, FACTORS = 4, EVALUATION = 8, SOLVES = 16, CORE = 32, SHARES = 64,
                   MIXES = 128;

struct Strategy {
    std::string name;
    std::unique_ptr<Search> (*make)(const Game& game, const SearchOptions& options);
    int most_roles;
    unsigned traits;

    bool has(unsigned trait) const { return (traits & trait) != 0; }
};

const std::vector<Strategy>& strategies() {
#define STRATEGY(name, maker, roles, traits, meaning) {#name, maker, roles, traits},
    static const std::vector<Strategy> all{
#include "strategies.h"
    };
#undef STRATEGY
    return all;
}

const Strategy& strategy_named(const std::string& wanted) {
    std::string names;
    for (const Strategy& strategy : strategies()) {
        if (strategy.name == wanted) return strategy;
        names += (names.empty() ? "" : ", ") + strategy.name;
    }
    throw Error("unknown strategy '" + wanted + "'; there are: " + names);
}

void require(bool holds, const std::string& message) {
    if (!holds) throw Error(message);
}

void check_ranges(const SearchOptions& options) {
    require(options.threads >= 1 && options.threads <= 1024, "threads must be between 1 and 1024");
    require(options.memory_bytes >= least_memory, "memory_bytes must be at least " + std::to_string(least_memory) +
                                                      ", not " + std::to_string(options.memory_bytes));
    require(std::isfinite(options.exploration) && options.exploration >= 0,
            "exploration must be a number that is not negative");
    require(options.playouts_per_leaf >= 1, "playouts_per_leaf must be at least 1");
    require(options.expand_after >= 0, "expand_after must not be negative");
    require(options.max_steps >= 1, "max_steps must be at least 1");
    require(options.depth >= 0 && options.depth <= 64, "depth must be 0 to 64");
    require(options.peers >= 0 && options.peers <= 64, "peers must be 0 to 64");
    require(options.prior_noise >= 0 && options.prior_noise <= 1, "prior_noise must be 0 to 1");
    require(options.solver_steps >= 1, "solver_steps must be at least 1");
    require(options.solver_share >= 0 && options.solver_share <= 0.9, "solver_share must be 0 to 0.9");
}

[[noreturn]] void refuse_batches() { throw Error("this strategy does not hand out its leaves"); }

double mean(const RootMove& move) { return std::isnan(move.value) ? -1 : move.value; }

// The first of those that none is better than.
template <class Merit> int best_by(const std::vector<RootMove>& moves, Merit merit) {
    const auto worse = [&](const RootMove& a, const RootMove& b) { return merit(a) < merit(b); };
    return moves.empty() ? -1 : static_cast<int>(std::ranges::max_element(moves, worse) - moves.begin());
}

}  // namespace

std::unique_ptr<Search> make_search(const Game& game, const SearchOptions& options) {
    check_ranges(options);
    const Strategy& strategy = strategy_named(options.strategy);
    if (game.roles() > strategy.most_roles)
        throw Error("the strategy '" + strategy.name + "' plays games of " +
                    (strategy.most_roles == ONE ? "one role" : "one or two roles"));
    if (strategy.has(EVALUATION) && !options.evaluation)
        throw Error("the strategy '" + strategy.name + "' needs an evaluation");
    const bool assisted = options.solver_share > 0 && game.roles() == 2 && !strategy.has(SOLVES);
    const std::vector<std::string> solvers = assisted ? solvers_of(game) : std::vector<std::string>{};
    SearchOptions own = options;
    own.memory_bytes = std::max(least_memory, options.memory_bytes - std::ssize(solvers) * solver_bytes(options));
    std::unique_ptr<Search> search = strategy.make(game, own);
    for (const std::string& solver : solvers) search = with_solver(std::move(search), solver, game, options);
    return options.knowledge ? with_knowledge(std::move(search), game, options) : std::move(search);
}

void Search::collect(int, std::vector<Word>&, std::vector<std::int64_t>&) { refuse_batches(); }
void Search::report(std::span<const std::int64_t>, const double*, int) { refuse_batches(); }
int Search::choose_move(const std::vector<RootMove>& moves) const { return move_to_play(moves); }

int move_to_play(const std::vector<RootMove>& moves) {
    int best = best_by(moves, [](const RootMove& m) { return std::tuple(m.proven < 0 ? m.visits : -1, mean(m)); });
    if (best < 0) return best;
    const RootMove& open = moves[static_cast<std::size_t>(best)];
    double most = open.proven >= 0 ? open.proven : std::max(0.0, mean(open));  // nothing is known of an unvisited move
    for (std::size_t i = 0; i < moves.size(); ++i) {
        if (moves[i].proven <= most) continue;
        best = static_cast<int>(i);
        most = moves[i].proven;
    }
    return best;
}

int best_mean(const std::vector<RootMove>& moves) { return best_by(moves, mean); }

}  // namespace ludens
