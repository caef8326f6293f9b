// A finished endgame table: what a position is worth, and whether every value follows from its children's.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "base/threads.hpp"
#include "checkers/endgame_index.hpp"
#include "checkers/endgame_values.hpp"

namespace ludens::endgame {

class Table {
public:
    // The values, [index.size()], are neither copied nor changed and must outlive the table, as the index must.
    Table(const Index& index, Measure measure, std::span<const Value> values)
        : index_(index), measure_(measure), values_(values) {
        if (static_cast<std::int64_t>(values.size()) != index.size()) throw Error("an endgame table of the wrong size");
    }

    const Measure& measure() const { return measure_; }
    const Index& index() const { return index_; }
    // no_position where the table does not hold this one.
    Value probe(const checkers::Board& board) const {
        const Position p = seen_by_mover(board);
        return index_.contains(p) ? probe(p) : no_position;
    }
    Value probe(const Position& p) const { return values_[index_.number(p)]; }

    // How many positions of a slice have a value that does not follow from their children's. Error when it is stopped.
    std::int64_t contradictions(const Slice& slice, int threads, const StopSign& stop) const {
        std::atomic<std::int64_t> found{0};
        share_in_threads(threads, slice.blocks, [&] {
            return [&](std::int64_t block) {
                const Men men = index_.men(slice, block);
                const auto values = values_.subspan(slice.first + block * slice.block_size, slice.block_size);
                std::int64_t here = 0;
                for (std::int64_t i = 0; i < slice.block_size; ++i) {
                    if (i % between_stops == 0) stop.heed();
                    here += values[i] != (men.possible() ? expected(index_.position(slice, men, i)) : no_position);
                }
                found += here;
            };
        });
        return found;
    }

private:
    static constexpr std::int64_t between_stops = 1 << 14;  // positions after which the work may be stopped

    // Whether a move took no piece and moved no man.
    static bool only_a_king_moved(const Position& before, const checkers::Side<checkers::red>& after) {
        return before.others == after.own && (before.own & ~before.king) == (after.others & ~after.king);
    }

    // The value that follows from the children's.
    Value expected(const Position& p) const {
        Best best;
        checkers::children(p, [&](const auto& after) {
            if (!after.own) return best.add(measure_.before_progress(0));
            const Value child = probe(seen_by_mover(after));
            if (child == draw) return best.add_draw();
            const int value =
                only_a_king_moved(p, after) ? measure_.before_step(child) : measure_.before_progress(child);
            return value > measure_.last() ? best.add_draw() : best.add(value);
        });
        return static_cast<Value>(best.value());
    }

    const Index& index_;
    const Measure measure_;
    const std::span<const Value> values_;
};

}  // namespace ludens::endgame
