#include "evaluation/position_images.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/bits.hpp"

namespace ludens {

namespace {

constexpr std::int64_t read_at_once = 1024;

}  // namespace

PositionImages::PositionImages(const Game& game, Symmetries symmetries, std::uint64_t seed)
    : state_bits_(static_cast<std::size_t>(game.state_bits())), words_(static_cast<std::size_t>(game.state_words())),
      feature_words_(static_cast<std::size_t>(game.feature_words())), symmetries_(std::move(symmetries)),
      expander_(game, 0), random_(seed) {
    check_symmetries(symmetries_, game.state_bits());
}

void PositionImages::draw(std::int64_t count, Word* features) {
    for (std::int64_t first = 0; first < count; first += read_at_once) {
        const auto end = std::min(count, first + read_at_once);
        states_.assign(static_cast<std::size_t>(end - first) * words_, 0);
        rows_.clear();
        transitions_.clear();
        for (std::int64_t i = first; i < end; ++i) {
            const std::size_t drawn = random_.below(static_cast<std::uint32_t>(symmetries_.size()) + 1);
            if (drawn == symmetries_.size()) continue;
            Word* state = states_.data() + rows_.size() * words_;
            rows_.push_back(features + static_cast<std::size_t>(i) * feature_words_);
            carry(symmetries_[drawn], rows_.back(), state);
            transitions_.push_back({state, nullptr});
        }
        expander_.read(transitions_, read_);
        for (std::size_t i = 0; i < rows_.size(); ++i)
            std::copy_n(read_.features.data() + i * feature_words_, feature_words_, rows_[i]);
    }
}

// Writes the state that a symmetry carries another one into, which is at the head of its features, to one of zeros.
void PositionImages::carry(const std::vector<int>& symmetry, const Word* features, Word* state) const {
    for (std::size_t w = 0; w < words_; ++w) {
        Word rest = features[w];
        if (w + 1 == words_ && state_bits_ % 64 != 0) rest &= ~Word{0} >> (64 - state_bits_ % 64);
        for (; rest != 0; rest &= rest - 1)
            set_bit(state, symmetry[w * 64 + static_cast<std::size_t>(std::countr_zero(rest))]);
    }
}

}  // namespace ludens
