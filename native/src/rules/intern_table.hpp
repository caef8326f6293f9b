// The numbers that facts and moves get when they are first seen: bits of states, indices of moves.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "base/machine.hpp"
#include "rules/terms.hpp"

namespace ludens::rules {

// Shared by all machines of a game; every call is safe from any thread.
class InternTable {
public:
    InternTable(const Symbols& symbols, int capacity, std::string what)
        : symbols_(symbols), capacity_(capacity), what_(std::move(what)), terms_(symbols) {}

    int capacity() const { return capacity_; }

    int count() const {
        const std::lock_guard lock(mutex_);
        return static_cast<int>(members_.size());
    }

    // The number of a term of another table; throws when there is no more room.
    int number(const Terms& from, Term term) {
        const int found = number_if_room(from, term);
        if (found < 0) complain();
        return found;
    }

    // The number of a term of another table; -1 when there is no more room.
    int number_if_room(const Terms& from, Term term) {
        const std::lock_guard lock(mutex_);
        const Term found = is_full() ? from.find(term, terms_) : from.copy(term, terms_);
        return found < 0 ? -1 : number(found);
    }

    [[noreturn]] void complain() const {
        throw Error("the game has more than " + std::to_string(capacity_) + " " + what_ + "s");
    }

    // The number of the term that `text` spells, -1 if it is not a term over the symbols of the rules; throws when
    // there is no more room.
    int number(const std::string& text) {
        Terms terms(symbols_);
        const Term term = terms.parse(text, symbols_);
        if (term < 0) return -1;
        const int found = number_if_room(terms, term);
        if (found < 0) complain();
        return found;
    }

    Term term(int number, Terms& to) const {
        const std::lock_guard lock(mutex_);
        return terms_.copy(member(number), to);
    }

    std::string text(int number) const {
        const std::lock_guard lock(mutex_);
        return terms_.text(member(number), symbols_);
    }

private:
    bool is_full() const { return static_cast<int>(members_.size()) == capacity_; }

    Term member(int number) const {
        if (number < 0 || number >= static_cast<int>(members_.size())) throw Error("there is no such " + what_);
        return members_[number];
    }

    int number(Term term) {
        if (term >= static_cast<Term>(numbers_.size())) numbers_.resize(static_cast<std::size_t>(term) + 1, -1);
        int& number = numbers_[term];
        if (number >= 0) return number;
        if (is_full()) return -1;
        number = static_cast<int>(members_.size());
        members_.push_back(term);
        return number;
    }

    const Symbols& symbols_;
    int capacity_;
    std::string what_;
    mutable std::mutex mutex_;
    Terms terms_;
    std::vector<Term> members_;
    std::vector<int> numbers_;  // by term; -1: none
};

// One machine's memory of a table, in its own terms and without locks.
class InternCache {
public:
    explicit InternCache(InternTable& table) : table_(table) {}

    // The number of a term; throws when there is no more room.
    int number(const Terms& terms, Term term) {
        const int found = number_if_room(terms, term);
        if (found < 0) table_.complain();
        return found;
    }

    // The number of a term; -1 when there is no more room.
    int number_if_room(const Terms& terms, Term term) {
        if (term >= static_cast<Term>(numbers_.size()))
            numbers_.resize(static_cast<std::size_t>(terms.size()), unasked);
        if (numbers_[term] == unasked) numbers_[term] = table_.number_if_room(terms, term);
        return numbers_[term];
    }

    Term term(int number, Terms& terms) {
        if (number >= static_cast<int>(members_.size())) members_.resize(static_cast<std::size_t>(number) + 1, -1);
        if (members_[number] < 0) members_[number] = table_.term(number, terms);
        return members_[number];
    }

private:
    static constexpr int unasked = -2;

    InternTable& table_;
    std::vector<int> numbers_;   // by term; -1: there was no room, and there never is again
    std::vector<Term> members_;  // by number
};

}  // namespace ludens::rules
