#include "network/function_writer.hpp"

#include <algorithm>
#include <utility>

#include "base/machine.hpp"
#include "network/register_allocation.hpp"

namespace ludens::network {

FunctionWriter::FunctionWriter(std::unique_ptr<Encoder> encoder, std::uint32_t first_free_row)
    : encoder_(std::move(encoder)), first_free_row_(first_free_row), rows_(first_free_row) {
    constexpr std::uint32_t most_bytes = 64;  // of a row; offsets of twice as many rows are to be 32 bits
    if (first_free_row > INT32_MAX / 2 / most_bytes) throw Error("the network is too large for machine code");
}

void FunctionWriter::add(std::span<const Gate> gates, const std::vector<std::uint8_t>& kept) {
    starts_.push_back(encoder_->code().size());
    rows_ = std::max(rows_, first_free_row_ + write_code(*encoder_, gates, kept, first_free_row_));
}

}  // namespace ludens::network
