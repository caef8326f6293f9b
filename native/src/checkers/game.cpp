#include "checkers/game.hpp"

#include <algorithm>

namespace ludens::checkers {

namespace {

constexpr int turn_at = 32, chain_at = 33, step_at = 39, idle_at = 51;

const Rules& checked(const Rules& rules) {
    rules.check();
    return rules;
}

}  // namespace

CheckersGame::CheckersGame(const Rules& rules)
    : rules_(checked(rules)), inwards_(rules.width, true), outwards_(rules.width, false), actions_(rules_) {
    for (int square = 0; square < rules_.squares(); ++square)
        row_number_[std::countr_zero(inwards_(bit(square)))] = square;
    const int count = first_of(rules_.longest() + 1, rules_.squares()) + 1;
    moves_ = {count, count};
    const auto [black_pieces, red_pieces, king] = rules_.start;
    initial_ = {black_pieces | Word{red_pieces} << 32, king};
}

State CheckersGame::decode(const Word* words) const {
    const auto field = [&](int at, int width) { return static_cast<int>(words[1] >> at & ((1u << width) - 1)); };
    const Squares black_pieces = inwards_(static_cast<Squares>(words[0]));
    const Squares red_pieces = inwards_(static_cast<Squares>(words[0] >> 32));
    const bool red_moves = field(turn_at, 1);
    const int chain = field(chain_at, 6);
    return {.own = red_moves ? red_pieces : black_pieces,
            .others = red_moves ? black_pieces : red_pieces,
            .king = inwards_(static_cast<Squares>(words[1])),
            .chain = chain > 0 && chain <= square_limit ? inwards_(bit(chain - 1)) : 0,
            .turn = red_moves ? red : black,
            .step = field(step_at, 12),
            .idle = field(idle_at, 12)};
}

void CheckersGame::encode(const State& s, Word* words) const {
    const Squares own = outwards_(s.own), others = outwards_(s.others);
    const Word chain = s.chain ? row_number_[std::countr_zero(s.chain)] + 1 : 0;
    words[0] = s.turn == red ? others | Word{own} << 32 : own | Word{others} << 32;
    words[1] = outwards_(s.king) | Word{s.turn} << turn_at | chain << chain_at | static_cast<Word>(s.step) << step_at |
               static_cast<Word>(s.idle) << idle_at;
}

// The first number of the chains of so many jumps; 0 are steps.
int CheckersGame::first_of(int jumps, int squares) {
    int first = 0;
    for (int n = 0, ways = direction_count; n < jumps; ++n, ways *= n > 1 ? direction_count : 1)
        first += squares * ways;
    return first;
}

int CheckersGame::number(const Action& action) const {
    int number = row_number_[std::countr_zero(action.from)];
    for (int i = 0; i < std::max(action.jumps, 1); ++i) number = direction_count * number + action.ways[i];
    return first_of(action.jumps, rules_.squares()) + number;
}

Action CheckersGame::action(int number) const {
    Action action{0, {}, 0};
    if (number < 0 || number >= waiting()) return action;
    while (action.jumps < rules_.longest() && number >= first_of(action.jumps + 1, rules_.squares())) ++action.jumps;
    number -= first_of(action.jumps, rules_.squares());
    for (int i = std::max(action.jumps, 1); i-- > 0; number /= direction_count)
        action.ways[i] = static_cast<std::uint8_t>(number % direction_count);
    action.from = inwards_(bit(number));
    return action;
}

}  // namespace ludens::checkers
