// The search `patterns`, for games of the gomoku family on their own core: alpha-beta with iterative deepening (Slate and
// Atkin, "Chess 4.5", 1977) and aspiration windows on patterns (gomoku_search/pattern_searcher.hpp), after a threat-space
// search of the root (gomoku/threats.hpp). Several threads search the same position and share the transposition table
// (lazy SMP: Ostensen, "A complete chess engine parallelized using lazy SMP", 2016). Where the opening book has a move
// (gomoku_search/opening_book.hpp), only that one is searched, unless it is seen to lose.
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>

#include "base/threads.hpp"
#include "gomoku/threats.hpp"
#include "gomoku_search/opening_book.hpp"
#include "gomoku_search/pattern_searcher.hpp"
#include "gomoku_search/threat_share.hpp"
#include "search/search.hpp"

namespace ludens::gomoku {

namespace {

constexpr int window = 40;  // of the first search of a depth, around the value of the last
constexpr int most_threat_moves = 40;
constexpr double safety_positions = 250;  // looked at for threats after a move, times two for each depth
constexpr double worth_of_half = 250;     // the estimate that means three quarters of what there is to win

// What is known of a move at the root.
struct Report {
    int move;
    std::int64_t visits = 0;  // positions below it
    int value = 0;
    bool known = false, settled = false;  // something is known of it; no estimate has a part in that
    bool only_bound = false;              // its value is no better than this, and may be worse
    bool safe = false;                    // the other side has no win by threats after it, as far as they reach
};

const GomokuGame& core_of(const Game& game) {
    const auto* core = dynamic_cast<const GomokuGame*>(&game);
    if (!core) throw Error("the strategy 'patterns' plays k in a row on its own game core, and no other game");
    if (!core->rules().rows_win())
        throw Error("the strategy 'patterns' plays games in which a row wins what the other side loses");
    return *core;
}

class PatternSearch final : public Search {
public:
    PatternSearch(const Game& game, const SearchOptions& options)
        : game_(core_of(game)), table_(options.memory_bytes), threats_(game_) {
        for (int i = 0; i < options.threads; ++i)
            searchers_.push_back(std::make_unique<PatternSearcher>(game_, PatternRun{table_, limit_}));
        set_root(nullptr);
    }

    void set_root(const Word* state) override {
        const std::lock_guard alone(running_), quiet(reporting_);
        root_ = game_.decode(state ? state : game_.initial().data());
        for (const auto& searcher : searchers_) searcher->set(root_);
        report_.clear();
        line_.clear();
        depth_ = 0;
        best_ = 0;
        solved_ = false;
        threat_share_ = {};
        threats_settled_ = false;
        over_ = game_.rows().any(root_.stones[0]) || game_.rows().any(root_.stones[1]);
        if (!over_)
            for (const int move : searchers_[0]->root_moves()) report_.push_back({move});
        over_ |= report_.empty();
        solved_ = over_;
        booked_ = over_ ? -1 : book_move(game_.rules(), root_);
        if (booked_ >= 0) best_ = index_of(booked_);
    }

    void go_on(double seconds, std::int64_t playouts) override {
        const std::lock_guard alone(running_);
        before_ = reported_;
        limit_.begin_unless_stopped(seconds, playouts);
        if (over_ || solved_) return;
        try_threats(seconds, playouts);
        if (solved_) return;
        run_in_threads(searchers_, limit_.stopped, [&](PatternSearcher& searcher) {
            if (&searcher == searchers_.front().get()) lead(searcher);
            else help(searcher);
        });
    }

    void stop() override { limit_.stopped = root_threats_.stopped = true; }
    void forget_stop() override { limit_.stopped = root_threats_.stopped = false; }

    SearchStats stats() const override {
        const std::lock_guard quiet(reporting_);
        SearchStats stats{};
        stats.playouts = stats.state_changes = reported_;
        stats.iterations = stats.depth = depth_;
        for (const Report& r : report_) stats.root_visits += r.visits;
        stats.nodes = table_.used();
        stats.memory_bytes = table_.bytes();
        stats.bytes_per_node = 16;
        stats.solved = solved_;
        return stats;
    }

    RootMoves root_moves(int role) const override {
        const std::lock_guard quiet(reporting_);
        RootMoves found{{}, over_ ? -1 : 0};
        if (over_) return found;
        if (role != game_.role(root_.turn)) {
            const Report& best = report_[chosen()];
            found.moves.push_back({game_.waiting(), 0, goal(role, -best.value), -1});
            return found;
        }
        for (const Report& r : report_) {
            const double value = r.known ? goal(role, r.value) : std::numeric_limits<double>::quiet_NaN();
            const bool sure = r.known && r.settled && (!r.only_bound || is_proven(r.value));
            found.moves.push_back({r.move, r.visits, value, sure ? static_cast<int>(std::lround(value)) : -1});
        }
        const int move = report_[chosen()].move;
        std::ranges::sort(found.moves, {}, &RootMove::move);
        found.best = static_cast<int>(std::ranges::find(found.moves, move, &RootMove::move) - found.moves.begin());
        return found;
    }

