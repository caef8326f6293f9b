// What a machine needs to know of whose turn it is, to step lanes with moves from outside.
//
// Included inside the namespace of one instruction set.

#include "network/lane_bytes.hpp"

// Of every role, sets of lanes: where it has a single legal move, and where the next move is its own. The one to move is
// the first that has a choice; where nobody has, the first that does not wait.
template <class V> struct Turns {
    std::vector<V> forced, own;

    // legal: [roles] rows of the moves that may be legal; waits: whether a move of a role lets another one play.
    template <class Waits>
    void find(const V* rows, const std::vector<std::vector<std::uint32_t>>& legal, Waits waits) {
        const std::size_t roles = legal.size();
        forced.assign(roles, V{});
        own.assign(roles, V{});
        acts_.assign(roles, V{});
        V found{};
        for (std::size_t role = 0; role < roles; ++role) {
            V one{}, two{}, acts{};
            for (std::size_t i = 0; i < legal[role].size(); ++i) {
                const V holds = rows[legal[role][i]];
                two |= one & holds;
                one |= holds;
                if (!waits(role, i)) acts |= holds;
            }
            forced[role] = one & ~two;
            own[role] = two & ~found;
            acts_[role] = acts;
            found |= two;
        }
        for (std::size_t role = 0; role < roles; ++role) {
            own[role] |= acts_[role] & ~found;
            found |= acts_[role];
        }
        own[0] |= ~found;
    }

private:
    std::vector<V> acts_;
};
