#include "base/state_key.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace ludens {

StateKey::StateKey(const Game& game, const Symmetries& symmetries)
    : words_(game.state_words()), keys_(1 + static_cast<int>(symmetries.size())) {
    const auto tables = std::make_shared<std::vector<std::uint64_t>>();
    tables_ = tables;
    const int bits = game.state_bits();
    const auto keys = static_cast<std::size_t>(keys_);
    check_symmetries(symmetries, bits);
    if (symmetries.empty()) return;
    tables->resize(static_cast<std::size_t>(words_) * word_bytes * byte_values * keys);
    const auto random = [](int bit) { return mix((static_cast<std::uint64_t>(bit) + 1) * golden_ratio); };
    for (int bit = 0; bit < bits; ++bit) {
        const auto table = static_cast<std::size_t>(bit / 8) * byte_values;
        const int holds = 1 << bit % 8;
        for (int value = holds; value < byte_values; value = (value + 1) | holds)
            for (std::size_t k = 0; k < keys; ++k)
                (*tables)[(table + static_cast<std::size_t>(value)) * keys + k] ^=
                    random(k == 0 ? bit : symmetries[k - 1][static_cast<std::size_t>(bit)]);
    }
}

std::int64_t StateKey::left_of(std::int64_t bytes) const {
    if (this->bytes() > bytes / 2) throw Error("memory_bytes is too small for the symmetries of this game");
    return bytes - this->bytes();
}

std::uint64_t StateKey::operator()(const Word* state) const {
    if (tables_->empty()) return hash_words({state, static_cast<std::size_t>(words_)});
    std::uint64_t least = ~std::uint64_t{0};
    const auto keys = static_cast<std::size_t>(keys_);
    for (std::size_t k = 0; k < keys; ++k) {
        std::uint64_t key = 0;
        const std::uint64_t* table = tables_->data() + k;
        for (int w = 0; w < words_; ++w)
            for (Word rest = state[w], byte = 0; byte < word_bytes; ++byte, rest >>= 8, table += byte_values * keys)
                key ^= table[(rest & 0xFF) * keys];
        least = std::min(least, key);
    }
    return least;
}

}  // namespace ludens
