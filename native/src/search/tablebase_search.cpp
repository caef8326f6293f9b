// A search that looks the root up, in endgame tables for example, and searches only where it is not found.
#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "base/knowledge.hpp"
#include "base/role_moves.hpp"
#include "base/simulator.hpp"
#include "search/search.hpp"

namespace ludens {

namespace {

constexpr int line_steps = 20;  // of the line that is expected from a known root

// A state one move away.
struct Child {
    std::vector<int> joint, goals;
    std::vector<Word> state;
    int distance;  // Knowledge::nothing: the goals are not known
};

class TablebaseSearch final : public Search {
public:
    TablebaseSearch(std::unique_ptr<Search> search, const Game& game, const SearchOptions& options)
        : game_(game), search_(std::move(search)), knowledge_(options.knowledge),
          simulator_(game.machine({.lanes = 64, .instruction_set = "", .seed = options.seed})) {
        set_root(nullptr);
    }

    void set_root(const Word* state) override {
        const std::lock_guard alone(running_);
        const Word* from = state ? state : game_.initial().data();
        auto answer = look_up(from);
        if (!answer) search_->set_root(from);
        auto line = answer ? follow(*answer) : std::vector<int>{};
        const std::lock_guard quiet(reporting_);
        answer_ = std::move(answer);
        line_ = std::move(line);
    }

    void go_on(double seconds, std::int64_t playouts) override {
        const std::lock_guard alone(running_);
        if (!answer_) search_->go_on(seconds, playouts);
    }
    void collect(int room, std::vector<Word>& states, std::vector<std::int64_t>& tickets) override {
        const std::lock_guard alone(running_);
        if (!answer_) search_->collect(room, states, tickets);
    }
    void report(std::span<const std::int64_t> tickets, const double* goals, int games) override {
        const std::lock_guard alone(running_);
        search_->report(tickets, goals, games);
    }
    void stop() override { search_->stop(); }
    void forget_stop() override { search_->forget_stop(); }
    void suggest(const std::vector<int>& line) override { search_->suggest(line); }
    std::vector<Word> shared_stats(int most) const override { return search_->shared_stats(most); }
    void take_stats(int peer, std::span<const Word> words) override { search_->take_stats(peer, words); }
    SharingCosts sharing_costs() const override { return search_->sharing_costs(); }

    SearchStats stats() const override {
        const std::lock_guard quiet(reporting_);
        SearchStats stats = search_->stats();
        if (!answer_) return stats;
        stats.solved = true;
        stats.root_visits = 0;
        return stats;
    }

    RootMoves root_moves(int role) const override {
        const std::lock_guard quiet(reporting_);
        if (!answer_) return search_->root_moves(role);
        const Child& chosen = answer_->children[answer_->best];
        if (role != answer_->mover)
            return {{{chosen.joint[role], 0, double(chosen.goals[role]), chosen.goals[role]}}, 0};
        RootMoves found{{}, static_cast<int>(answer_->best)};
        for (const Child& c : answer_->children) {
            const bool known = c.distance != Knowledge::nothing;
            const double value = known ? c.goals[role] : std::numeric_limits<double>::quiet_NaN();
            found.moves.push_back({c.joint[role], 0, value, known ? c.goals[role] : -1});
        }
        return found;
    }

    std::vector<int> expected_line(int room) const override {
        const std::lock_guard quiet(reporting_);
        if (!answer_) return search_->expected_line(room);
        const auto length = std::min(line_.size(), static_cast<std::size_t>(std::max(room, 0)) * game_.roles());
        return {line_.begin(), line_.begin() + static_cast<std::ptrdiff_t>(length)};
    }

private:
    // What to play at a state of which something is known.
    struct Answer {
        int mover;
        std::vector<Child> children;
        std::size_t best;
    };

    // Looks a state up; none where the game is over or nothing is known.
    std::optional<Answer> look_up(const Word* state) {
        std::vector<int> goals(static_cast<std::size_t>(game_.roles()));
        std::uint8_t over;
        simulator_.inspect(1, state, nullptr, &over, nullptr);
        if (over || knowledge_->find(state, goals.data()) == Knowledge::nothing) return {};
        Answer answer{0, {}, 0};
        answer.children = children(state, answer.mover);
        const int goal = goals[answer.mover];
        const auto keeps_goal = [&](const Child& c) {
            return c.distance != Knowledge::nothing && c.goals[answer.mover] == goal;
        };
        // Wins the short way, losses the long way.
        const bool won = goal > goals[1 - answer.mover];
        const auto merit = [&](const Child& c) { return std::pair(keeps_goal(c), won ? -c.distance : c.distance); };
        const auto best = std::ranges::max_element(answer.children, {}, merit);
        if (!keeps_goal(*best)) throw Error("what is known of a state contradicts what is known of its children");
        answer.best = static_cast<std::size_t>(best - answer.children.begin());
        return answer;
    }

    // The states that the moves of the one role with a choice lead to; tells which role that is.
    std::vector<Child> children(const Word* state, int& mover) {
        std::vector<Word> legal(static_cast<std::size_t>(game_.move_words()));
        simulator_.inspect(1, state, legal.data(), nullptr, nullptr);
        JointChoice choice;
        RoleMoves(game_.moves()).find_choice(legal.data(), choice);
        mover = choice.mover();
        std::vector<Child> children;
        for (const int move : choice.moves) {
            Child child{choice.joint, std::vector<int>(game_.moves().size()), std::vector<Word>(game_.state_words()),
                        Knowledge::nothing};
            child.joint[mover] = move;
            inspect(state, child);
            children.push_back(std::move(child));
        }
        return children;
    }

    // Fills in what follows from the child's joint move.
    void inspect(const Word* parent, Child& child) {
        simulator_.next(1, parent, child.joint.data(), child.state.data());
        std::uint8_t over;
        simulator_.inspect(1, child.state.data(), nullptr, &over, child.goals.data());
        child.distance = over ? 0 : knowledge_->find(child.state.data(), child.goals.data());
    }

    // The joint moves that are played from a known root on.
    std::vector<int> follow(const Answer& root) {
        std::vector<int> line;
        std::optional<Answer> at = root;
        for (int i = 0; i < line_steps && at; ++i) {
            const Child chosen = at->children[at->best];
            line.insert(line.end(), chosen.joint.begin(), chosen.joint.end());
            at = look_up(chosen.state.data());
        }
        return line;
    }

    const Game& game_;
    const std::unique_ptr<Search> search_;
    const std::shared_ptr<const Knowledge> knowledge_;
    Simulator simulator_;
    std::optional<Answer> answer_;  // none: nothing is known of the root
    std::vector<int> line_;
    std::mutex running_;            // held by whatever changes the search; taken before the next one
    mutable std::mutex reporting_;  // held while reporting and while what is reported changes
};

}  // namespace

std::unique_ptr<Search> with_knowledge(std::unique_ptr<Search> search, const Game& game, const SearchOptions& options) {
    return std::make_unique<TablebaseSearch>(std::move(search), game, options);
}

}  // namespace ludens
