#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace ludens {

#define STRATEGY(name, maker, meaning) std::unique_ptr<Search> maker(const Game&, const SearchOptions&);
#include "../strategies.h"
#undef STRATEGY

namespace {

struct Kind {
    std::string name;
    SearchMaker make;
};

const std::vector<Kind>& kinds() {
#define STRATEGY(name, maker, meaning) {#name, maker},
    static const std::vector<Kind> all{
#include "../strategies.h"
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
    std::string names;
    for (const Kind& kind : kinds()) {
        if (kind.name == options.strategy) return kind.make(game, options);
        names += (names.empty() ? "" : ", ") + kind.name;
    }
    throw Error("unknown strategy '" + options.strategy + "'; there are: " + names);
}

int most_visited(const std::vector<RootMove>& moves) {
    return best_by(moves, [](const RootMove& m) { return std::tuple(m.visits, mean(m)); });
}

int best_mean(const std::vector<RootMove>& moves) { return best_by(moves, mean); }

}  // namespace ludens
