// Writes functions of straight-line code, one behind the other, for any back end: also for processors that this is not.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "network/encoder.hpp"
#include "network/straight_code.hpp"

namespace ludens::network {

class FunctionWriter {
public:
    // Rows from `first_free_row` on may be used for what does not fit into registers.
    FunctionWriter(std::unique_ptr<Encoder> encoder, std::uint32_t first_free_row);

    const GateSet& gate_set() const { return encoder_->abilities().gates; }

    // Adds a function of the gates; `kept` says of every row whether it is read elsewhere.
    void add(std::span<const Gate> gates, const std::vector<std::uint8_t>& kept);

    const std::vector<std::uint8_t>& code() const { return encoder_->code(); }
    // The first byte of each function, in the order in which they were added.
    const std::vector<std::size_t>& starts() const { return starts_; }
    // How many rows they use, those before the first free one included.
    std::uint32_t rows() const { return rows_; }

private:
    const std::unique_ptr<Encoder> encoder_;
    const std::uint32_t first_free_row_;
    std::uint32_t rows_;
    std::vector<std::size_t> starts_;
};

}  // namespace ludens::network
