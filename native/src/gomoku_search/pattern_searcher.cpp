#include "gomoku_search/pattern_searcher.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

namespace ludens::gomoku {

namespace {

constexpr std::size_t deepest_ply = most_cells + 1;
constexpr std::int64_t report_interval = 256;  // positions
constexpr int most_moves = 24;                 // that are looked at where nothing is threatened
constexpr int fours_budget = 200;              // positions looked at for a win by fours
constexpr int most_fours = 12;                 // of one such line
constexpr int history_limit = 1 << 12;

int first_of(const Cells& cells) {
    for (std::size_t w = 0; w < cells.words.size(); ++w)
        if (cells.words[w]) return static_cast<int>(w) * 64 + std::countr_zero(cells.words[w]);
    return -1;
}

// A value as the table keeps it: wins in so many moves from the position, not from the root.
int to_table(int value, int ply) {
    if (value >= least_win) return value + ply;
    return value <= -least_win ? value - ply : value;
}
int from_table(int value, int ply) {
    if (value >= least_win) return value - ply;
    return value <= -least_win ? value + ply : value;
}

}  // namespace

PatternSearcher::PatternSearcher(const GomokuGame& game, const PatternRun& run)
    : run_(run), patterns_(game), lists_(deepest_ply) {}

void PatternSearcher::set(const Position& position) {
    root_ = position;
    patterns_.set(position);
    for (auto& killers : killers_) killers = {-1, -1};
    for (auto& history : history_)
        for (int& value : history) value /= 8;
}

std::vector<int> PatternSearcher::root_moves() {
    Candidates& list = lists_[0];
    list_moves(list, 0, run_.table.find(patterns_.key()).move);
    list_rest(list);
    std::vector<int> moves;
    for (int i = 0; i < list.count; ++i) moves.push_back(list.pick(i));
    return moves;
}

std::optional<MoveValue> PatternSearcher::value_after(int move, int depth, int alpha, int beta) try {
    if (patterns_.best(patterns_.turn(), move) == Shape::five) return MoveValue{.value = win - 1, .settled = true};
    patterns_.make(move);
    estimated_ = false;
    const int value = -search(depth, -beta, -alpha, 1);
    patterns_.unmake();
    return MoveValue{.value = value, .settled = !estimated_ || is_proven(value)};
} catch (const Interrupted&) {
    patterns_.set(root_);
    return std::nullopt;
}

std::vector<int> PatternSearcher::line_after(int move, int room) {
    std::vector<int> line{move};
    if (patterns_.best(patterns_.turn(), move) == Shape::five) return line;
    patterns_.make(move);
    while (static_cast<int>(line.size()) < room && patterns_.empty_count() > 0) {
        const int side = patterns_.turn();
        const bool wins = patterns_.count(side, Shape::five) > 0;
        const int next = wins ? first_of(patterns_.cells(side, Shape::five)) : run_.table.find(patterns_.key()).move;
        if (next < 0 || next >= patterns_.rules().cells() || !patterns_.empty(next)) break;
        line.push_back(next);
        if (wins) break;
        patterns_.make(next);
    }
    patterns_.set(root_);
    return line;
}

// ---- Searching -------------------------------------------------------------------------------------------------

int PatternSearcher::search(int depth, int alpha, int beta, int ply) {
    count_position();
    const int side = patterns_.turn(), other = side ^ 1;
    if (patterns_.count(side, Shape::five) > 0) return win - ply - 1;
    if (patterns_.empty_count() == 0) return 0;
    const int fives = patterns_.count(other, Shape::five);
    if (fives > 1) return -(win - ply - 2);
    if (fives == 0 && patterns_.count(side, Shape::open_four) > 0) return win - ply - 3;
    alpha = std::max(alpha, -(win - ply - 2));
    beta = std::min(beta, win - ply - 3);
    if (alpha >= beta) return alpha;
    const PatternTable::Entry known = run_.table.find(patterns_.key());
    if (known.kind != PatternTable::Kind::none) {
        const int value = from_table(known.value, ply);
        const bool tells = known.kind == PatternTable::Kind::exact ||
                           (known.kind == PatternTable::Kind::at_least && value >= beta) ||
                           (known.kind == PatternTable::Kind::at_most && value <= alpha);
        if (tells && (known.depth >= depth || known.settled)) {
            estimated_ |= !known.settled;
            return value;
        }
    }
    if (fives == 0 && depth <= 0) return leaf(ply);
    Candidates& list = lists_[static_cast<std::size_t>(ply)];
    if (fives == 1) list_only(list, first_of(patterns_.cells(other, Shape::five)));
    else list_moves(list, ply, known.move);
    if (!list.all && depth >= patterns_.empty_count()) list_rest(list);  // as it is searched to the end
    int best_move = -1;
    const bool before = std::exchange(estimated_, false);
    const int value = search_moves(list, depth, alpha, beta, ply, best_move);
    estimated_ |= !list.all && value < beta;
    estimated_ &= !is_proven(value);
    const bool settled = !estimated_;
    estimated_ |= before;
    const auto kind = value >= beta    ? PatternTable::Kind::at_least
                      : value <= alpha ? PatternTable::Kind::at_most
                                       : PatternTable::Kind::exact;
    run_.table.store(patterns_.key(), {best_move, to_table(value, ply), std::max(depth, 0), kind, settled});
    return value;
}

// Searches the moves of the list, and those left out of it if all of these lose.
int PatternSearcher::search_moves(Candidates& list, int depth, int alpha, int beta, int ply, int& best_move) {
    const bool forced = list.searched == 1 && list.all;
    int best = -win;
    for (int i = 0;; ++i) {
        if (i == list.searched) {
            if (list.all || best > -least_win) break;
            list_rest(list);
            if (i == list.searched) break;
        }
        const int move = list.pick(i);
        const int value = search_move(move, i, depth, std::max(alpha, best), beta, ply, forced);
        if (value > best) {
            best = value;
            best_move = move;
        }
        if (best >= beta) {
            reward(move, depth, ply);
            break;
        }
    }
    return best;
}

int PatternSearcher::search_move(int move, int number, int depth, int alpha, int beta, int ply, bool forced) {
    const bool makes_four = patterns_.best(patterns_.turn(), move) >= Shape::four;
    run_.table.prefetch(patterns_.key_after(move));  // which takes as long as to make the move
    patterns_.make(move);
    const int next = forced ? depth : depth - 1;  // an answer to a four costs nothing
    int value = 0;
    if (number == 0) {
        value = -search(next, -beta, -alpha, ply + 1);
    } else {
        const bool to_the_end = depth > patterns_.empty_count();
        const bool late = number >= 3 && depth >= 3 && !makes_four && !to_the_end;
        const int less = late ? 1 + (number >= 8) + (depth >= 7) : 0;
        value = -search(next - less, -alpha - 1, -alpha, ply + 1);
        if (less > 0 && value > alpha) value = -search(next, -alpha - 1, -alpha, ply + 1);
        if (value > alpha && value < beta) value = -search(next, -beta, -alpha, ply + 1);
    }
    patterns_.unmake();
    return value;
}

// The value of a position in which the other side cannot complete a row at once.
int PatternSearcher::leaf(int ply) {
    const int side = patterns_.turn();
    if (patterns_.count(side, Shape::four) > 0) {
        int budget = fours_budget;
        if (const int moves = wins_by_fours(most_fours, budget); moves > 0)
            return std::max(win - ply - moves, least_win);
    }
    estimated_ = true;
    return estimate();
}

// In how many moves the side to move wins by so many fours, each of which has one answer; 0: it does not.
int PatternSearcher::wins_by_fours(int fours, int& budget) {
    const int side = patterns_.turn(), other = side ^ 1;
    if (patterns_.count(side, Shape::five) > 0) return 1;
    const int must = patterns_.count(other, Shape::five) > 0 ? first_of(patterns_.cells(other, Shape::five)) : -1;
    if (patterns_.count(other, Shape::five) > 1 || fours == 0) return 0;
    if (must < 0 && patterns_.count(side, Shape::open_four) > 0) return 3;
    if (must >= 0 && patterns_.best(side, must) < Shape::four) return 0;
    std::array<int, most_cells> cells;
    std::size_t count = 0;
    if (must >= 0) cells[count++] = must;
    else patterns_.each(side, Shape::four, [&](int cell) { cells[count++] = cell; });
    for (std::size_t i = 0; i < count && budget > 0; ++i) {
        --budget;
        count_position();
        patterns_.make(cells[i]);
        int moves = 0;
        if (patterns_.count(other, Shape::five) == 0) {
            const Cells& fives = patterns_.cells(side, Shape::five);
            if (patterns_.count(side, Shape::five) > 1) {
                moves = 3;
            } else if (patterns_.count(side, Shape::four) + patterns_.count(side, Shape::open_four) > 0) {
                patterns_.make(first_of(fives));
                moves = wins_by_fours(fours - 1, budget);
                moves += moves > 0 ? 2 : 0;
                patterns_.unmake();
            }
        }
        patterns_.unmake();
        if (moves > 0) return moves;
    }
    return 0;
}

// ---- Moves -----------------------------------------------------------------------------------------------------

int PatternSearcher::Candidates::pick(int i) {
    typedef std::int32_t Ranks __attribute__((vector_size(at_once / 2 * sizeof(std::int32_t))));
    constexpr std::int32_t lowest = std::numeric_limits<std::int32_t>::min();
    const auto begin = ranks_.begin() + i, end = ranks_.begin() + count;
    std::fill_n(end, at_once, lowest);
    std::array<Ranks, 2> highest{Ranks{} + lowest, Ranks{} + lowest};
    for (auto at = begin; at < end; at += at_once)
        for (std::size_t half = 0; half < highest.size(); ++half) {
            Ranks some;
            std::memcpy(&some, &at[half * at_once / 2], sizeof some);
            highest[half] = some > highest[half] ? some : highest[half];
        }
    highest[0] = highest[1] > highest[0] ? highest[1] : highest[0];
    std::int32_t best = lowest;
    for (std::size_t lane = 0; lane < at_once / 2; ++lane) best = std::max(best, highest[0][lane]);
    std::iter_swap(begin, std::find(begin, end, best));
    return move(i);
}

// Lists the moves to look at, best first.
void PatternSearcher::list_moves(Candidates& list, int ply, int known) const {
    list.count = 0;
    list.all = true;
    const int side = patterns_.turn(), other = side ^ 1;
    if (patterns_.count(other, Shape::open_four) > 0 && patterns_.count(side, Shape::open_four) == 0 &&
        patterns_.count(side, Shape::five) + patterns_.count(other, Shape::five) == 0) {
        list_answers(list, ply, known);
    } else {
        patterns_.each_near([&](int cell) { list.add(cell, score(cell, ply, known)); });
        list.searched = std::min(list.count, most_moves);
        list.all = list.searched == patterns_.empty_count();
    }
}

void PatternSearcher::list_only(Candidates& list, int move) {
    list.count = 0;
    list.add(move, 0);
    list.searched = 1;
    list.all = true;
}

// Lists what may parry an open four: a four of one's own, or a cell that would make four of the other side's stones.
void PatternSearcher::list_answers(Candidates& list, int ply, int known) const {
    const int side = patterns_.turn(), other = side ^ 1;
    patterns_.each(other, Shape::four, [&](int cell) { list.add(cell, score(cell, ply, known)); });
    patterns_.each(side, Shape::four, [&](int cell) {
        if (patterns_.best(other, cell) < Shape::four) list.add(cell, score(cell, ply, known));
    });
    list.searched = list.count;
}

// Adds all empty cells that are not in the list, so that all are searched.
void PatternSearcher::list_rest(Candidates& list) const {
    Cells listed{};
    for (int i = 0; i < list.count; ++i) listed.add(list.move(i));
    for (int cell = 0; cell < patterns_.rules().cells(); ++cell)
        if (patterns_.empty(cell) && !listed[cell]) list.add(cell, 0);
    list.searched = list.count;
    list.all = true;
}

// How soon a move is to be looked at.
int PatternSearcher::score(int move, int ply, int known) const {
    if (move == known) return known_score;
    const int side = patterns_.turn();
    const auto& killers = killers_[static_cast<std::size_t>(ply)];
    const bool killer = move == killers[0] || move == killers[1], four = patterns_.best(side, move) >= Shape::four;
    const int history = history_[static_cast<std::size_t>(side)][static_cast<std::size_t>(move)];
    return patterns_.promise(move) + (four << 12) + (killer << 10) + (history >> 3);
}

int PatternSearcher::estimate() const { return std::clamp(patterns_.estimate(), -most_worth, most_worth); }

// ---- Counting --------------------------------------------------------------------------------------------------

void PatternSearcher::count_position() {
    ++positions_;
    if (++unreported_ < report_interval) return;
    run_.limit.finished.fetch_add(unreported_, std::memory_order_relaxed);
    unreported_ = 0;
    run_.table.grow();
    if (run_.limit.reached()) throw Interrupted{};
}

void PatternSearcher::reward(int move, int depth, int ply) {
    auto& killers = killers_[static_cast<std::size_t>(ply)];
    if (killers[0] != move) killers = {move, killers[0]};
    int& value = history_[static_cast<std::size_t>(patterns_.turn())][static_cast<std::size_t>(move)];
    const int gain = std::min(depth * depth + 1, 400);
    value += gain - value * gain / history_limit;
}

}  // namespace ludens::gomoku
