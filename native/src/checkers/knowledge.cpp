#include "checkers/knowledge.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace ludens::checkers {

namespace {

// So many pieces more than its tables have alpha-beta proves positions that a tree does not; with two more still,
// hardly any (scripts/strength/endgame_use.py).
constexpr int pieces_to_go = 2;

// The goal of both sides at an end where the side to move could move. Error where they differ.
int goal_of_draws(const Rules& rules) {
    const int draw = rules.goals[1][1][0];
    for (int black = 1; black <= std::popcount(rules.start[0]); ++black)
        for (int red = 1; red <= std::popcount(rules.start[1]); ++red)
            for (const int goal : rules.goals[black][red])
                if (goal != draw) throw Error("endgame tables know nothing of goals that count pieces");
    return draw;
}

void check(const Rules& rules) {
    if (!rules.english()) throw Error("endgame tables are of English draughts");
}

}  // namespace

EndgameKnowledge::EndgameKnowledge(std::shared_ptr<const CheckersGame> game, const endgame::Table& table)
    : game_(std::move(game)), rules_(game_->rules()), table_(table) {
    check(rules_);
    goals_ = {rules_.stuck_goals[0], goal_of_draws(rules_), rules_.stuck_goals[1]};
    if (goals_[0] < 0 || goals_[0] >= goals_[1] || goals_[1] >= goals_[2])
        throw Error("endgame tables are of games in which who cannot move loses");
    const int limit = table.measure().limit();
    if (limit != 0 && limit != rules_.idle_limit)
        throw Error("a table with a limit of " + std::to_string(limit) + " plies proves nothing where the limit is " +
                    std::to_string(rules_.idle_limit));
}

int EndgameKnowledge::find(const Word* state, int* goals) const {
    if (std::popcount(state[0]) > table_.index().pieces()) return nothing;
    const Bounds value = probe(state);
    if (value.least != value.most) return nothing;
    const int mover = rules_.role(game_->decode(state).turn);
    goals[mover] = goals_[1 + value.least];
    goals[1 - mover] = goals_[1 - value.least];
    return value.distance;
}

bool EndgameKnowledge::is_near(const Word* state) const {
    return std::popcount(state[0]) <= table_.index().pieces() + pieces_to_go;
}

// With a limit the distance is that to the next progress, so a position just after it is the end of the way to it:
// else who wins might go round in circles from one such position to the next.
EndgameKnowledge::Bounds EndgameKnowledge::probe(const Word* state) const {
    const State s = game_->decode(state);
    if (!s.own) return {-1, -1, 0};
    if (s.chain) return probe_chain(s);
    const auto half = [&](int word, int i) { return static_cast<Squares>(state[word] >> (32 * i)); };
    const endgame::Measure& measure = table_.measure();
    const endgame::Value value = measure.at(table_.probe({half(0, 0), half(0, 1), half(1, 0), s.turn}), s.idle);
    if (value == endgame::no_position) return {-1, 1, 0};
    if (value == endgame::draw) return {0, 0, 0};
    const int result = endgame::is_win(value) ? 1 : -1, plies = measure.plies(value);
    if (!is_in_time(s, plies)) return {std::min(result, 0), std::max(result, 0), 0};
    return {result, result, measure.limit() > 0 && s.idle == 0 ? 0 : plies};
}

bool EndgameKnowledge::is_in_time(const State& s, int plies) const {
    if (rules_.idle_limit && s.idle + plies > rules_.idle_limit) return false;
    if (!rules_.step_limit) return true;
    const int pieces = std::popcount(s.own | s.others);
    return table_.measure().limit() == 0 && plies + pieces - 2 <= rules_.step_limit - s.step;
}

EndgameKnowledge::Bounds EndgameKnowledge::probe_chain(const State& s) const {
    if (rules_.step_limit && s.step >= rules_.step_limit) return {0, 0, 0};
    // Wins are to be near, losses far away.
    const auto merit = [](const Bounds& b) { return std::pair(b.least, b.least > 0 ? -b.distance : b.distance); };
    Bounds best{-1, -1, 0};
    game_->actions().each(s, [&](const Action& action) {
        const State after = game_->actions().play(s, action);
        Word words[2];
        game_->encode(after, words);
        Bounds here = probe(words);
        if (after.turn != s.turn) here = {-here.most, -here.least, here.distance};
        if (here.least != 0) ++here.distance;
        const int most = std::max(best.most, here.most);
        if (merit(here) > merit(best)) best = here;
        best.most = most;
    });
    return best;
}

}  // namespace ludens::checkers
