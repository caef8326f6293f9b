// Memory of an evaluation: what was asked, and the answers so far.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/machine.hpp"
#include "rules/terms.hpp"

namespace ludens::rules {

// Memory that is given out in small pieces and taken back all at once; pieces never move. Little is kept of what was
// taken back: each thread of a search has a machine, and no limit of the user's counts its memory.
class Arena {
public:
    template <class T> T* array(std::size_t count) {
        const std::size_t bytes = (count * sizeof(T) + 7) / 8 * 8;
        if (bytes > left_) next_block(bytes);
        std::byte* at = free_;
        free_ += bytes;
        left_ -= bytes;
        return reinterpret_cast<T*>(at);
    }

    void reset() {
        for (; held_ > most_kept; blocks_.pop_back()) held_ -= blocks_.back().size;
        used_ = 0;
        left_ = 0;
    }
    std::size_t held() const { return held_; }

private:
    struct Block {
        std::unique_ptr<std::byte[]> bytes;
        std::size_t size;
    };

    void next_block(std::size_t bytes) {
        while (used_ < blocks_.size() && blocks_[used_].size < bytes) ++used_;
        if (used_ == blocks_.size()) {
            const std::size_t size = std::max<std::size_t>(bytes, 1 << 16);
            if (held_ > limit) throw Error("the rules need more than 1 GiB for one state");
            blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
            held_ += size;
        }
        free_ = blocks_[used_].bytes.get();
        left_ = blocks_[used_++].size;
    }

    static constexpr std::size_t limit = std::size_t{1} << 30, most_kept = 16 << 20;

    std::vector<Block> blocks_;
    std::size_t used_ = 0, left_ = 0, held_ = 0;
    std::byte* free_ = nullptr;
};

struct Table;

// The terms of an answer follow it in memory.
struct Answer {
    Answer* next;

    Term* terms() { return reinterpret_cast<Term*>(this + 1); }
    const Term* terms() const { return reinterpret_cast<const Term*>(this + 1); }
};

struct HashedAnswer {
    std::uint32_t hash;
    const Answer* answer;
};

// A table read another that was still growing, when that had `seen` answers.
struct Read {
    Read* next;
    Table* table;
    int seen;
    int clause;
};

// One call and its answers in the order in which they were found; the list may be walked while it grows.
struct Table {
    Arena& arena;  // where the answers are
    int procedure;
    int position;  // on the stack of incomplete tables
    int lowest;    // position of the lowest table that it depends on
    int count;
    bool complete;
    const Term* key;
    Answer *first, *last;
    Read* reads;
    Answer** slots;  // hash of the answers, once there are many
    int slot_count;
    HashedAnswer* order;  // all answers by their hashes, once a sample was drawn from them

    // Adds an answer of `width` terms; false if it is known.
    bool add(const Term* terms, int width);

private:
    Answer** find(const Term* terms, int width) const;
    void rehash(int width);
};

// The tables of one procedure by key. Forgetting them all costs nothing: they belong to a generation.
class Directory {
public:
    // Where the table of the key is, or is to be put (then null).
    Table*& at(const Term* key, int width, std::uint32_t generation);
    // The table of the key; null if there is none.
    Table* find(const Term* key, int width, std::uint32_t generation) const;

private:
    struct Entry {
        std::uint32_t generation = 0, hash = 0;
        Table* table = nullptr;
    };

    void grow();
    std::size_t place(const Term* key, int width, std::uint32_t hash, std::uint32_t generation) const;

    std::vector<Entry> entries_ = std::vector<Entry>(1);
    std::size_t used_ = 0;
    std::uint32_t generation_ = 0;
};

}  // namespace ludens::rules
