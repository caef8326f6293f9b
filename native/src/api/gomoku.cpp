// Gomoku in the C API: its games, the shapes that stones make, and threat-space search.
#include <algorithm>

#include "api/handles.hpp"
#include "gomoku/game.hpp"
#include "gomoku/patterns.hpp"
#include "gomoku/threats.hpp"

using namespace ludens;
using namespace ludens::api;

struct ludens_threat_search {
    std::shared_ptr<const gomoku::GomokuGame> game;
    gomoku::ThreatSearch search;
};

namespace {

gomoku::Rules rules_of(const ludens_gomoku& g) {
    gomoku::Rules r;
    r.rows = g.rows;
    r.columns = g.columns;
    r.length = g.length;
    r.exact = g.exact;
    r.first_role = g.first_role;
    const std::int32_t* goal = g.goals;
    for (auto& both : r.goals)
        for (int& value : both) value = *goal++;
    return r;
}

std::shared_ptr<const gomoku::GomokuGame> gomoku_of(const ludens_game& game) {
    auto found = std::dynamic_pointer_cast<const gomoku::GomokuGame>(game.game);
    if (!found) throw Error("only games of gomoku on bitboards have shapes and threats");
    return found;
}

}  // namespace

int ludens_game_from_gomoku(const ludens_gomoku* rules, ludens_game** out) {
    return guarded([&] {
        *out = new ludens_game{std::make_shared<gomoku::GomokuGame>(
            rules_of(*rules), gomoku::Extras{rules->threat_playouts != 0, rules->insight != 0})};
    });
}

int ludens_gomoku_shapes(const ludens_game* game, const uint64_t* state, int32_t count, const int32_t* cells,
                         int32_t back, uint8_t* shapes) {
    return guarded([&] {
        const auto gomoku = gomoku_of(*game);
        gomoku::Patterns patterns(*gomoku);
        patterns.set(gomoku->decode(state));
        if (back < 0 || back > count) throw Error("more moves are taken back than were made");
        for (std::int32_t i = 0; i < count; ++i) {
            if (cells[i] < 0 || cells[i] >= gomoku->rules().cells() || !patterns.empty(cells[i]))
                throw Error("a stone can only be put on an empty cell");
            patterns.make(cells[i]);
        }
        for (std::int32_t i = 0; i < back; ++i) patterns.unmake();
        for (int side = 0; side < 2; ++side)
            for (int cell = 0; cell < gomoku->rules().cells(); ++cell)
                for (std::size_t d = 0; d < gomoku::directions.size(); ++d)
                    *shapes++ = patterns.empty(cell) ? static_cast<uint8_t>(patterns.shape(side, cell, d)) : 0;
    });
}

int ludens_threat_search_new(const ludens_game* game, ludens_threat_search** out) {
    return guarded([&] {
        auto gomoku = gomoku_of(*game);
        gomoku::ThreatSearch search(*gomoku);
        *out = new ludens_threat_search{std::move(gomoku), std::move(search)};
    });
}

void ludens_threat_search_free(ludens_threat_search* search) { delete search; }

int ludens_threat_search_run(ludens_threat_search* search, const uint64_t* state, int32_t threes,
                             int64_t most_positions, int32_t* verdict, int32_t* length, int64_t* positions) {
    return guarded([&] {
        using Kind = gomoku::ThreatSearch::Kind;
        check_count(most_positions, "most_positions");
        const gomoku::Position position = search->game->decode(state);
        const gomoku::Rows& rows = search->game->rows();
        if (rows.any(position.stones[0]) || rows.any(position.stones[1])) throw Error("the game is over");
        const auto found = search->search.search(position, threes ? Kind::threes : Kind::fours, most_positions);
        *verdict = static_cast<int32_t>(found);
        *length = static_cast<int32_t>(search->search.proof().size());
        *positions = search->search.positions();
    });
}

int ludens_threat_search_proof(const ludens_threat_search* search, int32_t* proof) {
    return guarded([&] { std::ranges::copy(search->search.proof(), proof); });
}

int ludens_threat_search_relevant(ludens_threat_search* search, uint8_t* cells) {
    return guarded([&] {
        const gomoku::Cells relevant = search->search.relevant();
        for (int cell = 0; cell < search->game->rules().cells(); ++cell) *cells++ = relevant[cell];
    });
}
