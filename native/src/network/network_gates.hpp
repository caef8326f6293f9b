// The gates of a network as straight-line code, piece by piece, in the order in which they are best evaluated.
#pragma once

#include <vector>

#include "network/program.hpp"
#include "network/straight_code.hpp"

namespace ludens::network {

// Returns of every row whether it is read outside the piece that writes it, by more than the piece's own feedback.
std::vector<std::uint8_t> kept_rows(const Program& program);

// At least how many rows machine code has in memory: all but those of gates that are not kept. What later chunks of long
// code read comes on top (see network/code_chunks.hpp).
std::uint32_t rows_in_memory(const Program& program);

// Returns the gates of each piece of the segment, of two inputs, as they come.
std::vector<std::vector<Gate>> gates_of(const Segment& segment);

}  // namespace ludens::network
