// A logarithm of whole numbers that is the same on every machine, for bounds that grow with the number of visits.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace ludens {

// The logarithm to base 2 of 1 ... 2^31 - 1, from the exponent and a table for the highest bits of the mantissa, by a
// polynomial that is right at both ends and to 0.0002 between them.
class Logarithm {
public:
    Logarithm() {
        for (std::uint32_t i = 0; i < table_.size(); ++i) {
            const float m = 1 + static_cast<float>(i) / static_cast<float>(table_.size());
            table_[i] = (m - 1) * (1 + (m - 2) * (-0.7550740f + (0.3973080f - 0.0803073f * m) * m));
        }
    }

    float operator()(std::uint32_t n) const {
        const std::uint32_t bits = std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(n)));
        return static_cast<float>(static_cast<int>(bits >> 23) - 127) + table_[(bits & 0x7fffffu) >> (23 - digits)];
    }

private:
    static constexpr int digits = 10;
    std::array<float, 1 << digits> table_;
};

inline const Logarithm logarithm;

}  // namespace ludens
