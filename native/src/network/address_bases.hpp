// Which stretches of rows the base registers of a function point at: straight-line code knows at every point what they
// hold. The register that was least lately used gives way.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace ludens::network {

template <std::size_t count> class AddressBases {
public:
    struct Found {
        std::size_t base;  // 0 … count-1
        bool is_new;       // its register has yet to be set to this stretch
    };

    // Begins a function.
    void clear() { bases_.fill({}); }

    // A base for a stretch, by its number from 1 on.
    Found of(std::uint32_t stretch) {
        const auto known = std::ranges::find(bases_, stretch, &Base::stretch);
        const bool is_new = known == bases_.end();
        const auto at = is_new ? std::ranges::min_element(bases_, {}, &Base::used) : known;
        *at = {stretch, ++clock_};
        return {static_cast<std::size_t>(at - bases_.begin()), is_new};
    }

private:
    struct Base {
        std::uint32_t stretch = 0;  // 0: none
        std::uint64_t used = 0;     // when
    };

    std::array<Base, count> bases_;
    std::uint64_t clock_ = 0;
};

}  // namespace ludens::network
