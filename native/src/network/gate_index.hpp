// Finds the gate that writes a row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/straight_code.hpp"

namespace ludens::network {

class GateIndex {
public:
    static constexpr std::uint32_t none = UINT32_MAX;

    explicit GateIndex(const std::vector<Gate>& gates) {
        if (gates.empty()) return;
        const auto [least, most] = std::ranges::minmax(gates, {}, &Gate::out);
        first_ = least.out;
        at_.assign(most.out - least.out + 1, none);
        for (std::size_t n = 0; n < gates.size(); ++n) at_[gates[n].out - first_] = static_cast<std::uint32_t>(n);
    }

    // The number of the gate, or none.
    std::uint32_t operator()(std::uint32_t row) const {
        return row < first_ || row - first_ >= at_.size() ? none : at_[row - first_];
    }

private:
    std::uint32_t first_ = 0;
    std::vector<std::uint32_t> at_;  // of each row from the first one on
};

}  // namespace ludens::network
