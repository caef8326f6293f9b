#include "evaluation/position_images.hpp"

#include <algorithm>
#include <bit>

#include "base/bits.hpp"

namespace ludens {

namespace {

constexpr std::int64_t read_at_once = 1024;

std::vector<std::int32_t> permutations(std::span<const std::int32_t> rows, std::size_t count, std::size_t size) {
    std::vector<bool> seen(size);
    for (std::size_t row = 0; row < count; ++row) {
        std::fill(seen.begin(), seen.end(), false);
        for (const std::int32_t image : rows.subspan(row * size, size)) {
            if (image < 0 || static_cast<std::size_t>(image) >= size || seen[static_cast<std::size_t>(image)])
                throw Error("a symmetry is no permutation");
            seen[static_cast<std::size_t>(image)] = true;
        }
    }
    return {rows.begin(), rows.end()};
}

}  // namespace

PositionImages::PositionImages(const Game& game, std::uint32_t count, std::span<const std::int32_t> symmetries,
                               std::uint64_t seed)
    : state_bits_(static_cast<std::size_t>(game.state_bits())), words_(static_cast<std::size_t>(game.state_words())),
      feature_words_(static_cast<std::size_t>(game.feature_words())), count_(count),
      symmetries_(permutations(symmetries, count, state_bits_)), expander_(game, 0), random_(seed) {}

void PositionImages::draw(std::int64_t count, Word* features) {
    for (std::int64_t first = 0; first < count; first += read_at_once) {
        const auto end = std::min(count, first + read_at_once);
        states_.assign(static_cast<std::size_t>(end - first) * words_, 0);
        rows_.clear();
        transitions_.clear();
        for (std::int64_t i = first; i < end; ++i) {
            const std::uint32_t symmetry = random_.below(count_ + 1);
            if (symmetry == count_) continue;
            Word* state = states_.data() + rows_.size() * words_;
            rows_.push_back(features + static_cast<std::size_t>(i) * feature_words_);
            carry(symmetry, rows_.back(), state);
            transitions_.push_back({state, nullptr});
        }
        expander_.read(transitions_, read_);
        for (std::size_t i = 0; i < rows_.size(); ++i)
            std::copy_n(read_.features.data() + i * feature_words_, feature_words_, rows_[i]);
    }
}

// Writes the state that a symmetry carries another one into, which is at the head of its features, to one of zeros.
void PositionImages::carry(std::size_t symmetry, const Word* features, Word* state) const {
    const std::int32_t* images = symmetries_.data() + symmetry * state_bits_;
    for (std::size_t w = 0; w < words_; ++w) {
        Word rest = features[w];
        if (w + 1 == words_ && state_bits_ % 64 != 0) rest &= ~Word{0} >> (64 - state_bits_ % 64);
        for (; rest != 0; rest &= rest - 1) {
            const auto image =
                static_cast<std::size_t>(images[w * 64 + static_cast<std::size_t>(std::countr_zero(rest))]);
            state[image / 64] |= Word{1} << image % 64;
        }
    }
}

}  // namespace ludens
