#include "network/row_functions.hpp"

#if defined(LUDENS_JIT)

namespace ludens::network {

RowFunctions::RowFunctions(const FunctionWriter& written)
    : memory_(std::make_unique<ExecutableMemory>(written.code())), rows_(written.rows()) {
    for (const std::size_t start : written.starts()) functions_.push_back(memory_->at<RowFunction>(start));
}

}  // namespace ludens::network

#endif
