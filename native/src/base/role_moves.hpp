// The moves of each role in sets of the moves of all roles, as Machine::read_legal() writes them.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/bits.hpp"

namespace ludens {

// What can be played in a state where one role at most has a choice.
struct JointChoice {
    enum : int { nobody = -1, several = -2 };

    int chooser = nobody;    // the role with more than one legal move, or `nobody`, or `several`
    std::vector<int> joint;  // [roles] the first legal move of each role; -1: none
    std::vector<int> moves;  // legal ones of mover()

    // Returns the role whose moves tell the children of the state apart, if there is one.
    int mover() const { return std::max(chooser, 0); }
};

class RoleMoves {
public:
    // `counts`: the number of moves of each role.
    explicit RoleMoves(std::span<const int> counts) {
        int first = 0;
        for (const int count : counts) {
            const int last = first + count, words = count ? (last - 1) / 64 - first / 64 + 1 : 0;
            ranges_.push_back({first, first / 64, words, ~Word{0} << first % 64, ~Word{0} >> (64 - last % 64) % 64});
            first = last;
        }
    }

    int roles() const { return static_cast<int>(ranges_.size()); }
    // Returns the number of a role's first move among those of all roles.
    int first(int role) const { return ranges_[static_cast<std::size_t>(role)].first; }

    // Counts the moves of a role that are in a set.
    int count(const Word* set, int role) const {
        int count = 0;
        each_word(set, role, [&](int, Word bits) {
            if (bits) count += (bits & (bits - 1)) == 0 ? 1 : count_bits(bits);
        });
        return count;
    }

    // Appends the moves of a role that are in a set, numbered within the role.
    void list(const Word* set, int role, std::vector<int>& out) const {
        const int first = this->first(role);
        each_word(set, role, [&](int word, Word bits) {
            for (; bits; bits &= bits - 1) out.push_back(word * 64 + std::countr_zero(bits) - first);
        });
    }

    // Returns the role that has more than one move in a set of legal ones, or JointChoice::nobody, or ::several.
    int chooser(const Word* legal) const {
        int chooser = JointChoice::nobody;
        for (int role = 0; role < roles(); ++role) {
            if (count(legal, role) <= 1) continue;
            if (chooser != JointChoice::nobody) return JointChoice::several;
            chooser = role;
        }
        return chooser;
    }

    // Finds out what can be played. Where several roles have a choice `moves` are those of the last of them.
    void find_choice(const Word* legal, JointChoice& out) const {
        out.chooser = JointChoice::nobody;
        out.joint.clear();
        out.moves.clear();
        for (int role = 0; role < roles(); ++role) {
            const std::size_t before = out.moves.size();
            list(legal, role, out.moves);
            const std::size_t count = out.moves.size() - before;
            out.joint.push_back(count == 0 ? -1 : out.moves[before]);
            if (count > 1) {
                out.chooser = out.chooser == JointChoice::nobody ? role : JointChoice::several;
                out.moves.erase(out.moves.begin(), out.moves.begin() + static_cast<std::ptrdiff_t>(before));
            } else if (role > 0) {
                out.moves.resize(before);
            }
        }
    }

private:
    // The words in which a role's moves are; the masks are those of the first and of the last.
    struct Range {
        int first, first_word, words;
        Word first_mask, last_mask;
    };

    template <class Visit> void each_word(const Word* set, int role, Visit visit) const {
        const Range& range = ranges_[static_cast<std::size_t>(role)];
        for (int w = 0; w < range.words; ++w) {
            Word bits = set[range.first_word + w];
            if (w == 0) bits &= range.first_mask;
            if (w == range.words - 1) bits &= range.last_mask;
            visit(range.first_word + w, bits);
        }
    }

    std::vector<Range> ranges_;
};

}  // namespace ludens
