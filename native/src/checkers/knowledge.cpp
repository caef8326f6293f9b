#include "checkers/knowledge.hpp"

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
    const auto verdict = probe(state);
    if (!verdict) return nothing;
    const int mover = rules_.role(game_->decode(state).turn);
    goals[mover] = goals_[1 + verdict->value];
    goals[1 - mover] = goals_[1 - verdict->value];
    return verdict->distance;
}

bool EndgameKnowledge::is_near(const Word* state) const {
    return std::popcount(state[0]) <= table_.index().pieces() + pieces_to_go;
}

// With a limit the distance is that to the next progress, so a position just after it is the end of the way to it:
// else who wins might go round in circles from one such position to the next.
std::optional<EndgameKnowledge::Verdict> EndgameKnowledge::probe(const Word* state) const {
    const State s = game_->decode(state);
    if (!s.own) return Verdict{-1, 0};
    if (s.chain) return probe_chain(state);
    const auto half = [&](int word, int i) { return static_cast<Squares>(state[word] >> (32 * i)); };
    const endgame::Measure& measure = table_.measure();
    const endgame::Value value = measure.at(table_.probe({half(0, 0), half(0, 1), half(1, 0), s.turn}), s.idle);
    if (value == endgame::no_position) return {};
    if (value == endgame::draw) return Verdict{0, 0};
    const int plies = measure.plies(value);
    const bool limited = measure.limit() > 0;
    if (rules_.idle_limit && s.idle + plies > rules_.idle_limit) return {};
    if (rules_.step_limit && (limited || plies + std::popcount(state[0]) - 2 > rules_.step_limit - s.step)) return {};
    return Verdict{endgame::is_win(value) ? 1 : -1, limited && s.idle == 0 ? 0 : plies};
}

std::optional<EndgameKnowledge::Verdict> EndgameKnowledge::probe_chain(const Word* state) const {
    const State s = game_->decode(state);
    if (rules_.step_limit && s.step >= rules_.step_limit) return {};
    std::optional<Verdict> best;
    bool open = false;
    game_->actions().each(s, [&](const Action& action) {
        const State after = game_->actions().play(s, action);
        Word words[2];
        game_->encode(after, words);
        const auto verdict = probe(words);
        if (!verdict) {
            open = true;
            return;
        }
        const Verdict here{after.turn == s.turn ? verdict->value : -verdict->value, verdict->distance + 1};
        const int sign = here.value;  // wins are to be near, losses far away
        if (!best || here.value > best->value ||
            (here.value == best->value && sign * here.distance < sign * best->distance))
            best = here;
    });
    if (best && best->value == 0) best->distance = 0;
    return open && (!best || best->value < 1) ? std::nullopt : best;
}

}  // namespace ludens::checkers
