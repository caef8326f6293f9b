#include "search/search.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "search/solver_assisted_search.hpp"
#include "search/tablebase_search.hpp"

namespace ludens {

#define STRATEGY(name, maker, meaning) std::unique_ptr<Search> maker(const Game&, const SearchOptions&);
#include "strategies.h"
#undef STRATEGY

namespace {

struct Kind {
    std::string name;
    SearchMaker make;
};

const std::vector<Kind>& kinds() {
#define STRATEGY(name, maker, meaning) {#name, maker},
    static const std::vector<Kind> all{
#include "strategies.h"
    };
#undef STRATEGY
    return all;
}

double mean(const RootMove& move) { return std::isnan(move.value) ? -1 : move.value; }

// The first of those that none is better than.
template <class Merit>
int best_by(const std::vector<RootMove>& moves, Merit merit) {
    const auto worse = [&](const RootMove& a, const RootMove& b) { return merit(a) < merit(b); };
    return moves.empty() ? -1 : static_cast<int>(std::ranges::max_element(moves, worse) - moves.begin());
}

}  // namespace

std::unique_ptr<Search> make_search(const Game& game, const SearchOptions& options) {
    if (!(options.solver_share >= 0 && options.solver_share <= 0.9)) throw Error("solver_share must be 0 to 0.9");
    std::string names;
    for (const Kind& kind : kinds()) {
        if (kind.name == options.strategy) {
            auto search = kind.make(game, options);
            const bool itself = kind.make == make_alphabeta || kind.make == make_proof;
            const bool solves = options.solver_share > 0 && game.roles() == 2 && !itself;
            if (solves) search = with_solver(std::move(search), game, options);
            return options.knowledge ? with_knowledge(std::move(search), game, options) : std::move(search);
        }
        names += (names.empty() ? "" : ", ") + kind.name;
    }
    throw Error("unknown strategy '" + options.strategy + "'; there are: " + names);
}

namespace {

[[noreturn]] void refuse_batches() { throw Error("this kind of search looks at its leaves itself"); }

}  // namespace

void Search::collect(int, std::vector<Word>&, std::vector<std::int64_t>&) { refuse_batches(); }
void Search::report(std::span<const std::int64_t>, const double*, int) { refuse_batches(); }

int most_visited(const std::vector<RootMove>& moves) {
    return best_by(moves, [](const RootMove& m) { return std::tuple(m.visits, mean(m)); });
}

int best_mean(const std::vector<RootMove>& moves) { return best_by(moves, mean); }

}  // namespace ludens
