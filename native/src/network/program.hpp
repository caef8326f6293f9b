// A propositional network as a straight-line program over rows of lanes.
//
// A row is one machine vector with a bit for each game in flight. The and-inverter graph that Python hands over
// becomes three kinds of two-input gates without inverters (AND, AND-NOT, OR): a gate whose two inputs are both
// negated is stored as its complement, an OR, by De Morgan's law, and the sign moves on to its readers.
//
// Gates are in five segments, each with rows of its own, so that a round evaluates no more than it needs:
//   world  what legality and termination depend on; after every change of state
//   choice what else the playable moves depend on; before random moves are chosen
//   step   what else the next state depends on; once the moves are chosen
//   goals  what else the goals depend on; when somebody asks
//   features  what else the features depend on; when somebody asks
// Within a segment gates keep the order of the network (which is chosen for locality) but for a sorting by depth
// and kind, of about a thousand at a time, so that one run of equal gates is one tight loop.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/machine.hpp"
#include "network/choice_plan.hpp"

namespace ludens::network {

enum class Op : std::uint32_t { And, AndNot, Or };  // a & b, a & ~b, a | b

struct Run {
    Op op;
    std::uint32_t count;
};

// A stretch of gates; with feedback, one that is repeated until its feedback rows no longer change; with guards, one
// that nobody sees while all of these are false (see network/guards.hpp).
struct Piece {
    std::uint32_t first_run, last_run;
    std::vector<std::array<std::uint32_t, 2>> feedback = {};  // {row read by the gates, row that drives it}
    std::vector<std::uint32_t> guards = {};                   // rows
};

// Propositions that take new values, if any of the guards is true or there are none.
struct Update {
    std::vector<std::uint32_t> guards;                 // rows
    std::vector<std::array<std::uint32_t, 2>> values;  // {state row, row of its next value}
};

struct Segment {
    std::uint32_t first_row = 0;                         // gate i writes row first_row + i
    std::vector<std::array<std::uint32_t, 2>> operands;  // rows
    std::vector<Run> runs;
    std::vector<Piece> pieces;
};

// The network as it is given: propnet/network/propnet.py's arrays, already checked.
struct NetworkArrays {
    std::vector<int> moves;  // [roles]
    int state_bits = 0;
    std::vector<std::array<int, 2>> gates;
    std::vector<int> next, legal;
    std::vector<int> playable;  // empty: legal
    std::string
        machine_policy;  // what games prefer among playable moves, see network/playout_policy.hpp; empty: nothing
    std::vector<int> features;  // that evaluations see besides the propositions
    int terminal = 0;
    std::vector<int> goal_role, goal_value, goal_literal;
    std::vector<int> feedback;
    std::vector<std::array<int, 4>> loops;
};

struct Program {
    static constexpr std::uint32_t zeros = 0, ones = 1;  // constant rows
    std::uint32_t rows = 0;
    std::uint32_t state_row = 2;  // [state_bits]
    std::uint32_t move_row = 0;   // [moves]
    Segment world, choice, step, goals, features;

    std::array<const Segment*, 5> segments() const { return {&world, &choice, &step, &goals, &features}; }

    std::vector<Update> updates;                                // where the next value is another
    std::vector<std::uint32_t> legal, playable, goal, feature;  // rows
    std::vector<std::uint32_t> carried;  // rows that the world writes, and that moves, choices and steps read later
    std::uint32_t terminal = 0;
    std::uint32_t finished = 0, over = 0;  // rows: lanes that keep their state; those in which the game is over
    std::uint32_t changed = 0;             // row: lanes in which feedback changed in the last pass, in machine code
    std::vector<ChoicePlan> choices;       // of each role, among the moves that may be legal

    Program() = default;  // empty
    // `clocks`: propositions that change with time alone, and are worth a guard.
    explicit Program(const NetworkArrays& network, std::span<const int> clocks = {});
};

}  // namespace ludens::network
