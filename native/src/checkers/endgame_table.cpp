#include "checkers/endgame_table.hpp"

#include <atomic>

#include "checkers/endgame_parallel.hpp"

namespace ludens::endgame {

namespace {

// Whether a move took no piece and moved no man.
bool only_a_king_moved(const Position& before, const checkers::Side<checkers::red>& after) {
    return before.others == after.own && (before.own & ~before.king) == (after.others & ~after.king);
}

}  // namespace

Table::Table(const Index& index, Measure measure, std::span<const Value> values)
    : index_(index), measure_(measure), values_(values) {
    if (static_cast<std::int64_t>(values.size()) != index.size()) throw Error("an endgame table of the wrong size");
}

Value Table::probe(const checkers::Board& board) const {
    const Position p = seen_by_mover(board);
    return index_.contains(p) ? probe(p) : no_position;
}

std::int64_t Table::contradictions(const Slice& slice, int threads) const {
    std::atomic<std::int64_t> found{0};
    share(threads, slice.blocks, [&] {
        return [&](std::int64_t block) {
            const Men men = index_.men(slice, block);
            const auto values = values_.subspan(slice.first + block * slice.block_size, slice.block_size);
            std::int64_t here = 0;
            for (std::int64_t i = 0; i < slice.block_size; ++i)
                here += values[i] != (men.possible() ? expected(index_.position(slice, men, i)) : no_position);
            found += here;
        };
    });
    return found;
}

Value Table::expected(const Position& p) const {
    Best best;
    checkers::children(p, [&](const auto& after) {
        if (!after.own) return best.add(measure_.before_progress(0));
        const Value child = probe(seen_by_mover(after));
        if (child == draw) return best.add_draw();
        const int value = only_a_king_moved(p, after) ? measure_.before_step(child) : measure_.before_progress(child);
        return value > measure_.last() ? best.add_draw() : best.add(value);
    });
    return static_cast<Value>(best.value());
}

}  // namespace ludens::endgame
