// Playout policies that the machine of a network applies, because what they prefer changes with every game: they learn
// from the games of a search which moves its later random games prefer.
//
// A new one is a file with a subclass and a function that makes it, and a line in ../../playout_policies.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/machine.hpp"

namespace ludens::network {

// Moves are numbered over all roles. Belongs to one machine.
class PlayoutPolicy {
public:
    virtual ~PlayoutPolicy() = default;

    // Adds `games` games in which a move was made; the goals of its role in these sum up to `goals`.
    virtual void add(std::size_t move, int games, std::int64_t goals) = 0;
    // Ends a batch: all moves of `games` further games have been added.
    virtual void played(int games) = 0;

    // Returns a byte for each move, other than 0 for those to prefer at the next step of all lanes. Where a role may
    // choose some of these it chooses among them alone, elsewhere among all that it may choose.
    virtual std::span<const std::uint8_t> preferred() = 0;
};

// `moves`: the number of moves of each role.
using PlayoutPolicyMaker = std::unique_ptr<PlayoutPolicy> (*)(std::span<const int> moves, std::uint64_t seed);

// Makes the policy of this name; throws Error if there is none.
std::unique_ptr<PlayoutPolicy> make_playout_policy(const std::string& name, std::span<const int> moves,
                                                   std::uint64_t seed);

}  // namespace ludens::network