    std::vector<int> expected_line(int room) const override {
        const std::lock_guard quiet(reporting_);
        std::vector<int> line;
        for (std::size_t i = 0; i < line_.size() && static_cast<int>(i) < room; ++i) {
            const int side = root_.turn ^ static_cast<int>(i & 1);
            std::array<int, 2> joint{};
            joint[static_cast<std::size_t>(game_.role(side))] = line_[i];
            joint[static_cast<std::size_t>(game_.role(side ^ 1))] = game_.waiting();
            line.insert(line.end(), joint.begin(), joint.end());
        }
        return line;
    }

private:
    static constexpr int longest_line = 40;

    // The move to make: the best one, but where a depth ended as soon as that had proved lost, the most visited of those
    // that have not.
    std::size_t chosen() const {
        if (!is_lost(report_[best_])) return best_;
        std::size_t most = best_;
        for (std::size_t i = 0; i < report_.size(); ++i)
            if (!is_lost(report_[i]) && (is_lost(report_[most]) || report_[i].visits > report_[most].visits)) most = i;
        return most;
    }

    static bool is_lost(const Report& r) { return r.known && is_proven(r.value) && r.value < 0; }

    std::size_t index_of(int move) const {
        return static_cast<std::size_t>(std::ranges::find(report_, move, &Report::move) - report_.begin());
    }

    // What a value is worth to a role, for whom it is.
    double goal(int role, int value) const {
        const auto& goals = game_.rules().goals;
        const auto side = static_cast<std::size_t>(game_.role(0) == role ? 0 : 1), own = static_cast<std::size_t>(role);
        const double best = goals[side][own], even = goals[drawn][own], worst = goals[side ^ 1][own];
        if (is_proven(value)) return value > 0 ? best : worst;
        const double share = std::tanh(value * std::atanh(0.5) / worth_of_half);
        return share > 0 ? even + share * (best - even) : even - share * (worst - even);
    }

    // Looks for a win by threats, as long as its share of all runs of this root allows.
    void try_threats(double seconds, std::int64_t playouts) {
        const auto allowed = threat_share_.add_run(seconds, playouts);
        if (threats_settled_ || !allowed) return;
        root_threats_.begin_unless_stopped(allowed->seconds, 0);
        const auto verdict =
            threats_.search(root_, ThreatSearch::Kind::threes, allowed->positions, most_threat_moves, &root_threats_);
        threats_settled_ = verdict != ThreatSearch::Verdict::unknown || threats_.positions() >= most_threats;
        const bool won = verdict == ThreatSearch::Verdict::won;
        const std::lock_guard quiet(reporting_);
        before_ += threats_.positions();
        reported_ += threats_.positions();
        if (!won) return;
        const int move = threats_.proof().front();
        best_ = index_of(move);
        report_[best_].value = win - 1;
        report_[best_].visits += threats_.positions();
        report_[best_].known = report_[best_].settled = true;
        line_ = {move};
        solved_ = true;
    }

    // Deepens until all is known; reports.
    void lead(PatternSearcher& searcher) {
        while (depth_ < game_.rules().cells() && !solved_ && deepen(searcher, depth_ + 1)) {
            const std::lock_guard quiet(reporting_);
            ++depth_;
            solved_ |= is_solved();
        }
        limit_.stopped = true;  // the others, too
        const std::lock_guard quiet(reporting_);
        reported_ = positions();
        if (const Report& best = report_[chosen()]; best.known) line_ = searcher.line_after(best.move, longest_line);
    }

    // Searches one depth; false where the run ended before.
    bool deepen(PatternSearcher& searcher, int depth) {
        const std::vector<std::size_t> order = by_merit();
        int best = -win;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const Report& before = report_[order[i]];
            if (before.known && before.settled && is_proven(before.value)) {
                if (before.value > best) take_best(order[i], best, before.value);
                continue;
            }
            const std::int64_t visits = searcher.positions();
            const auto found = value_of(searcher, before, depth, best, i == 0);
            if (!found) return false;
            Report now = before;
            now.known = true;
            now.value = found->value;
            now.settled = found->settled;
            now.only_bound = found->only_bound;
            now.visits += searcher.positions() - visits;
            std::int64_t looked_at = 0;
            if (now.value > best && !is_proven(now.value) && !now.safe) looked_at = try_threats_after(now, depth);
            const std::lock_guard quiet(reporting_);
            report_[order[i]] = now;
            before_ += looked_at;
            reported_ = positions();
            if (now.value > best) {
                best = now.value;
                best_ = order[i];
            }
            if (is_proven(best) && best > 0) return true;
        }
        return true;
    }

