#include "checkers/rules.hpp"

#include <algorithm>

#include "checkers/actions.hpp"

namespace ludens::checkers {

void Rules::check() const {
    if (width != 4 && width != 6 && width != 8) throw Error("checkers: the board is 4, 6 or 8 files wide");
    if (wrap_files && width != 8) throw Error("checkers: files wrap on boards of 8 files only");
    if (step_limit < 0 || idle_limit < 0 || std::max(step_limit, idle_limit) > count_limit)
        throw Error("checkers: limits are from 0 to " + std::to_string(count_limit));
    const Squares board = static_cast<Squares>((std::uint64_t{1} << squares()) - 1);
    const auto [black, red, king] = start;
    if ((black & red) || (king & ~(black | red)) || ((black | red) & ~board))
        throw Error("checkers: this is no position");
    if (std::max(std::popcount(black), std::popcount(red)) > most_pieces)
        throw Error("checkers: a side has at most " + std::to_string(most_pieces) + " pieces");
    if (first_role != 0 && first_role != 1) throw Error("checkers: there are two roles");
    const auto is_goal = [](int value) { return value >= 0 && value <= 100; };
    for (const auto& row : goals)
        for (const auto& both : row)
            if (!std::ranges::all_of(both, is_goal)) throw Error("checkers: goals are from 0 to 100");
    if (stuck_goals[0] >= 0 && !std::ranges::all_of(stuck_goals, is_goal))
        throw Error("checkers: goals are from 0 to 100");
}

bool Rules::constant_sum() const {
    const auto sums_to_100 = [](const auto& both) { return both[0] + both[1] == 100; };
    const auto all_sum_to_100 = [&](const auto& row) { return std::ranges::all_of(row, sums_to_100); };
    return std::ranges::all_of(goals, all_sum_to_100) && (stuck_goals[0] < 0 || sums_to_100(stuck_goals));
}

Relabelling::Relabelling(int width, bool to_diagonals) : parts_{} {
    const Layout rows = rows_upwards(width), diagonal = diagonals();
    for (int file = 0; file < width; ++file)
        for (int rank = 0; rank < ranks; ++rank) {
            if (rows.number[file][rank] < 0) continue;
            const int from = (to_diagonals ? rows : diagonal).number[file][rank];
            const int to = (to_diagonals ? diagonal : rows).number[file][rank];
            for (int set = 0; set < 256; ++set)
                if (set >> (from % 8) & 1) parts_[from / 8][set] |= bit(to);
        }
}

State Actions::play(const State& s, const Action& action) const {
    Squares at = action.from, captured = 0;
    for (int i = 0; i < std::max(action.jumps, 1); ++i) {
        at = geometry_.step(action.ways[i], at);
        if (action.jumps == 0) break;
        captured |= at;
        at = geometry_.step(action.ways[i], at);
    }
    if (!at || !(s.own & action.from)) return s;
    const bool was_king = s.king & action.from;
    const bool crowned = rules_.kings && !was_king && (at & geometry_.crown(s.turn));
    State after = s;
    after.own = (s.own & ~action.from) | at;
    after.others = s.others & ~captured;
    after.king = (s.king & ~(action.from | captured)) | (was_king || crowned ? at : 0);
    after.step = rules_.step_limit ? s.step + 1 : 0;
    after.idle = rules_.idle_limit && was_king && !captured ? s.idle + 1 : 0;
    after.chain = 0;
    if (rules_.jumps == Jumps::by_plies && captured && !crowned)
        jumps(after, at, was_king, 0, [&](int, Squares, Squares) { after.chain = at; });
    if (!after.chain) {
        std::swap(after.own, after.others);
        after.turn = opponent(s.turn);
    }
    return after;
}

}  // namespace ludens::checkers
