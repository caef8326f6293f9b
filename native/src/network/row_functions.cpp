#include "network/row_functions.hpp"

#if defined(LUDENS_JIT)

#include <algorithm>

#include "base/machine.hpp"
#include "network/encoder.hpp"
#include "network/register_allocation.hpp"

namespace ludens::network {

RowFunctions::Writer::Writer(InstructionSet set, std::uint32_t row_bytes, std::uint32_t first_free_row)
    : encoder_(make_encoder(set, row_bytes)), first_free_row_(first_free_row), rows_(first_free_row) {
    if (first_free_row > INT32_MAX / 2 / row_bytes) throw Error("the network is too large for machine code");
}

RowFunctions::Writer::~Writer() = default;

bool RowFunctions::Writer::three_inputs() const { return encoder_->abilities().three_inputs; }

void RowFunctions::Writer::add(const std::vector<Gate>& gates, const std::vector<std::uint8_t>& kept) {
    starts_.push_back(encoder_->code().size());
    rows_ = std::max(rows_, first_free_row_ + write_code(*encoder_, gates, kept, first_free_row_));
}

RowFunctions RowFunctions::Writer::finish() const {
    RowFunctions result;
    result.memory_ = std::make_unique<ExecutableMemory>(encoder_->code());
    for (const std::size_t start : starts_) result.functions_.push_back(result.memory_->at<RowFunction>(start));
    result.rows_ = rows_;
    return result;
}

}  // namespace ludens::network

#endif
