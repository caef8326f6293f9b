// A finished endgame table: what a position is worth, and whether every value follows from its children's.
#pragma once

#include <cstdint>
#include <span>

#include "checkers/endgame_index.hpp"
#include "checkers/endgame_values.hpp"

namespace ludens::endgame {

class Table {
public:
    // The values, [index.size()], are neither copied nor changed and must outlive the table, as the index must.
    Table(const Index& index, Measure measure, std::span<const Value> values);

    const Measure& measure() const { return measure_; }
    const Index& index() const { return index_; }
    // no_position where the table does not hold this one.
    Value probe(const checkers::Board& board) const;
    Value probe(const Position& p) const { return values_[index_.number(p)]; }

    // How many positions of a slice have a value that does not follow from their children's.
    std::int64_t contradictions(const Slice& slice, int threads) const;

private:
    Value expected(const Position& p) const;

    const Index& index_;
    const Measure measure_;
    const std::span<const Value> values_;
};

}  // namespace ludens::endgame
