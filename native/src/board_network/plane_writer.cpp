#include "board_network/plane_writer.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/machine.hpp"

namespace ludens::board_network {

namespace {

constexpr Activation full = 127;

void check_bit(int bit, int state_bits) {
    if (bit < 0 || bit >= state_bits) throw Error("planes: " + std::to_string(bit) + " is not a bit of the state");
}

std::vector<BitLists<std::uint32_t>::Entry> cells_of(const Sizes& sizes, int padded_planes,
                                                     const std::vector<std::int32_t>& columns, int state_bits) {
    if (columns.size() != static_cast<std::size_t>(sizes.planes) * static_cast<std::size_t>(sizes.squares))
        throw Error("planes: there must be a column for each plane and square");
    std::vector<BitLists<std::uint32_t>::Entry> cells;
    const std::int32_t* column = columns.data();
    for (int plane = 0; plane < sizes.planes; ++plane)
        for (int square = 0; square < sizes.squares; ++square, ++column) {
            if (*column == -1) continue;
            check_bit(*column, state_bits);
            cells.push_back({*column, static_cast<std::uint32_t>(square * padded_planes + plane)});
        }
    return cells;
}

std::vector<BitLists<PlaneWriter::Level>::Entry> levels_of(const Sizes& sizes,
                                                           const std::vector<PlaneColumns::Fill>& fills,
                                                           int state_bits) {
    std::vector<BitLists<PlaneWriter::Level>::Entry> levels;
    for (const auto& [bit, plane, value] : fills) {
        check_bit(bit, state_bits);
        if (plane < 0 || plane >= sizes.planes) throw Error("planes: a fill is of a plane that there is not");
        if (value < 0 || value > full) throw Error("planes: a fill must be from 0 to 127");
        levels.push_back({bit, {static_cast<std::uint8_t>(plane), static_cast<Activation>(value)}});
    }
    return levels;
}

}  // namespace

PlaneWriter::PlaneWriter(const Sizes& sizes, int padded_planes, const PlaneColumns& planes, int state_bits)
    : row_(static_cast<std::size_t>(padded_planes)), size_(row_ * static_cast<std::size_t>(sizes.squares)),
      cells_(cells_of(sizes, padded_planes, planes.columns, state_bits)),
      fills_(levels_of(sizes, planes.fills, state_bits)) {}

void PlaneWriter::write(const Word* state, Activation* position) const {
    std::fill_n(position, row_, Activation{0});
    fills_.visit(state, [&](Level level) { position[level.plane] = std::max(position[level.plane], level.value); });
    for (std::size_t written = row_; written < size_; written *= 2)
        std::memcpy(position + written, position, std::min(written, size_ - written));
    cells_.visit(state, [&](std::uint32_t cell) { position[cell] = full; });
}

}  // namespace ludens::board_network