    // Notes whether threats of the other side are seen to win after a move; returns how many positions were looked at.
    std::int64_t try_threats_after(Report& r, int depth) {
        Position after = root_;
        after.stones[static_cast<std::size_t>(root_.turn)].add(r.move);
        after.turn ^= 1;
        const double most = std::min(std::ldexp(safety_positions, depth), most_threats);
        const auto verdict = threats_.search(after, ThreatSearch::Kind::threes, static_cast<std::int64_t>(most),
                                             most_threat_moves, &limit_);
        r.visits += threats_.positions();
        r.safe = verdict == ThreatSearch::Verdict::none;
        if (verdict == ThreatSearch::Verdict::won) {
            r.value = -least_win;
            r.settled = true;
            r.only_bound = false;
        }
        return threats_.positions();
    }

    void take_best(std::size_t i, int& best, int value) {
        const std::lock_guard quiet(reporting_);
        best = value;
        best_ = i;
    }

    // The value of a move: of the first in a window around its last value, which is opened where it lies outside; of
    // others only whether they are better than the best, and then how good. Nothing where the run ended before.
    static std::optional<MoveValue> value_of(PatternSearcher& searcher, const Report& before, int depth, int best,
                                             bool first) {
        const auto value_within = [&](int low, int high) {
            return searcher.value_after(before.move, depth - 1, low, high);
        };
        if (!first) {
            auto found = value_within(best, best + 1);
            if (found && found->value > best) return value_within(best, win);
            if (found) found->only_bound = true;
            return found;
        }
        int low = -win, high = win;
        if (before.known && depth > 3) {
            low = std::max(before.value - window, -win);
            high = std::min(before.value + window, win);
        }
        const auto found = value_within(low, high);
        if (!found || (found->value > low && found->value < high)) return found;
        return value_within(-win, win);
    }

    // The moves in the order in which to search them: the best one, then by how many positions it took to see that
    // others are worse. That of the book alone, until it is lost.
    std::vector<std::size_t> by_merit() const {
        if (booked_ >= 0 && !is_lost(report_[index_of(booked_)])) return {index_of(booked_)};
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < report_.size(); ++i) order.push_back(i);
        std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
            if (a == best_ || b == best_) return a == best_ && b != best_;
            return report_[a].visits > report_[b].visits;
        });
        return order;
    }

    bool is_solved() const {
        const Report& best = report_[best_];
        if (is_proven(best.value) && best.value > 0) return true;
        return std::ranges::all_of(report_, [](const Report& r) { return r.known && r.settled; });
    }

    // Fills the table beside the leading thread, every other helper a ply ahead.
    void help(PatternSearcher& searcher) {
        const std::vector<int> moves = searcher.root_moves();
        const auto self = std::ranges::find(searchers_, &searcher, &std::unique_ptr<PatternSearcher>::get);
        for (int depth = 2 + static_cast<int>((self - searchers_.begin()) % 2); !limit_.reached(); ++depth) {
            int best = -win;
            for (const int move : moves) {
                const auto found = searcher.value_after(move, depth - 1, best, win);
                if (!found) return;
                best = std::max(best, found->value);
            }
            if (depth > game_.rules().cells()) return;
        }
    }

    std::int64_t positions() const { return before_ + limit_.finished.load(std::memory_order_relaxed); }

    const GomokuGame& game_;
    PatternTable table_;
    ThreatSearch threats_;
    Limit limit_, root_threats_;  // of a run, and of its search for threats at the root
    std::vector<std::unique_ptr<PatternSearcher>> searchers_;
    Position root_;
    bool over_ = false;
    int booked_ = -1;               // the move of the opening book at the root; -1: none
    ThreatShare threat_share_;      // of runs of this root
    bool threats_settled_ = false;  // all is known of such wins that can be
    std::int64_t before_ = 0;       // positions looked at before what the limit counts
    std::mutex running_;
    mutable std::mutex reporting_;  // held while reporting and while what is reported changes
    std::vector<Report> report_;
    std::size_t best_ = 0;
    std::vector<int> line_;
    int depth_ = 0;
    std::int64_t reported_ = 0;
    bool solved_ = false;
};

}  // namespace

}  // namespace ludens::gomoku

std::unique_ptr<ludens::Search> ludens::make_patterns(const Game& game, const SearchOptions& options) {
    return std::make_unique<gomoku::PatternSearch>(game, options);
}
