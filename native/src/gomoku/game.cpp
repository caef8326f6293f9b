#include "gomoku/game.hpp"

#include <algorithm>

#include "gomoku/insight.hpp"

namespace ludens::gomoku {

namespace {

const Rules& checked(const Rules& rules) {
    rules.check();
    return rules;
}

}  // namespace

GomokuGame::GomokuGame(const Rules& rules, const Extras& extras)
    : rules_(checked(rules)), rows_(rules_), extras_(extras), moves_{rules_.cells() + 1, rules_.cells() + 1},
      initial_(static_cast<std::size_t>(words_for(2 * rules_.cells() + 1)), 0) {}

std::unique_ptr<Insight> GomokuGame::insight() const {
    return extras_.insight && rules_.rows_win() ? std::make_unique<GomokuInsight>(*this) : nullptr;
}

Position GomokuGame::decode(const Word* words) const {
    const int cells = rules_.cells(), all = words_for(cells);
    const Word last = ~Word{0} >> (64 - cells % 64) % 64;
    Position position;
    std::copy_n(words, all, position.stones[0].words.begin());
    const int from = cells / 64, by = cells % 64, end = state_words();
    for (int w = 0; w < all; ++w) {
        const Word high = by != 0 && from + w + 1 < end ? words[from + w + 1] << (64 - by) : 0;
        position.stones[1].words[static_cast<std::size_t>(w)] = words[from + w] >> by | high;
    }
    for (Cells& stones : position.stones) stones.words[static_cast<std::size_t>(all) - 1] &= last;
    position.turn = is_set(words, 2 * cells);
    return position;
}

void GomokuGame::encode(const Position& position, Word* words) const {
    const int cells = rules_.cells(), all = words_for(cells), from = cells / 64, by = cells % 64;
    std::fill_n(words, state_words(), 0);
    std::copy_n(position.stones[0].words.begin(), all, words);
    for (int w = 0; w < all; ++w) {
        const Word stones = position.stones[1].words[static_cast<std::size_t>(w)];
        words[from + w] |= stones << by;
        if (by != 0 && stones >> (64 - by)) words[from + w + 1] |= stones >> (64 - by);
    }
    if (position.turn) set_bit(words, 2 * cells);
}

}  // namespace ludens::gomoku
