// Lanes that go on from step to step with moves from outside, and write what holds in them as bytes, a row a lane.
//
// A machine offers one if it can do so without loading its lanes anew. One step of all its lanes is
//     propose() or propose_random()   notes what every lane that plays is to do, and says which moves are not legal
//     commit()                        makes these moves; lanes of a set begin anew instead
// Nothing has happened before commit(). What can be read is what holds after it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bits.hpp"

namespace ludens {

// How rows are laid out.
struct StepLayout {
    // A value that fills bytes of an observation while a proposition holds.
    struct Fill {
        int first, length, proposition, value;
    };

    int actions = 0;            // of each role in a row of legal moves
    bool joint = false;         // a row has moves of all roles; not joint: of the one to move
    std::vector<int> columns;   // bytes of an observation: the proposition that each tells, -1 for none
    std::vector<Fill> fills;    // over them
    std::vector<Word> waiting;  // bit set over the moves of all roles: moves with which a role lets another one play
};

class Stepper {
public:
    virtual ~Stepper() = default;

    // Before all else; the layout stays where it is. Lanes from `used` on are never played.
    virtual void prepare(const StepLayout& layout, int used) = 0;

    // Lanes whose game is over are passed over. `actions`: [used][roles], or [used] for the role to move; -1 is the only
    // legal move of a role, -2 for any of them has the lane wait. Writes sets of lanes, [lanes / 64] words: `wrong` where
    // a move is not legal, or is missing; `waiting`, lanes that wait.
    virtual void propose(const std::int32_t* actions, Word* wrong, Word* waiting) = 0;
    virtual void propose_random() = 0;

    virtual void commit(std::span<const Word> anew, const Word* initial) = 0;
    // Has lanes begin anew without a move of the others.
    virtual void begin(std::span<const Word> anew, const Word* initial) = 0;

    // For all lanes in use, any may be null: legal [used][actions] or [used][roles][actions], none where the game is
    // over; to_move [used], -1 where it is over.
    virtual void write(std::uint8_t* observations, std::int8_t* legal, std::int32_t* to_move) = 0;
    // Joint moves of the last commit(), [used][roles], -1 for lanes that made none.
    virtual void write_played(std::int32_t* moves) = 0;
};

}  // namespace ludens
