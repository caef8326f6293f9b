// Games that are stepped side by side, as many as one likes, each for ever: what holds in them is written into arrays of
// the caller after every step.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bits.hpp"

namespace ludens {

// When a game that is over begins anew: in the step that ends it, in the next one, or when it is reset.
enum class Autoreset { same_step, next_step, never };

// How arrays hold what is true or false: a byte each; eight to a byte, a row of bytes a game; or as the simulator itself
// does, a row of bits for each fact, a bit for each game.
enum class BatchFormat { bytes, bits, slices };

struct BatchLayout {
    // A value that fills bytes of an observation while a proposition holds; for bytes only.
    struct Fill {
        int first, length, proposition, value;
    };

    BatchFormat format = BatchFormat::bytes;
    Autoreset autoreset = Autoreset::next_step;
    int actions = 0;            // of each role in a row of legal moves
    bool joint = false;         // actions are moves of all roles; not joint: of the one to move
    bool by_turns = false;      // two roles hardly ever have a choice at the same time
    std::vector<int> columns;   // of an observation: the proposition that each tells, -1 for none
    std::vector<Fill> fills;    // over them
    std::vector<Word> waiting;  // bit set over the moves of all roles: moves with which a role lets another one play
};

// Arrays of the caller, which a batch writes in every step; see native/ludens.h for types and shapes. Any may be null.
struct BatchArrays {
    void* observations = nullptr;
    void* final_observations = nullptr;
    Word* states = nullptr;
    void* legal = nullptr;
    void* to_move = nullptr;
    void* rewards = nullptr;
    void* done = nullptr;
    void* played = nullptr;
    Word* slices = nullptr;
};

class Batch {
public:
    // Games of a block, one in each bit of a slice; and slices of a block: [state bits][moves][roles to move][done].
    struct Shape {
        int lanes, slices;
    };

    virtual ~Batch() = default;
    virtual Shape shape() const = 0;
    virtual void write_to(const BatchArrays& arrays) = 0;

    // Begins the games of these rows anew (null: all), and writes all rows.
    virtual void reset(const std::uint8_t* rows) = 0;
    // Goes on from these states, [count][state_words].
    virtual void load(const Word* states) = 0;
    // Steps all games, with `actions` (null: at random), whole numbers with a sign of so many bytes: 1, 2 or 4. Rows
    // whose actions are not legal are given back, and if there are any nothing has happened.
    virtual std::vector<std::int64_t> step(const void* actions, int bytes) = 0;
};

}  // namespace ludens
