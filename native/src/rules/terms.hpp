// Ground terms as integers: equal terms have equal numbers (hash-consing), so comparing two costs one instruction.
//
// A constant is the term with the number of its symbol; compound terms are numbered from `symbols` on. A Terms
// belongs to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ludens::rules {

using Term = std::int32_t;

constexpr int max_arity = 64;  // of relations and functions

// The names that a rule program uses; a function and a constant of the same name are two symbols.
struct Symbol {
    std::string name;
    int arity;
};
using Symbols = std::vector<Symbol>;

inline std::uint32_t hash_terms(std::uint32_t seed, const Term* terms, int count) {
    std::uint64_t h = seed + 0x9e3779b97f4a7c15u;
    for (int i = 0; i < count; ++i) h = (h ^ static_cast<std::uint32_t>(terms[i])) * 0xbf58476d1ce4e5b9u;
    return static_cast<std::uint32_t>(h >> 32) ^ static_cast<std::uint32_t>(h >> 13);
}

class Terms {
public:
    explicit Terms(const Symbols& symbols);

    Term compound(int symbol, const Term* args, int arity);
    int size() const { return static_cast<int>(nodes_.size()); }
    bool is_constant(Term t) const { return t < constants_; }
    int symbol(Term t) const { return nodes_[t].symbol; }
    const Term* args(Term t) const { return args_.data() + nodes_[t].args; }  // until the next compound()
    int arity(Term t) const { return nodes_[t].arity; }
    // Of terms that stand behind a symbol, say; the same in every table over the same symbols.
    std::uint32_t hash(std::uint32_t seed, const Term* terms, int count) const {
        std::uint64_t h = seed + 0x9e3779b97f4a7c15u;
        for (int i = 0; i < count; ++i) h = (h ^ nodes_[terms[i]].hash) * 0xbf58476d1ce4e5b9u;
        return static_cast<std::uint32_t>(h >> 32) ^ static_cast<std::uint32_t>(h >> 13);
    }

    // The same term in another table over the same symbols. As the next three throws Error on terms that are nested too
    // deeply for the stack of the thread.
    Term copy(Term t, Terms& to) const;
    // The same, but -1 if it is not there yet.
    Term find(Term t, const Terms& in) const;
    std::string text(Term t, const Symbols& symbols) const;
    // The term that `text` spells, -1 if it is not a term over these symbols.
    Term parse(const std::string& text, const Symbols& symbols);

private:
    struct Node {
        std::int32_t symbol, arity;
        std::uint32_t args, hash;
    };

    std::size_t place(std::uint32_t hash, int symbol, const Term* args, int arity) const;
    void grow();
    Term parse(const std::string& text, std::size_t& at, const Symbols& symbols, int depth);

    int constants_;
    std::vector<Node> nodes_;
    std::vector<Term> args_;
    std::vector<Term> slots_;  // open addressing; -1: free
};

}  // namespace ludens::rules
