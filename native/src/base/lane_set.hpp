// A set of lanes of a machine, as bits.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/machine.hpp"

namespace ludens {

class LaneSet {
public:
    explicit LaneSet(int lanes) : words_(static_cast<std::size_t>(words_for(lanes)), 0) {}

    operator std::span<const Word>() const { return words_; }

    void clear() { std::ranges::fill(words_, 0); }
    // With all lanes of the machine, whose number need not be a multiple of 64.
    void fill(int lanes) {
        std::ranges::fill(words_, ~Word{0});
        if (lanes % 64 != 0) words_.back() = (Word{1} << lanes % 64) - 1;
    }

    void add(int lane) { set_bit(words_.data(), lane); }
    void add(std::span<const Word> other) {
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other[w];
    }
    void remove(std::span<const Word> other) {
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other[w];
    }
    void intersect(std::span<const Word> other) {
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other[w];
    }

    bool any() const {
        Word seen = 0;
        for (const Word word : words_) seen |= word;
        return seen != 0;
    }

    // Bytes count their own bits and are added side by side: the processor at hand may count no bits itself.
    int count() const {
        constexpr std::size_t most = 31;  // words until a byte overflows
        int sum = 0;
        for (std::size_t first = 0; first < words_.size(); first += most) {
            Word bytes = 0;
            for (std::size_t w = first; w < std::min(first + most, words_.size()); ++w)
                bytes += bits_of_bytes(words_[w]);
            constexpr Word even = 0x00FF00FF00FF00FF;
            const Word wide = (bytes & even) + (bytes >> 8 & even);
            sum += static_cast<int>(wide * 0x0001000100010001 >> 48);
        }
        return sum;
    }

    // Keeps no more than so many.
    void keep(int most) {
        int count = 0;
        for (Word& word : words_) {
            while (count + popcount(word) > most) word &= word - 1;
            count += popcount(word);
        }
    }

private:
    static int popcount(Word word) { return __builtin_popcountll(word); }

    std::vector<Word> words_;
};

}  // namespace ludens
