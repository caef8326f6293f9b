// A list for each of some bits of a state, to visit the lists of those that are set without asking for all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/bits.hpp"

namespace ludens::board_network {

template <class Item> class BitLists {
public:
    struct Entry {
        int bit;
        Item item;
    };

    // Lists keep the order of the entries; bits are not negative.
    explicit BitLists(std::vector<Entry> entries) {
        std::ranges::stable_sort(entries, {}, &Entry::bit);
        bits_ = entries.empty() ? 0 : entries.back().bit + 1;
        listed_.resize(static_cast<std::size_t>(words_for(bits_)));
        starts_.resize(static_cast<std::size_t>(bits_) + 1);
        for (const auto& [bit, item] : entries) {
            set_bit(listed_.data(), bit);
            ++starts_[static_cast<std::size_t>(bit) + 1];
            items_.push_back(item);
        }
        for (std::size_t bit = 1; bit < starts_.size(); ++bit) starts_[bit] += starts_[bit - 1];
    }

    // One more than the last bit that has a list.
    int bits() const { return bits_; }

    // Calls visit(item) for the items of all bits that are set in the state.
    template <class Visit> void visit(const Word* state, Visit visit) const {
        for (std::size_t word = 0; word < listed_.size(); ++word)
            for (Word rest = state[word] & listed_[word]; rest; rest &= rest - 1) {
                const std::size_t bit = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
                for (std::uint32_t i = starts_[bit]; i < starts_[bit + 1]; ++i) visit(items_[i]);
            }
    }

private:
    int bits_;
    std::vector<Word> listed_;           // the bits that have a list
    std::vector<std::uint32_t> starts_;  // of the list of each bit in items_, and the end of the last one
    std::vector<Item> items_;
};

}  // namespace ludens::board_network
