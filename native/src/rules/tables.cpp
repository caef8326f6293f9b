#include "rules/tables.hpp"

#include <algorithm>

namespace ludens::rules {

namespace {

constexpr int many = 8;  // answers from which on they are hashed

std::uint32_t hash_of(const Term* key, int width) { return width > 0 ? hash_terms(0, key, width) : 0; }

}  // namespace

bool Table::add(const Term* terms, int width) {
    if (slots == nullptr) {
        for (const Answer* a = first; a; a = a->next)
            if (std::equal(terms, terms + width, a->terms())) return false;
    } else if (*find(terms, width) != nullptr) {
        return false;
    }
    auto* bytes = arena.array<std::byte>(sizeof(Answer) + sizeof(Term) * static_cast<std::size_t>(width));
    auto* answer = new (bytes) Answer{nullptr};
    std::copy_n(terms, width, answer->terms());
    (last ? last->next : first) = answer;
    last = answer;
    ++count;
    if (count >= many && 2 * count > slot_count) rehash(width);
    else if (slots) *find(terms, width) = answer;
    return true;
}

Answer** Table::find(const Term* terms, int width) const {
    const std::uint32_t mask = static_cast<std::uint32_t>(slot_count) - 1;
    std::uint32_t at = hash_terms(0, terms, width) & mask;
    while (slots[at] && !std::equal(terms, terms + width, slots[at]->terms())) at = (at + 1) & mask;
    return slots + at;
}

void Table::rehash(int width) {
    slot_count = std::max(4 * many, 4 * slot_count);
    slots = arena.array<Answer*>(static_cast<std::size_t>(slot_count));
    std::fill_n(slots, slot_count, nullptr);
    for (Answer* a = first; a; a = a->next) *find(a->terms(), width) = a;
}

Table*& Directory::at(const Term* key, int width, std::uint32_t generation) {
    if (generation != generation_) {
        used_ = 0;
        generation_ = generation;
    }
    if (width > 0 && 2 * (used_ + 1) > entries_.size()) grow();
    const std::uint32_t hash = hash_of(key, width);
    Entry& entry = entries_[place(key, width, hash, generation)];
    if (entry.generation != generation) {
        ++used_;
        entry = {generation, hash, nullptr};
    }
    return entry.table;
}

Table* Directory::find(const Term* key, int width, std::uint32_t generation) const {
    const Entry& entry = entries_[place(key, width, hash_of(key, width), generation)];
    return entry.generation == generation ? entry.table : nullptr;
}

// Where the key is, or would be put.
std::size_t Directory::place(const Term* key, int width, std::uint32_t hash, std::uint32_t generation) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = hash & mask;
    for (; entries_[at].generation == generation; at = (at + 1) & mask)
        if (entries_[at].hash == hash && std::equal(key, key + width, entries_[at].table->key)) break;
    return at;
}

void Directory::grow() {
    std::vector<Entry> old(std::max<std::size_t>(16, 2 * entries_.size()));
    old.swap(entries_);
    const std::size_t mask = entries_.size() - 1;
    for (const Entry& entry : old) {
        if (entry.generation != generation_) continue;
        std::size_t at = entry.hash & mask;
        while (entries_[at].generation == generation_) at = (at + 1) & mask;
        entries_[at] = entry;
    }
}

}  // namespace ludens::rules
